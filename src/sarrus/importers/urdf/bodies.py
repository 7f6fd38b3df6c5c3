"""Which links become bodies, which become frames of others, and the bodies themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sarrus.errors import MechanismError
from sarrus.importers.report import Findings
from sarrus.importers.urdf.closing import Closed
from sarrus.importers.urdf.geometry import Geometry
from sarrus.importers.urdf.inertias import is_possible
from sarrus.importers.urdf.masses import Masses
from sarrus.importers.urdf.robot import Joint, Link
from sarrus.importers.urdf.tree import WORLD, Tree
from sarrus.importers.urdf.values import Values
from sarrus.mechanism import Mechanism
from sarrus.mechanism.rotations import quaternion
from sarrus.mechanism.shapes import Shape


@dataclass(slots=True, eq=False)
class Robot:
    """All that is known of a robot while its mechanism is made."""

    values: Values
    findings: Findings
    links: dict[str, Link]
    joints: dict[str, Joint]
    tree: Tree
    closed: Closed
    negligible: float  # mass of a body that has none, as a part of that of the link that it carries
    host: dict[str, str] = field(default_factory=dict)  # the body that carries each link, or "world"
    parts: dict[str, list[str]] = field(default_factory=dict)  # the links that each body carries, in order
    scenery: set[str] = field(default_factory=set)  # bodies without mass, fixed in the world, only to draw

    def place(self, link: str) -> np.ndarray:
        """The frame (4, 4) of a link in the world, in the reference configuration."""
        return self.closed.places[link]

    def hangs(self, link: str) -> Joint | None:
        """The joint on which a link hangs; None for the root."""
        return self.tree.hangs_on.get(link)

    def end(self, link: str) -> str:
        """The body that a joint at this link acts on: the world in place of what is only drawn there."""
        host = self.host[link]
        return WORLD if host in self.scenery else host

    def still(self, joint: Joint) -> bool:
        """Whether a joint is fixed, or follows another with the multiplier 0, or one that is still."""
        if joint.mimic is None:
            return joint.kind == "fixed"
        return joint.mimic.multiplier == 0.0 or self.still(self.joints[joint.mimic.joint])


def choose_hosts(robot: Robot) -> None:
    """Decides for each link whether it is a body, or a part of the body or world that it is fixed to.

    A link with mass is a body, unless no rigid body has its inertia and fixed joints tie it to another link
    with mass: then it is a part of that one.  A link without mass is a frame of the nearest body that fixed
    joints tie it to; where there is none, it is a body of its own with a small part of the mass that it
    carries (`weightless`), unless the root is among those tied together: then it is fixed in the world, and a
    body only where it has shapes to draw."""
    for group in rigid_groups(robot.tree):
        heavy = [name for name in group if name in robot.links and robot.links[name].mass > 0.0]
        sound = [name for name in heavy if is_possible(robot.links[name].inertia)] or heavy[:1]
        anchored = robot.tree.root in group and not (heavy and robot.tree.root != WORLD)
        for name in group:
            if name == WORLD:
                robot.host[name] = WORLD
            elif name in sound:
                robot.host[name] = name
            elif sound:
                robot.host[name] = nearest(robot.tree, name, group, sound)
            elif anchored:
                link = robot.links[name].element
                drawn = link.find("visual") is not None or link.find("collision") is not None
                robot.host[name] = name if drawn else WORLD
                robot.scenery |= {name} if drawn else set()
            else:
                robot.host[name] = group[0]
    robot.host.setdefault(WORLD, WORLD)
    for name in robot.tree.order:
        host = robot.host[name]
        robot.parts.setdefault(host, []).append(name)
        if host != name and name != WORLD:
            of = "the world" if host == WORLD else f"the body {host!r}"
            what = f"has no mass and is a frame of {of}"
            if name in robot.links and robot.links[name].mass > 0.0:
                what = f"has an inertia that no rigid body has; with its mass it is a part of {of}"
            elif name in robot.links and robot.links[name].inertia.any() and host != WORLD:
                what = f"has an inertia but no mass; with it, it is a part of {of}"
            robot.findings.change("link", name, what)


def rigid_groups(tree: Tree) -> list[list[str]]:
    """Links that fixed joints tie together, each group from its top."""
    groups: dict[str, list[str]] = {}
    top: dict[str, str] = {}
    for name in tree.order:
        joint = tree.hangs_on.get(name)
        top[name] = top[joint.parent] if joint is not None and joint.kind == "fixed" else name
        groups.setdefault(top[name], []).append(name)
    return list(groups.values())


def nearest(tree: Tree, name: str, group: list[str], bodies: list[str]) -> str:
    """The one of `bodies` that the fewest fixed joints part from `name`, those above it first."""
    near: dict[str, list[str]] = {link: [] for link in group}
    for link in group[1:]:
        parent = tree.hangs_on[link].parent
        near[link].insert(0, parent)
        near[parent].append(link)
    seen, ahead = {name}, [name]
    while ahead:
        link = ahead.pop(0)
        if link in bodies:
            return link
        ahead += [other for other in near[link] if other not in seen]
        seen.update(near[link])
    raise MechanismError(f"link {name!r} is tied to no body")  # the group holds one


def add_bodies(mech: Mechanism, robot: Robot, geometry: Geometry, frictions: dict[str, float]) -> None:
    """Adds the bodies with the shapes of all links that they carry, and a frame for every link."""
    masses = Masses(robot)
    for name in robot.tree.order:
        if robot.host[name] != name or name == WORLD:
            continue
        link, T = robot.links[name], robot.place(name)
        mass, centre, inertia = masses.of(name)
        centre = T[:3, :3] @ centre + T[:3, 3]
        shapes = carried(robot, name, centre, geometry, frictions)
        with robot.values.located(link.element):
            mech.add_body(
                name,
                mass=mass,
                inertia=inertia,
                position=centre,
                orientation=quaternion(T[:3, :3]),
                shapes=shapes,
            )
    add_world_shapes(mech, robot, geometry, frictions)
    for name in robot.tree.order:
        T = robot.place(name)
        with robot.values.located(robot.values.file.root):
            mech.add_frame(name, robot.host[name], at=T[:3, 3], orientation=quaternion(T[:3, :3]))


def carried(
    robot: Robot, body: str, centre: np.ndarray, geometry: Geometry, frictions: dict[str, float]
) -> list[Shape]:
    """The shapes of all links that a body carries, in its frame, whose origin is the centre of mass."""
    frame = robot.place(body).copy()
    frame[:3, 3] = centre
    into = np.linalg.inv(frame)
    own = [name for name in robot.parts[body] if name in robot.links]
    return [
        shape
        for name in own
        for shape in geometry.shapes(robot.links[name], into @ robot.place(name), frictions.get(name))
    ]


def add_world_shapes(mech: Mechanism, robot: Robot, geometry: Geometry, frictions: dict[str, float]) -> None:
    """Adds what the link "world" has to touch as obstacles; what it has to draw is left out."""
    if WORLD not in robot.links:
        return
    friction = frictions.get(WORLD)
    touching = [s for s in geometry.shapes(robot.links[WORLD], np.eye(4), friction) if s.collide]
    for k, shape in enumerate(touching):
        mech.add_obstacle(f"world {k}", shape, **({} if friction is None else {"friction": friction}))
    if robot.links[WORLD].element.find("visual") is not None:
        robot.findings.lose("visual", WORLD, "what is fixed in the world is drawn only where it collides")
