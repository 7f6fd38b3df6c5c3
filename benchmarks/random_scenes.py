"""Runs random scenes with contact and counts what went wrong: `python -m benchmarks.random_scenes`.

Tosses, piles, stacks, leaning bodies and closed loops that fall on the ground: friction 0 to 1.5, masses over
up to four decades, steps from 0.001 to 0.02 s, restitution 0 to 1.  A run fails where a step finds no
solution; it is wrong where bodies overlap or a step gains energy."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import sarrus

Array = np.ndarray

DURATION = 1.0
# Shapes may overlap by so much; half-spaces are never entered [m].
DEEPEST = 1e-6
# The energy of one step may rise by this part of the kinetic energy, per part of a divided step, and by the
# weight times the natural length of the step: the rule by which steps are accepted.
GAINED, G = 0.01, 9.81


def random_shape(rng: np.random.Generator, size: float) -> sarrus.Shape:
    """A convex shape of about this size [m]."""
    a, b, c = size * rng.uniform(0.4, 1.0, 3)
    kind = rng.integers(5)
    if kind == 0:
        return sarrus.Box((a, b, c))
    if kind == 1:
        return sarrus.Sphere(0.5 * a)
    if kind == 2:
        return sarrus.Capsule(0.3 * a, b)
    if kind == 3:
        return sarrus.Cylinder(0.4 * a, b)
    # Symmetric, so that its centre of mass is the origin of the body.
    points = 0.5 * size * rng.uniform(-1.0, 1.0, (6, 3))
    return sarrus.ConvexMesh(points=np.vstack([points, -points]))


def random_turn(rng: np.random.Generator) -> Array:
    """A unit quaternion."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def add_bodies(
    mechanism: sarrus.Mechanism, rng: np.random.Generator, n: int, decades: float, spread: float
) -> None:
    """Bodies one above the other, so far apart that none overlap."""
    size = rng.uniform(0.05, 0.4)
    for k in range(n):
        mechanism.add_body(
            f"body {k}", density=1000.0 * 10.0 ** rng.uniform(-0.5 * decades, 0.5 * decades),
            position=(*(spread * size * rng.uniform(-1.0, 1.0, 2)), size * (1.2 + 1.8 * k)),
            orientation=random_turn(rng), velocity=rng.normal(size=3),
            angular_velocity=2.0 * rng.normal(size=3), shapes=[random_shape(rng, size)],
        )  # fmt: skip


def add_stack(mechanism: sarrus.Mechanism, rng: np.random.Generator, n: int, decades: float) -> None:
    """Boxes set on each other with a small offset, some of which fall."""
    edge, z = rng.uniform(0.1, 0.3), 0.0
    for k in range(n):
        size = edge * rng.uniform(0.7, 1.3, 3)
        mechanism.add_body(
            f"body {k}", density=1000.0 * 10.0 ** rng.uniform(-0.5 * decades, 0.5 * decades),
            position=(*(0.25 * edge * rng.uniform(-1.0, 1.0, 2)), z + 0.5 * size[2] + 1e-6),
            shapes=[sarrus.Box(size)],
        )  # fmt: skip
        z += size[2] + 2e-6


def add_loop(mechanism: sarrus.Mechanism, rng: np.random.Generator, decades: float) -> None:
    """A closed loop of four to six bars in a tilted plane above the ground."""
    n = int(rng.integers(4, 7))
    angle = 2.0 * np.pi * (np.arange(n) + rng.uniform(-0.25, 0.25, n)) / n
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    u = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    u /= np.linalg.norm(u)
    corners = 0.3 * (np.outer(np.cos(angle), u) + np.outer(np.sin(angle), np.cross(axis, u)))
    corners[:, 2] += 0.1 + rng.uniform(0.0, 0.5) - corners[:, 2].min()
    for k in range(n):
        a, b = corners[k], corners[(k + 1) % n]
        along = (b - a) / np.linalg.norm(b - a)
        q = np.array([1.0 + along[2], -along[1], along[0], 0.0])
        mechanism.add_body(
            f"body {k}", 0.5 * 10.0 ** rng.uniform(-0.25 * decades, 0.25 * decades), position=0.5 * (a + b),
            orientation=q / np.linalg.norm(q), shapes=[sarrus.Capsule(0.02, 0.6 * np.linalg.norm(b - a))],
        )  # fmt: skip
    for k in range(n):
        mechanism.add_joint(
            f"hinge {k}", "revolute", f"body {(k - 1) % n}", f"body {k}", at=corners[k], axis=axis
        )


KINDS = ("toss", "pile", "heap", "stack", "loop")


def random_scene(seed: int) -> tuple[str, sarrus.Mechanism, float]:
    """(kind, mechanism, step [s])"""
    rng = np.random.default_rng((2, seed))
    kind = KINDS[seed % len(KINDS)]
    dt = float(10.0 ** rng.uniform(-3.0, np.log10(0.02)))
    dt = DURATION / round(DURATION / dt)
    decades, bounce = rng.choice([0.0, 2.0, 4.0]), bool(rng.integers(2))
    mechanism = sarrus.Mechanism()
    if kind == "loop":
        add_loop(mechanism, rng, decades)
    elif kind == "stack":
        add_stack(mechanism, rng, int(rng.integers(2, 11)), decades)
    else:
        n = {"toss": 1, "pile": int(rng.integers(2, 9)), "heap": int(rng.integers(9, 21))}[kind]
        add_bodies(mechanism, rng, n, decades, float(rng.uniform(0.3, 1.5)))
    friction, restitution = (
        float(v) for v in (rng.uniform(0.0, 1.5), rng.uniform(0.0, 1.0) if bounce else 0.0)
    )
    mechanism.add_ground(friction, restitution)
    if kind in ("pile", "heap", "stack"):
        mechanism.add_contact_group(friction=float(rng.uniform(0.0, 1.5)), restitution=restitution)
    return kind, mechanism, dt


