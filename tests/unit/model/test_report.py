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


def test_the_report_names_what_motors_prescribe_and_singular_stances():
    legs = sarrus.build(sarrus.gallery.overactuated_legs()).report()
    assert "22 prescribed coordinates, none left free" in legs
    assert "over-actuated: 2 more than are independent; inputs of 'left ankle'" in legs
    # A crank at its dead point: whatever the slide does, the crank does not follow.
    crank = sarrus.Mechanism()
    for name, y, axis in (("crank", 0.5, (1, 0, 0)), ("rod", 2.0, (1, 0, 0)), ("slider", 3.0, (1, 0, 0))):
        crank.add_body(name, 1.0, (0.1, 0.1, 0.1), position=(0, y, 0))
        parent = {"crank": "world", "rod": "crank", "slider": "rod"}[name]
        at = {"crank": 0.0, "rod": 1.0, "slider": 3.0}[name]
        crank.add_joint(name, "revolute", parent, name, at=(0, at, 0), axis=axis)
    crank.add_joint("slide", "prismatic", "world", "slider", at=(0, 3, 0), axis=(0, 1, 0))
    crank.add_motor("push", "slide", mode="position")
    said = sarrus.build(crank).report()
    assert "the reference is singular for the motors" in said
    assert "'push'" in said
