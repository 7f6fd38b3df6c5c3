"""align: joints of closed loops moved by as little as makes them fit each other.

Axes that are parallel but for rounding become parallel, lengths that are equal but for rounding equal.  What
remains is a condition on the numbers of the joints: the part of the residuals along the self-stresses must
vanish wherever the loops go.  Gauss-Newton over sampled configurations finds the nearest numbers that meet
it."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace

import numpy as np

from sarrus import layout as at
from sarrus.errors import LoopsLeftOpen, MechanismError, NearlyRedundant, RigidMechanism
from sarrus.mechanism import Mechanism
from sarrus.mechanism.joints import Joint
from sarrus.model.build import REDUNDANCY_TOLERANCE, build
from sarrus.model.equal_lengths import with_equal_lengths
from sarrus.model.geometry import centres_of, frame_of, table_joint
from sarrus.model.linear import Linearisation, nearest
from sarrus.model.model import Model
from sarrus.model.rounding import Holding, Sampler, hold, self_stresses
from sarrus.model.tables import put_geometry

# Joints fit where their misfit is below this [rad, parts of the size].
FITS = 1e-10
ITERATIONS = 8
# Axes that differ by this many tolerances count as parallel: all joints share a misfit.
APART = 3.0
# Lengths that differ by this many misfits count as equal.
EQUAL = 20.0
# So often configurations are sampled anew.
PASSES = 3
# Moves to either side, over three times as far as misfits are looked at.
WIDE = 18
# Step of the differences by the numbers of the joints; Gauss-Newton forgives their error.
STEP = 1e-6


def align(mechanism: Mechanism, *, tolerance: float = REDUNDANCY_TOLERANCE) -> Mechanism:
    """A copy of `mechanism` in which joints of closed loops fit each other: their points and axes are moved
    by about the size of their misfit, so that redundant rows agree.

    tolerance: misfits up to this [rad, parts of the size] count as rounding.  Axes that are parallel and
    lengths that are equal but for rounding become so; beyond that it is the nearest geometry that moves, not
    the one that was meant.  What cannot be aligned is told by a warning."""
    out = deepcopy(mechanism)
    model = _model(out, tolerance)
    misfit = max(model.ranks.misfit, *(off for _, off in model.ranks.refused), 0.0)
    if misfit <= FITS:
        return out
    names = joints_of_loops(model)
    parallel = with_parallel_axes(out, names, APART * tolerance)
    out, model = _better(out, model, parallel, tolerance)
    equal = min(EQUAL * misfit, APART * tolerance) * model.size
    out, model = _better(out, model, with_equal_lengths(parallel, names, equal), tolerance)
    for i in range(PASSES):
        before = model.ranks.misfit
        if before > FITS:
            out, model = _better(out, model, Alignment(out, model).aligned(rounded=i == 0), tolerance)
        if model.ranks.misfit > 0.1 * before:
            break
    if model.ranks.misfit > FITS:
        worst = max(model.ranks.misfits, key=model.ranks.misfits.__getitem__)
        warnings.warn(
            f"{mechanism.name}: the joints of its loops still miss each other by {model.ranks.misfit:.1e} "
            f"(rad, or parts of the size), most at joint {worst!r}",
            LoopsLeftOpen,
            stacklevel=2,
        )
    return out


def _model(mechanism: Mechanism, tolerance: float) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RigidMechanism)
        warnings.simplefilter("ignore", NearlyRedundant)
        return build(mechanism, redundancy_tolerance=tolerance)


def _better(before: Mechanism, model: Model, after: Mechanism, tolerance: float) -> tuple[Mechanism, Model]:
    """`after`, where it has more freedom or the smaller misfit, or fits; else `before`; and the model."""
    other = _model(after, tolerance)
    if (-other.dof, other.ranks.misfit) <= (-model.dof, max(FITS, model.ranks.misfit)):
        return after, other
    return before, model


def joints_of_loops(model: Model) -> list[str]:
    """Names of the joints in loops that do not fit, and in those that share joints with them, in order."""
    names = {*model.ranks.misfits, *(name for name, _ in model.ranks.refused)}
    for _ in model.loops:
        names |= {name for loop in model.loops if names & set(loop) for name in loop}
    return [name for name in model.joint_names if name in names]


def with_axis(joint: Joint, axis: np.ndarray | None) -> Joint:
    """`joint` with another axis; axis2 stays perpendicular."""
    if axis is None:
        return joint
    axis = axis / np.linalg.norm(axis)
    second = joint.axis2
    if second is not None:
        second = second - (second @ axis) * axis
        second = second / np.linalg.norm(second)
    return replace(joint, axis=axis, axis2=second)


def with_parallel_axes(mechanism: Mechanism, names: list[str], tolerance: float) -> Mechanism:
    """A copy of `mechanism` in which axes of the joints `names` that are parallel to `tolerance` [rad] are
    parallel."""
    out = deepcopy(mechanism)
    joints = {name: joint for name, joint in out.joints.items() if isinstance(joint, Joint)}
    axes = {
        (name, which): getattr(joints[name], which)
        for which in ("axis", "axis2")
        for name in names
        if name in joints and getattr(joints[name], which) is not None
    }
    shared: dict[tuple[str, str], int] = {}
    left = list(axes)
    while left:
        first = axes[left[0]]
        group = [n for n in left if np.linalg.norm(np.cross(first, axes[n])) < tolerance]
        signs = {n: np.sign(axes[n] @ first) for n in group}
        # An axis of the world is what was meant where a joint has it.
        exact = [n for n in group if np.abs(axes[n]).max() == 1.0]
        mean = np.sum([signs[n] * axes[n] for n in group], axis=0)
        axis = signs[exact[0]] * axes[exact[0]] if exact else mean / np.linalg.norm(mean)
        for n in group:
            axes[n], shared[n] = signs[n] * axis, len(group)
        left = [n for n in left if n not in group]
    for name, joint in joints.items():
        if (name, "axis2") not in axes:
            out.joints[name] = with_axis(joint, axes.get((name, "axis"), joint.axis))
            continue
        first, second = axes[name, "axis"], axes[name, "axis2"]
        # The one that more joints share stays.
        if shared[name, "axis2"] > shared[name, "axis"]:
            first = first - (first @ second) * second
        out.joints[name] = with_axis(replace(joint, axis2=second), first)
    return out


class Alignment:
    """The numbers of the joints of the loops that do not fit: points, axes as small turns."""

    def __init__(self, mechanism: Mechanism, model: Model):
        self.mechanism, self.model, self.size = mechanism, model, model.size
        d = model.description
        if model.candidates is None:
            raise MechanismError("a mechanism without loops has nothing to align")
        self.every = replace(model.every, par=model.every.par.copy())
        candidates = replace(model.candidates, par=model.candidates.par.copy())
        self.arrays = (self.every, candidates)
        self.holding = Holding(d, candidates, model.ranks.scales, model.ranks.ranks)
        self.sampler = Sampler(
            d, self.every, model.every.state, self.holding, self.size, model.ranks.tolerance
        )
        self.joints = {n: joint for n, joint in mechanism.joints.items() if isinstance(joint, Joint)}
        self.names = [n for n in joints_of_loops(model) if n in self.joints]
        self.centres = centres_of(mechanism)
        self.number = {name: i for i, name in enumerate([*mechanism.bodies, "world"])}
        widths = [5 if self.joints[n].axis is not None else 3 for n in self.names]
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(int)

    def joint(self, k: int, change: np.ndarray) -> Joint:
        """Joint k of the loops, moved: its point by three numbers (parts of the size), its axis by two
        (rad)."""
        joint = self.joints[self.names[k]]
        joint = replace(joint, at=joint.at + self.size * change[:3])
        if joint.axis is None:
            return joint
        return with_axis(joint, joint.axis + change[3:] @ frame_of(joint.axis)[1:])

    def put(self, k: int, change: np.ndarray) -> None:
        """Puts joint k, moved, into the arrays."""
        j = self.model.joint_index[self.names[k]]
        geometry = table_joint(self.joint(k, change), self.number, self.centres)
        for arrays in self.arrays:
            line = int(arrays.topo[arrays.topo[0, at.T_JOINTS] + j, at.JOINT_PAR])
            put_geometry(arrays.par[line], geometry)

    def conditions(self, changes: np.ndarray, states: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(q, Q): the misfits along the self-stresses at the configurations `states`, which are held anew,
        and their derivatives by the numbers of the joints."""
        values, slopes = [], []
        for state in states:
            here = Linearisation(self.every, state)
            hold(here, self.holding.at(here.state)[0], self.size)
            kept, dropped = self.holding.at(here.state)
            stresses = np.linalg.qr(self_stresses(here, kept, dropped, self.sampler.lengths).T)[0].T
            before = here.residual.copy()
            values.append(stresses @ (before / self.sampler.lengths))
            slope = np.zeros((len(before), len(changes)))
            for k in range(len(self.names)):
                mine = slice(self.first[k], self.first[k + 1])
                for i in range(mine.start, mine.stop):
                    moved = changes.copy()
                    moved[i] += STEP
                    self.put(k, moved[mine])
                    here.update()
                    slope[:, i] = (here.residual - before) / STEP
                self.put(k, changes[mine])
            here.update()
            slopes.append(stresses @ (slope / self.sampler.lengths[:, None]))
        return np.concatenate(values), np.concatenate(slopes)

    def aligned(self, rounded: bool) -> Mechanism:
        """The mechanism with the nearest numbers that meet the conditions at all sampled configurations;
        rounded: as in `nearest`."""
        changes, least = np.zeros(self.first[-1]), np.inf
        best = changes
        self.sampler.sample(WIDE)
        states = self.sampler.states
        for _ in range(ITERATIONS):
            q, Q = self.conditions(changes, states)
            worst = float(np.abs(q).max(initial=0.0))
            if worst < least:
                least, best = worst, changes.copy()
            elif worst > 0.5 * least:
                break
            changes = -nearest(Q, q - Q @ changes, rounded)
            for k in range(len(self.names)):
                self.put(k, changes[self.first[k] : self.first[k + 1]])
        out = deepcopy(self.mechanism)
        for k, name in enumerate(self.names):
            out.joints[name] = self.joint(k, best[self.first[k] : self.first[k + 1]])
        return out
