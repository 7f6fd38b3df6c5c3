"""The price of calls from Python: of `simulate`, of one step, of a controller."""

from __future__ import annotations

import time
from collections.abc import Callable

import sarrus


def best(call: Callable[[], object], rounds: int, at_once: int = 1) -> float:
    """The shortest CPU time [s] of a call, of `at_once` calls together; the first ones do not count."""
    for _ in range(3):
        call()
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(at_once):
            call()
        times.append(time.process_time() - begun)
    return min(times) / at_once


def of_simulate(rounds: int = 300) -> float:
    """Time [ms] of a call of `simulate` on the double pendulum besides its steps."""
    model = sarrus.build(sarrus.gallery.pendulum(links=2))
    dt, many = 0.01, 1001

    def run(steps: int, times: int) -> float:
        at_once = 10 if steps == 1 else 1
        return best(lambda: sarrus.simulate(model, duration=steps * dt, dt=dt), times, at_once)

    one, long = run(1, rounds), run(many, 5)
    return 1e3 * (one - (long - one) / (many - 1))


def of_step(links: int, rounds: int = 300) -> float:
    """Time [us] of `Simulation.step` on a pendulum from horizontal, the step included."""
    model = sarrus.build(sarrus.gallery.pendulum(links=links))
    return 1e6 * best(sarrus.Simulation(model, dt=0.005).step, rounds, at_once=5)


def of_controller(links: int, rounds: int = 9) -> dict[str, float]:
    """Time [us] per step that a Python controller of one motor adds, by itself and where it reads every
    joint."""
    mech = sarrus.gallery.pendulum(links=links)
    joints = list(mech.joints)
    mech.add_motor("motor", joint=joints[0])
    model = sarrus.build(mech)
    steps, dt = 200, 0.005

    def reading(_time: float, now: sarrus.State) -> dict[str, float]:
        return {"motor": -1e-3 * sum(now.joint_velocity(joint) for joint in joints)}

    def run(**how: object) -> float:
        return 1e6 * best(lambda: sarrus.simulate(model, steps * dt, dt, **how), rounds) / steps

    still = run(inputs={"motor": 0.0})
    plain = run(controller=lambda time, now: {"motor": 0.0})
    return {"alone": plain - still, "reading": run(controller=reading) - still}
