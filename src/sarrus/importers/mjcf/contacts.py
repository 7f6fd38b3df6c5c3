"""Contacts of a compiled model: what is fixed in the world, and which bodies may meet which."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from sarrus.errors import MechanismError
from sarrus.importers.mjcf.compile import Robot
from sarrus.importers.mjcf.friction import friction_here, friction_there, own_friction
from sarrus.importers.mjcf.geoms import collides, geom_name, geom_shapes
from sarrus.importers.names import unique
from sarrus.mechanism import Mechanism, Shape

MAX_GEOMS = 10_000
"""Most geoms of a model: a table says of any two whether they meet."""
MAX_PAIRS = 2_000_000
"""Most pairs of bodies that collide with each other: all of 2,000 bodies."""


def decide_contacts(robot: Robot) -> None:
    """Decides who meets whom, and which geoms have friction of their own."""
    if robot.model.ngeom > MAX_GEOMS:
        raise MechanismError(f"the file has {robot.model.ngeom:,} geoms; at most {MAX_GEOMS:,} are read")
    robot.meets = who_meets(robot)
    robot.friction = own_friction(robot, robot.meets)


def add_contacts(mech: Mechanism, robot: Robot, *, self_contact: bool) -> None:
    """Adds obstacles, contacts of bodies and exclusions by MuJoCo's rules of who meets whom."""
    findings = robot.findings
    if robot.disabled("CONTACT") or robot.disabled("CONSTRAINT"):
        if robot.model.ngeom:
            findings.lose("option", "contact", "disabled in the file, so nothing collides")
        return
    moving, fixed = robot.touching, []
    for g in range(robot.model.ngeom):
        body = robot.carrier[robot.model.geom_bodyid[g]]
        if body == 0:
            fixed.append(g)
        elif collides(robot, g) and any(s.collide for s in mech.bodies[robot.bodies[body]].shapes):
            moving.setdefault(robot.bodies[body], []).append(g)
    meets = robot.meets
    for g in fixed:
        add_obstacle(mech, robot, g, moving, meets)
    if self_contact:
        add_body_contacts(mech, robot, moving, meets)
    elif moving:
        findings.change("contact", "", "bodies do not collide with each other: self_contact=False")
    note_surfaces(robot)


def add_obstacle(
    mech: Mechanism, robot: Robot, g: int, moving: dict[str, list[int]], meets: np.ndarray
) -> None:
    """Adds a geom that is fixed in the world, and excludes the bodies that do not meet it."""
    data, label = robot.data, geom_name(robot, g)
    if not collides(robot, g):
        robot.findings.lose("geom", label, "decorations fixed in the world are not drawn")
        return
    shapes = geom_shapes(robot, g, data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3))
    solids = [shape for shape in shapes if shape.collide]
    if not solids:
        return
    for solid in solids:
        add_solid_obstacle(mech, robot, g, solid, moving, meets)
    if len(shapes) > len(solids):
        robot.findings.change("geom", label, "a mesh fixed in the world is drawn as its convex hull")


def add_solid_obstacle(
    mech: Mechanism, robot: Robot, g: int, solid: Shape, moving: dict[str, list[int]], meets: np.ndarray
) -> None:
    """Adds one convex shape of a geom that is fixed in the world."""
    model = robot.model
    name = unique(geom_name(robot, g), {*mech.bodies, *mech.obstacles, "world"})
    mu = float(model.geom_friction[g, 0]) if model.geom_condim[g] > 1 else 0.0
    mech.add_obstacle(name, solid, friction=mu)
    robot.obstacles[name] = g
    still = {robot.bodies[b] for b in robot.held}
    for body, geoms in moving.items():
        if body in still or not meets[g, geoms].any():
            mech.exclude(body, name)
        else:
            note_partly(robot, body, name, meets[g, geoms])
            note_friction(robot, body, name, [(g, int(h)) for h in geoms if meets[g, h]], mu)


def add_body_contacts(mech: Mechanism, robot: Robot, moving: dict[str, list[int]], meets: np.ndarray) -> None:
    """Adds the contacts of any two bodies of which at least one pair of geoms meets in MuJoCo."""
    pairs_of_geoms = int(np.count_nonzero(meets)) // 2
    if min(math.comb(len(moving), 2), pairs_of_geoms) > MAX_PAIRS:
        raise MechanismError(
            f"{len(moving):,} bodies that all collide with each other are too many; give them contype and "
            "conaffinity, or load with self_contact=False"
        )
    for a, b in combinations(moving, 2):
        answers = meets[np.ix_(moving[a], moving[b])]
        if not answers.any():
            continue
        pairs = [(g, h) for g in moving[a] for h in moving[b] if meets[g, h]]
        mu = max(friction_there(robot, g, h) for g, h in pairs)
        mech.add_contact(a, b, friction=mu)
        note_partly(robot, a, b, answers)
        note_friction(robot, a, b, pairs, mu)


def who_meets(robot: Robot) -> np.ndarray:
    """(G, G) whether two geoms meet in MuJoCo: by a <pair>, or by their bits unless their bodies rule it
    out."""
    model = robot.model
    contype, conaffinity = (np.array(x, np.int64) for x in (model.geom_contype, model.geom_conaffinity))
    out = (contype[:, None] & conaffinity[None, :]) != 0
    out |= out.T
    body = np.array(model.geom_bodyid, np.int64)
    weld = np.array(model.body_weldid, np.int64)
    own = weld[body]
    above = weld[np.array(model.body_parentid, np.int64)[own]]
    out &= own[:, None] != own[None, :]
    if not robot.disabled("FILTERPARENT"):
        family = (own[:, None] == above[None, :]) | (own[None, :] == above[:, None])
        out &= ~(family & (own[:, None] != 0) & (own[None, :] != 0))
    for signature in np.array(model.exclude_signature, np.int64):
        a, b = body == signature >> 16, body == signature & 0xFFFF
        out &= ~(a[:, None] & b[None, :] | b[:, None] & a[None, :])
    for g, h in zip(model.pair_geom1, model.pair_geom2, strict=True):
        out[g, h] = out[h, g] = True
    return out


def note_partly(robot: Robot, a: str, b: str, answers: np.ndarray) -> None:
    """Notes two that meet with all their shapes, although only some of them do in MuJoCo."""
    if not answers.all():
        robot.findings.change(
            "contact",
            f"{a} - {b}",
            "in the file only some of their geoms collide with each other; here all do",
        )


def note_friction(robot: Robot, a: str, b: str, pairs: list[tuple[int, int]], common: float) -> None:
    """Notes two whose friction is another one than in MuJoCo."""
    for g, h in pairs:
        if friction_here(robot.friction, g, h, common) != friction_there(robot, g, h):
            robot.findings.change(
                "contact", f"{a} - {b}", "for some geoms the friction differs from the file"
            )
            return


def note_surfaces(robot: Robot) -> None:
    """Lists what the surfaces of geoms have beyond sliding friction."""
    model = robot.model
    touching = [g for g in range(model.ngeom) if collides(robot, g)]
    for g in touching:
        if model.geom_condim[g] > 3:
            robot.findings.lose(
                "geom", geom_name(robot, g), "torsional and rolling friction (condim) are not supported"
            )
        if model.geom_margin[g] or model.geom_gap[g]:
            robot.findings.lose(
                "geom",
                geom_name(robot, g),
                "contact margins are not supported: shapes collide when they touch",
            )
    for what in ("adhesion", "surfacevel"):
        table = getattr(model, f"geom_{what}", None)
        for g in touching:
            if table is not None and np.any(table[g]):
                robot.findings.lose("geom", geom_name(robot, g), what)
