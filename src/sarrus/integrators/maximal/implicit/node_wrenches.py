"""NodeWrenches: what joints do to their bodies at a node, from its motion and inputs alone.

For methods whose own multipliers are no wrenches of joints, such as those in joint coordinates."""

from __future__ import annotations

import numpy as np

from sarrus import layout as at
from sarrus._jit import Compiling, entry
from sarrus.dynamics.readout import load_node
from sarrus.integrators.maximal.active_rows import ActiveRows
from sarrus.integrators.maximal.implicit.node import enter_node, hold_inputs, read_out
from sarrus.integrators.maximal.implicit.reactions import node_reactions
from sarrus.maths.access import get6, put6
from sarrus.model import Model

# Part of the mass of a mechanism with point masses that every body counts with more: wrenches err by as much.
LIGHT = 1e-9


@entry
def wrenches(topo, par, state, work, scales, settings, u, total, loops):
    """Wrenches of all joints at the node in `state` into `total`; settings: time, gravity; u: inputs there"""
    for b in range(topo[0, at.BODIES]):
        put6(state, b, at.V, get6(state, b, at.U))
    enter_node(topo, par, state, work, loops)
    hold_inputs(topo, par, state, u)
    read_out(topo, par, state, work, scales, loops)
    gravity = (settings[1], settings[2], settings[3])
    node_reactions(topo, par, state, work, total, settings[0], gravity, u, loops)


class NodeWrenches:
    """Force and torque of every joint on its child at the joint point, world frame, at one node after
    another: the constraint forces of the accelerations there.

    Second order where positions and velocities are; see `reactions`."""

    def __init__(self, model: Model):
        self.model, self.arrays = model, model.implicit_arrays
        topo, self.par = self.arrays.topo, self.arrays.par
        if model.point_masses:
            self.par = self._weighted()
        self.kernel, self.work = self.arrays.state.copy(), self.arrays.new_work()
        self.total = np.zeros((int(topo[0, at.JOINTS]), 6))
        self.scales = np.ones((len(self.total), 7))
        if len(model.ranks.scales):
            self.scales[:, :6], self.scales[:, 6] = model.ranks.scales, model.ranks.settled
        self.rows = ActiveRows(model, self.arrays) if model.candidates is not None else None
        self.settings = np.concatenate([[0.0], model.gravity])
        self._is_compiled = False

    def _weighted(self) -> np.ndarray:
        """The constants with a little mass and inertia for every body: motion without any has no force that
        would tell its acceleration."""
        par, bodies = self.arrays.par.copy(), int(self.arrays.topo[0, at.BODIES])
        least = LIGHT * float(par[:bodies, at.MASS].sum())
        par[:bodies, at.MASS] += least
        for k in (0, 4, 8):
            par[:bodies, at.INERTIA + k] += least * self.model.size**2
        return par

    def at(self, node: np.ndarray, winding: np.ndarray, time: float, u: np.ndarray) -> np.ndarray:
        """Wrenches (nj, 6) at a node (13 nb,); winding (nq,): the turns that its joints are on, (0,) where
        nobody counts them; time [s]; u: inputs."""
        a = self.arrays
        near = winding[None] if winding.size else np.zeros((0, self.model.coordinates))
        load_node(a.topo, self.par, self.kernel, self.work, np.ascontiguousarray(node[None]), near)
        self.settings[0] = time
        if self.rows is not None:
            self.rows.choose(self.kernel)
        loops = True if a.loops else None
        arguments = (
            a.topo,
            self.par,
            self.kernel,
            self.work,
            self.scales,
            self.settings,
            u,
            self.total,
            loops,
        )
        if self._is_compiled:
            wrenches(*arguments)
        else:
            with Compiling(wrenches, "the kernels of joint forces at a node"):
                self._is_compiled = True
                wrenches(*arguments)
        return self.total[: len(self.model.joint_names)].copy()
