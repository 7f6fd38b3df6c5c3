"""LiveRun: a simulation that follows the clock, and can be paused, stepped, pulled at and posed.

It knows no browser: a viewer tells it how much time has passed and asks it what to draw."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sarrus.errors import MechanismError, SarrusError
from sarrus.integrators.interface import TOUCH_WIDTH
from sarrus.integrators.methods import method_named
from sarrus.mechanism.rotations import rotation
from sarrus.model import State, build
from sarrus.model.nodes import join
from sarrus.model.posing import coordinate_names, pose
from sarrus.simulation import Simulation
from sarrus.trajectory.latest import Latest
from sarrus.trajectory.reactions import share
from sarrus.viewers.live import pull as pulling
from sarrus.viewers.live.forces import JointPoints, contact_forces
from sarrus.viewers.live.history import History
from sarrus.viewers.live.instant import NONE, Instant
from sarrus.viewers.live.pull import Pull

if TYPE_CHECKING:
    from sarrus.integrators.interface import Chunk
    from sarrus.mechanism import Mechanism
    from sarrus.trajectory import Channel

# Most steps that one call to the stepper does: the clock is looked at in between.
PIECE = 64
# Weight of the newest frame in the shown ratio of simulated to real time.
SMOOTHING = 0.1
# Length [s] of a step that any start can do.
REHEARSAL = 1e-6
# A coordinate that ends further than this from where a slider wants it could not be reached.
REACHED = 1e-6


class LiveRun:
    """A mechanism that is being simulated.

    playing: whether time goes on.  speed: simulated seconds per second that are wanted; ratio: those that are
    reached.  strength: of the pulling spring, 1 as it is sized.  message: what went wrong, or nothing.
    inputs: values of motors and forces by name."""

    def __init__(
        self,
        mechanism: Mechanism,
        dt: float = 0.01,
        method: Any = "variational",
        keyframe: str | None = None,
        *,
        size: float = 1.0,
        now: Callable[[], float] = clock.perf_counter,
    ):
        self.mechanism, self.dt, self.method = mechanism, float(dt), method
        self.keyframe, self.size, self._now = keyframe, size, now
        handled, self._handles = pulling.with_handles(mechanism)
        self.model = build(handled)
        if not (np.isfinite(dt) and dt > 0.0):
            raise MechanismError(f"dt must be positive and finite [s], not {dt!r}")
        method_named(method).check(self.model)
        self.history = History(self.model)
        self._latest = Latest(self.model, method_named(method), self.dt)
        self.signals: tuple[str, ...] = ()
        self.playing, self.speed, self.ratio, self.strength = False, 1.0, 0.0, 1.0
        self.message = ""
        self.inputs: dict[str, np.ndarray] = {}
        self.pulls: dict[Hashable, Pull] = {}
        self._reacting, self._arrows = False, False
        self._joint_points: JointPoints | None = None
        self.reset()
        try:
            # Kernels are compiled or loaded now, by a step that leads nowhere, not in the first frame.
            start = self._ready().state
            Simulation(self.model, REHEARSAL, method, start, allow_overlap=True).advance(1)
        except SarrusError as fault:
            self.message = str(fault)

    # The clock

    def run(self, elapsed: float, budget: float) -> int:
        """Simulates what `elapsed` seconds ask for, within about `budget` seconds; returns the steps done.

        Where that is not enough, the rest is dropped: the run falls behind, and never has more to catch up
        with than one frame."""
        if not self.playing:
            return 0
        self._debt += elapsed * self.speed
        wanted, done, start = int(self._debt / self.dt), 0, self._now()
        self._feel()
        records: list[np.ndarray] = []
        while done < wanted and self.playing:
            count = self._piece(wanted - done, budget - (self._now() - start))
            chunk = self._advance(count)
            if chunk is None:
                break
            records.append(touches_of(chunk))
            done += count
            if self._now() - start >= budget:
                break
        if done:
            self._contacts = contact_forces(self.model, np.concatenate(records), done * self.dt)
            self._spent += SMOOTHING * ((self._now() - start) / done - self._spent)
        self._debt = self._debt - done * self.dt if done == wanted else 0.0
        if elapsed > 0.0:
            self.ratio += SMOOTHING * (done * self.dt / elapsed - self.ratio)
        self._read()
        return done

    def _piece(self, wanted: int, left: float) -> int:
        """How many steps to do before the clock is looked at; a hand that pulls is asked before each."""
        if self.pulls:
            return 1
        return max(1, min(wanted, PIECE, int(left / self._spent) if self._spent > 0.0 else 1))

    def _advance(self, steps: int) -> Chunk | None:
        """Runs steps; None where one failed, which stops the run and says why."""
        try:
            sim = self._ready()
            before, inputs = self._state, self._all_inputs()
            chunk = sim.advance(steps, inputs)
        except SarrusError as fault:
            self.playing, self.message = False, str(fault)
            self._state = self._sim.state if self._sim is not None else self._state
            return None
        self._state = sim.state
        self._latest.add(before, chunk, self._state, inputs)
        if chunk.reactions is not None:
            # The last node has only one of its two steps yet: the one before it is complete.
            self._wrenches = chunk.reactions[-2]
        return chunk

    def _ready(self) -> Simulation:
        """The simulation, started where a reset or a slider left the mechanism."""
        if self._sim is None:
            self._sim = Simulation(
                self.model, self.dt, self.method, self._state, allow_overlap=True, reactions=self._reacting
            )
            self._state = self._sim.state
            self._latest.restart()
        return self._sim

    # Commands

    def play(self) -> None:
        """Lets time go on."""
        self.playing, self.message, self._debt = True, "", 0.0
        self.ratio = self.speed

    def pause(self) -> None:
        """Stops time; what pulls lets go."""
        self.playing = False
        self.release()

    def step(self) -> None:
        """Does one step and pauses."""
        self.playing, self.message = False, ""
        self._feel()
        chunk = self._advance(1)
        if chunk is not None:
            self._contacts = contact_forces(self.model, touches_of(chunk), self.dt)
        self._read()

    def reset(self) -> None:
        """Goes back to the start: the keyframe, or the reference configuration; inputs as they are there."""
        key = None if self.keyframe is None else self.mechanism.keyframes[self.keyframe]
        self._state = self.model.initial_state() if key is None else self.model.state(keyframe=self.keyframe)
        self.inputs = {
            name: np.zeros(where.stop - where.start)
            for name, where in self.model.inputs.items()
            if name not in self._handles
        }
        for name, values in ({} if key is None else key.inputs).items():
            self.inputs[name] = np.array(values, float)
        self.playing, self.message = False, ""
        self._begin()

    def _begin(self) -> None:
        """Forgets the simulation before: the next step starts from the state as it is."""
        self._sim: Simulation | None = None
        self._debt, self._spent = 0.0, 0.0
        self._contacts, self._wrenches = NONE, None
        self.pulls.clear()
        self.history.restart()
        self._latest.restart()
        self._read()

    @property
    def state(self) -> State:
        """The state now."""
        return self._state

    @property
    def reactions(self) -> bool:
        """Whether the forces in the joints are computed along."""
        return self._reacting

    @reactions.setter
    def reactions(self, wanted: bool) -> None:
        self._arrows = wanted
        self._react()

    def _react(self) -> None:
        """Computes the forces in the joints if arrows or signals need them."""
        needed = self._latest.needing_reactions(self._state) if self.signals else set()
        wanted = self._arrows or any(name in needed for name in self.signals)
        if wanted != self._reacting:
            self._reacting = wanted
            if self._sim is not None:
                self._state = self._sim.state
                self._sim = None
            self._wrenches = None

    def choices(self) -> list[Channel]:
        """The signals that can be plotted."""
        return self._latest.choices(self._state)

    def choose(self, names: Iterable[str]) -> None:
        """Reads these signals from now on."""
        self.signals = tuple(names)
        self._react()

    # What acts from outside

    def set_input(self, name: str, component: int, value: float) -> None:
        """One component of what a motor or force is given."""
        self.inputs[name][component] = value
        self.history.rebase()

    def grab(self, hand: Hashable, body: int, point: np.ndarray) -> None:
        """A hand takes hold of a body at a point, world frame [m]."""
        R = rotation(self._state.orientation[body])
        local = R.T @ (np.asarray(point, float) - self._state.position[body])
        self.pulls[hand] = Pull(body, local, np.array(point, float))

    def drag(self, hand: Hashable, target: np.ndarray) -> None:
        """The hand moves to `target` (3,), world frame [m]."""
        if hand in self.pulls and np.isfinite(target).all():
            held = self.pulls[hand]
            self.pulls[hand] = Pull(held.body, held.point, np.array(target, float))

    def release(self, hand: Hashable | None = None) -> None:
        """The hand lets go; None: all hands."""
        for name in list(self.pulls) if hand is None else [hand]:
            if self.pulls.pop(name, None) is not None:
                self.history.rebase()

    def _feel(self) -> None:
        """The masses that the hands feel, once per frame: they change little in between."""
        self._felt = {
            hand: pulling.felt_mass(self.model, self._state, held.body, held.point)
            for hand, held in self.pulls.items()
        }

    def _all_inputs(self) -> Mapping[str, np.ndarray]:
        """Inputs of motors and forces, and of the hands that pull."""
        if not self.pulls:
            return self.inputs
        state, given = self._state, dict(self.inputs)
        rate = min(
            np.sqrt(self.strength) * pulling.spring_rate(self.model, self.size, self.dt),
            pulling.SLOW / self.dt,
        )
        for hand, held in self.pulls.items():
            force = pulling.wrench(state, held, self._felt[hand], rate, self.size)
            name = self._handles[held.body]
            given[name] = given.get(name, np.zeros(6)) + force
        return given

    def pose(self, joint: str, component: int, value: float) -> float:
        """Moves one joint coordinate by hand, which pauses the run; returns how far it came.

        All comes to rest; where loops do not let it get there, `message` says so."""
        self.playing = False
        try:
            state, reached = pose(self.model, self._state, joint, value, component)
        except SarrusError as fault:
            self.message = str(fault)
            return float(self._coordinates()[self.model.joint_slices[joint]][component])
        missed = abs(reached - value) > REACHED
        self._state = state
        self._begin()
        self.message = f"joint {joint!r} cannot get beyond {reached:.4g}" if missed else ""
        return reached

    # Read-outs

    def _read(self) -> None:
        if self.pulls:
            # What a hand gives is no error of the method.
            self.history.rebase()
        if self.history.add(self._state) and self.signals:
            self.history.add_signals(*self._latest.read(self.signals))

    def _coordinates(self) -> np.ndarray:
        state = self._state
        return self.model.coordinates_of(state.position, state.orientation, winding=state.winding)[0][0]

    def coordinates(self) -> dict[tuple[str, int], float]:
        """All joint coordinates [m or rad] by (joint, component)."""
        q = self._coordinates()
        return {
            (name, i): float(q[self.model.joint_slices[name].start + i])
            for name, i, _ in coordinate_names(self.model)
        }

    def instant(self) -> Instant:
        """What to draw now."""
        state = self._state
        held = [(pulling.place(state, pull)[0], pull.target) for pull in self.pulls.values()]
        return Instant(
            state.time,
            state.position,
            state.orientation,
            self._contacts,
            self._reaction_forces(),
            np.array(held).reshape(-1, 2, 3),
        )

    def _reaction_forces(self) -> np.ndarray:
        if not self._arrows or self._wrenches is None:
            return NONE
        if self._joint_points is None:
            self._joint_points = JointPoints(self.model)
        state = self._state
        wrenches = share(self.model, join(state.position, state.orientation), self._wrenches[None])[0]
        return self._joint_points.forces(state.position, state.orientation, wrenches)


def touches_of(chunk: Chunk) -> np.ndarray:
    """What a chunk records of contacts: nothing where the method does not."""
    return np.zeros((0, TOUCH_WIDTH)) if chunk.touches is None else chunk.touches
