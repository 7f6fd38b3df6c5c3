"""The gallery by name: complete, described, and strict about parameters."""

import inspect

import numpy as np
import pytest

from sarrus import gallery
from sarrus.errors import MechanismError, UnknownName
from sarrus.mechanism import Mechanism

FACTS = ("Degrees of freedom:", "Loops:", "Redundant rows:", "Reference:")


@pytest.mark.parametrize("name", gallery.NAMES)
def test_every_mechanism_is_a_documented_function_that_runs_with_its_defaults(name):
    function = getattr(gallery, name)
    text = inspect.getdoc(function)
    assert all(fact in text for fact in FACTS)
    for parameter in inspect.signature(function).parameters:
        assert parameter in text.partition("Degrees of freedom")[0]
    made = gallery.make(name)
    assert isinstance(made, Mechanism)
    assert made.bodies


def test_a_description_is_one_line_and_the_defaults():
    about = gallery.describe("pendulum")
    assert about.parameters == {"links": 10, "joint": "revolute", "angle": np.pi / 2}
    assert about.summary == "A chain of rods that hangs from the world and swings about x."
    assert str(about).startswith("pendulum(links=10, joint='revolute', angle=1.57")


def test_make_passes_the_parameters_on():
    assert len(gallery.make("pendulum", links=3).bodies) == 3


def test_an_unknown_mechanism_lists_the_closest_ones_first():
    with pytest.raises(UnknownName, match="no gallery mechanism named 'pendulom'; known: 'pendulum'"):
        gallery.make("pendulom")


