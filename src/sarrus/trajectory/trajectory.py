"""Trajectory: the recorded nodes of one run, and what can be read from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from sarrus.errors import MechanismError, unknown_name
from sarrus.integrators.interface import WORK, Conventions, Method
from sarrus.integrators.methods import conventions_of
from sarrus.mechanism.rotations import Array, multiply, rotate
from sarrus.model.conventions import file_coordinate, is_file
from sarrus.trajectory import invariants
from sarrus.trajectory import touches as contact
from sarrus.trajectory.arrays import frozen
from sarrus.trajectory.reactions import drives_missed
from sarrus.trajectory.stats import Stats
from sarrus.trajectory.turns import with_turns
from sarrus.trajectory.views import BodyPath, Energy, FramePath, Momentum, Reaction, Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sarrus.model import Model, State
    from sarrus.trajectory.signals import Channel
    from sarrus.trajectory.table import Table
    from sarrus.viewers.live.show import Shown


STATE_FIELDS = (
    "time", "position", "orientation", "velocity", "angular_velocity", "winding", "memory", "clock",
    "prescribed",
)  # fmt: skip
# Times of one node differ by rounding only; steps that follow the motion may be much shorter than dt.
SAME_TIME = 1e-3
CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


class Trajectory:
    """The recorded nodes of one run; arrays are read-only, rows follow `body_names` and `joint_names`.

    time (T+1,) [s]; position, velocity (T+1, nb, 3) of the centres of mass, world frame; orientation
    (T+1, nb, 4) w, x, y, z; angular_velocity (T+1, nb, 3) BODY frame; reactions (T+1, nj, 6) or None; inputs
    by name.  winding (T+1, nq): joint coordinates, or values less than half a turn from them, which say what
    turn every angle is on; (nq,) those of the first node, from where the nodes must tell.  final_state: what
    the method goes on with after the last step, for exact continuation, a State or its fields by name.
    touch_records (n, 12): what `touches` shows, or None.  conventions: what a reader must know of the method.
    `model` may be a callable without arguments that returns the model when a read-out first needs it."""

    def __init__(
        self,
        model: Model | Callable[[], Model],
        method: Method | Conventions | str,
        dt: float,
        time: Array,
        position: Array,
        orientation: Array,
        velocity: Array,
        angular_velocity: Array,
        stats: Stats | None = None,
        reactions: Array | None = None,
        inputs: Mapping[str, Array] | None = None,
        *,
        winding: Array | None = None,
        final_state: State | Mapping[str, Any] | None = None,
        body_names: tuple[str, ...] | None = None,
        joint_names: tuple[str, ...] | None = None,
        touch_records: Array | None = None,
    ):
        self._model = model
        self.conventions = conventions_of(method)
        self.method = self.conventions.method
        self.dt = float(dt)
        self.time = frozen("time", time, (None,))
        nodes = len(self.time)
        self.position = frozen("position", position, (nodes, None, 3))
        bodies = self.position.shape[1]
        self.orientation = frozen("orientation", orientation, (nodes, bodies, 4))
        self.velocity = frozen("velocity", velocity, (nodes, bodies, 3))
        self.angular_velocity = frozen("angular_velocity", angular_velocity, (nodes, bodies, 3))
        self.stats = stats if stats is not None else Stats()
        self.reactions = None if reactions is None else frozen("reactions", reactions, (nodes, None, 6))
        self.inputs = {
            name: frozen(f"input {name!r}", used, (nodes, ...)) for name, used in (inputs or {}).items()
        }
        shape = (nodes, None) if winding is not None and np.ndim(winding) == 2 else (None,)
        self.winding = None if winding is None else frozen("winding", winding, shape)
        self.touch_records = (
            None if touch_records is None else frozen("touches", touch_records, (None, contact.WIDTH))
        )
        self.final = None if final_state is None else fields_of(final_state)
        self.body_names = tuple(self.model.body_names if body_names is None else body_names)
        self.joint_names = tuple(self.model.joint_names if joint_names is None else joint_names)
        if len(self.body_names) != bodies:
            raise MechanismError(
                f"a trajectory of {bodies} bodies does not fit {len(self.body_names)} body names"
            )

    def __len__(self) -> int:
        """Number of recorded nodes, T+1."""
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if len(self) else "empty"
        size = f"{len(self)} nodes, {len(self.body_names)} bodies"
        return f"<Trajectory {span}: {size}, {self.method}, dt {self.dt:g}>"

    @property
    def model(self) -> Model:
        """The model that was simulated; a loaded trajectory builds it when first asked."""
        if callable(self._model):
            self._model = self._model()
        return self._model

    def energy(self) -> Energy:
        """.kinetic .potential .total .error, (T+1,) [J]; gravity's zero at the origin, springs included."""
        return self._energy

    def work(self) -> Work:
        """.motors .dampers .contacts .applied .total: work done since the first node, each (T+1,) [J]."""
        if not self.counts_work:
            raise MechanismError(
                f"the work done in this run is not known: its method, {self.method}, does not count it"
            )
        return self._work

    @property
    def counts_work(self) -> bool:
        """Whether the method counts the work done, or there is nothing that could do any."""
        from sarrus.analysis.timestep import keeps_energy

        counted = set(WORK) <= set(self.conventions.statistics)
        return counted or keeps_energy(self.model.mechanism, self.model.contacts.any)

    def energy_balance(self) -> Array:
        """Change of the total energy since the first node minus the work done, (T+1,) [J]: the error of the
        method."""
        return self._energy.error - self.work().total

    def momentum(self) -> Momentum:
        """.linear [kg m/s] and .angular [kg m^2/s] about the world origin, each (T+1, 3)."""
        return self._momentum

    @overload
    def violation(self, by_joint: Literal[False] = False) -> Array: ...

    @overload
    def violation(self, by_joint: Literal[True]) -> dict[str, Array]: ...

    def violation(self, by_joint: bool = False) -> Array | dict[str, Array]:
        """Largest |residual| over ALL rows of all joints and position drives, (T+1,) [m, or 2 sin(angle/2)];
        by_joint: a dict."""
        return dict(self._violation_by_joint) if by_joint else self._violation

    def slip(self) -> Array:
        """Largest sliding velocity over the rolling constraints, (T+1,) [m/s]; 0 where nothing rolls."""
        return self._slip

    def joint_position(self, name: str, convention: str = "sarrus") -> Array:
        """Coordinates of a joint, (T+1,) for one coordinate, else (T+1, k) [m, rad]; angles continuous.

        convention "file": name and zero of the joint as in the file that the mechanism was read from."""
        if is_file(convention):
            joint, component, offset = file_coordinate(self.model, name)
            values = self._of_joint(joint, self._coordinates[0])
            return values.reshape(len(values), -1)[:, component] + offset
        return self._of_joint(name, self._coordinates[0])

    def joint_velocity(self, name: str) -> Array:
        """Rates of a joint's coordinates, (T+1,) for one coordinate, else (T+1, k) [m/s, rad/s]."""
        return self._of_joint(name, self._coordinates[1])

    def reaction(self, name: str) -> Reaction:
        """.force [N], .torque [N m] (T+1, 3) on the child at the joint point on the child, world frame."""
        if name not in self.joint_names:
            raise unknown_name("joint", name, self.joint_names)
        if self.reactions is None:
            raise MechanismError(
                f"the reactions of joint {name!r} were not recorded: use simulate(reactions=True)"
            )
        wrench = self.reactions[:, self.joint_names.index(name)]
        return Reaction(force=wrench[:, :3], torque=wrench[:, 3:])

    @property
    def touches(self) -> contact.Touches:
        """Contact points, impulses, work, slip and gaps of every step and stage: see `Touches`."""
        return self._touches

    @property
    def has_contact_forces(self) -> bool:
        """Whether the forces of contacts were recorded."""
        return self.touch_records is not None

    def contact_force(self, name: str) -> Array:
        """Mean force (T+1, 3) [N] of all contacts and ropes on a body at the recorded nodes, world frame.

        It is the impulse at the node over dt (over dt/2 at the first and the last node of the run)."""
        if name not in self.body_names:
            raise unknown_name("body", name, self.body_names)
        return contact.contact_force(self, self.body_names.index(name))

    def contact_work(self) -> Array:
        """Work of the impulses of contacts, ropes, limits and joint friction per step, (steps,) [J]; with
        `record_every`, its sums between the records."""
        return contact.contact_work(self)

    def gap(self) -> Array:
        """Smallest signed distance (T+1,) [m] over all shapes that can collide; negative if they overlap."""
        return self._gap

    def motor_effort(self, name: str) -> Array:
        """Effort of a motor on its coordinates, (T+1,) or (T+1, k) [N, N m].

        The effort of a motor of mode "position" or "velocity" comes from the joint reactions: it needs
        simulate(reactions=True)."""
        from sarrus.trajectory.efforts import motor_effort

        return motor_effort(self, name)

    def sensor(self, name: str) -> Array:
        """Readings of a sensor of `add_sensor` at the nodes: (T+1,) for one number, else (T+1, k)."""
        from sarrus.trajectory.sensing import along

        return along(self, name)

    def signals(self, signals: str | Iterable[str] | None = None) -> list[Channel]:
        """The signals that can be plotted or exported, each with .name, .unit and .values (T+1,).

        signals: names, quantities (`sarrus.trajectory.QUANTITIES`) or patterns, as `"position"`,
        `"reaction/knee"`, `"*/knee*"`; None: everything but the poses of bodies and frames."""
        from sarrus.trajectory.signals import channels

        return channels(self, signals)

    def to_table(self, signals: str | Iterable[str] | None = None) -> Table:
        """The chosen signals as a dict of columns (T+1,) by name, `time` first; .units has their units.

        `pandas.DataFrame(traj.to_table())` accepts it; .to_csv and .to_parquet write files.  signals:
        as in `Trajectory.signals`."""
        from sarrus.trajectory.table import Table

        return Table(self.time, self.signals(signals))

    def body(self, name: str) -> BodyPath:
        """.position .orientation .velocity .angular_velocity of one body, .point(p_body) for its points."""
        if name not in self.body_names:
            raise unknown_name("body", name, self.body_names)
        k = self.body_names.index(name)
        return BodyPath(
            name,
            self.position[:, k],
            self.orientation[:, k],
            self.velocity[:, k],
            self.angular_velocity[:, k],
        )

    def frame(self, name: str) -> FramePath:
        """.position (T+1, 3) [m] and .orientation (T+1, 4) in the world, of a frame of `add_frame`."""
        frames = self.model.mechanism.frames
        if name not in frames:
            raise unknown_name("frame", name, frames)
        frame = frames[name]
        if frame.body == "world":
            position = np.broadcast_to(frame.at, (len(self), 3))
            return FramePath(name, position, np.broadcast_to(frame.orientation, (len(self), 4)))
        body, placed = self.body(frame.body), self.model.mechanism.bodies[frame.body]
        back = placed.orientation * CONJUGATE
        local = rotate(back, frame.at - placed.position)
        return FramePath(
            name, body.point(local), multiply(body.orientation, multiply(back, frame.orientation))
        )

    def state(self, k: int) -> State:
        """The state at recorded node k (negative: from the end), for simulate(state=...)."""
        nodes = len(self)
        if not isinstance(k, int | np.integer):
            raise MechanismError(f"state takes the number of a node, not {k!r}")
        if not -nodes <= k < nodes:
            raise IndexError(f"node {k} does not exist; the trajectory has {nodes} nodes, 0 to {nodes - 1}")
        if k in (-1, nodes - 1) and self._ends_at_a_node:
            return self.final_state
        node = {name: getattr(self, name)[k] for name in STATE_FIELDS[:5]}
        return self._new_state(node | {"winding": self._coordinates[0][k]})

    @property
    def final_state(self) -> State:
        """The state after the last step: a checkpoint, from which simulate(state=...) continues exactly."""
        if self.final is None:
            return self.state(-1)
        turns = self.final["winding"]
        return self._new_state(self.final | {"winding": self._coordinates[0][-1] if turns is None else turns})

    @property
    def _ends_at_a_node(self) -> bool:
        """Whether the last step was recorded; with record_every, steps may follow the last node."""
        return self.final is not None and abs(self.final["time"] - self.time[-1]) < SAME_TIME * self.dt

    def _new_state(self, fields: Mapping[str, Any]) -> State:
        from sarrus.model import State

        copies = {name: np.array(value) for name, value in fields.items() if value is not None}
        del copies["time"]
        return State(float(fields["time"]), **copies, model=self.model)

    def report(self) -> str:
        """A few lines of text: steps, energy error, violation, iterations, substeps."""
        from sarrus.trajectory.report import report

        return report(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one npz file, completely or not at all, that `sarrus.load_trajectory` reads back exactly."""
        from sarrus.trajectory.storage import save

        save(self, path)

    def plot(self, path: str | os.PathLike[str] | None = None, show: bool = False) -> Figure:
        """A Figure of energy error, violation, joint coordinates, iterations, contact forces and gap; saved
        when a path is given."""
        from sarrus.plots import overview, present

        return present(overview, self, path=path, show=show)

    def show(
        self, *, host: str = "127.0.0.1", port: int = 8080, block: bool = True, open_browser: bool = True
    ) -> Shown | None:
        """Opens the run in the browser, where it plays; needs `pip install 'sarrus[view]'`.

        block: wait until Ctrl-C; otherwise return an object with `url` and `close()` while the viewer runs in
        the background."""
        from sarrus.viewers.live.show import show

        return show(self, host=host, port=port, block=block, open_browser=open_browser)

    def to_html(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        fps: float = 60.0,
        max_size: int = 20_000_000,
        signals: str | Iterable[str] | None = None,
    ) -> Path:
        """The path of one HTML file that plays the run offline in any browser.

        title: by default the name of the mechanism.  At most `fps` nodes per second are kept, fewer if the
        file would exceed `max_size` [bytes]; the page says so.  signals: those that can be plotted in the
        page, as in `Trajectory.signals`; by default as many as fit into a fifth of it."""
        from sarrus.viewers.page.html import to_html

        return to_html(self, path, title=title, fps=fps, max_size=max_size, signals=signals)

    def render(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """The path of a film (.mp4, .gif, .webp) or picture (.png) of the run, drawn without a display.

        Options as of `sarrus.viewers.film.video.render`: size, fps, speed, start, stop, at, azimuth,
        elevation, zoom, follow, trails, forces, layers, progress."""
        from sarrus.viewers.film.video import render

        return render(self, path, **options)

    def _repr_html_(self) -> str:
        """The report as a table, and the animation, for notebooks."""
        from sarrus.viewers.notebook import trajectory_html

        return trajectory_html(self)

    def _of_joint(self, name: str, values: Array) -> Array:
        slices = self.model.joint_slices
        if name not in slices:
            raise unknown_name("joint", name, slices)
        columns = values[:, slices[name]]
        if columns.shape[1] == 0:
            raise MechanismError(f"joint {name!r} has no coordinates")
        return columns[:, 0] if columns.shape[1] == 1 else columns

    @property
    def _motion(self) -> tuple[Array, Array, Array, Array]:
        return self.position, self.orientation, self.velocity, self.angular_velocity

    @property
    def _sparse(self) -> bool:
        """Whether more than one step lies between two nodes."""
        return len(self) > 1 and self.time[1] - self.time[0] > 1.5 * self.dt

    @cached_property
    def _coordinates(self) -> tuple[Array, Array]:
        q, rate = self.model.coordinates_of(*self._motion, winding=self.winding)
        if self._sparse and (self.winding is None or self.winding.ndim == 1):
            q = with_turns(self.model, self.time, q, rate)
        return frozen("coordinates", q, (len(self), None)), frozen("rates", rate, (len(self), None))

    @cached_property
    def _winding(self) -> Array:
        return self._coordinates[0] if self.winding is None or self.winding.ndim == 1 else self.winding

    @cached_property
    def _energy(self) -> Energy:
        return invariants.energy(self.model, *self._motion, self._winding)

    @cached_property
    def _work(self) -> Work:
        # Steps after the last recorded node have a record of their own.
        records = len(self) - 1
        sums = (getattr(self.stats, name)[:records] for name in WORK)
        return Work(*(np.concatenate([[0.0], np.add.accumulate(done)]) for done in sums))

    @cached_property
    def _momentum(self) -> Momentum:
        return invariants.momentum(self.model, *self._motion)

    @cached_property
    def _violation(self) -> Array:
        found = invariants.violation(self.model, self.position, self.orientation, self._winding)
        return np.max([found, *drives_missed(self).values()], axis=0)

    @cached_property
    def _violation_by_joint(self) -> dict[str, Array]:
        found = invariants.violation_by_joint(self.model, self.position, self.orientation, self._winding)
        return found | {j: np.maximum(found[j], missed) for j, missed in drives_missed(self).items()}

    @cached_property
    def _gap(self) -> Array:
        return invariants.gap(self.model, self.position, self.orientation)

    @cached_property
    def _touches(self) -> contact.Touches:
        return contact.touches(self)

    @cached_property
    def _slip(self) -> Array:
        return invariants.slip(self.model, *self._motion)


def fields_of(state: State | Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a state by name, without its model."""
    if isinstance(state, Mapping):
        return dict(state)
    return {name: getattr(state, name) for name in STATE_FIELDS}
