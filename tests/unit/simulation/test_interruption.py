"""Runs that are stopped: nothing is lost, and what goes on is the unbroken run to the last bit."""

import os
import resource
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from tests.unit.trajectory.swing import arrays

import sarrus
from sarrus import simulation
from sarrus.trajectory.journal import Journal

DT = 0.01
DURATION = 4.0
STOPS = (2, 5)
"""Pieces of steps after which a run is interrupted, while it goes on from the last interruption."""


def hinged():
    """A pendulum with a spring and a motor."""
    mech = sarrus.gallery.pendulum(links=2)
    mech.add_joint_spring("return", "joint 2", stiffness=3.0, damping=0.1)
    mech.add_motor("drive", "joint 1")
    return mech


MECHANISMS = {
    "pendulum": lambda: sarrus.gallery.pendulum(links=3),
    "four_bar": sarrus.gallery.four_bar,
    "spring": hinged,
    "toss": sarrus.gallery.box_toss,
    "dominoes": lambda: sarrus.gallery.dominoes(n=3),
}


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch):
    """Looks for interruptions every 50 steps; Ctrl-C is heard, also where the shell ignores it."""
    monkeypatch.setattr(simulation, "LONGEST", 50)
    monkeypatch.setattr(simulation, "WITH_PAIRS", 10)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def stopping(*pieces):
    """A progress function that sends Ctrl-C after some pieces of steps."""
    calls = []

    def progress(done, steps):
        calls.append(done)
        if len(calls) in pieces:
            os.kill(os.getpid(), signal.SIGINT)

    return progress


def broken_run(model, out, **options):
    """The trajectory of a run that was stopped twice, and what each stop told."""
    progress, told = stopping(*STOPS), []
    while True:
        try:
            return sarrus.simulate(model, dt=DT, out=out, resume=True, progress=progress, **options), told
        except sarrus.Interrupted as error:
            told.append(error)


def assert_same_bits(found, expected):
    for name, array in arrays(expected).items():
        assert arrays(found)[name].tobytes() == array.tobytes(), name
    assert found.final_state.memory.tobytes() == expected.final_state.memory.tobytes()
    if expected.touch_records is not None:
        assert found.touch_records.tobytes() == expected.touch_records.tobytes()
    times = ("wall_time", "cpu_time", "us_per_step")
    counts = [{k: v for k, v in traj.stats.summary().items() if k not in times} for traj in (found, expected)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("pendulum", {}),
        ("pendulum", {"record_every": 7, "reactions": True}),
        ("pendulum", {"method": "variational1", "reactions": True}),
        ("pendulum", {"method": "variational4", "record_every": 3}),
        ("pendulum", {"method": "variational6"}),
        ("four_bar", {"reactions": True}),
        ("spring", {"record_every": 5, "inputs": {"drive": lambda t: np.sin(3.0 * t)}}),
        ("toss", {"duration": 4.0}),
        ("dominoes", {"duration": 1.0, "record_every": 3}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value) or "plain",
)
def test_a_run_that_goes_on_is_the_unbroken_run_bit_by_bit(tmp_path, mechanism, options):
    model, options = sarrus.build(MECHANISMS[mechanism]()), {"duration": DURATION} | options
    expected = sarrus.simulate(model, dt=DT, **options)
    found, told = broken_run(model, tmp_path / "run.npz", **options)
    assert len(told) == len(STOPS)
    for error in told:
        assert error.kept == tmp_path / "run.npz.partial"
        count = len(error.trajectory)
        assert 0 < count < len(expected)
        assert error.trajectory.position.tobytes() == expected.position[:count].tobytes()
    assert_same_bits(found, expected)
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_in_memory_an_interruption_carries_the_trajectory_so_far():
    model = sarrus.build(MECHANISMS["pendulum"]())
    expected = sarrus.simulate(model, duration=DURATION, dt=DT)
    with pytest.raises(KeyboardInterrupt, match=r"stopped at t = 1 s") as stopped:
        sarrus.simulate(model, duration=DURATION, dt=DT, progress=stopping(2))
    found = stopped.value.trajectory
    assert found.position.tobytes() == expected.position[:101].tobytes()
    assert found.stats.steps == 100
    assert found.final_state.time == pytest.approx(1.0)
    with pytest.raises(sarrus.Interrupted, match="before its first step") as stopped:
        sarrus.simulate(model, duration=DURATION, dt=DT, inputs={}, controller=interrupt_at(0.0))
    assert stopped.value.trajectory is None


def interrupt_at(time):
    """A controller that raises KeyboardInterrupt, as a second Ctrl-C does, in the middle of a run."""

    def controller(t, now):
        if t >= time:
            raise KeyboardInterrupt

    return controller


