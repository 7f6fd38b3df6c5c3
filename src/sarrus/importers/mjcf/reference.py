"""The reference configuration of a compiled model: qpos0, or the nearest one that closes its loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sarrus.importers.mjcf.compile import named
from sarrus.importers.mjcf.fixed_tendons import is_linear
from sarrus.importers.mjcf.tendons import is_wire
from sarrus.importers.report import Findings

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

CLOSED = 1e-9
"""A constraint holds when it misses by no more [m, rad]: rounding of a chain of twenty frames is a thousand
times smaller."""
TIGHT = 1e-13
ROUNDS, FURTHEST, ATTEMPTS = 60, 0.3, 4
"""Rounds of closing loops, the largest step of a coordinate in one [m, rad], and starts."""


def at_reference(model: MjModel, findings: Findings) -> MjData:
    """Data of the model with all places at the reference configuration.

    MuJoCo makes the anchors of a connect from qpos0, where its loops are then closed.  Constraints between
    sites, welds with a pose of their own and relations of joints may be open there: exact joints need a
    configuration that meets them, which Gauss-Newton finds next to qpos0."""
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    if len(carried(model)):
        found = closed(model)
        if found is None:
            findings.change("reference", "", "no configuration near qpos0 satisfies all constraints")
        elif not np.array_equal(found, model.qpos0):
            findings.change(
                "reference", "", "not qpos0, but the nearest configuration that satisfies the equalities"
            )
            data.qpos[:] = found
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_tendon(model, data)
    return data


def carried(model: MjModel) -> list[int]:
    """Active equality constraints that have a counterpart: loops, wires, linear relations of joints."""
    out = []
    for e in range(model.neq):
        kind = named("mjtEq", model.eq_type[e])
        linear = model.eq_obj2id[e] < 0 or not np.any(model.eq_data[e, 2:5])
        has = (
            kind in ("connect", "weld")
            or (kind == "joint" and linear)
            or (kind == "tendon" and (is_wire(model, e) or is_linear(model, e)))
        )
        if model.eq_active0[e] and has:
            out.append(e)
    return out


def closed(model: MjModel) -> np.ndarray | None:
    """The configuration nearest to qpos0 that meets all carried constraints; None: there is none near."""
    import mujoco

    off, flags, jacobian = mujoco.mjtDisableBit, int(model.opt.disableflags), int(model.opt.jacobian)
    others = off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS
    data, kept = mujoco.MjData(model), set(carried(model))
    if flags & int(off.mjDSBL_EQUALITY | off.mjDSBL_CONSTRAINT):
        return model.qpos0
    try:
        model.opt.disableflags = flags | sum(int(flag) for flag in others if not flags & int(flag))
        model.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)
        data.eq_active[:] = [e in kept for e in range(model.neq)]
        for attempt in range(ATTEMPTS):
            # Stretched arms show no way: the later attempts start a little beside qpos0.
            data.qpos[:] = model.qpos0
            aside = 0.1 * attempt * np.random.default_rng(attempt).normal(size=model.nv)
            mujoco.mj_integratePos(model, data.qpos, aside, 1.0)
            if close(model, data):
                return model.qpos0 if np.array_equal(data.qpos, model.qpos0) else data.qpos.copy()
        return None
    finally:
        model.opt.disableflags, model.opt.jacobian = flags, jacobian


def close(model: MjModel, data: MjData) -> bool:
    """Moves `data` to a configuration that meets the active equalities, by Gauss-Newton; False: there is none
    near."""
    import mujoco

    worst = np.inf
    for k in range(ROUNDS):
        mujoco.mj_forward(model, data)
        missed = np.array(data.efc_pos[: data.nefc])
        worst = float(np.abs(missed).max(initial=0.0))
        if worst <= (CLOSED if k == 0 else TIGHT):
            return True
        J = np.array(data.efc_J).reshape(-1)[: data.nefc * model.nv].reshape(data.nefc, model.nv)
        step = -np.linalg.lstsq(J, missed, rcond=1e-10)[0]
        step *= min(1.0, FURTHEST / max(float(np.abs(step).max(initial=0.0)), FURTHEST))
        mujoco.mj_integratePos(model, data.qpos, step, 1.0)
    return worst <= CLOSED


def loop_bodies(model: MjModel) -> set[int]:
    """Bodies on a closed loop: those between the two sides of a connect or weld, up to where they part."""
    out: set[int] = set()
    for e in carried(model):
        if named("mjtEq", model.eq_type[e]) not in ("connect", "weld"):
            continue
        ways = []
        for b in (int(model.eq_obj1id[e]), int(model.eq_obj2id[e])):
            if named("mjtObj", model.eq_objtype[e]) == "site":
                b = int(model.site_bodyid[b])
            way = {b}
            while b:
                b = int(model.body_parentid[b])
                way.add(b)
            ways.append(way)
        out |= ways[0] ^ ways[1]
    return out


def held_joints(model: MjModel) -> dict[int, int]:
    """Joints that an active equality holds at one value, with the number of that equality."""
    out = {}
    for e in carried(model):
        alone = model.eq_obj2id[e] < 0 or not np.any(model.eq_data[e, 1:5])
        if named("mjtEq", model.eq_type[e]) == "joint" and alone:
            out[int(model.eq_obj1id[e])] = e
    return out
