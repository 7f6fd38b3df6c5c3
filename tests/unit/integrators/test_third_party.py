"""A method of somebody else, written against `sarrus.integrators.interface` alone: all that may be asked of
one works, and what it does not offer is refused by name.

Nothing falls here: bodies rest on the ground or hang, and follow their input.  Forces are then known at every
node, to the last digit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import sarrus
from sarrus.errors import MechanismError, StepFailed, UnknownName
from sarrus.integrators.interface import Chunk, Method, Stepper
from sarrus.model.nodes import join
from sarrus.viewers.live.run import LiveRun
from sarrus.viewers.page.motion import arrows_of, motion_of

SOURCES = Path(sarrus.__file__).parent
DT, MASS, WEIGHT = 0.01, 2.0, 2.0 * 9.81
SAME = 1e-9


class Bare(Method):
    """The least that a method can be: it leaves everything where it is, and declares nothing."""

    def stepper(self, model, state, dt, *, reactions=False):
        return BareStepper(model, state, dt)


class BareStepper(Stepper):
    def __init__(self, model, state, dt):
        self.model, self.now, self.dt, self.done = model, state.copy(), dt, 0
        self.time = state.time

    def state(self):
        now = self.now.copy()
        now.time = self.time
        return now

    def step(self, u):
        """One step, inputs (nu,) held over it."""

    def recorded(self, steps, u, every):
        """Nodes of the steps that are recorded."""
        nodes = [np.zeros((0, 13 * len(self.now.position)))]
        for k in range(steps):
            self.step(None if u is None else u[min(k, len(u) - 1)])
            self.done, self.time = self.done + 1, self.time + self.dt
            if self.done % every == 0:
                s = self.now
                nodes.append(join(s.position, s.orientation, s.velocity, s.angular_velocity))
        return np.concatenate(nodes)

    def advance(self, steps, u, every):
        return Chunk(self.recorded(steps, u, every), steps)


class Still(Method):
    """All that a method may offer.  Forces of a step act at its first node, or half at either."""

    name = "still"
    reactions = contacts = compiled_controllers = adaptive = resumable = True
    statistics = ("status", "iterations")

    def __init__(self, one_sided=False):
        self.one_sided = one_sided

    def stepper(self, model, state, dt, *, reactions=False):
        return StillStepper(self, model, state, dt, reactions)


class StillStepper(BareStepper):
    def __init__(self, method, model, state, dt, reactions):
        super().__init__(model, state, dt)
        self.one_sided, self.reactions, self.control, self.end = method.one_sided, reactions, None, None

    def attach(self, control):
        self.control = control

    def step(self, u):
        if self.control is not None:
            s = self.now
            q, v = self.model.coordinates_of(s.position, s.orientation, s.velocity, s.angular_velocity)
            u[:] = self.control(self.time, q[0], v[0])
        if u is not None and u.size:
            self.now.position[0] += self.dt * u[0, :3]

    def adapt(self, end):
        self.end = end

    @property
    def next_time(self):
        return self.time + self.dt

    def snapshot(self):
        return {"position": self.now.position, "clock": np.array([self.time, self.done])}

    def restore(self, arrays):
        self.now.position = arrays["position"].copy()
        self.time, self.done = float(arrays["clock"][0]), int(arrays["clock"][1])

    def end_reactions(self):
        if self.one_sided:
            return None
        # Each end of the run has half of a step only.
        whole = np.zeros((len(self.model.joint_names), 6))
        whole[:, 2] = WEIGHT
        return -0.5 * whole, whole

    def advance(self, steps, u, every):
        if self.end is not None:
            steps = min(steps, round((self.end - self.time) / self.dt))
        first, begun = self.done, self.time
        nodes = self.recorded(steps, u, every)
        wrench = np.zeros((1 + len(nodes), len(self.model.joint_names), 6))
        wrench[:, :, 2] = WEIGHT
        if first == 0 and not self.one_sided:
            wrench[0] *= 0.5
        touches = [line for k in range(first, self.done) for line in self.touched(k)]
        times = begun + self.dt * np.arange(1, steps + 1) if self.end is not None else None
        return Chunk(
            nodes, steps, np.tile([0.0, 3.0], (steps, 1)), reactions=wrench if self.reactions else None,
            touches=np.array(touches).reshape(-1, 12), times=times,
        )  # fmt: skip

    def touched(self, step):
        """The weight of every body, carried by its contact with the ground: (step, stage, contact, ...)."""
        for body, contact in enumerate(self.model.contacts.fixed[: len(self.model.body_names)]):
            sign = 1.0 if contact.b == body else -1.0
            for stage, part in ((1, 1.0),) if self.one_sided else ((1, 0.5), (2, 0.5)):
                impulse = part * sign * WEIGHT * self.dt
                yield step, stage, body, *self.now.position[body], 0.0, 0.0, impulse, 0.0, 0.0, 0.0


def hanging():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1), shapes=[sarrus.Sphere(0.1)])
    mech.add_joint("hinge", "planar", "world", "bob", at=(0, 0, 0), axis=(0, 0, 1))
    mech.add_force("push", "bob")
    return sarrus.build(mech)


def resting():
    mech = sarrus.Mechanism()
    mech.add_body("ball", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1), shapes=[sarrus.Sphere(1.0)])
    mech.add_ground()
    return sarrus.build(mech)


BOTH = pytest.mark.parametrize("one_sided", [True, False])
EVERY = pytest.mark.parametrize("every", [1, 3])


@BOTH
@EVERY
@pytest.mark.parametrize("streamed", [True, False])
def test_reactions_are_those_of_the_method_at_every_node(one_sided, every, streamed, tmp_path):
    out = tmp_path / "run.npz" if streamed else None
    run = sarrus.simulate(hanging(), 0.3, DT, Still(one_sided), reactions=True, record_every=every, out=out)
    np.testing.assert_allclose(run.reaction("hinge").force, [[0, 0, WEIGHT]] * len(run), atol=SAME)


def test_reactions_of_a_thinned_run_are_those_of_the_full_one():
    """The records of a run come in pieces of 2000 steps, which is no multiple of 7."""
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    thin, full = (sarrus.simulate(model, 21.0, DT, record_every=n, reactions=True) for n in (7, 1))
    forces = (run.reaction(model.joint_names[0]).force for run in (thin, full))
    np.testing.assert_allclose(next(forces), next(forces)[::7], atol=1e-9)


@BOTH
@EVERY
@pytest.mark.parametrize("streamed", [True, False])
def test_contact_forces_are_those_of_the_method_at_every_node(one_sided, every, streamed, tmp_path):
    out = tmp_path / "run.npz" if streamed else None
    run = sarrus.simulate(resting(), 0.3, DT, Still(one_sided), record_every=every, out=out)
    run.save(tmp_path / "copy.npz")
    for seen in (run, sarrus.load_trajectory(tmp_path / "copy.npz")):
        np.testing.assert_allclose(seen.contact_force("ball"), [[0, 0, WEIGHT]] * len(seen), atol=SAME)
        arrows = arrows_of(seen, motion_of(seen, 100.0))
        np.testing.assert_allclose(arrows.force[:, 2], WEIGHT, atol=SAME)


@pytest.mark.parametrize("order", [1, 2])
def test_a_subclass_with_a_name_of_its_own_keeps_the_conventions_of_its_order(order, tmp_path):
    class Renamed(sarrus.Variational):
        name = "renamed"

    run = sarrus.simulate(resting(), 0.1, DT, Renamed(order=order), out=tmp_path / "run.npz")
    assert run.method == "renamed"
    for seen in (run, sarrus.load_trajectory(tmp_path / "run.npz")):
        np.testing.assert_allclose(seen.contact_force("ball")[:, 2], WEIGHT, rtol=1e-3)


def push(t, q, v, u, memory):
    memory[0] += 1.0
    u[0] = memory[0]


def test_compiled_and_python_controllers_act():
    model, steps = hanging(), 5
    count = iter(range(1, 100))
    compiled = sarrus.simulate(
        model, steps * DT, DT, Still(), controller=sarrus.CompiledController(push, memory=1)
    )
    python = sarrus.simulate(
        model, steps * DT, DT, Still(), controller=lambda t, now: {"push": (next(count),) + 5 * (0,)}
    )
    way = DT * np.cumsum(np.arange(steps + 1))
    for run in (compiled, python):
        np.testing.assert_allclose(run.position[:, 0, 0], way, atol=SAME)
        np.testing.assert_allclose(run.inputs["push"][1:, 0], np.arange(1, steps + 1))


def test_a_function_of_time_and_single_steps_act():
    model = hanging()
    run = sarrus.simulate(model, 0.05, DT, Still(), inputs={"push": lambda t: (t, 0, 0, 0, 0, 0)})
    assert run.position[-1, 0, 0] == pytest.approx(DT * DT * (0 + 1 + 2 + 3 + 4))
    sim = sarrus.Simulation(model, DT, Still(), reactions=True)
    now = sim.step({"push": (2.0, 0, 0, 0, 0, 0)})
    assert now.position[0, 0] == pytest.approx(2.0 * DT)
    assert now.joint_position("hinge")[0] == pytest.approx(2.0 * DT)
    assert sim.advance(0).steps == 0
    assert sim.advance(3).reactions.shape == (4, 1, 6)


def test_statistics_are_taken_by_name():
    run = sarrus.simulate(hanging(), 0.1, DT, Still())
    assert run.stats.iterations.tolist() == [3] * 10
    assert run.stats.factorisations.tolist() == [0] * 10
    with pytest.raises(MechanismError, match="still, does not count it"):
        run.work()
    with pytest.raises(MechanismError, match="still, does not count it"):
        run.energy_balance()
    assert "still does not count the work done" in run.report()


def test_steps_that_follow_the_motion_end_where_the_run_ends():
    mech = sarrus.gallery.pendulum(links=2)
    run = sarrus.simulate(sarrus.build(mech), 1.0, "adaptive", Still())
    assert run.time[-1] == pytest.approx(1.0)


def test_a_run_that_was_stopped_goes_on(tmp_path):
    model, given = hanging(), {"push": (1.0, 0, 0, 0, 0, 0)}
    whole = sarrus.simulate(model, 25.0, DT, Still(), inputs=given)
    out = tmp_path / "run.npz"

    def stop(done, steps):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="resume=True"):
        sarrus.simulate(model, 25.0, DT, Still(), inputs=given, out=out, progress=stop)
    run = sarrus.simulate(model, 25.0, DT, Still(), inputs=given, out=out, resume=True)
    np.testing.assert_array_equal(run.position, whole.position)


@pytest.mark.parametrize("method", [Bare(), Still()])
def test_runs_are_shown_saved_and_reported(method, tmp_path):
    for model in (hanging(), resting()):
        run = sarrus.simulate(model, 0.2, DT, method)
        run.to_html(tmp_path / "run.html")
        run.save(tmp_path / "run.npz")
        again = sarrus.load_trajectory(tmp_path / "run.npz")
        assert again.method == str(method)
        assert again.conventions == run.conventions
        assert str(method) in again.report()
        live = LiveRun(model.mechanism, DT, method)
        live.play()
        assert live.run(5.0 * DT, 10.0) == 5
        live.step()
        assert live.message == ""


def test_what_a_method_does_not_offer_is_refused_by_name(tmp_path):
    model, bare = hanging(), Bare()
    asked = {
        "reactions": {"reactions": True},
        "compiled controllers": {"controller": sarrus.CompiledController(push, memory=1)},
        "steps follow the motion": {"dt": "adaptive"},
    }
    for words, options in asked.items():
        with pytest.raises(MechanismError, match=f"{words}.*Bare|Bare.*{words}"):
            sarrus.simulate(model, 0.1, **({"dt": DT} | options), method=bare)
    with pytest.raises(MechanismError, match="Bare gives no reactions"):
        sarrus.Simulation(model, DT, bare, reactions=True)
    run = sarrus.simulate(resting(), 0.1, DT, bare)
    for read in (lambda: run.contact_force("ball"), lambda: run.touches, run.contact_work):
        with pytest.raises(MechanismError, match="Bare, does not record them"):
            read()

    def stop(done, steps):
        raise KeyboardInterrupt

    out = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt) as stopped:
        sarrus.simulate(model, 25.0, DT, bare, out=out, progress=stop)
    assert "resume" not in str(stopped.value)
    with pytest.raises(MechanismError, match="Bare cannot resume"):
        sarrus.simulate(model, 25.0, DT, bare, out=out, resume=True)


def test_the_domain_of_the_start_is_that_of_the_method():
    mech = sarrus.Mechanism(gravity=(0, 0, 0))
    mech.add_body("top", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 300.0))
    model = sarrus.build(mech)
    assert len(sarrus.simulate(model, 0.1, DT, Bare())) == 11
    with pytest.raises(MechanismError, match=r"'top' spins by \|w\| dt = 3"):
        sarrus.simulate(model, 0.1, DT)

    class Timid(Bare):
        def check_start(self, model, state, dt):
            raise MechanismError("timid does not start")

    with pytest.raises(MechanismError, match="timid"):
        sarrus.Simulation(model, DT, Timid())


def broken(**wrong):
    """A method whose chunks are wrong in the fields given, functions of the right chunk."""

    class BrokenStepper(StillStepper):
        def advance(self, steps, u, every):
            chunk = super().advance(steps, u, every)
            for name, change in wrong.items():
                setattr(chunk, name, change(chunk))
            return chunk

    class Broken(Still):
        name = "broken"

        def stepper(self, model, state, dt, *, reactions=False):
            return BrokenStepper(self, model, state, dt, reactions)

    return Broken()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"nodes": lambda c: c.nodes[:, 1:]}, "nodes"),
        ({"nodes": lambda c: c.nodes[1:]}, "nodes"),
        ({"nodes": lambda c: np.nan * c.nodes}, "not finite"),
        ({"nodes": lambda c: None}, "nodes"),
        ({"stats": lambda c: c.stats[:, :1]}, "stats"),
        ({"reactions": lambda c: None}, "reactions"),
        ({"reactions": lambda c: c.reactions[1:]}, "reactions"),
        ({"touches": lambda c: None}, "touches"),
        ({"touches": lambda c: np.zeros((2, 5))}, "touches"),
        ({"winding": lambda c: np.zeros((1, 99))}, "winding"),
        ({"steps": lambda c: c.steps + 1}, "steps"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(wrong, words):
    with pytest.raises(MechanismError, match=f"broken.*{words}"):
        sarrus.simulate(with_contact(), 0.1, DT, broken(**wrong), reactions=True)


def with_contact():
    mech = sarrus.Mechanism()
    mech.add_body("bob", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1), shapes=[sarrus.Sphere(0.1)])
    mech.add_joint("hinge", "planar", "world", "bob", at=(0, 0, 0), axis=(0, 0, 1))
    mech.add_ground()
    return sarrus.build(mech)


def test_what_is_no_stepper_and_no_chunk_is_refused_by_name():
    class Nothing(Bare):
        name = "nothing"

        def stepper(self, model, state, dt, *, reactions=False):
            return object()

    class Half(Bare):
        name = "half"

        def stepper(self, model, state, dt, *, reactions=False):
            made = Stepper()
            made.time = 0.0
            return made

    class Unnamed(Method):
        statistics = ("iteration",)

    model = hanging()
    with pytest.raises(MechanismError, match="nothing must make a stepper"):
        sarrus.simulate(model, 0.1, DT, Nothing())
    with pytest.raises(MechanismError, match=r"lacks state\(\)"):
        sarrus.simulate(model, 0.1, DT, Half())
    with pytest.raises(UnknownName, match=r"statistic of the method Unnamed.*iteration"):
        sarrus.simulate(model, 0.1, DT, Unnamed())
    with pytest.raises(MechanismError, match="lacks stepper"):
        sarrus.simulate(model, 0.1, DT, Method())


def test_the_methods_of_the_package_tell_the_truth_about_themselves():
    for order in (1, 2, 4, 6):
        method = sarrus.Variational(order=order)
        assert (method.order, method.one_sided, method.reversible) == (order, order == 1, order > 1)
        assert method.adaptive == (order == 2)
        assert method.summary
    with pytest.raises(StepFailed):
        sarrus.simulate(hanging(), 0.1, DT, failing())


def failing():
    from sarrus.errors import Status
    from sarrus.integrators.interface import Failure

    return broken(failure=lambda c: Failure(0.0, Status.ITERATION_LIMIT, "hinge", 1.0))


def test_nothing_outside_the_integrators_asks_for_more_than_the_interface():
    """Names of methods in words for the user are fine; asking for them, or for what a stepper happens to
    have, is not."""
    asks = re.compile(
        r'[=!]= "variational|isinstance\([^)]*Variational|(get|has)attr\([^)]*(stepper|method)\b'
        r"|stepper\.(controller|memory|values|kernel|topo|par|work|settings|counts)\b|method\.(order|stages)\b"
    )
    for path in SOURCES.rglob("*.py"):
        if "integrators" not in path.relative_to(SOURCES).parts:
            found = [line for line in path.read_text("utf-8").splitlines() if asks.search(line)]
            assert not found, f"{path.name}: {found}"
