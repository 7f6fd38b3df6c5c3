"""Colours of geoms: their own, those of their material, or what its texture puts on them."""

from __future__ import annotations

import numpy as np

from sarrus.importers.mjcf.compile import Robot, column

DEFAULT = (0.5, 0.5, 0.5, 1.0)
"""What MuJoCo gives a geom without colour; here such a shape takes the colour of its body."""
RGB_ROLE = 1
"""Column of mat_texid with the texture of colours."""
PALETTE = 8
"""Most colours of a mesh that are drawn apart: textures in use as palettes have no more on one part."""


def colour(robot: Robot, g: int) -> tuple[float, ...] | None:
    """Red, green, blue, opacity of a geom, or None where the file says nothing."""
    material, texture = material_of(robot, g)
    if material is None:
        return None
    if texture is not None:
        material[:3] *= texture.reshape(-1, texture.shape[-1]).mean(axis=0)
    return tuple(np.clip(material, 0.0, 1.0).tolist())


def coloured_faces(robot: Robot, g: int) -> list[tuple[np.ndarray, tuple[float, ...] | None]]:
    """Faces (F,) of the mesh of a geom, by number, that share a colour, with that colour.

    A texture with few colours on the mesh is a palette: each colour is drawn.  Of others, the mean is."""
    model, mesh = robot.model, int(robot.model.geom_dataid[g])
    everything = np.arange(int(model.mesh_facenum[mesh]))
    material, texture = material_of(robot, g)
    points = None if texture is None else texture_points(robot, mesh)
    if material is None or texture is None or points is None:
        return [(everything, colour(robot, g))]
    height, width = texture.shape[:2]
    rows = np.clip((points[:, 1] % 1.0 * height).astype(int), 0, height - 1)
    columns = np.clip((points[:, 0] % 1.0 * width).astype(int), 0, width - 1)
    colours, which = np.unique(texture[rows, columns], axis=0, return_inverse=True)
    if len(colours) > PALETTE:
        colours, which = texture[rows, columns].mean(axis=0)[None], np.zeros(len(everything), int)
    return [
        (
            np.flatnonzero(which.ravel() == k),
            (*np.clip(material[:3] * c, 0.0, 1.0).tolist(), float(material[3])),
        )
        for k, c in enumerate(colours)
    ]


def material_of(robot: Robot, g: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Colour (4,) and texture (height, width, 3) of a geom, from 0 to 1; None where it has none."""
    model = robot.model
    own, material = np.array(model.geom_rgba[g], float), int(model.geom_matid[g])
    if not np.allclose(own, DEFAULT):
        return own, None
    if material < 0:
        return None, None
    rgba, textures = np.array(model.mat_rgba[material], float), column(model, "mat_texid")
    number = -1 if textures is None else int(textures[material, RGB_ROLE])
    if number < 0:
        return rgba, None
    width, height = int(model.tex_width[number]), int(model.tex_height[number])
    channels, first = int(model.tex_nchannel[number]), int(model.tex_adr[number])
    pixels = np.asarray(model.tex_data[first : first + width * height * channels], float) / 255.0
    pixels = pixels.reshape(height, width, channels)
    return rgba, pixels[..., :3] if channels >= 3 else np.repeat(pixels[..., :1], 3, axis=-1)


def texture_points(robot: Robot, mesh: int) -> np.ndarray | None:
    """The point (F, 2) of a texture that lies in the middle of each face of a mesh, or None."""
    model = robot.model
    first, count = int(model.mesh_texcoordadr[mesh]), int(model.mesh_texcoordnum[mesh])
    if first < 0 or count == 0:
        return None
    begin, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    corners = np.array(model.mesh_facetexcoord[begin : begin + faces])
    points = np.array(model.mesh_texcoord[first : first + count], float)[corners].mean(axis=1)
    return points if np.isfinite(points).all() else None
