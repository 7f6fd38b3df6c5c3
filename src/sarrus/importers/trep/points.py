"""Point constraints: two points coincide along a direction of the world.

Written out in numbers: the functions are compiled into the loop, where they can call no others.

Implements: [JM09] IV-D4, h(q) = n . (p1 - p2)."""

from __future__ import annotations

from typing import Any


def between_points(x: Any, q: Any, p: Any, out: Any) -> None:
    """n . (point of the first body - point of the second); p: n, and the points in the frames of the
    bodies."""
    w, i, j, k = q[0, 0], q[0, 1], q[0, 2], q[0, 3]
    a, b, c = p[3], p[4], p[5]
    t0, t1, t2 = 2.0 * (j * c - k * b), 2.0 * (k * a - i * c), 2.0 * (i * b - j * a)
    x0 = x[0, 0] + a + w * t0 + j * t2 - k * t1
    x1 = x[0, 1] + b + w * t1 + k * t0 - i * t2
    x2 = x[0, 2] + c + w * t2 + i * t1 - j * t0
    w, i, j, k = q[1, 0], q[1, 1], q[1, 2], q[1, 3]
    a, b, c = p[6], p[7], p[8]
    t0, t1, t2 = 2.0 * (j * c - k * b), 2.0 * (k * a - i * c), 2.0 * (i * b - j * a)
    y0 = x[1, 0] + a + w * t0 + j * t2 - k * t1
    y1 = x[1, 1] + b + w * t1 + k * t0 - i * t2
    y2 = x[1, 2] + c + w * t2 + i * t1 - j * t0
    out[0] = p[0] * (x0 - y0) + p[1] * (x1 - y1) + p[2] * (x2 - y2)


def between_points_slopes(x: Any, q: Any, p: Any, out: Any) -> None:
    """Derivatives of `between_points`."""
    for body in range(2):
        sign = 1.0 if body == 0 else -1.0
        w, i, j, k = q[body, 0], q[body, 1], q[body, 2], q[body, 3]
        a, b, c = p[3 + 3 * body], p[4 + 3 * body], p[5 + 3 * body]
        t0, t1, t2 = 2.0 * (j * c - k * b), 2.0 * (k * a - i * c), 2.0 * (i * b - j * a)
        r0 = a + w * t0 + j * t2 - k * t1
        r1 = b + w * t1 + k * t0 - i * t2
        r2 = c + w * t2 + i * t1 - j * t0
        out[0, body, 0] = sign * p[0]
        out[0, body, 1] = sign * p[1]
        out[0, body, 2] = sign * p[2]
        out[0, body, 3] = sign * (r1 * p[2] - r2 * p[1])
        out[0, body, 4] = sign * (r2 * p[0] - r0 * p[2])
        out[0, body, 5] = sign * (r0 * p[1] - r1 * p[0])


def at_point(x: Any, q: Any, p: Any, out: Any) -> None:
    """n . (point of the body - point of the world); p: n, the point in the frame of the body, that of the
    world."""
    w, i, j, k = q[0, 0], q[0, 1], q[0, 2], q[0, 3]
    a, b, c = p[3], p[4], p[5]
    t0, t1, t2 = 2.0 * (j * c - k * b), 2.0 * (k * a - i * c), 2.0 * (i * b - j * a)
    x0 = x[0, 0] + a + w * t0 + j * t2 - k * t1 - p[6]
    x1 = x[0, 1] + b + w * t1 + k * t0 - i * t2 - p[7]
    x2 = x[0, 2] + c + w * t2 + i * t1 - j * t0 - p[8]
    out[0] = p[0] * x0 + p[1] * x1 + p[2] * x2


def at_point_slopes(x: Any, q: Any, p: Any, out: Any) -> None:
    """Derivatives of `at_point`."""
    w, i, j, k = q[0, 0], q[0, 1], q[0, 2], q[0, 3]
    a, b, c = p[3], p[4], p[5]
    t0, t1, t2 = 2.0 * (j * c - k * b), 2.0 * (k * a - i * c), 2.0 * (i * b - j * a)
    r0 = a + w * t0 + j * t2 - k * t1
    r1 = b + w * t1 + k * t0 - i * t2
    r2 = c + w * t2 + i * t1 - j * t0
    out[0, 0, 0] = p[0]
    out[0, 0, 1] = p[1]
    out[0, 0, 2] = p[2]
    out[0, 0, 3] = r1 * p[2] - r2 * p[1]
    out[0, 0, 4] = r2 * p[0] - r0 * p[2]
    out[0, 0, 5] = r0 * p[1] - r1 * p[0]
