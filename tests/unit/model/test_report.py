"""What a model says about its contacts."""

import pytest

import sarrus
from sarrus.mechanism import Box, Capsule, Sphere


@pytest.fixture(scope="module")
def text():
    mech = sarrus.Mechanism(name="yard")
    mech.add_body("crate", mass=1.0, position=(0, 0, 2), shapes=[Box((1, 1, 1)), Sphere(0.6)])
    mech.add_body("arm", mass=1.0, position=(0, 0, 4), shapes=[Capsule(0.1, 1.0)])
    mech.add_joint("hinge", "revolute", parent="world", child="arm", at=(0, 0, 4), axis=(1, 0, 0))
    mech.add_ground(friction=0.7, restitution=0.25, name="lawn")
    mech.add_obstacle("post", Box((0.1, 0.1, 5.0), at=(3, 0, 0)))
    mech.add_contact("crate", "arm")
    mech.exclude("arm", "lawn")
    mech.add_limit("stop", "hinge", upper=1.5)
    mech.add_joint_friction("hinge", 0.2)
    mech.add_rope("line", "world", "crate", (0, 0, 6), (0, 0, 2.5), length=4.0)
    return sarrus.build(mech).report()


@pytest.mark.parametrize(
    "words",
    [
        "3 shapes of 2 bodies can collide: 1 Box, 1 Sphere, 1 Capsule",
        "'lawn' (HalfSpace, friction 0.7, restitution 0.25); 'post' (Box, friction 0.5)",
        "1 pair of bodies can collide: 'crate' and 'arm'",
        "never collide: 'arm' and 'lawn'",
        "1 limit: 'hinge' up to 1.5",
        "dry friction of joints [N, N m]: 'hinge' 0.2",
        "1 rope: 'line' from 'world' to 'crate', 4 m",
    ],
)
def test_the_report_lists_contacts_in_words(text, words):
    assert words in text


def test_a_model_without_contacts_says_nothing_of_them():
    text = sarrus.build(sarrus.gallery.pendulum(links=2)).report()
    assert not any(word in text for word in ("touch", "meet", "limit", "rope", "friction"))
