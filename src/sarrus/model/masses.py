"""Bodies that methods in maximal coordinates cannot move by themselves: point masses, and frames without
mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sarrus.errors import MechanismError
from sarrus.mechanism.joints import Joint

if TYPE_CHECKING:
    from sarrus.model.model import Model


def point_masses(model: Model) -> list[str]:
    """Point masses that no chain of fixed joints ties to a body with inertia or to the world."""
    group = {name: name for name in [*model.body_names, "world"]}

    def find(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for joint in model.mechanism.joints.values():
        if isinstance(joint, Joint) and joint.kind == "fixed":
            group[find(joint.child)] = find(joint.parent)
    heavy = {find("world")} | {find(n) for n, b in model.mechanism.bodies.items() if b.inertia.any()}
    return [n for n, b in model.mechanism.bodies.items() if not b.inertia.any() and find(n) not in heavy]


def check_masses(model: Model, method: str) -> None:
    """Refuses, by name, what `method`, in maximal coordinates, cannot move or turn."""
    empty = next((name for name, mass in zip(model.body_names, model.masses, strict=True) if mass == 0), None)
    if empty is not None:
        raise MechanismError(
            f"body {empty!r} has no mass, which {method} in maximal coordinates cannot move; give it a "
            "mass, or use a method in joint coordinates (tree-midpoint, tree-trapezoid, continuous)"
        )
    if model.point_masses:
        raise MechanismError(
            f"body {model.point_masses[0]!r} is a point mass (inertia 0), which {method} in maximal "
            "coordinates cannot turn; fix it to a body with inertia, give it an inertia, or use a method "
            "of the tree family (tree-midpoint, tree-trapezoid)"
        )
