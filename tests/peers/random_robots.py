"""Random MJCF trees: several joints of all types on every body, with all that acts on them."""

from __future__ import annotations

import numpy as np

SLIDE = 100.0  # [N/m] stiffness that keeps a slide from running away


def numbers(values) -> str:
    """Numbers with all their digits, for an attribute."""
    return " ".join(repr(float(x)) for x in values)


def axis(rng) -> np.ndarray:
    """A direction: one of the three axes, or any."""
    return np.eye(3)[rng.integers(3)] if rng.random() < 0.6 else rng.normal(size=3)


def random_joints(rng, name: str, root: bool) -> str:
    """One free joint, or one to three joints in an order that MJCF allows."""
    if root and rng.random() < 0.4:
        return f'<freejoint name="{name} free"/>'
    kinds = [str(rng.choice(["hinge", "slide"])) for _ in range(int(rng.integers(1, 4)))]
    if rng.random() < 0.3:
        kinds[-1] = "ball"
    at = rng.uniform(-0.1, 0.1, size=3)
    out = ""
    for k, kind in enumerate(kinds):
        place = at if rng.random() < 0.7 else rng.uniform(-0.1, 0.1, size=3)
        text = f'name="{name}{k}" type="{kind}" pos="{numbers(place)}"'
        if kind != "ball":
            ref, springref = rng.uniform(-0.5, 0.5, size=2)
            text += f' axis="{numbers(axis(rng))}" ref="{ref}" springref="{springref}"'
            text += f' damping="{rng.uniform(0.0, 0.3)}" armature="{rng.uniform(0.01, 0.1)}"'
            # None on balls: beyond half a turn, MuJoCo's spring takes the shorter way round.
            text += f' stiffness="{SLIDE if kind == "slide" else rng.uniform(0.0, 5.0)}"'
        elif rng.random() < 0.7:
            text += f' damping="{rng.uniform(0.0, 0.3)}" armature="{rng.uniform(0.01, 0.1)}"'
        out += f"<joint {text}/>"
    return out


def random_robot(seed: int, most_bodies: int = 6) -> str:
    """An MJCF document of 2 to `most_bodies` bodies, each in an earlier one or in the world."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, most_bodies + 1))
    inside: list[list[int]] = [[] for _ in range(count)]
    roots = [0]
    for b in range(1, count):
        parent = int(rng.integers(-1, b))
        (roots if parent < 0 else inside[parent]).append(b)

    def text(b: int, root: bool) -> str:
        joints = random_joints(rng, f"j{b}.", root)
        moments = rng.uniform(0.01, 0.02, size=3)
        inertial = (
            f'<inertial pos="{numbers(rng.uniform(-0.1, 0.1, size=3))}" mass="{rng.uniform(0.5, 2.0)}" '
            f'quat="{numbers(rng.normal(size=4))}" diaginertia="{numbers(moments)}"/>'
        )
        place = f'pos="{numbers(rng.uniform(-0.4, 0.4, size=3))}" quat="{numbers(rng.normal(size=4))}"'
        children = "".join(text(c, False) for c in inside[b])
        return f'<body name="b{b}" {place}>{inertial}{joints}{children}</body>'

    world = "".join(text(b, True) for b in roots)
    gravity = numbers(rng.normal(scale=5.0, size=3))
    head = f'<compiler angle="radian"/><option gravity="{gravity}"/>'
    return f"<mujoco>{head}<worldbody>{world}</worldbody></mujoco>"
