"""Small MJCF documents, and their loading without the warning about what is left out."""

from __future__ import annotations

import warnings

import sarrus
from sarrus.errors import LossyImport

GEOM = '<geom type="sphere" size="0.1" mass="1"/>'


def document(world: str = "", more: str = "", option: str = "") -> str:
    """An MJCF document: what stands in the world, and sections after it."""
    return f'<mujoco model="small">{option}<worldbody>{world}</worldbody>{more}</mujoco>'


def body(name: str, joints: str = "", inside: str = "", at: str = "0 0 0", geom: str = GEOM) -> str:
    """A ball of 1 kg with joints."""
    return f'<body name="{name}" pos="{at}">{joints}{geom}{inside}</body>'


def loaded(folder, text: str, **options) -> sarrus.Mechanism:
    """The mechanism of an MJCF text, quietly."""
    path = folder / "small.xml"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossyImport)
        return sarrus.load(path, **options)


def reasons(mech: sarrus.Mechanism, kind: str, *, changed: bool = False) -> list[str]:
    """ "name: why" of all things of a kind that were left out, or carried over in another form."""
    items = mech.import_report.changed if changed else mech.import_report.lost
    return [f"{item.name}: {item.why}" for item in items if item.kind == kind]