def test_an_unknown_parameter_lists_the_valid_ones():
    with pytest.raises(UnknownName) as caught:
        gallery.make("pendulum", lengths=3)
    assert str(caught.value) == (
        "gallery pendulum: no parameter named 'lengths'; known: 'links', 'joint', 'angle'"
    )


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("pendulum", {"links": 0}, "gallery pendulum: links must be a whole number of at least 1, not 0"),
        ("pendulum", {"links": 2.5}, "links must be a whole number of at least 1, not 2.5"),
        (
            "pendulum",
            {"joint": "hinge"},
            "joint must be one of 'revolute', 'universal', 'spherical', not 'hinge'",
        ),
        ("pendulum", {"angle": np.nan}, "angle must be finite, not nan"),
        ("spherical_pendulum", {"angle": 2.0}, "there is no steady cone at angle 2"),
        ("four_bar", {"coupler": 3.0}, "gallery four_bar: the loop cannot close: rods of 3 m and 0.8 m"),
        ("four_bar", {"crank": -1.0}, "crank must be positive and finite, not -1.0"),
        ("three_link_loop", {"angle": 0.0}, "the loop cannot close"),
        ("double_four_bar", {"speed": np.inf}, "speed must be finite, not inf"),
        ("rhombus_chain", {"segments": 0}, "segments must be a whole number of at least 1"),
        ("slider_crank", {"rod": 0.2}, "rod must be longer than crank, but 0.2 m <= 0.3 m"),
        ("scissor_lift", {"angle": 0.0}, "angle must lie between 0 and pi/2, not 0"),
        ("hoberman_ring", {"units": 2}, "units must be a whole number of at least 3, not 2"),
        ("hoberman_ring", {"deployment": 2.0}, "deployment must lie between 0 and pi/2, not 2"),
        ("stewart_platform", {"mode": "fast"}, "mode"),
        ("delta_robot", {"forearm": 0.3}, "forearm 0.3 m is too short"),
        ("sarrus", {"arm": 0.0}, "arm must be positive and finite"),
        ("bennett", {"twist": 1.0, "twist2": 1.0}, "twist and twist2 must differ, and not add up to pi"),
        ("bennett", {"twist": 0.0}, "twist must lie between 0 and pi, not 0"),
        ("bennett", {"angle": 0.0}, "angle must lie between -pi and pi and not be 0, not 0"),
        ("door", {"width": 0.0}, "width must be positive and finite"),
        ("spinning_top", {"height": 0.0}, "height must be positive and finite"),
        ("t_handle", {"spin": "fast"}, "spin must be a number, not 'fast'"),
        ("gyroscope", {"weight": 0.0}, "weight must be positive and finite"),
        ("rolling_disc", {"lean": 1.6}, "lean must lie between -pi/2 and pi/2, or the disc lies flat"),
        ("free_chain", {"links": -1}, "links must be a whole number of at least 1"),
        ("tree", {"branching": 0}, "branching must be a whole number of at least 1"),
        ("box_drop", {"height": 0.0}, "height must be positive and finite, not 0.0"),
        ("box_drop", {"friction": -0.1}, "friction must be zero or positive, and finite, not -0.1"),
        ("box_drop", {"restitution": 1.5}, "restitution must lie between 0 and 1, not 1.5"),
        ("box_toss", {"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ("sliding_block", {"speed": -1.0}, "speed must be zero or positive, and finite, not -1.0"),
        ("sliding_block", {"slope": 2.0}, "slope must lie between -pi/2 and pi/2, not 2"),
        ("bouncing_ball", {"e": 1.1}, "e must lie between 0 and 1, not 1.1"),
        ("tippe_top", {"tilt": np.nan}, "tilt must be finite, not nan"),
        ("sphere_chain", {"n": 0}, "n must be a whole number of at least 1, not 0"),
        ("newton_cradle", {"lifted": 5}, "lifted must be less than n = 5, not 5"),
        ("newton_cradle", {"angle": -0.1}, "angle must lie between 0 and pi/2, not -0.1"),
        ("newton_cradle", {"gap": 0.0}, "gap must be positive and finite, not 0.0"),
        ("box_stack", {"ratio": 0.0}, "ratio must be positive and finite, not 0.0"),
        ("box_stack", {"shift": 0.25}, "shift must be less than half the edge, 0.25 m, not 0.25"),
        ("dominoes", {"spacing": 0.03}, "spacing must exceed the thickness of a domino, 0.03 m, not 0.03"),
        ("arch", {"thickness": 0.1}, "thickness must lie between 0.12 and 1 of the radius, 0.12 and 1 m"),
        ("arch", {"n": 2}, "n must be a whole number of at least 3, not 2"),
        ("woodpecker", {"e": -0.1}, "e must lie between 0 and 1, not -0.1"),
        ("brick_wall", {"rows": 0}, "rows must be a whole number of at least 1, not 0"),
        ("brick_wall", {"ball": 0.0}, "ball must be positive and finite, not 0.0"),
        ("card_house", {"lean": 0.6}, "lean must lie between 0.1 and 0.5 rad, not 0.6"),
        ("card_house", {"thickness": 0.01}, "thickness must be at most a twentieth of the length, 0.0044 m"),
        ("heap", {"n": 201}, "n must be at most 200, not 201"),
        ("heap", {"size": -1.0}, "size must be positive and finite, not -1.0"),
        ("ring_chain", {"segments": 7}, "segments must be even, not 7"),
        ("ring_chain", {"thickness": 0.03}, "thickness must be at most half the radius, 0.02 m, not 0.03"),
        ("hand", {"fingers": 5}, "fingers must be at most 4, not 5"),
        ("hand", {"object": "cup"}, "object must be one of 'ball', 'box', 'none', not 'cup'"),
        ("gripper", {"squeeze": 0.0}, "squeeze must be positive and finite, not 0.0"),
        ("humanoid", {"strength": -1.0}, "strength must be zero or positive, and finite, not -1.0"),
        ("quadruped", {"effort": 0.0}, "effort must be positive and finite, not 0.0"),
        ("quadruped", {"limits": "no"}, "limits must be True or False, not 'no'"),
    ],
)
def test_a_parameter_out_of_range_is_refused_with_a_clear_message(name, parameters, message):
    with pytest.raises(MechanismError) as caught:
        gallery.make(name, **parameters)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"gallery {name}: ")
