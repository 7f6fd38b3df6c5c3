"""Trajectories in files: exact both ways, all or nothing, a clear word about every file that is not one."""

import io
import json
import zipfile

import numpy as np
import pytest
from tests.unit.trajectory.swing import SwingModel, arrays, swing

from sarrus.errors import FileError
from sarrus.trajectory import Stats, load_trajectory
from sarrus.trajectory.storage import HEADER


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "run.npz"
    swing(21, reactions=np.random.default_rng(1).normal(size=(21, 1, 6)), winding=np.array([0.25])).save(path)
    return path


def rewritten(path, change):
    """The file with its header changed by change(header) -> header."""
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    header = json.loads(bytes(np.load(io.BytesIO(members[f"{HEADER}.npy"]))))
    text = np.frombuffer(json.dumps(change(header)).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.save(buffer, text)
    members[f"{HEADER}.npy"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("mapped", [False, True])
def test_every_array_and_total_comes_back_bit_by_bit(tmp_path, mapped):
    traj = swing(33, reactions=np.random.default_rng(1).normal(size=(33, 1, 6)), winding=np.array([0.25]))
    odd = traj.velocity.copy()
    odd[0, 0] = (-0.0, np.nan, 5e-324)
    traj = swing(33, reactions=traj.reactions, winding=traj.winding)
    object.__setattr__(traj, "velocity", odd)
    path = tmp_path / "run.npz"
    traj.save(path)
    loaded = load_trajectory(path, model=traj.model, mapped=mapped)
    assert (loaded.method, loaded.dt) == (traj.method, traj.dt)
    assert arrays(loaded).keys() == arrays(traj).keys()
    for name, array in arrays(traj).items():
        assert arrays(loaded)[name].tobytes() == array.tobytes(), name
        assert arrays(loaded)[name].dtype == array.dtype
        assert not arrays(loaded)[name].flags.writeable
    assert loaded.winding.tobytes() == traj.winding.tobytes()
    assert loaded.stats.summary() == traj.stats.summary()


def test_what_the_method_goes_on_with_comes_back_bit_by_bit(tmp_path):
    rng, path = np.random.default_rng(5), tmp_path / "run.npz"
    shapes = {"position": (1, 3), "orientation": (1, 4), "velocity": (1, 3), "angular_velocity": (1, 3)}
    final = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    final |= {"time": 1 / 3, "winding": rng.normal(size=1), "memory": rng.normal(size=(4, 9))}
    final |= {"clock": np.array([0.0, 0.01, 5.0]), "prescribed": rng.normal(size=2)}
    swing(5, final_state=final).save(path)
    loaded = load_trajectory(path).final
    assert loaded.keys() == final.keys()
    for name, value in final.items():
        assert np.shape(loaded[name]) == np.shape(value)
        np.testing.assert_array_equal(loaded[name], value)
    swing(5, final_state=final | {"position": np.zeros((2, 3))}).save(path)
    with pytest.raises(FileError, match=r"final_position has shape \(2, 3\), needs \(1, 3\)"):
        load_trajectory(path)


def test_mapped_arrays_are_aligned_so_that_kernels_take_them(saved):
    loaded = load_trajectory(saved, model=SwingModel(), mapped=True)
    for name, array in arrays(loaded).items():
        assert array.flags.aligned, name


def test_members_beyond_the_old_zip_limit_are_written_and_mapped(tmp_path, monkeypatch):
    """Sizes from this limit on use 64-bit headers, which are longer: alignment must allow for that."""
    monkeypatch.setattr("sarrus.trajectory.archive.LARGE", 1)
    path = tmp_path / "run.npz"
    traj = swing(21)
    traj.save(path)
    for mapped in (False, True):
        for name, array in arrays(load_trajectory(path, model=traj.model, mapped=mapped)).items():
            assert array.tobytes() == arrays(traj)[name].tobytes(), name
            assert array.flags.aligned


def test_numpy_reads_the_file_without_pickle(saved):
    with np.load(saved, allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["position"], swing(21).position)
        assert json.loads(bytes(archive[HEADER]))["format"] == "sarrus-trajectory"
        assert json.loads(bytes(archive[HEADER]))["version"] == 2


def test_the_same_trajectory_gives_the_same_bytes(tmp_path, saved):
    again = tmp_path / "again.npz"
    load_trajectory(saved, model=SwingModel()).save(again)
    assert again.read_bytes() == saved.read_bytes()


def test_bodies_can_be_read_without_building_the_model(saved):
    loaded = load_trajectory(saved)
    np.testing.assert_array_equal(loaded.body("rod").position, swing(21).position[:, 0])
    assert loaded.joint_names == ("hinge",)


def test_a_file_that_is_cut_anywhere_says_that_it_is_damaged(saved, tmp_path):
    data = saved.read_bytes()
    cut = tmp_path / "cut.npz"
    ends = {*range(0, 200, 7), *range(0, len(data), 97), *range(len(data) - 300, len(data))}
    for end in sorted(ends):
        cut.write_bytes(data[:end])
        with pytest.raises(FileError, match=r"cut\.npz: "):
            load_trajectory(cut)


def test_a_flipped_byte_is_found_or_harmless(saved, tmp_path):
    """Data are guarded by checksums; what they do not cover (padding, dates) carries no numbers."""
    data = bytearray(saved.read_bytes())
    expected = arrays(load_trajectory(saved, model=SwingModel()))
    flipped = tmp_path / "flipped.npz"
    found = 0
    for place in range(0, len(data), 11):
        data[place] ^= 0x41
        flipped.write_bytes(data)
        data[place] ^= 0x41
        try:
            loaded = arrays(load_trajectory(flipped, model=SwingModel()))
        except FileError:
            found += 1
            continue
        for name, array in expected.items():
            assert loaded[name].tobytes() == array.tobytes(), (place, name)
    assert found > len(data) / 11 / 2


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "it is empty"), (b"hello", "no npz file"), (b"PK\x03\x04 nonsense", "truncated or damaged")],
)
def test_other_files_are_refused(tmp_path, content, words):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(FileError, match=f"other.npz: .*{words}"):
        load_trajectory(path)


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(FileError, match=r"none\.npz: cannot be read \(No such file"):
        load_trajectory(tmp_path / "none.npz")
    with pytest.raises(FileError, match="cannot be read"):
        load_trajectory(tmp_path)


