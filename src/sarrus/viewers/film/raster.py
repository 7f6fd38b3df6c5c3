"""Triangles to pixels in software: a z-buffer, a shadow map and shading, so that pictures need no OpenGL.

`place` puts vertices into the world, `project` onto the screen, `fill` finds the nearest triangle of each
sample, `paint_floor` draws what lies behind, `shade` turns samples into pixels.  A pixel has 2 x 2 samples.
Colours are linear light; `shade` writes their square roots, close enough to the curve of displays.

The columns of the lines of numbers that describe view, light and floor are named below."""

from __future__ import annotations

from math import floor, sqrt

from sarrus._jit import entry, kernel

# View: eye (3), axes (3 each), focal length in samples (0: parallel rays), samples per metre and range of
# depths [m] for parallel rays, middle of the picture in samples (2).
EYE, RIGHT, UP, FORWARD, FOCAL, SCALE, RANGE, MIDDLE, VIEW = 0, 3, 6, 9, 12, 13, 14, 15, 17
# Light: direction to the sun (3), its strength, light of the sky (3), light from below (3), spread of the
# edges of shadows in texels, distance to step off a surface before looking for its shadow [m].
SUN, STRENGTH, SKY, BOUNCE, SPREAD, STEP_OFF, LIGHT = 0, 3, 4, 7, 10, 11, 12
# Floor: height, edge of its tiles, middle (2), where it begins and ends to fade [m], colours of the tiles
# (3, 3), colours of the backdrop at the top and at the bottom (3, 3).
HEIGHT, TILE, CENTRE, NEAR, FAR, LIGHTER, DARKER, TOP, BOTTOM, FLOOR = 0, 1, 2, 4, 5, 6, 9, 12, 15, 18
NOTHING = -1
# Faces: one normal; a normal at each corner; or a plain colour, without light and without shadow.
FLAT, SMOOTH, PLAIN = 0, 1, 2
SHADE = 0.62  # part of the floor's light that the sun gives
GLOSS = 0.22
BLOCK = 16  # texels along an edge of the blocks in which a shadow map is summed up


@kernel
def along(line, column, x, y, z):
    """The scalar product of three columns of a line with (x, y, z)."""
    return line[column] * x + line[column + 1] * y + line[column + 2] * z


@entry
def place(vertices, piece, turn, stretch, shift, world):
    """Writes world (V, 3) [m]: the vertices (V, 3), each in the frame of its piece (V,), where
    x_world = turn (stretch x) + shift."""
    for n in range(vertices.shape[0]):
        k = piece[n]
        a = stretch[k, 0] * vertices[n, 0]
        b = stretch[k, 1] * vertices[n, 1]
        c = stretch[k, 2] * vertices[n, 2]
        for i in range(3):
            world[n, i] = turn[k, i, 0] * a + turn[k, i, 1] * b + turn[k, i, 2] * c + shift[k, i]


@entry
def project(world, view, screen):
    """Writes screen (V, 3) of world points (V, 3): sample x, y, and a depth that grows towards the eye; it is
    negative behind it."""
    for n in range(world.shape[0]):
        x, y, z = world[n, 0] - view[EYE], world[n, 1] - view[EYE + 1], world[n, 2] - view[EYE + 2]
        depth = along(view, FORWARD, x, y, z)
        if view[FOCAL] > 0.0:
            depth = max(depth, 1e-9)
            factor = view[FOCAL] / depth
            screen[n, 2] = 1.0 / depth if depth > 1e-9 else -1.0
        else:
            factor = view[SCALE]
            screen[n, 2] = view[RANGE] - depth
        screen[n, 0] = view[MIDDLE] + factor * along(view, RIGHT, x, y, z)
        screen[n, 1] = view[MIDDLE + 1] - factor * along(view, UP, x, y, z)


