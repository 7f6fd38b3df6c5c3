"""A `sarrus.Mechanism` with contacts as MJCF text: what `mech.save("scene.xml")` writes."""

from __future__ import annotations

from sarrus.importers.mjcf_writer.writer import mjcf_document


def mjcf(mech) -> str:
    """MJCF of the same masses, sizes, friction, servos and limits; ValueError where it cannot say something.

    All else is MuJoCo's default: soft contacts, pyramidal cones, Newton's method, semi-implicit Euler."""
    document = mjcf_document(mech)
    if document.unsaid:
        raise ValueError(f"mechanism {mech.name!r}: {document.summary()}")
    return document.text