def test_a_controller_of_the_run_may_raise_and_what_was_computed_is_kept(tmp_path):
    model = sarrus.build(hinged())

    def broken(t, now):
        return {"drive": 1.0 / (0.5 - t) if t < 0.495 else 1 // 0}

    with pytest.raises(ZeroDivisionError) as fault:
        sarrus.simulate(model, duration=1.0, dt=DT, controller=broken, out=tmp_path / "run.npz")
    assert "run.npz.partial" in " ".join(fault.value.__notes__)
    with pytest.warns(UserWarning, match="does not exist"):
        assert len(sarrus.load_trajectory(tmp_path / "run.npz")) == 51


def test_a_run_with_a_controller_goes_on_too(tmp_path):
    model = sarrus.build(hinged())
    options = {
        "duration": 1.0,
        "dt": DT,
        "controller": lambda t, now: {"drive": -now.joint_velocity("joint 1")},
    }
    expected, out = sarrus.simulate(model, **options), tmp_path / "run.npz"
    with pytest.raises(sarrus.Interrupted):
        sarrus.simulate(model, **options, out=out, progress=stopping(30))
    assert_same_bits(sarrus.simulate(model, **options, out=out, resume=True), expected)


def test_another_run_cannot_be_gone_on_with(tmp_path):
    model, out = sarrus.build(MECHANISMS["pendulum"]()), tmp_path / "run.npz"
    with pytest.raises(sarrus.Interrupted):
        sarrus.simulate(model, duration=DURATION, dt=DT, out=out, progress=stopping(1))
    left = (tmp_path / "run.npz.partial").read_bytes()
    for words, change in (
        ("dt", {"dt": 0.005}),
        ("method", {"method": "variational4"}),
        ("record_every", {"record_every": 2}),
        ("reactions", {"reactions": True}),
        ("position at the start", {"state": model.state({"joint 1": 0.3})}),
    ):
        with pytest.raises(sarrus.MechanismError, match=f"differs in .*{words}"):
            sarrus.simulate(model, **{"duration": DURATION, "dt": DT, "out": out, "resume": True} | change)
    assert (tmp_path / "run.npz.partial").read_bytes() == left
    with pytest.raises(sarrus.MechanismError, match=r"out='run\.npz'"):
        sarrus.simulate(model, duration=1.0, resume=True)


def test_which_run_goes_on_must_be_clear(tmp_path):
    model, out = sarrus.build(MECHANISMS["pendulum"]()), tmp_path / "run.npz"
    options = {"duration": 1.0, "dt": DT, "out": out}
    whole = sarrus.simulate(model, **options, resume=True)
    assert len(whole) == 101
    with pytest.raises(sarrus.FileError, match="has ended"):
        sarrus.simulate(model, **options, resume=True)
    for _ in range(2):
        with pytest.raises(sarrus.Interrupted), warnings.catch_warnings(action="ignore"):
            sarrus.simulate(model, **options, progress=stopping(1))
    with pytest.raises(sarrus.FileError, match=r"several runs.*partial, .*partial2, "):
        sarrus.simulate(model, **options, resume=True)


@pytest.fixture
def small_disk(tmp_path):
    """(folder, fill, free): a folder whose disk can be filled, but for some bytes, and emptied again.

    A file system of its own where the tests may make one, else a limit on the size of files."""
    folder, filler = tmp_path / "disk", tmp_path / "disk" / "filler"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode == 0:

        def fill(leave=0):
            with open(filler, "wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    file.truncate(max(0, file.tell() - leave))

        yield folder, fill, filler.unlink
        subprocess.run(["umount", str(folder)], check=True)
    else:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        limit = lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))  # noqa: E731
        largest = lambda: max((f.stat().st_size for f in folder.iterdir()), default=0)  # noqa: E731
        yield folder, lambda leave=0: limit(leave + largest()), lambda: limit(soft)
        limit(soft)


@pytest.mark.parametrize("piece", [3, 8], ids=["in the middle", "at the end"])
def test_a_full_disk_ends_the_run_and_loses_nothing(small_disk, monkeypatch, piece):
    monkeypatch.setattr("sarrus.recorder.PAUSE", 0.0)
    folder, fill, free = small_disk
    model, out, calls = sarrus.build(MECHANISMS["pendulum"]()), folder / "run.npz", []
    options = {"duration": DURATION, "dt": DT, "out": out}

    def filling(done, steps):
        calls.append(done)
        if len(calls) == piece:
            fill()

    with pytest.raises(sarrus.FileError, match=r"cannot be written \((No space left|File too large)"):
        sarrus.simulate(model, **options, progress=filling)
    expected = sarrus.simulate(model, duration=DURATION, dt=DT)
    found = sarrus.load_trajectory(folder / "run.npz.partial")
    # A node or two may fit into the last page of the file.
    assert 50 * piece < len(found) < 50 * (piece + 1)
    assert found.position.tobytes() == expected.position[: len(found)].tobytes()
    free()
    assert_same_bits(sarrus.simulate(model, **options, resume=True), expected)


ROOM = 300_000
OPTIONS = {
    "every node": {},
    "reactions": {"reactions": True},
    "every third": {"record_every": 3, "duration": 60.0},
    "contacts": {},
}


