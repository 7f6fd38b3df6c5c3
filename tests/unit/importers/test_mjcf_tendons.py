"""Tendons of MJCF files: straight ones are springs, ropes and wires."""

import numpy as np
import pytest
from tests.unit.importers.mjcf_texts import body, document, loaded, reasons

WORLD = '<site name="w" pos="0 0 2"/>' + body(
    "a", "<freejoint/>", '<site name="s" pos="0.1 0 0"/>', at="0 0 1"
)
LENGTH = float(np.hypot(0.1, 1.0))


def pulled(tmp_path, tendon: str, more: str = "", sites: str = '<site site="w"/><site site="s"/>'):
    text = document(WORLD, f'<tendon><spatial name="t" {tendon}>{sites}</spatial></tendon>{more}')
    return loaded(tmp_path, text)


def test_a_tendon_with_stiffness_is_a_spring(tmp_path):
    spring = pulled(tmp_path, 'stiffness="50" damping="2" springlength="0.4"').springs["t"]
    assert (spring.a, spring.b, spring.stiffness, spring.damping, spring.rest_length) == (
        "world",
        "a",
        50,
        2,
        0.4,
    )
    np.testing.assert_allclose(spring.at_a, [0, 0, 2])
    np.testing.assert_allclose(spring.at_b, [0.1, 0, 1])


def test_a_spring_without_length_rests_as_placed(tmp_path):
    assert pulled(tmp_path, 'stiffness="50"').springs["t"].rest_length == pytest.approx(LENGTH)


def test_a_tendon_with_an_upper_limit_is_a_rope(tmp_path):
    mech = pulled(tmp_path, 'range="0 1.5" limited="true"')
    assert mech.ropes["t"].length == 1.5
    assert not mech.import_report.lost


def test_a_tendon_that_an_equality_holds_is_a_wire(tmp_path):
    mech = pulled(tmp_path, "", '<equality><tendon name="e" tendon1="t"/></equality>')
    assert mech.joints["e"].length == pytest.approx(LENGTH)
    assert not mech.import_report.lost


def test_a_wire_of_another_length_moves_the_reference(tmp_path):
    mech = pulled(tmp_path, "", '<equality><tendon name="e" tendon1="t" polycoef="0.2 1 0 0 0"/></equality>')
    wire = mech.joints["e"]
    assert wire.length == pytest.approx(LENGTH + 0.2)
    assert np.linalg.norm(wire.at_a - wire.at_b) == pytest.approx(wire.length, abs=1e-10)


@pytest.mark.parametrize(
    ("tendon", "sites"),
    [
        ("", '<site site="w"/><site site="s"/>'),
        ('stiffness="5"', '<site site="w"/><site site="s"/><site site="w"/>'),
        ('stiffness="5" springlength="0.1 0.5"', '<site site="w"/><site site="s"/>'),
        ('range="0.5 1.5" limited="true"', '<site site="w"/><site site="s"/>'),
    ],
    ids=["nothing", "three sites", "slack spring", "lower limit"],
)
def test_other_tendons_are_listed(tmp_path, tendon, sites):
    assert reasons(pulled(tmp_path, tendon, sites=sites), "tendon")
