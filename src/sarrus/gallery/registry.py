"""The gallery by name: what there is, what it takes, and how to make it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sarrus.errors import unknown_name
from sarrus.gallery import (
    balls,
    chains,
    contacts,
    exoskeletons,
    figures,
    gyros,
    hands,
    heaps,
    hoberman,
    humanoids,
    legs,
    parallel_robots,
    planar_loops,
    rings,
    satellites,
    scissors,
    spatial_loops,
    stacks,
    toys,
    walkers,
    walls,
)
from sarrus.mechanism import Mechanism
from sarrus.mechanism.validation import within

MAKERS: dict[str, Callable[..., Mechanism]] = {
    maker.__name__: maker
    for maker in (
        chains.pendulum,
        chains.spherical_pendulum,
        planar_loops.four_bar,
        planar_loops.double_four_bar,
        planar_loops.rhombus_chain,
        planar_loops.slider_crank,
        planar_loops.three_link_loop,
        scissors.scissor_lift,
        scissors.hoberman_ring,
        hoberman.hoberman_sphere,
        spatial_loops.bricard,
        spatial_loops.sarrus,
        spatial_loops.bennett,
        spatial_loops.door,
        parallel_robots.stewart_platform,
        parallel_robots.delta_robot,
        satellites.satellite,
        legs.overactuated_legs,
        figures.large_figure,
        exoskeletons.exoskeleton,
        gyros.spinning_top,
        gyros.t_handle,
        gyros.gyroscope,
        gyros.fast_pendulum,
        gyros.rolling_disc,
        chains.free_chain,
        chains.tree,
        contacts.box_drop,
        contacts.box_toss,
        contacts.sliding_block,
        balls.bouncing_ball,
        balls.tippe_top,
        balls.sphere_chain,
        balls.newton_cradle,
        stacks.box_stack,
        stacks.pyramid,
        stacks.dominoes,
        stacks.arch,
        walls.brick_wall,
        walls.card_house,
        heaps.heap,
        rings.ring_chain,
        hands.hand,
        hands.gripper,
        toys.woodpecker,
        walkers.quadruped,
        humanoids.humanoid,
    )
}
NAMES: tuple[str, ...] = tuple(MAKERS)


@dataclass(frozen=True, slots=True)
class Description:
    """One line about a mechanism of the gallery, and its parameters with their defaults."""

    name: str
    summary: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.name}({given}): {self.summary}"


def maker(name: str) -> Callable[..., Mechanism]:
    """The function that makes the mechanism of this name."""
    if name not in MAKERS:
        raise unknown_name("gallery mechanism", name, NAMES)
    return MAKERS[name]


def describe(name: str) -> Description:
    """What the mechanism of this name is and takes."""
    function = maker(name)
    summary = (inspect.getdoc(function) or "").partition("\n")[0]
    parameters = {p.name: p.default for p in inspect.signature(function).parameters.values()}
    return Description(name, summary, parameters)


def make(name: str, **parameters: Any) -> Mechanism:
    """The mechanism of this name, with the given parameters instead of the defaults."""
    function = maker(name)
    known = describe(name).parameters
    for parameter in parameters:
        if parameter not in known:
            raise within(f"gallery {name}", unknown_name("parameter", parameter, known))
    return function(**parameters)
