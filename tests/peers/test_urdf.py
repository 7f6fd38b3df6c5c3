"""URDF trees move as in MuJoCo, whose own reader takes the same file; random ones, all at a small step."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import sarrus

AGREEMENT = 2e-7
"""[m] after 0.3 s at this step, of second order against MuJoCo of fourth; 3e-8 at most is measured."""
DT = 2.5e-4
DURATION = 0.3
FINE = 2  # steps of MuJoCo's fourth-order method in one of ours


def random_robot(seed: int) -> str:
    """A tree of 7 links with random joints, frames and full inertias; one link is fixed to another."""
    rng = np.random.default_rng(seed)

    def words(values: np.ndarray) -> str:
        return " ".join(f"{x:.17g}" for x in values)

    def link(name: str) -> str:
        mass, corners = rng.uniform(0.5, 2.0), rng.uniform(-0.2, 0.2, (6, 3))
        corners -= corners.mean(axis=0)
        inertia = mass / 6 * (np.eye(3) * np.sum(corners**2) - corners.T @ corners)
        named = zip(("xx", "xy", "xz", "yy", "yz", "zz"), inertia[np.triu_indices(3)], strict=True)
        moments = " ".join(f'i{name}="{x:.17g}"' for name, x in named)
        place = f'xyz="{words(rng.uniform(-0.2, 0.2, 3))}" rpy="{words(rng.uniform(-2, 2, 3))}"'
        inner = f'<inertial><origin {place}/><mass value="{mass:.17g}"/><inertia {moments}/></inertial>'
        return f'<link name="{name}">{inner}</link>'

    parts = [link("link0")]
    kinds = ["continuous", "revolute", "prismatic", "continuous", "fixed", "revolute"]
    for k, kind in enumerate(kinds, start=1):
        parent = f"link{rng.integers(0, k)}"
        damping = rng.uniform(0, 0.1)
        parts.append(link(f"link{k}"))
        parts.append(
            f'<joint name="joint{k}" type="{kind}"><parent link="{parent}"/><child link="link{k}"/>'
            f'<origin xyz="{words(rng.uniform(-0.4, 0.4, 3))}" rpy="{words(rng.uniform(-3, 3, 3))}"/>'
            f'<axis xyz="{words(rng.normal(size=3))}"/><dynamics damping="{damping:.17g}"/></joint>'
        )
    return f'<robot name="tree {seed}">{"".join(parts)}</robot>'


def mujoco_end(path: Path, floating: bool, speeds: dict[str, float]) -> dict[str, np.ndarray]:
    """Centres of mass (3,) [m] of all links at the end, by MuJoCo."""
    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False
    if floating:
        spec.body("link0").add_freejoint()
    model = spec.compile()
    model.opt.timestep, model.opt.integrator = DT / FINE, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    for name, speed in speeds.items():
        data.joint(name).qvel = speed
    for _ in range(round(DURATION / DT) * FINE):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return {model.body(b).name: data.xipos[b].copy() for b in range(1, model.nbody)}


@pytest.mark.parametrize("floating", [False, True], ids=["fixed base", "floating base"])
@pytest.mark.parametrize("seed", range(4))
def test_a_random_tree_moves_as_in_mujoco(tmp_path, seed, floating):
    path = tmp_path / "tree.urdf"
    path.write_text(random_robot(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech = sarrus.load(path, fixed_base=not floating)
    model = sarrus.build(mech)
    speeds = {name: 1.0 + 0.3 * k for k, name in enumerate(mech.import_report.coordinates)}
    assert len(speeds) == 5
    run = sarrus.simulate(model, duration=DURATION, dt=DT, state=model.state(velocities=speeds))
    ends = mujoco_end(path, floating, speeds)
    moved = 0.0
    for name in mech.bodies if floating else list(mech.bodies)[1:]:
        apart = run.body(name).position[-1] - ends[name]
        assert np.max(np.abs(apart)) < AGREEMENT, name
        moved = max(moved, float(np.linalg.norm(run.body(name).position[-1] - run.body(name).position[0])))
    assert moved > 0.05
    assert run.violation().max() < 1e-9
