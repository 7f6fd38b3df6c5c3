"""Model: a built mechanism.  Frozen arrays for the kernels, names, mobility, and everything that is read from
configurations."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sarrus import layout as at
from sarrus.errors import unknown_name
from sarrus.mechanism import Mechanism
from sarrus.mechanism.joints import Joint
from sarrus.mechanism.rotations import rotation
from sarrus.mechanism.validation import number
from sarrus.model.arrays import Arrays, step_arrays
from sarrus.model.contacts import Contacts
from sarrus.model.conventions import from_file, is_file
from sarrus.model.custom import check_pickles
from sarrus.model.description import Description, Drives, StiffSprings, size_of
from sarrus.model.masses import check_masses, point_masses
from sarrus.model.mechanics import Mechanics
from sarrus.model.nodes import join
from sarrus.model.redundancy import Ranks
from sarrus.model.springs import Rate, all_springs, spring_rates, stiff_springs
from sarrus.model.state import State
from sarrus.model.tables import readdress

if TYPE_CHECKING:
    from sarrus.model.actuation import Actuation
    from sarrus.model.pairs import Pairs
    from sarrus.model.rounding import Holding

# Border rows of stiff springs that are worth a word: their cost may grow faster than their number.
MANY_ROWS = 200


class Model(Mechanics):
    """A built `Mechanism`; it never changes.

    body_names, joint_names: in the order of addition, which the rows of every array follow.  dof: mobility at
    a generic configuration (of velocities, where a constraint is nonholonomic).  redundant: (joint name, row)
    of every redundant row."""

    def __init__(
        self,
        description: Description,
        drives: Drives,
        arrays: Arrays,
        every: Arrays,
        candidates: Arrays | None,
        ranks: Ranks,
        contacts: Contacts,
        places: dict[int, tuple[int, ...]],
        actuation: Actuation,
    ):
        mechanism = description.mechanism
        self.mechanism: Mechanism = mechanism
        self.description = description
        self.drives = drives
        self.arrays = arrays
        self.every = every
        self.candidates = candidates
        self.ranks = ranks
        self.contacts = contacts
        self.places = places
        self.actuation = actuation
        self.body_names: tuple[str, ...] = tuple(mechanism.bodies)
        self.joint_names: tuple[str, ...] = tuple(mechanism.joints)
        self.body_index = {name: i for i, name in enumerate(self.body_names)}
        self.joint_index = {name: i for i, name in enumerate(self.joint_names)}
        nb = len(self.body_names)
        bodies = list(mechanism.bodies.values())
        self.masses = np.array([body.mass for body in bodies])
        self.inertias = np.array([body.inertia for body in bodies]).reshape(nb, 3, 3)
        self.gravity = np.array(mechanism.gravity)
        self.inputs = description.inputs
        self.targets, self.input_width = description.targets, description.width
        self.joint_slices: dict[str, slice] = {}
        self.row_slices: dict[str, slice] = {}
        q = r = 0
        for joint in description.joints[: len(self.joint_names)]:
            self.joint_slices[joint.name] = slice(q, q + joint.coordinates)
            self.row_slices[joint.name] = slice(r, r + len(joint.places))
            q, r = q + joint.coordinates, r + len(joint.places)
        self.coordinates = q
        self.rows = r
        self._stiff_arrays: dict[StiffSprings, Arrays] = {}
        self._warned_of: set[StiffSprings] = set()
        self._freeze()

    def _freeze(self) -> None:
        for array in (self.masses, self.inertias, self.gravity):
            array.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: plans are left out and made again where they are needed."""
        check_pickles(self.mechanism)
        plans = ("near_pairs", "holding", "joint_dynamics")
        kept = {key: value for key, value in self.__dict__.items() if key not in plans}
        return {**kept, "_stiff_arrays": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()
        d = self.description
        if not d.addresses:
            return
        old = d.addresses
        d.compile_callbacks()
        moved = {old[key]: address for key, address in d.addresses.items()}
        for arrays in (self.arrays, self.every, self.candidates):
            if arrays is not None:
                readdress(arrays.topo, moved)

    @cached_property
    def spring_rates(self) -> list[Rate]:
        """The springs that are explicit while they are soft, and how fast they move their bodies."""
        return spring_rates(self.description, self.drives)

    def stiff_springs(self, dt: float) -> StiffSprings:
        """Springs that are implicit in steps of `dt` [s] because they are stiff."""
        return stiff_springs(self.spring_rates, len(self.body_names), dt)

    def step_arrays(self, dt: float) -> Arrays:
        """The arrays that steps of `dt` [s] run on, those with contacts between bodies apart."""
        if not self.spring_rates:
            return self.arrays
        stiff = self.stiff_springs(dt)
        arrays = self._arrays_with(stiff)
        more = int(arrays.topo[0, at.ROWS] - self.arrays.topo[0, at.ROWS])
        if more > MANY_ROWS and stiff not in self._warned_of:
            self._warned_of.add(stiff)
            warnings.warn(
                f"springs that dt = {dt:.3g} s does not resolve are {more} border rows: in nets of free "
                "bodies these make steps slow; a smaller dt, or softer springs, may be faster",
                stacklevel=2,
            )
        return arrays

    @property
    def implicit_arrays(self) -> Arrays:
        """The arrays of steps that solve for all springs, whatever their stiffness."""
        return self._arrays_with(all_springs(self.spring_rates))

    def _arrays_with(self, stiff: StiffSprings) -> Arrays:
        """The arrays of steps that are implicit in the springs `stiff`."""
        if stiff == StiffSprings():
            return self.arrays
        if stiff not in self._stiff_arrays:
            lines = self.contacts.fixed if self.contacts.any else None
            drives = Drives(self.description, stiff)
            self._stiff_arrays[stiff] = step_arrays(self.description, drives, self.places, lines)
        return self._stiff_arrays[stiff]

    @cached_property
    def near_pairs(self) -> Pairs:
        """Pairs of shapes that may meet, with their detector and plans."""
        from sarrus.model.pairs import Pairs

        return Pairs(self)

    def pair_distance(self, position: ArrayLike, orientation: ArrayLike) -> np.ndarray:
        """(T,) smallest signed distance [m] of two shapes that may meet, half-spaces left out."""
        return self.near_pairs.distance(np.asarray(position, float), np.asarray(orientation, float))

    @property
    def dof(self) -> int:
        """Degrees of freedom at a generic configuration."""
        return int(self.arrays.topo[0, at.FREEDOMS]) - sum(self.ranks.ranks.values())

    @property
    def dof_left(self) -> int:
        """Degrees of freedom that no motor prescribes: 0 where inputs alone say how everything moves."""
        return self.dof - self.actuation.rank

    @property
    def overactuation(self) -> int:
        """How many more coordinates motors prescribe than can be chosen independently."""
        return self.actuation.surplus

    @property
    def redundant(self) -> tuple[tuple[str, int], ...]:
        """(joint name, row of the joint) of every redundant row."""
        return self.ranks.redundant

    @property
    def redundant_constraints(self) -> int:
        """Number of redundant rows."""
        return len(self.redundant)

    @cached_property
    def loops(self) -> list[tuple[str, ...]]:
        """One loop per closing joint: the joints on the way through the spanning tree, the closing joint
        last."""
        from sarrus.model.report import loops

        return loops(self)

    def report(self) -> str:
        """Bodies, joints, loops, degrees of freedom and redundancy in words."""
        from sarrus.model.report import report

        return report(self)

    def _repr_html_(self) -> str:
        """Bodies, joints, degrees of freedom, loops and redundancy in a table, for notebooks."""
        from sarrus.viewers.notebook import model_html

        return model_html(self)

    def __repr__(self) -> str:
        return (
            f"Model({self.mechanism.name!r}: {len(self.body_names)} bodies, {len(self.joint_names)} joints, "
            f"{self.dof} dof, {len(self.loops)} loops, {self.redundant_constraints} redundant constraints)"
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that a simulation works on."""
        return self.arrays.nbytes

    @cached_property
    def size(self) -> float:
        """Twice the longest distance of a joint point from the centre of its body [m]; 1 where there are
        none."""
        return size_of(self.description)

    @cached_property
    def holding(self) -> Holding | None:
        """What a run holds of the rows of all joints where loops are redundant but for rounding; else None:
        all of them."""
        from sarrus.model.rounding import Holding

        if not self.ranks.deviation or self.candidates is None:
            return None
        return Holding(self.description, self.candidates, self.ranks.scales, self.ranks.ranks)

    @cached_property
    def coordinate_places(self) -> tuple[np.ndarray, np.ndarray]:
        """(joint, number within the joint) of every coordinate."""
        pairs = [
            (j, i)
            for j, where in enumerate(self.joint_slices.values())
            for i in range(where.stop - where.start)
        ]
        table = np.array(pairs, np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    @cached_property
    def is_placed(self) -> bool:
        """Whether the reference configuration meets all constraints by construction: joints of the table
        alone."""
        return all(isinstance(joint, Joint) for joint in self.mechanism.joints.values())

    @cached_property
    def _reference(self) -> tuple[np.ndarray, ...]:
        bodies, nb = self.mechanism.bodies.values(), len(self.body_names)
        return (
            np.array([b.position for b in bodies]).reshape(nb, 3),
            np.array([b.orientation for b in bodies]).reshape(nb, 4),
            np.array([b.velocity for b in bodies]).reshape(nb, 3),
            np.array([b.angular_velocity for b in bodies]).reshape(nb, 3),
        )

    def initial_state(self) -> State:
        """The reference configuration at t = 0 with the velocities given to `add_body`."""
        x, q, v, w = (array.copy() for array in self._reference)
        return State(0.0, x, q, v, w, self, np.zeros(self.coordinates))

    def state(
        self,
        joints: Mapping[str, Any] | None = None,
        velocities: Mapping[str, Any] | None = None,
        *,
        keyframe: str | None = None,
        time: float = 0.0,
        convention: str = "sarrus",
    ) -> State:
        """A state from joint coordinates and velocities, with closed loops; other coordinates stay near the
        reference configuration, or near a keyframe.

        convention "file": `joints` are named and counted as in the file that the mechanism was read from."""
        from sarrus.model.assembly import assemble, with_velocities

        key = None if keyframe is None else self._keyframe(keyframe)
        if is_file(convention):
            joints = from_file(self, joints or {}, {} if key is None else key.joints)
        state = assemble(self, joints, near=None if key is None else key.joints)
        state.time = number("state", "time [s]", time)
        if not (velocities or (key and key.velocities)):
            return state
        return with_velocities(self, state, velocities or {}, near=None if key is None else key.velocities)

    # Read-outs.  Arrays have one row per node: position (T, nb, 3), orientation (T, nb, 4), ...

    def _workspace(
        self, arrays: Arrays | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(topo, par, state, work) for read-outs; None: with all rows of all joints."""
        arrays = self.every if arrays is None else arrays
        return arrays.topo, arrays.par, arrays.state.copy(), arrays.new_work()

    def _near(self, winding: np.ndarray | None) -> np.ndarray:
        """`winding` as the read-outs take it: a line for each of the first nodes."""
        if winding is None:
            return np.zeros((0, self.coordinates))
        return np.ascontiguousarray(np.atleast_2d(np.asarray(winding, float)))

    def put_winding(self, arrays: Arrays, state: np.ndarray, winding: np.ndarray) -> None:
        """Coordinates of all joints into `state`, where they say which turn an angle is on."""
        first = arrays.topo[0, at.S_JOINTS]
        joint, column = self.coordinate_places
        state[first + joint, at.COORD + column] = winding
        for j in self.curves:
            state[first + j, at.CURVE_S] = state[first + j, at.COORD]

    @cached_property
    def curves(self) -> list[int]:
        """Joints that hold a point on a curve."""
        return [j for j, joint in enumerate(self.description.joints) if joint.kind == at.CURVE]

    def coordinates_of(
        self,
        position: ArrayLike,
        orientation: ArrayLike,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        winding: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(coordinates, velocities) of all joints, each (T, nq).

        winding, here and below: coordinates on the turns of the first node (nq,), from which angles go on to
        the nearest turn at each further node, or of every node (T, nq)."""
        from sarrus._jit import Compiling
        from sarrus.dynamics.readout import read_coordinates

        nodes = join(position, orientation, velocity, angular_velocity)
        q, v = np.zeros((len(nodes), self.coordinates)), np.zeros((len(nodes), self.coordinates))
        # No rows are asked for: the smaller arrays will do.
        arrays = self.arrays
        with Compiling(read_coordinates, "the kernels that read joints"):
            read_coordinates(*self._workspace(arrays), nodes, self._near(winding), q, v, arrays.flag)
        return q, v

    def residuals(
        self, position: ArrayLike, orientation: ArrayLike, winding: np.ndarray | None = None
    ) -> np.ndarray:
        """(T, rows) residuals of all rows of all joints [m, or 2 sin(angle/2)]; rolling rows show the height
        alone."""
        from sarrus.dynamics.readout import read_residuals

        nodes = join(position, orientation)
        out = np.zeros((len(nodes), self.rows))
        read_residuals(*self._workspace(), nodes, self._near(winding), out, self.every.flag)
        return out

    def potential_energy(
        self, position: ArrayLike, orientation: ArrayLike, winding: np.ndarray | None = None
    ) -> np.ndarray:
        """(T,) gravity (zero at the world origin), springs, users' potentials [J]."""
        from sarrus.dynamics.readout import read_potential

        nodes = join(position, orientation)
        out = np.zeros(len(nodes))
        read_potential(*self._workspace(), nodes, self._near(winding), self.gravity, out, self.every.flag)
        # Kernels count heights from their own origin.
        return out - self.masses.sum() * float(self.gravity @ self.description.origin)

    def kinetic_energy(
        self,
        position: ArrayLike,
        orientation: ArrayLike,
        velocity: ArrayLike,
        angular_velocity: ArrayLike,
        winding: np.ndarray | None = None,
    ) -> np.ndarray:
        """(T,) kinetic energy [J], armatures included."""
        v, w = np.asarray(velocity, float), np.asarray(angular_velocity, float)
        nb = len(self.body_names)
        v, w = v.reshape(-1, nb, 3), w.reshape(-1, nb, 3)
        energy = 0.5 * np.einsum("tbi,tbi->tb", v, v) @ self.masses
        energy += 0.5 * np.einsum("tbi,tbi->t", np.einsum("bij,tbj->tbi", self.inertias, w), w)
        if self._armature.any():
            rates = self.coordinates_of(position, orientation, v, w, winding)[1]
            energy += 0.5 * rates**2 @ self._armature
        turning = np.flatnonzero(self.drives.turning_inertia)
        if len(turning):
            turned = rotation(np.asarray(orientation, float).reshape(-1, nb, 4))
            spins = np.concatenate([np.einsum("tbij,tbj->tbi", turned, w), np.zeros((len(w), 1, 3))], axis=1)
            for j in turning:
                joint = self.description.joints[j]
                spin = spins[:, joint.b] - spins[:, joint.a]
                energy += 0.5 * self.drives.turning_inertia[j] * np.einsum("ti,ti->t", spin, spin)
        return energy

    @cached_property
    def _armature(self) -> np.ndarray:
        """(nq,) armatures of the coordinates."""
        armature = np.zeros(self.coordinates)
        for j, name in enumerate(self.joint_names):
            where = self.joint_slices[name]
            armature[where] = self.drives.inertia[j, : where.stop - where.start]
        return armature

    def rolling_slip(
        self, position: ArrayLike, orientation: ArrayLike, velocity: ArrayLike, angular_velocity: ArrayLike
    ) -> np.ndarray:
        """(T,) largest speed of the contact point of a rolling body [m/s]."""
        from sarrus.dynamics.readout import read_slip

        nodes = join(position, orientation, velocity, angular_velocity)
        out = np.zeros(len(nodes))
        read_slip(*self._workspace(), nodes, out)
        return out

    def joint(self, name: str) -> int:
        """Index of joint `name`."""
        if name not in self.joint_index:
            raise unknown_name("joint", name, self.joint_names)
        return self.joint_index[name]

    @cached_property
    def point_masses(self) -> list[str]:
        """Point masses that no chain of fixed joints ties to a body with inertia or to the world."""
        return point_masses(self)

    def check_masses(self, method: str) -> None:
        """Refuses point masses that no fixed joint ties to a body with inertia, and frames without mass."""
        check_masses(self, method)