def test_a_foreign_npz_is_told_by_what_it_holds(tmp_path):
    path = tmp_path / "foreign.npz"
    np.savez(path, weights=np.ones(3), bias=np.ones(1))
    with pytest.raises(FileError, match="not a Sarrus trajectory; it holds 'weights', 'bias'"):
        load_trajectory(path)
    np.savez(path, header=np.ones(3))
    with pytest.raises(FileError, match="not a Sarrus trajectory"):
        load_trajectory(path)


def test_pickled_objects_are_never_opened(tmp_path):
    path = tmp_path / "pickle.npz"
    np.savez(path, header=np.array([{"format": "sarrus-trajectory"}], dtype=object))
    with pytest.raises(FileError, match=r"pickle.npz: member 'header.npy' holds \|O"):
        load_trajectory(path)


def test_a_newer_version_is_told(saved):
    rewritten(saved, lambda header: header | {"version": 3})
    with pytest.raises(
        FileError, match="version 3 of the format, this Sarrus reads versions 1 to 2; a newer Sarrus"
    ):
        load_trajectory(saved)
    rewritten(saved, lambda header: header | {"version": "one"})
    with pytest.raises(FileError, match="version 'one'"):
        load_trajectory(saved)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h: h | {"format": "other"}, "not a Sarrus trajectory"),
        (lambda h: [], "not a Sarrus trajectory"),
        (lambda h: {k: v for k, v in h.items() if k != "dt"}, "lacks 'dt'"),
        (lambda h: h | {"dt": "fast"}, "makes no sense"),
        (lambda h: h | {"bodies": ["a", "b"]}, "makes no sense"),
        (lambda h: h | {"bodies": 7}, "bodies is not a list of names"),
        (lambda h: h | {"bodies": ["rod", "rod"]}, "bodies holds a name twice"),
        (lambda h: h | {"inputs": ["a", "b", "c"]}, "lacks 'input_2'"),
        (lambda h: h | {"stats": None}, "makes no sense"),
    ],
)
def test_headers_that_make_no_sense_are_told(saved, change, words):
    with pytest.raises(FileError, match=words):
        load_trajectory(rewritten(saved, change))


