"""Random mechanisms: trees with further joints that close loops."""

import numpy as np
from tests.physics.scenes import add_random_body, random_axes

import sarrus

TREE = (
    "revolute",
    "spherical",
    "universal",
    "cylindrical",
    "prismatic",
    "planar",
    "slot",
    "screw",
    "fixed",
    "free",
)
CLOSING = ("spherical", "slot", "point_on_plane", "universal", "parallel_axis", "cylindrical", "distance")


def random_mechanism(seed, bodies=4, loops=1, anchored=True, gravity=(0, 0, -9.81)):
    """`bodies` on a random tree of random joints, given in either direction, and `loops` further joints."""
    rng = np.random.default_rng(seed)
    mechanism = sarrus.Mechanism(gravity=gravity)
    names = [f"body {k}" for k in range(bodies)]
    for name in names:
        add_random_body(mechanism, name, rng, speed=0.5)
    for k in range(0 if anchored else 1, bodies):
        above = names[rng.integers(k)] if k else "world"
        add_random_joint(mechanism, f"joint {k}", above, names[k], rng.choice(TREE), rng)
    for k in range(loops):
        ends = rng.permutation([*names, "world"] if anchored else names)[:2]
        add_random_joint(mechanism, f"closing {k}", *map(str, ends), rng.choice(CLOSING), rng)
    return mechanism, rng


def add_random_joint(mechanism, name, a, b, kind, rng):
    a, b = (a, b) if rng.random() < 0.5 else (b, a)
    if kind == "distance":
        mechanism.add_distance(name, a, b, at_a=rng.normal(size=3), at_b=rng.normal(size=3))
    else:
        mechanism.add_joint(name, str(kind), a, b, at=rng.normal(size=3), **random_axes(str(kind), rng))


def add_random_springs(mechanism, rng, damping=0.0):
    """A spring between two bodies, one to the world, and one on a joint."""
    names = list(mechanism.bodies)
    pairs = [(names[0], names[-1]), ("world", names[1])]
    for k, (a, b) in enumerate(pairs):
        points = {"at_a": rng.normal(size=3), "at_b": rng.normal(size=3)}
        mechanism.add_spring(f"spring {k}", a, b, **points, stiffness=5.0, damping=damping)
    for name, joint in mechanism.joints.items():
        if getattr(joint, "kind", "") in ("revolute", "cylindrical", "universal", "prismatic"):
            mechanism.add_joint_spring("joint spring", name, stiffness=2.0, rest=0.1, damping=damping)
            break
