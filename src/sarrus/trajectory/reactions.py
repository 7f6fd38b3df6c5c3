"""Reactions of redundant joints: the weighted least-norm multipliers with the same effect on every body.

Implements: [Mal25] eq. (32) with unit weights, for every set of joints that loops tie together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sarrus.model import Model


def share(model: Model, nodes: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """`wrench` (T, nj, 6) with what redundant rows leave undetermined shared out by least norm."""
    if not model.redundant:
        return wrench
    from sarrus import layout as at
    from sarrus.dynamics.readout import load_node
    from sarrus.model.linear import Linearisation

    groups = redundant_groups(model)
    here = Linearisation(model.every, model.every.state.copy())
    out = wrench.copy()
    for t in range(len(nodes)):
        load_node(model.every.topo, model.every.par, here.state, here.work, nodes[t : t + 1])
        here.update()
        G = here.matrix
        for joints in groups:
            rows = np.concatenate([np.arange(model.rows)[model.row_slices[name]] for name in joints])
            part = G[rows].toarray()
            part = part[:, np.abs(part).any(axis=0)] if False else part
            used = np.flatnonzero(np.abs(part).max(axis=0) > 0.0)
            part = part[:, used]
            effect, child_maps = np.zeros(part.shape[1]), []
            for name in joints:
                j = model.joint_index[name]
                mine = G[np.arange(model.rows)[model.row_slices[name]]].toarray()
                child = int(model.description.number[model.description.joints[j].b])
                parent = int(model.description.number[model.description.joints[j].a])
                body, sign = (child, 1.0) if child < here.bodies else (parent, -1.0)
                arm = here.state[child, at.X : at.X + 3] + here.work[child, at.R1 : at.R1 + 9].reshape(3, 3) @ (
                    model.description.joints[j].pb
                )
                to_point = arm - here.state[body, at.X : at.X + 3]
                about_centre = np.concatenate([out[t, j, :3], out[t, j, 3:] + np.cross(to_point, out[t, j, :3])]) * sign
                block = mine[:, 6 * body : 6 * body + 6]
                multipliers = np.linalg.lstsq(block.T, about_centre, rcond=None)[0]
                effect += multipliers @ mine[:, used]
                child_maps.append((j, block, sign, to_point))
            least = np.linalg.lstsq(part.T, effect, rcond=1e-9)[0]
            first = 0
            for j, block, sign, to_point in child_maps:
                w = sign * (least[first : first + len(block)] @ block)
                first += len(block)
                out[t, j, :3] = w[:3]
                out[t, j, 3:] = w[3:] - np.cross(to_point, w[:3])
    return out


def redundant_groups(model: Model) -> list[list[str]]:
    """Joints tied together by loops that have redundant rows, one list per connected set."""
    closing = {name for name, _ in model.redundant}
    group: list[set[str]] = []
    for loop in model.loops:
        if True:
            merged = set(loop)
            rest = []
            for other in group:
                if other & merged:
                    merged |= other
                else:
                    rest.append(other)
            group = [*rest, merged]
    return [[name for name in model.joint_names if name in g] for g in group if g & closing]