@entry
def fill(screen, faces, alphas, depth, owner):
    """Enters the triangles into depth (h, w), the nearest there, and owner (h, w), its number.

    alphas (F,): a face that lets light through takes some of each 2 x 2 samples; at 0 it is left out."""
    rows, columns = depth.shape
    for f in range(faces.shape[0]):
        taken = int(4.0 * alphas[f] + 0.5)
        i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
        za, zb, zc = screen[i, 2], screen[j, 2], screen[k, 2]
        if taken == 0 or za <= 0.0 or zb <= 0.0 or zc <= 0.0:
            continue
        ax, ay, bx, by = screen[i, 0], screen[i, 1], screen[j, 0], screen[j, 1]
        cx, cy = screen[k, 0], screen[k, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        left, right = max(0.0, floor(min(ax, bx, cx) + 0.5)), min(columns - 1.0, floor(max(ax, bx, cx) - 0.5))
        top, bottom = max(0.0, floor(min(ay, by, cy) + 0.5)), min(rows - 1.0, floor(max(ay, by, cy) - 0.5))
        if not (left <= right and top <= bottom):
            continue
        # The weights of the corners are linear on the screen, and so is the depth.
        u_x, u_y = (by - cy) / area, (cx - bx) / area
        v_x, v_y = (cy - ay) / area, (ax - cx) / area
        u_0 = (bx * cy - by * cx) / area + 0.5 * (u_x + u_y)
        v_0 = (cx * ay - cy * ax) / area + 0.5 * (v_x + v_y)
        z_x = u_x * (za - zc) + v_x * (zb - zc)
        z_y = u_y * (za - zc) + v_y * (zb - zc)
        z_0 = u_0 * (za - zc) + v_0 * (zb - zc) + zc
        for r in range(int(top), int(bottom) + 1):
            u, v = u_0 + u_y * r, v_0 + v_y * r
            first, last = enter(u, u_x, left, right)
            first, last = enter(v, v_x, first, last)
            first, last = enter(1.0 - u - v, -u_x - v_x, first, last)
            z = z_0 + z_y * r
            for c in range(int(-floor(-first)), int(floor(last)) + 1):
                if taken == 4 or 2 * (r & 1) + ((c ^ r) & 1) < taken:
                    here = z + z_x * c
                    if here > depth[r, c]:
                        depth[r, c] = here
                        owner[r, c] = f


@kernel
def enter(value, slope, first, last):
    """The part of first..last in which value + slope c is not negative; first > last where there is none."""
    if slope > 1e-14:
        first = max(first, -value / slope)
    elif slope < -1e-14:
        last = min(last, -value / slope)
    elif value < 0.0:
        last = first - 1.0
    return first, last


@entry
def turn_normals(normals, owners, turn, out):
    """Writes the corner normals (F, 3, 3) of each face, turned with the piece that owns it."""
    for f in range(normals.shape[0]):
        k = owners[f]
        for c in range(3):
            x, y, z = normals[f, c, 0], normals[f, c, 1], normals[f, c, 2]
            for i in range(3):
                out[f, c, i] = turn[k, i, 0] * x + turn[k, i, 1] * y + turn[k, i, 2] * z


@entry
def paint_floor(view, ground, seen, out, bytes_out, share):
    """Writes the backdrop with the floor, out (H, W, 3), also as bytes, and the share (H, W) of floor.

    The eye stands upright, so a row of pixels is a straight line on the floor, walked in even steps."""
    height, width = share.shape
    for r in range(height):
        mix = r / max(1, height - 1)
        x, y, distance = floor_point(view, ground, 1.0, 2.0 * r + 1.0)
        below_x, below_y, _ = floor_point(view, ground, 1.0, 2.0 * r + 3.0)
        step = 2.0 * distance / view[FOCAL]
        for c in range(width):
            part, tone = 0.0, 0.0
            if seen and distance > 0.0:
                u, v = x + c * step * view[RIGHT], y + c * step * view[RIGHT + 1]
                away = sqrt((u - ground[CENTRE]) ** 2 + (v - ground[CENTRE + 1]) ** 2)
                fade = min(1.0, max(0.0, (ground[FAR] - away) / (ground[FAR] - ground[NEAR])))
                part = fade * fade * (3.0 - 2.0 * fade)
                if part > 0.0:
                    wide = abs(step * view[RIGHT]) + abs(below_x - x)
                    high = abs(step * view[RIGHT + 1]) + abs(below_y - y)
                    tone = 0.5 - 0.5 * stripe(u, wide, ground[TILE]) * stripe(v, high, ground[TILE])
            share[r, c] = part
            for i in range(3):
                tile = ground[DARKER + i] + tone * (ground[LIGHTER + i] - ground[DARKER + i])
                behind = ground[TOP + i] + mix * (ground[BOTTOM + i] - ground[TOP + i])
                out[r, c, i] = behind + part * (tile - behind)
                bytes_out[r, c, i] = byte(out[r, c, i])


@kernel
def stripe(x, wide, tile):
    """The mean, over a pixel's width, of stripes of width `tile` that are 1 and -1 in turn."""
    x, wide = x / tile, wide / tile + 1e-3
    low, high = 0.5 * (x - 0.5 * wide), 0.5 * (x + 0.5 * wide)
    return 2.0 * (abs(low - floor(low) - 0.5) - abs(high - floor(high) - 0.5)) / wide


@kernel
def byte(bright):
    """The byte of a colour of linear light."""
    return int(255.0 * sqrt(min(1.0, max(0.0, bright))) + 0.5)


@kernel
def floor_point(view, ground, column, row):
    """x, y of the floor behind a sample and its distance along the view; negative where there is none."""
    a, b = (column - view[MIDDLE]) / view[FOCAL], (view[MIDDLE + 1] - row) / view[FOCAL]
    dz = view[FORWARD + 2] + a * view[RIGHT + 2] + b * view[UP + 2]
    drop = ground[HEIGHT] - view[EYE + 2]
    if dz * drop <= 0.0 or drop > 0.0:
        return 0.0, 0.0, -1.0
    t = drop / dz
    x = view[EYE] + t * (view[FORWARD] + a * view[RIGHT] + b * view[UP])
    y = view[EYE + 1] + t * (view[FORWARD + 1] + a * view[RIGHT + 1] + b * view[UP + 1])
    return x, y, t


@entry
def sum_up(cast, blocks):
    """Writes the nearest depth of each block of the shadow map: most points then need no closer look."""
    for r in range(blocks.shape[0]):
        for c in range(blocks.shape[1]):
            nearest = cast[BLOCK * r, BLOCK * c]
            for i in range(BLOCK):
                for j in range(BLOCK):
                    nearest = max(nearest, cast[BLOCK * r + i, BLOCK * c + j])
            blocks[r, c] = nearest


@kernel
def sunlight(sun, cast, blocks, spread, x, y, z):
    """Share of the sun that reaches a point: 16 looks into the map `cast` of depths seen from the sun."""
    rows, columns = cast.shape
    x, y, z = x - sun[EYE], y - sun[EYE + 1], z - sun[EYE + 2]
    c = sun[MIDDLE] + sun[SCALE] * along(sun, RIGHT, x, y, z)
    r = sun[MIDDLE + 1] - sun[SCALE] * along(sun, UP, x, y, z)
    edge = 2.0 * spread + 0.5
    if not (edge < c < columns - edge and edge < r < rows - edge):
        return 1.0
    depth = sun[RANGE] - along(sun, FORWARD, x, y, z)
    top, bottom = int(r - edge) // BLOCK, int(r + edge) // BLOCK
    left, right = int(c - edge) // BLOCK, int(c + edge) // BLOCK
    nearest = max(blocks[top, left], blocks[top, right], blocks[bottom, left], blocks[bottom, right])
    if nearest <= depth:
        return 1.0
    free = 0
    for i in range(4):
        for j in range(4):
            if cast[int(r + spread * (j - 1.5)), int(c + spread * (i - 1.5))] <= depth:
                free += 1
    return free / 16.0


@kernel
def face_colour(
    f, row, column, inverse, view, light, sun, cast, blocks, screen, faces, kinds, colours, normals
):
    """Red, green and blue of face f at a sample; inverse: one over its distance along the view."""
    red, green, blue = colours[f, 0], colours[f, 1], colours[f, 2]
    if kinds[f] == PLAIN:
        return red, green, blue
    a, b = (column - view[MIDDLE]) / view[FOCAL], (view[MIDDLE + 1] - row) / view[FOCAL]
    dx = view[FORWARD] + a * view[RIGHT] + b * view[UP]
    dy = view[FORWARD + 1] + a * view[RIGHT + 1] + b * view[UP + 1]
    dz = view[FORWARD + 2] + a * view[RIGHT + 2] + b * view[UP + 2]
    nx, ny, nz = normals[f, 0, 0], normals[f, 0, 1], normals[f, 0, 2]
    if kinds[f] == SMOOTH:
        i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
        ax, ay, bx, by = screen[i, 0], screen[i, 1], screen[j, 0], screen[j, 1]
        cx, cy = screen[k, 0], screen[k, 1]
        u = ((bx - column) * (cy - row) - (by - row) * (cx - column)) * screen[i, 2]
        v = ((cx - column) * (ay - row) - (cy - row) * (ax - column)) * screen[j, 2]
        w = ((ax - column) * (by - row) - (ay - row) * (bx - column)) * screen[k, 2]
        nx = u * normals[f, 0, 0] + v * normals[f, 1, 0] + w * normals[f, 2, 0]
        ny = u * normals[f, 0, 1] + v * normals[f, 1, 1] + w * normals[f, 2, 1]
        nz = u * normals[f, 0, 2] + v * normals[f, 1, 2] + w * normals[f, 2, 2]
    length = sqrt(nx * nx + ny * ny + nz * nz) + 1e-30
    # A face shows the side that looks at the eye, whichever way its corners run.
    if nx * dx + ny * dy + nz * dz > 0.0:
        length = -length
    nx, ny, nz = nx / length, ny / length, nz / length
    facing = along(light, SUN, nx, ny, nz)
    direct, shine = 0.0, 0.0
    if facing > 0.0:
        t, off = 1.0 / inverse, light[STEP_OFF]
        x, y, z = (
            view[EYE] + t * dx + off * nx,
            view[EYE + 1] + t * dy + off * ny,
            view[EYE + 2] + t * dz + off * nz,
        )
        direct = light[STRENGTH] * sunlight(sun, cast, blocks, light[SPREAD], x, y, z)
        size = sqrt(dx * dx + dy * dy + dz * dz)
        hx, hy, hz = light[SUN] - dx / size, light[SUN + 1] - dy / size, light[SUN + 2] - dz / size
        half = (nx * hx + ny * hy + nz * hz) / sqrt(hx * hx + hy * hy + hz * hz)
        shine = max(0.0, half) ** 2
        shine = shine * shine * shine * shine
        shine = shine * shine * shine * shine
        shine = GLOSS * direct * shine
        direct *= facing
    rise = 0.5 + 0.5 * nz
    red *= direct + light[BOUNCE] + rise * (light[SKY] - light[BOUNCE])
    green *= direct + light[BOUNCE + 1] + rise * (light[SKY + 1] - light[BOUNCE + 1])
    blue *= direct + light[BOUNCE + 2] + rise * (light[SKY + 2] - light[BOUNCE + 2])
    return red + shine, green + shine, blue + shine


@entry
def shade(
    view, light, ground, sun, cast, blocks, backdrop, bare_bytes, share, depth, owner,
    screen, faces, kinds, colours, normals, out,
):  # fmt: skip
    """Writes the picture out (H, W, 3), bytes, from depth and owner (2H, 2W).

    A pixel whose samples agree is shaded once."""
    height, width = share.shape
    for r in range(height):
        for c in range(width):
            y, x = 2 * r, 2 * c
            one = owner[y, x]
            agree = one == owner[y, x + 1] and one == owner[y + 1, x] and one == owner[y + 1, x + 1]
            looks = 1 if agree else 4
            red, green, blue, bare = 0.0, 0.0, 0.0, 0.0
            for s in range(looks):
                i, j = y + (s >> 1), x + (s & 1)
                f = owner[i, j]
                if f == NOTHING:
                    bare += 1.0 / looks
                    continue
                if agree:
                    row, column, nearness = y + 1.0, x + 1.0, 0.5 * (depth[y, x] + depth[y + 1, x + 1])
                else:
                    row, column, nearness = i + 0.5, j + 0.5, depth[i, j]
                a, b, d = face_colour(
                    f,
                    row,
                    column,
                    nearness,
                    view,
                    light,
                    sun,
                    cast,
                    blocks,
                    screen,
                    faces,
                    kinds,
                    colours,
                    normals,
                )
                red, green, blue = (
                    red + min(a, 1.0) / looks,
                    green + min(b, 1.0) / looks,
                    blue + min(d, 1.0) / looks,
                )
            if bare > 0.0:
                dark = 0.0
                if share[r, c] > 0.0:
                    u, v, distance = floor_point(view, ground, x + 1.0, y + 1.0)
                    if distance > 0.0:
                        dark = 1.0 - sunlight(sun, cast, blocks, light[SPREAD], u, v, ground[HEIGHT])
                if agree and dark == 0.0:
                    for i in range(3):
                        out[r, c, i] = bare_bytes[r, c, i]
                    continue
                bright = bare * (1.0 - SHADE * share[r, c] * dark)
                red += bright * backdrop[r, c, 0]
                green += bright * backdrop[r, c, 1]
                blue += bright * backdrop[r, c, 2]
            out[r, c, 0] = byte(red)
            out[r, c, 1] = byte(green)
            out[r, c, 2] = byte(blue)
