"""simulate and Simulation: method x inputs x recorder -> Trajectory."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sarrus.advice import check_step, may_be_off, warn_of_imbalance, warn_of_loss, warn_of_spin, warn_of_turns
from sarrus.analysis.explicit import warn_of_explicit, warn_of_growth
from sarrus.analysis.timestep import recommended_dt
from sarrus.capacity import check_room
from sarrus.controller import CompiledController
from sarrus.errors import InfeasibleInputs, Interrupted, MechanismError, Status, StepFailed
from sarrus.feasibility import ERROR, WARNING, Feasibility, thinned
from sarrus.inputs import Controls, Inputs, where_brought
from sarrus.integrators.agreement import check_asked, checked
from sarrus.integrators.interface import Chunk, Failure, Method, Stepper
from sarrus.integrators.methods import method_named
from sarrus.interruption import Deferred
from sarrus.locks import check_lockable, lock_events, relocked
from sarrus.model import Model, State
from sarrus.model.nodes import split
from sarrus.progress import Report, progress_bar
from sarrus.recorder import FileRecorder, MemoryRecorder
from sarrus.schedule import number_of_steps, schedule_of
from sarrus.starts import check_model, check_state, first_stepper
from sarrus.trajectory import Trajectory
from sarrus.trajectory.growth import unexplained_gain
from sarrus.trajectory.latest import Latest
from sarrus.trajectory.reactions import row_weights
from sarrus.trajectory.stream import interrupted_run

Input = ArrayLike | Callable[[float], ArrayLike]
"""What a motor or force may be given: numbers, one row per step or node, or a function of time."""
Controller = Callable[[float, State], Mapping[str, Input] | None]

# Steps between two looks at the clock for progress and interruption, times the number of bodies, and at most;
# where bodies meet each other.  A run that goes on has its pieces where an unbroken one has them.
PIECE, LONGEST, WITH_PAIRS = 20_000, 2000, 20


class Simulation:
    """One step at a time: `now = sim.step({"m": 0.5})`.  `simulate` is a loop over the same stepper."""

    def __init__(
        self,
        model: Model,
        dt: float = 0.01,
        method: Method | str = "variational",
        state: State | None = None,
        *,
        allow_overlap: bool = False,
        reactions: bool = False,
        drive_tolerance: tuple[float, float] = (WARNING, ERROR),
    ):
        check_model("Simulation", model)
        number_of_steps(dt, dt)
        self.model, self.dt = model, float(dt)
        self.method = method_named(method)
        check_asked(self.method, reactions=reactions)
        self.stepper = first_stepper(
            model, self.method, state, self.dt, reactions=reactions, allow_overlap=allow_overlap
        )
        self._still = Inputs(model, None, 1, self.dt, self.stepper.time, self.stepper.fractions).constant
        # Accelerometers read the change of velocity over the last step.
        self._feels = any(s.kind == "accelerometer" for s in model.mechanism.sensors.values())
        self._before: State | None = None
        # Sensors of forces read what the last steps recorded, once one of them was asked for.
        self._latest: Latest | None = None
        self._controls = _controls(model, self.stepper, self.dt, None if state is None else state.prescribed)
        for name, where in model.targets.items():
            # What no step has set yet stays where it is.
            self._still[:, :, where][:, :, 0::3] = self._controls.aims[name]
        self._unrecorded = self.stepper.step_unrecorded
        self._locked: tuple[str, ...] = ()
        self._feasibility = Feasibility(model, drive_tolerance)
        self._winding = np.zeros(model.coordinates) if state is None else state.winding

    def __repr__(self) -> str:
        name = self.model.mechanism.name
        return f"<Simulation of {name!r} at {self.stepper.time:g} s: {self.method}, dt {self.dt:g}>"

    @property
    def state(self) -> State:
        """The state now."""
        now = self.stepper.state()
        if now.winding is None:
            now.winding = self._winding
        if self.model.targets:
            now.prescribed = np.concatenate(list(self._controls.aims.values()))
        return now

    @property
    def time(self) -> float:
        """Time now [s]."""
        return self.stepper.time

    def step(self, inputs: Mapping[str, Input] | None = None) -> State:
        """Runs one step with `inputs` held over it; returns the state at its end.

        An input that is omitted keeps its last value, at first 0."""
        if self._feels:
            self._before = self.state.copy()
        if self._unrecorded is None or self._feasibility.active or self._latest is not None:
            self._advance(1, inputs)
        else:
            u = self._set(inputs, 1)
            failure = self._unrecorded(u)
            if failure is not None:
                raise _failed(self.model, failure, self.dt, None, u[0])
        return self.state

    @property
    def locked(self) -> tuple[str, ...]:
        """Joints that are locked now."""
        return self._locked

    def lock(self, joint: str) -> None:
        """Holds a joint where it is from now on; its velocity is lost at once, as when a pawl falls in."""
        check_lockable(self.model, joint)
        if joint not in self._locked:
            self._hold((*self._locked, joint))

    def unlock(self, joint: str) -> None:
        """Lets go of a joint that was locked."""
        check_lockable(self.model, joint)
        if joint not in self._locked:
            raise MechanismError(f"joint {joint!r} is not locked; locked are {list(self._locked)}")
        self._hold(tuple(name for name in self._locked if name != joint))

    def _hold(self, joints: tuple[str, ...]) -> None:
        self._locked = joints
        self.stepper = relocked(self.stepper, self.model, joints, self.state, self.method, self.dt)
        self._unrecorded = self.stepper.step_unrecorded
        if self._latest is not None:
            self._latest.restart()

    def sensor(self, name: str) -> float | np.ndarray:
        """The current reading of a sensor of `add_sensor`.  An accelerometer gives the mean over the last
        step, nan before the first.

        Sensors of forces (touch; force_torque, which needs reactions=True) read the node before, whose two
        steps are then known, as `traj.sensor` does; nan until `step` ran twice after the first reading of
        one, from which on steps record forces."""
        from sarrus.trajectory.sensing import FORCES, at_state, sensor_named

        kind = sensor_named(self.model, name).kind
        if kind in FORCES:
            if kind == "force_torque" and not self.stepper.reactions:
                raise MechanismError(f"sensor {name!r} (force_torque) needs Simulation(..., reactions=True)")
            if self._latest is None:
                self._latest = Latest(self.model, self.method, self.dt)
            found = self._latest.sensor(name)
            return found if found is not None else np.nan if kind == "touch" else np.full(6, np.nan)
        return at_state(self.state, name, self._before)

    def advance(self, steps: int, inputs: Mapping[str, Input] | None = None) -> Chunk:
        """Runs `steps` steps with `inputs` held over them; returns what the stepper records of each: nodes,
        records of contacts, and reactions if requested."""
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
            raise MechanismError(f"advance takes a whole number of steps, not {steps!r}")
        return self._advance(steps, inputs)

    def _advance(self, steps: int, inputs: Mapping[str, Input] | None) -> Chunk:
        before = None if self._latest is None else self.state.copy()
        begun, u = self.stepper.time, self._set(inputs, steps)
        chunk = self.stepper.advance(steps, u, 1)
        reacting = self.stepper.reactions
        checked(chunk, self.method, self.model, steps, before=0, every=1, reactions=reacting)
        if chunk.failure is not None:
            raise _failed(self.model, chunk.failure, self.dt, None, u[min(chunk.steps, len(u) - 1)])
        self._feasibility.look(chunk, u, begun, self.dt)
        if chunk.winding is None and chunk.steps:
            position, orientation, _, _ = split(chunk.nodes)
            self._winding = self.model.coordinates_of(position, orientation, winding=self._winding)[0][-1]
        if self._latest is not None and before is not None:
            self._latest.add(before, chunk, self.state, {})
        return chunk

    def _set(self, inputs: Mapping[str, Input] | None, steps: int) -> np.ndarray:
        """Inputs of the next steps."""
        if inputs is not None:
            self._controls.set(inputs, self.stepper.time, "step and advance take")
        u = self._controls.apply(self._still)
        return self._controls.prescribe(u, steps) if self.model.targets else u


def _controls(model: Model, stepper: Stepper, dt: float, prescribed: np.ndarray | None) -> Controls:
    """What a controller or the caller sets from now on; prescribed: see `State`."""
    if not model.targets:
        return Controls(model, 0.0, stepper.fractions, np.zeros(model.coordinates))
    now = stepper.state()
    q, _ = model.coordinates_of(now.position[None], now.orientation[None], winding=now.winding)
    return Controls(model, dt, stepper.fractions, q[0], prescribed)


def simulate(
    model: Model,
    duration: float = 10.0,
    dt: float | Literal["adaptive", "auto"] = 0.01,
    method: Method | str = "variational",
    state: State | None = None,
    inputs: Mapping[str, Input] | None = None,
    controller: Controller | CompiledController | None = None,
    record_every: int = 1,
    reactions: bool = False,
    progress: Report | bool | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    allow_overlap: bool = False,
    resume: bool = False,
    reaction_weights: Mapping[str, Any] | None = None,
    drive_tolerance: tuple[float, float] = (WARNING, ERROR),
    locks: Mapping[str, Any] | None = None,
) -> Trajectory:
    """The trajectory of `model` over `duration` [s] in steps of `dt` [s].

    dt "auto": a fixed step, the smaller of the recommended one and that of a pilot run of the
    method, shortened so that it divides the duration; `sarrus check` prints both.
    dt "adaptive": steps that are shorter when joints turn fast, by a rule that is symmetric in time;
    `traj.time` is then irregular, and `traj.dt` is the step length at rest.  For order 2, without contacts,
    limits and arrays of inputs.
    method: a name ("variational", "variational1", ...), a method such as Variational(order=4), or your own
    (docs/extending.md).
    state: the start (None: the reference configuration with the velocities given to add_body, projected onto
    the constraints).  inputs: by name of motor or force, a number, a function of t (evaluated at the nodes,
    and at the ends of the stages of orders 4 and 6), or an array: one value per node, interpolated linearly,
    or one per step, held.  With arrays that are not linear, orders 4 and 6 are reduced to 2.
    controller(t, state) -> {name: value}, called once per step; inputs that it omits (or returns as None)
    keep their last values, at first those of `inputs`; a motor that prescribes a position and has none
    stays where a run before has left it in `state`.  record_every: steps between two records. reactions:
    record the joint reactions.  reaction_weights: if redundant constraints leave them undetermined, the sum
    of weight times multiplier squared is minimal: by name of a joint, or of a motor that prescribes a
    coordinate, one number or one per row; 1 by default.
    drive_tolerance: (warning, error) [m, rad]; where more coordinates are prescribed than can be chosen
    independently, what drives may miss their inputs by before a warning (`InputsMissed`), and before
    `InfeasibleInputs` with the drives, what they miss and the nearest inputs that fit; joints stay closed.
    locks: joints that are held where they are for a time: {"knee": (0.5, 1.0)}, or several such pairs
    (from, to) [s], `to` None for the rest of the run; times of nodes.  A lock stops its joint at once.
    progress: True for a bar, or a function of (steps
    done, steps).  out: stream the records to this file instead of holding them in memory. allow_overlap: push
    apart shapes, limits and ropes that overlap at the start by more than 5 mm (or 5e-3 rad) instead of
    raising an error; smaller overlaps are always pushed apart, with a warning.

    resume: continue the run that was stopped while it wrote to `out`; give the same model, method, dt, start,
    inputs and controller (without memory of its own).  The result is identical, to the last bit, to that of
    an uninterrupted run.  If there is nothing to resume, the run starts from the beginning.

    A step without a solution is divided; if that fails too, StepFailed says when and where and holds the run
    so far.  So does Interrupted, a KeyboardInterrupt, when the run is stopped.  With `out` the records are in
    a file beside it, such as run.npz.partial, until the run has ended: whatever stops it, that file stays,
    and `load_trajectory` reads it up to the last complete record."""
    check_model("simulate", model)
    schedule = schedule_of(duration, dt, model, state, method, inputs)
    steps, dt = schedule.steps, schedule.dt
    if not isinstance(record_every, int | np.integer) or not 1 <= record_every <= steps:
        raise MechanismError(
            f"record_every must be a whole number from 1 to {steps} (the steps of the run), "
            f"not {record_every!r}"
        )
    if controller is not None and not isinstance(controller, CompiledController) and not callable(controller):
        raise MechanismError(f"controller must be a function of (t, state), not {controller!r}")
    if resume and not schedule.even:
        raise MechanismError('resume: runs with dt="adaptive" cannot be resumed')
    if resume and out is None:
        raise MechanismError("resume: give the file of the run to resume: out='run.npz'")
    if reaction_weights is not None:
        if not reactions:
            raise MechanismError("reaction_weights are for simulate(reactions=True)")
        row_weights(model, reaction_weights)
    chosen = method_named(method)
    compiled = controller if isinstance(controller, CompiledController) else None
    called = None if isinstance(controller, CompiledController) else controller
    check_asked(chosen, reactions=reactions, compiled=compiled is not None, adaptive=not schedule.even)
    if compiled is not None and model.targets:
        raise MechanismError(
            f"a compiled controller cannot set what motors prescribe (here {next(iter(model.targets))!r}); "
            "give a Python function of (t, state), or inputs"
        )
    check_room(model, steps, record_every, reactions, out)
    if locks and (resume or not schedule.even or not chosen.prescribed):
        raise MechanismError(
            'locks are for whole runs in even steps (no resume, no dt="adaptive"), with methods such as '
            f"variational, bdf2 and sdirk; the method here is {chosen}"
        )
    feasibility = Feasibility(model, drive_tolerance)
    if state is not None:
        check_state(model, state)
    if model.targets and chosen.prescribed:
        from sarrus.driven_start import driven_start

        inputs = where_brought(model, inputs, state)
        state = driven_start(model, inputs, state, steps, float(dt))
    before = None if state is None else state.prescribed
    stepper = first_stepper(model, chosen, state, float(dt), reactions=reactions, allow_overlap=allow_overlap)
    driver = Inputs(model, inputs, steps, float(dt), stepper.time, stepper.fractions, stepper.clock)
    if model.targets:
        driver.begin(_controls(model, stepper, float(dt), None).coordinates, before)
    schedule.begin(stepper, driver)
    events = lock_events(model, locks, stepper.time, float(dt), steps)
    first = stepper.state()
    if first.winding is None:
        first.winding = np.zeros(model.coordinates) if state is None else state.winding
    if not chosen.resolves:
        check_step(model, first, float(dt))
    if chosen.explicit:
        warn_of_explicit(model, float(dt), first)
    if out is None:
        records = 1 + steps // record_every
        recorder = MemoryRecorder(model, chosen, float(dt), stepper, record_every, records)
    else:
        old = interrupted_run(out) if resume else None
        recorder = FileRecorder(model, chosen, float(dt), stepper, record_every, out, old, first)
    recorder.weights = reaction_weights
    failure, stopped, asked_last = None, None, None
    with recorder, _reporting(progress) as report, Deferred() as asked:
        controls = None if called is None else _controls(model, stepper, float(dt), before)
        if compiled is not None:
            stepper.attach(compiled.compiled(model, schedule.inputs(driver, stepper, 0, 1)[0, 0]))
        done = recorder.go_on({} if controls is None else controls.last)
        if done > steps:
            raise MechanismError(f"{out}: the run already has {done} steps, but only {steps} were requested")
        # Not `first` itself, which is recorded: a controller may change what it is given.
        now = stepper.state() if done else first.copy()
        try:
            most = 1 if controls is not None else piece_of(model)
            while (count := schedule.left(stepper, done, most)) and asked.signal is None:
                if done in events:
                    stepper = relocked(stepper, model, events.pop(done), stepper.state(), chosen, float(dt))
                    recorder.stepper = stepper
                    recorder.keeps_wrench = done > 0
                count = min([count, *(k - done for k in events)])
                u = schedule.inputs(driver, stepper, done, count)
                if controls is not None and called is not None:
                    controls.set(called(stepper.time, now), stepper.time, "the controller must return")
                    u = controls.apply(u)
                    u = controls.prescribe(u, count) if model.targets else u
                elif compiled is not None:
                    u = np.repeat(u, count, axis=0) if len(u) == 1 else u
                recorder.is_whole = False
                every, begun = (1 if feasibility.active else record_every), stepper.time
                chunk = checked(
                    stepper.advance(count, u, every),
                    chosen, model, count, before=done, every=every, reactions=reactions,
                )  # fmt: skip
                if recorder.done == 0:
                    recorder.begin(first, u[:1])
                recorder.add(thinned(chunk, done, record_every) if feasibility.active else chunk, u)
                if feasibility.active:
                    if not done:
                        feasibility.begin(first, u[0, 0])
                    feasibility.look(chunk, u, begun, float(dt))
                if chunk.failure is not None:
                    failure, asked_last = chunk.failure, u[min(chunk.steps, len(u) - 1)]
                    break
                done += chunk.steps
                if controls is not None:
                    now = stepper.state()
                if report is not None:
                    report(*schedule.progress(stepper, done))
        except KeyboardInterrupt as error:
            stopped = error
        except InfeasibleInputs as error:
            error.trajectory = recorder.stop()
            raise
        ended = schedule.left(stepper, done, 1) == 0
        is_over = stopped is None and (ended or failure is not None)
        trajectory = recorder.finish() if is_over else recorder.stop()
    whole = stopped is None and asked.signal is None
    if whole and trajectory is not None:
        looks = not chosen.damps and trajectory.counts_work and may_be_off(model, trajectory.stats)
        gain = unexplained_gain(trajectory) if looks else 0.0
        told = chosen.explicit and gain and warn_of_growth(model, float(dt), trajectory.final_state, gain)
        if gain and not told:
            warn_of_loss(model, gain)
        warn_of_turns(model, state, float(dt), trajectory.stats)
        if not (chosen.tells_spin or chosen.resolves):
            warn_of_spin(trajectory, float(dt))
        warn_of_imbalance(trajectory.stats.unbalanced)
    if failure is not None:
        raise _failed(model, failure, float(dt), trajectory, asked_last)
    if not whole or trajectory is None:
        raise _interrupted(recorder, trajectory, ended, asked.signal) from stopped
    return trajectory


def piece_of(model: Model) -> int:
    """How many steps run before the next look at the clock."""
    return WITH_PAIRS if model.contacts.pairs else min(LONGEST, max(1, PIECE // len(model.body_names)))


def _interrupted(
    recorder: MemoryRecorder, trajectory: Trajectory | None, ended: bool, signal: int | None
) -> Interrupted:
    kept = None if ended else recorder.kept
    when = "before its first step" if trajectory is None else f"at t = {trajectory.time[-1]:g} s"
    if ended:
        when = "at its end, which it has reached"
    where = ""
    if kept is not None and trajectory is not None:
        where = f"; {len(trajectory)} nodes are kept in {kept}: sarrus.load_trajectory reads it"
        if recorder.method.resumable:
            where += ", and resume=True (--resume) goes on with it"
    return Interrupted(
        f"the run was stopped {when}{where}", trajectory=trajectory, kept=kept, signal=signal or 2
    )


def _failed(
    model: Model, failure: Failure, dt: float, trajectory: Trajectory | None, u: np.ndarray | None
) -> StepFailed:
    from sarrus.analysis.solvability import guarantee
    from sarrus.driven_failure import asked_of_drives

    where = f" at joint {failure.joint!r}" if failure.joint else ""
    where = f" at contact {failure.contact!r}" if failure.contact else where
    recommended = recommended_dt(model)
    known = "none" if recommended is None else f"{recommended:g} s"
    advice = f"try a smaller dt, such as {dt / 2:g} s (recommended {known}; guaranteed {guarantee(model)})"
    if failure.status == Status.REDUNDANT_ROWS:
        advice = "sarrus.align makes joints with rounded numbers fit each other"
    if u is not None:
        advice += asked_of_drives(model, None if trajectory is None else trajectory.final_state, u)
    return StepFailed(
        f"the step from t = {failure.time:.6g} s failed{where}, substeps included: {failure.status} "
        f"(residual {failure.residual:.3g}); {advice}",
        time=failure.time,
        joint=failure.joint,
        status=failure.status,
        trajectory=trajectory,
    )


def _reporting(wanted: Report | bool | None) -> AbstractContextManager[Report | None]:
    """What is told of the steps that are done: the caller's function, a bar, or nothing."""
    return nullcontext(wanted) if callable(wanted) else progress_bar("simulating", silent=not wanted)
