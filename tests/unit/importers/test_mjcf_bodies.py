"""Bodies, frames and fixed things of MJCF files."""

import numpy as np
from tests.unit.importers.mjcf_texts import GEOM, body, document, loaded, reasons

ROUNDING = 1e-12
INERTIAL = '<inertial pos="0.1 0.2 0.3" quat="0.6 0 0.8 0" mass="2" diaginertia="0.03 0.02 0.04"/>'


def test_a_body_stands_at_its_centre_of_mass_with_the_axes_of_its_link(tmp_path):
    text = document(
        f'<body name="a" pos="1 2 3" quat="0 1 0 0">{INERTIAL}<joint name="h" axis="0 0 1"/></body>'
    )
    a = loaded(tmp_path, text).bodies["a"]
    np.testing.assert_allclose(a.position, [1.1, 1.8, 2.7], atol=ROUNDING)
    np.testing.assert_allclose(np.abs(a.orientation), [0, 1, 0, 0], atol=ROUNDING)
    # diag(0.03, 0.02, 0.04) turned about y by the angle whose half has the cosine 0.6
    c, s = 0.6**2 - 0.8**2, 2 * 0.6 * 0.8
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    np.testing.assert_allclose(a.inertia, R @ np.diag([0.03, 0.02, 0.04]) @ R.T, atol=ROUNDING)
    assert a.mass == 2.0


def test_every_link_and_site_is_a_frame(tmp_path):
    inside = f'{INERTIAL}<joint axis="0 0 1"/><site name="tip" pos="0 0 1"/><site name="a" pos="1 0 0"/>'
    mech = loaded(
        tmp_path, document(f'<body name="a" pos="1 2 3">{inside}</body><site name="mark" pos="0 1 0"/>')
    )
    assert set(mech.frames) == {"a", "tip", "a site", "mark"}
    np.testing.assert_allclose(mech.frames["a"].at, [1, 2, 3])
    np.testing.assert_allclose(mech.frames["tip"].at, [1, 2, 4])
    assert mech.frames["mark"].body == "world"


def test_bodies_without_names_get_some(tmp_path):
    text = document(f'<body><freejoint/>{GEOM}<body pos="0 0 1"><joint axis="1 0 0"/>{GEOM}</body></body>')
    mech = loaded(tmp_path, text)
    assert list(mech.bodies) == ["body 1", "body 2"]
    assert list(mech.joints) == ["body 1 free", "body 2 joint"]


def test_a_fixed_link_with_mass_is_a_body_and_one_without_is_a_frame_of_its_parent(tmp_path):
    empty = '<body name="camera" pos="0 0 0.5"><geom name="lens" size="0.01" mass="0"/></body>'
    mech = loaded(tmp_path, document(body("a", "<freejoint/>", body("b", at="0 0 1") + empty)))
    assert list(mech.bodies) == ["a", "b"]
    assert mech.joints["b fixed"].kind == "fixed"
    assert mech.frames["camera"].body == "a"
    assert len(mech.bodies["a"].shapes) == 2
    np.testing.assert_allclose(mech.bodies["a"].shapes[1].at, [0, 0, 0.5])


def test_a_moving_body_without_mass_gets_a_negligible_one(tmp_path):
    carrier = f'<body name="hub"><joint name="h" axis="0 0 1"/>{body("load", at="0.5 0 0")}</body>'
    mech = loaded(tmp_path, document(carrier))
    assert 0.0 < mech.bodies["hub"].mass <= 1e-9 * mech.bodies["load"].mass
    assert any("no mass" in why for why in reasons(mech, "body", changed=True))


def test_what_is_fixed_in_the_world_becomes_obstacles(tmp_path):
    table = '<body name="table" pos="0 0 1"><geom name="top" type="box" size="1 1 0.1"/></body>'
    mech = loaded(tmp_path, document(table + body("a", "<freejoint/>", at="0 0 2")))
    assert list(mech.bodies) == ["a"]
    np.testing.assert_allclose(mech.obstacles["top"].shape.size, [2, 2, 0.2])
    np.testing.assert_allclose(mech.obstacles["top"].shape.at, [0, 0, 1])
    assert mech.frames["table"].body == "world"


def test_a_fixed_base_holds_what_floats(tmp_path):
    text = document(
        body("a", '<freejoint name="root"/>', body("b", '<joint name="h" axis="1 0 0"/>', at="0 0 1"))
    )
    mech = loaded(tmp_path, text, fixed_base=True)
    assert {name: j.kind for name, j in mech.joints.items()} == {"a fixed": "fixed", "h": "revolute"}
    assert any("fixed_base" in why for why in reasons(mech, "body", changed=True))


def test_gravity_is_that_of_the_file_or_none(tmp_path):
    option = '<option gravity="0 1 -2"/>'
    np.testing.assert_allclose(
        loaded(tmp_path, document(body("a", "<freejoint/>"), option=option)).gravity, [0, 1, -2]
    )
    off = '<option><flag gravity="disable"/></option>'
    mech = loaded(tmp_path, document(body("a", "<freejoint/>"), option=off))
    assert not np.any(mech.gravity)
    assert reasons(mech, "option", changed=True)


def test_carried_weight_is_a_constant_force(tmp_path):
    text = document(body("a", "<freejoint/>").replace('name="a"', 'name="a" gravcomp="0.5"'))
    mech = loaded(tmp_path, text)
    np.testing.assert_allclose(mech.forces["a gravcomp"].force, [0, 0, 0.5 * 9.81])


def test_what_has_no_counterpart_is_listed(tmp_path):
    clock = '<sensor><clock name="c"/></sensor>'
    mech = loaded(tmp_path, document(body("a", '<joint name="h" axis="1 0 0"/>'), clock))
    assert reasons(mech, "sensor") == ["c: sensors of type clock are not supported"]


def test_fluids_cameras_lights_and_mocap_bodies_are_listed(tmp_path):
    world = body("a", "<freejoint/>", '<camera name="eye"/>') + '<light name="sun"/>'
    world += '<body name="hand" mocap="true" pos="0 0 3"/>'
    mech = loaded(tmp_path, document(world, option='<option density="1.2" wind="1 0 0"/>'))
    for kind in ("camera", "light", "mocap body"):
        assert reasons(mech, kind)
    assert {why.split(":")[0] for why in reasons(mech, "option")} == {"density", "wind"}


def test_links_stay_apart_also_where_the_file_asks_to_fuse_them(tmp_path):
    text = document(body("a", "<freejoint/>", body("b", at="0 0 1")), option='<compiler fusestatic="true"/>')
    assert list(loaded(tmp_path, text).bodies) == ["a", "b"]