def member(claimed, data, dtype="<f8"):
    """The bytes of an npy member that claims a shape, whatever its data."""
    buffer = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": claimed}
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + data


@pytest.mark.parametrize("claimed", [(10**15,), (10**9, 10**9, 10**9), (-1,), (2,)])
def test_a_member_that_claims_more_than_it_holds_allocates_nothing(saved, claimed):
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("extra.npy", member(claimed, bytes(8)))
    with pytest.raises(FileError, match=r"'extra.npy' claims shape"):
        load_trajectory(saved)


def test_a_compressed_bomb_is_refused_before_it_is_opened(saved):
    with zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("extra.npy", member((10**6,), bytes(8 * 10**6)))
    with pytest.raises(FileError, match=r"'extra.npy' is compressed"):
        load_trajectory(saved)


def test_a_deeply_nested_header_is_told(saved):
    deep = "[" * 200_000 + "]" * 200_000
    with zipfile.ZipFile(saved, "w") as archive:
        archive.writestr("header.npy", member((len(deep),), deep.encode(), "|u1"))
    with pytest.raises(FileError, match="header is no JSON text"):
        load_trajectory(saved)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    before = saved.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match=r"run\.npz: cannot be written \(No space left on device\)"):
        swing(50).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["run.npz"]


def test_a_folder_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        swing(5).save(tmp_path / "missing" / "run.npz")


def test_a_model_of_other_names_is_refused(saved):
    other = SwingModel()
    other.body_names = ("stick",)
    with pytest.raises(
        FileError, match=r"saved with the body_names \['rod'\]; the model given has \['stick'\]"
    ):
        load_trajectory(saved, model=other)


def test_a_mechanism_with_functions_is_saved_without_its_model(tmp_path):
    model = SwingModel()
    model.mechanism.add_custom_force("wind", ["rod"], lambda t, x, q, v, w, p, out: None)
    path = tmp_path / "run.npz"
    swing(5, model=model).save(path)
    loaded = load_trajectory(path)
    with pytest.raises(FileError, match=r"functions cannot be stored \(custom force 'wind'\); use load_traj"):
        loaded.energy()
    np.testing.assert_array_equal(load_trajectory(path, model=model).energy().total, swing(5).energy().total)


def test_a_run_without_steps_is_saved_too(tmp_path):
    path = tmp_path / "run.npz"
    swing(1, stats=Stats()).save(path)
    assert len(load_trajectory(path, mapped=True)) == 1


def test_a_file_of_version_1_counts_single_steps(saved):
    def older(header):
        stats = {
            name: header["stats"][name] for name in ("wall_time", "cpu_time", "singular_nodes", "projection")
        }
        return header | {"version": 1, "stats": stats}

    rewritten(saved, older)
    assert load_trajectory(saved).stats.summary() == swing(21).stats.summary()


def test_thinned_statistics_come_back_and_a_nonsense_of_them_is_told(tmp_path):
    path = tmp_path / "run.npz"
    stats = Stats(
        [9, 5], [4, 2], [8, 0], [5, 0], iterations_max=[4, 3], record_every=10, steps=13, divided=[3],
        divided_into=[8],
    )  # fmt: skip
    swing(2, stats=stats).save(path)
    found = load_trajectory(path).stats
    assert found.summary() == stats.summary()
    assert (found.record_every, found.steps, *found.divided, *found.divided_into) == (10, 13, 3, 8)
    np.testing.assert_array_equal(found.iterations_max, [4, 3])
    rewritten(path, lambda header: header | {"stats": header["stats"] | {"record_every": 0}})
    with pytest.raises(FileError, match="makes no sense: a record of 0 steps"):
        load_trajectory(path)
