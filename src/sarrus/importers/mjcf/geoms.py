"""Geoms of a compiled model as shapes: what is drawn, what touches, friction and colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from sarrus.errors import MechanismError
from sarrus.importers.decomposition import colliding
from sarrus.importers.hulls import icosphere
from sarrus.importers.mjcf.colours import colour, coloured_faces
from sarrus.importers.mjcf.compile import Robot, named
from sarrus.mechanism import Box, Capsule, ConvexMesh, Cylinder, HalfSpace, HeightField, Mesh, Shape, Sphere
from sarrus.mechanism.rotations import quaternion


def body_shapes(robot: Robot) -> dict[int, list[Shape]]:
    """Shapes of the bodies that carry themselves, by body of the model, placed from the centre of mass."""
    out: dict[int, list[Shape]] = {}
    data = robot.data
    for g in range(robot.model.ngeom):
        body = robot.carrier[robot.model.geom_bodyid[g]]
        if body == 0:
            continue
        R = data.xmat[body].reshape(3, 3)
        at = R.T @ (data.geom_xpos[g] - data.xipos[body])
        turn = R.T @ data.geom_xmat[g].reshape(3, 3)
        out.setdefault(body, []).extend(geom_shapes(robot, g, at, turn))
    return out


def collides(robot: Robot, g: int) -> bool:
    """Whether a geom touches anything at all."""
    model = robot.model
    if model.geom_contype[g] or model.geom_conaffinity[g]:
        return True
    return bool(np.any(model.pair_geom1 == g) or np.any(model.pair_geom2 == g))


def geom_name(robot: Robot, g: int) -> str:
    """The name of a geom, or one made of its body and number."""
    name = robot.name("GEOM", g)
    if name:
        return name
    b = int(robot.model.geom_bodyid[g])
    return f"{robot.bodies[b]} geom {g - robot.model.body_geomadr[b] + 1}"


def geom_shapes(robot: Robot, g: int, at: np.ndarray, turn: np.ndarray) -> list[Shape]:
    """The shapes of a geom at a place in some frame: one, or a surface to draw beside a hull that touches."""
    model, findings, name = robot.model, robot.findings, geom_name(robot, g)
    kind = named("mjtGeom", model.geom_type[g])
    touches, color = collides(robot, g), colour(robot, g)
    if not touches and color is not None and color[3] == 0.0:
        return []
    # Without friction of its own, a shape takes that of what it meets.
    friction = float(robot.friction[g]) if touches and np.isfinite(robot.friction[g]) else None
    place: dict[str, Any] = {"at": at, "orientation": quaternion(turn), "color": color, "friction": friction}
    size = model.geom_size[g]
    try:
        match kind:
            case "sphere":
                return [Sphere(float(size[0]), collide=touches, **place)]
            case "capsule":
                return [Capsule(float(size[0]), 2.0 * float(size[1]), collide=touches, **place)]
            case "cylinder":
                return [Cylinder(float(size[0]), 2.0 * float(size[1]), collide=touches, **place)]
            case "box":
                return [Box(2.0 * size, collide=touches, **place)]
            case "ellipsoid":
                return ellipsoid(robot, name, size, touches, place)
            case "mesh":
                return mesh(robot, g, name, touches, place)
            case "plane" if model.geom_bodyid[g] == 0 or robot.carrier[model.geom_bodyid[g]] == 0:
                return [HalfSpace((0.0, 0.0, 1.0), collide=touches, **place)]
            case "hfield" if robot.carrier[model.geom_bodyid[g]] == 0:
                return [height_field(robot, g, touches, place)]
            case "plane":
                findings.lose("geom", name, "planes on moving bodies are not supported")
            case "hfield":
                findings.lose("geom", name, "height fields on moving bodies are not supported")
            case _:
                findings.lose("geom", name, f"geoms of type {kind} are not supported")
    except MechanismError as fault:
        findings.lose("geom", name, str(fault))
    return []


def mesh(robot: Robot, g: int, name: str, touches: bool, place: dict[str, Any]) -> list[Shape]:
    """The surface of a mesh, to draw, and its convex hull, to touch."""
    model = robot.model
    m = int(model.geom_dataid[g])
    first, count = int(model.mesh_vertadr[m]), int(model.mesh_vertnum[m])
    vertices = np.array(model.mesh_vert[first : first + count], float)
    begin, faces = int(model.mesh_faceadr[m]), int(model.mesh_facenum[m])
    triangles = np.array(model.mesh_face[begin : begin + faces], np.int64)
    shapes: list[Shape] = []
    drawn = {"at": place["at"], "orientation": place["orientation"]}
    for numbers, color in coloured_faces(robot, g) if faces else ():
        used, corners = np.unique(triangles[numbers], return_inverse=True)
        shapes.append(Mesh(vertices[used], corners.reshape(-1, 3), color=color, **drawn))
    if touches:
        parts, words = colliding(vertices, triangles, robot.decompose)
        shapes += [ConvexMesh(corners, **place) for corners in parts]
        if words:
            robot.findings.change("geom", name, words)
    return shapes


def height_field(robot: Robot, g: int, touches: bool, place: dict[str, Any]) -> HeightField:
    """A grid of heights, whose rows go along y in MuJoCo."""
    model, f = robot.model, int(robot.model.geom_dataid[g])
    first, shape = int(model.hfield_adr[f]), (int(model.hfield_nrow[f]), int(model.hfield_ncol[f]))
    x, y, top, depth = map(float, model.hfield_size[f])
    heights = top * np.array(model.hfield_data[first : first + shape[0] * shape[1]], float).reshape(shape).T
    return HeightField(heights, (2.0 * x, 2.0 * y), depth, collide=touches, **place)


def ellipsoid(robot: Robot, name: str, size: np.ndarray, touches: bool, place: dict[str, Any]) -> list[Shape]:
    """An ellipsoid of half axes `size`: a ball, a fine surface to draw, or a polyhedron that touches."""
    if np.ptp(size) == 0.0:
        return [Sphere(float(size[0]), collide=touches, **place)]
    if not touches:
        points, faces = icosphere(3)
        return [Mesh(points * size, faces, **{k: v for k, v in place.items() if k != "friction"})]
    points, faces = icosphere(1)
    # Corners outside and faces inside the ellipsoid by the same part.
    inner = np.linalg.norm(points[faces].mean(axis=1), axis=1).min()
    scale = 2.0 / (1.0 + inner)
    robot.findings.change(
        "geom",
        name,
        f"a colliding ellipsoid became a polyhedron of {len(points)} corners, within "
        f"{100 * (scale - 1):.0f} % of its size",
    )
    return [ConvexMesh(scale * points * size, **place)]