def largest_gain(run: sarrus.Trajectory) -> float:
    """The largest gain of energy of a step over what the rule allows."""
    energy, bodies = run.energy(), run.model.mechanism.bodies.values()
    kinetic = np.maximum(energy.kinetic[:-1], energy.kinetic[1:])
    speed = np.diff(run.position, axis=0) * run.stats.steps / DURATION
    mass = np.array([body.mass for body in bodies])
    kinetic = np.maximum(kinetic, 0.5 * np.einsum("b,tbi->t", mass, speed * speed))
    allowed = GAINED * np.maximum(run.stats.substeps, 1) * kinetic + G * G * mass.sum() * run.dt**2
    return float((np.diff(energy.total) / allowed).max())


def outcome(seed: int) -> dict:
    """What became of one scene, plain numbers."""
    kind, mechanism, dt = random_scene(seed)
    found: dict = {"seed": seed, "kind": kind, "dt": dt, "bodies": len(mechanism.bodies), "failure": None}
    started = time.process_time()
    try:
        model = sarrus.build(mechanism)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            run = sarrus.simulate(model, duration=DURATION, dt=dt, allow_overlap=True)
    except sarrus.StepFailed as failure:
        found["failure"], run = str(failure).splitlines()[0], failure.trajectory
    except sarrus.SarrusError as failure:
        return found | {"failure": f"{type(failure).__name__}: {failure}".splitlines()[0]}
    stats = run.stats
    if stats.steps == 0:
        return found
    return found | {
        "steps": int(stats.steps), "iterations": int(stats.iterations.sum()),
        "most iterations": int(stats.iterations.max()), "above 40": int((stats.iterations > 40).sum()),
        "divided": int((stats.status == sarrus.Status.SUBSTEPPED).sum()),
        "unbalanced": int(np.sum(stats.unbalanced)),
        "gap": float(run.gap().min()), "gain": largest_gain(run), "cpu": time.process_time() - started,
    }  # fmt: skip


def all_outcomes(seeds: range, processes: int) -> Iterator[dict]:
    """Outcomes in any order."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(outcome, seeds, chunksize=1)


def is_wrong(f: dict) -> bool:
    """Whether a run failed, let bodies overlap or gained energy."""
    return f["failure"] is not None or f.get("gap", 0.0) < -DEEPEST or f.get("gain", 0.0) > 1.0


def summary(found: list[dict]) -> str:
    """A table by kind, and the scenes to look at."""
    lines = [
        "| scenes | runs | failed | overlap | gained | steps | divided | unbalanced | iterations | most |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for kind in (*KINDS, "all"):
        of = [f for f in found if kind in ("all", f["kind"])]
        ran = [f for f in of if "steps" in f]
        steps = sum(f["steps"] for f in ran)
        if not steps:
            continue
        total = {key: sum(f[key] for f in ran) for key in ("iterations", "divided", "unbalanced")}
        lines.append(
            f"| {kind} | {len(of)} | {sum(f['failure'] is not None for f in of)} "
            f"| {sum(f['gap'] < -DEEPEST for f in ran)} | {sum(f['gain'] > 1.0 for f in ran)} | {steps} "
            f"| {total['divided']} ({100.0 * total['divided'] / steps:.2f} %) | {total['unbalanced']} "
            f"| {total['iterations'] / steps:.2f} | {max(f['most iterations'] for f in ran)} |"
        )
    for f in sorted(found, key=lambda f: f["seed"]):
        if is_wrong(f):
            scene = f"seed {f['seed']}, {f['kind']} of {f['bodies']}, dt {f['dt']:.4g}"
            found_there = f"gap {f.get('gap', 0.0):.1e}, gain {f.get('gain', 0.0):.2g}"
            lines.append(f"{scene}: {found_there}, {f['failure'] or 'ran'}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Exit status 1 where a run failed or went wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_scenes", description=__doc__)
    parser.add_argument("--scenes", type=int, default=1000, help="how many scenes")
    parser.add_argument("--first", type=int, default=0, help="seed of the first scene")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--out", type=Path, help="write all outcomes to this JSON file")
    options = parser.parse_args(arguments)
    started, found = time.perf_counter(), []
    for f in all_outcomes(range(options.first, options.first + options.scenes), options.processes):
        found.append(f)
        print(f"\r{len(found)} of {options.scenes} scenes", end="", file=sys.stderr, flush=True)
        if time.perf_counter() - started > options.seconds:
            break
    print(file=sys.stderr)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(summary(found))
    return 1 if any(is_wrong(f) for f in found) else 0


if __name__ == "__main__":
    sys.exit(main())