@pytest.mark.parametrize("options", OPTIONS)
def test_a_disk_too_small_for_one_piece_keeps_what_fits(small_disk, monkeypatch, options):
    monkeypatch.setattr(simulation, "LONGEST", 2000)
    folder, fill, free = small_disk
    model = sarrus.build(MECHANISMS["toss" if options == "contacts" else "pendulum"]())
    settings = {"duration": 20.0, "dt": DT} | OPTIONS[options]
    fill(leave=ROOM)
    with pytest.raises(sarrus.FileError, match=r"cannot be written \((No space left|File too large)"):
        sarrus.simulate(model, **settings, out=folder / "run.npz")
    expected = sarrus.simulate(model, **settings)
    left = folder / "run.npz.partial"
    found = sarrus.load_trajectory(left)
    # A disk has its pages, a frame its list of arrays: four fifths of the room at least are used.
    assert left.stat().st_size > 0.8 * ROOM
    nodes, every = len(found), settings.get("record_every", 1)
    assert nodes > 100
    assert found.position.tobytes() == expected.position[:nodes].tobytes()
    # The wrenches of the last two nodes need the steps after them.
    lacking = 2 if options == "reactions" else 0
    assert found.stats.steps == every * (nodes - 1 + lacking)
    records = len(found.stats.iterations)
    assert found.stats.iterations.tobytes() == expected.stats.iterations[:records].tobytes()
    if options == "reactions":
        force = found.reaction("joint 1").force
        assert force == pytest.approx(expected.reaction("joint 1").force[:nodes], abs=1e-9)
    if options == "contacts":
        force = expected.contact_force("box")[: nodes - 2]
        assert found.contact_force("box")[: nodes - 2] == pytest.approx(force, abs=1e-9)
    free()
    assert_same_bits(sarrus.simulate(model, **settings, out=folder / "run.npz", resume=True), expected)


@pytest.mark.parametrize("method", ["variational", "bdf2", "tree-midpoint"])
def test_a_killed_run_has_lost_a_second_at_most(tmp_path, method):
    out = tmp_path / "run.npz"
    code = f"""
import os, signal, threading, time, sarrus
model = sarrus.build(sarrus.gallery.pendulum(links=2))
method = {method!r}
sarrus.simulate(model, 0.02, 0.01, method=method, out={str(tmp_path / "warm.npz")!r})
steps = 0
def told(done, of):
    global steps, begun
    steps = done
    if time.monotonic() - begun > 3.2:
        print(done, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
begun = time.monotonic()
sarrus.simulate(model, 1e5, 0.01, method=method, out={str(out)!r}, record_every=1000, progress=told)
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL
    left = sarrus.load_trajectory(tmp_path / "run.npz.partial")
    done = int(killed.stdout.split()[-1])
    # Pieces end once in a few milliseconds; the machine may be busy.
    assert left.time[-1] > 0.01 * done * (1.0 - 1.5 / 3.2)


def test_a_run_that_is_being_written_can_be_read_and_is_no_leftover(tmp_path):
    model, out, seen = sarrus.build(MECHANISMS["pendulum"]()), tmp_path / "run.npz", []

    def look(done, steps):
        if done == 100:
            code = f"import sarrus; print(len(sarrus.load_trajectory({str(out) + '.partial'!r})))"
            seen.append(
                subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            )
            sarrus.simulate(model, duration=0.1, dt=DT, out=out)

    sarrus.simulate(model, duration=DURATION, dt=DT, out=out, progress=look)
    assert int(seen[0].stdout) >= 51
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_a_killed_run_reads_up_to_its_last_record_and_goes_on(tmp_path):
    out = tmp_path / "run.npz"
    options = f"duration=4.0, dt={DT}, out={str(out)!r}"
    code = f"""
import os, signal, sarrus
from sarrus import simulation
simulation.LONGEST = 50
model = sarrus.build(sarrus.gallery.pendulum(links=3))
die = lambda done, steps: done == 150 and os.kill(os.getpid(), signal.SIGKILL)
sarrus.simulate(model, {options}, progress=die)
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    left = tmp_path / "run.npz.partial"
    assert list(tmp_path.iterdir()) == [left]
    model = sarrus.build(MECHANISMS["pendulum"]())
    expected = sarrus.simulate(model, duration=4.0, dt=DT)
    # The first piece is written at once, the others once a second.
    found = sarrus.load_trajectory(left)
    assert len(found) >= 51
    assert found.position.tobytes() == expected.position[: len(found)].tobytes()
    assert found.stats.steps == len(found) - 1
    with pytest.warns(UserWarning, match=r"run\.npz\.partial.*load_trajectory"):
        sarrus.simulate(model, duration=0.1, dt=DT, out=out)
    assert len(Journal(left).frames) >= 1
    assert_same_bits(sarrus.simulate(model, duration=4.0, dt=DT, out=out, resume=True), expected)
