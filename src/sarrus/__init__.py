"""Sarrus: mechanisms with closed loops and redundant constraints, simulated with constraints exact at every
step.

    import sarrus

    mech = sarrus.gallery.double_four_bar()
    traj = sarrus.simulate(sarrus.build(mech), duration=10.0, dt=0.01)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sarrus import gallery
from sarrus.errors import (
    AssemblyError,
    FileError,
    InfeasibleInputs,
    InputsMissed,
    Interrupted,
    LoopsLeftOpen,
    LossyImport,
    LossySave,
    MechanismError,
    NearlyRedundant,
    PushedApart,
    RigidMechanism,
    SarrusError,
    Status,
    StepFailed,
    TargetsMissed,
    UnknownName,
    WriteFailed,
)
from sarrus.mechanism import (
    JOINT_KINDS,
    SENSOR_KINDS,
    Box,
    Capsule,
    Cone,
    ConvexMesh,
    Cylinder,
    HalfSpace,
    HeightField,
    Mechanism,
    Mesh,
    Pulley,
    Sphere,
    Via,
    Wrap,
)

if TYPE_CHECKING:
    from sarrus import plots
    from sarrus.analysis.derivatives import check_derivatives
    from sarrus.analysis.frames import frames
    from sarrus.controller import CompiledController
    from sarrus.importers.load import load
    from sarrus.integrators.continuous.method import Continuous
    from sarrus.integrators.continuous.system import ContinuousSystem, continuous
    from sarrus.integrators.interface import Chunk, Method, Stepper
    from sarrus.integrators.maximal.implicit.method import Bdf, Sdirk, SemiImplicit
    from sarrus.integrators.maximal.variational.method import Variational
    from sarrus.integrators.rigid_body.method import RigidBodyCayley, RigidBodyNewmark
    from sarrus.integrators.tree.linear import StepDerivatives, linearize
    from sarrus.integrators.tree.method import LieTrapezoid, TreeMidpoint, TreeTrapezoid
    from sarrus.mechanism import rotations
    from sarrus.model import Model, State
    from sarrus.model.alignment import align
    from sarrus.model.assembly import assemble
    from sarrus.model.build import build
    from sarrus.rest import equilibrium
    from sarrus.signals import Signal
    from sarrus.simulation import Simulation, simulate
    from sarrus.trajectory import Trajectory, load_trajectory

__version__ = "0.1.0"

# What needs compiled kernels is imported when it is first used, so that `import sarrus` stays fast.
_LAZY = {
    "Model": "sarrus.model",
    "State": "sarrus.model",
    "build": "sarrus.model",
    "Chunk": "sarrus.integrators.interface",
    "Method": "sarrus.integrators.interface",
    "Stepper": "sarrus.integrators.interface",
    "align": "sarrus.model.alignment",
    "assemble": "sarrus.model.assembly",
    "check_derivatives": "sarrus.analysis.derivatives",
    "Continuous": "sarrus.integrators.continuous.method",
    "ContinuousSystem": "sarrus.integrators.continuous.system",
    "continuous": "sarrus.integrators.continuous.system",
    "frames": "sarrus.analysis.frames",
    "RigidBodyCayley": "sarrus.integrators.rigid_body.method",
    "RigidBodyNewmark": "sarrus.integrators.rigid_body.method",
    "Variational": "sarrus.integrators.maximal.variational.method",
    "TreeMidpoint": "sarrus.integrators.tree.method",
    "TreeTrapezoid": "sarrus.integrators.tree.method",
    "LieTrapezoid": "sarrus.integrators.tree.method",
    "Bdf": "sarrus.integrators.maximal.implicit.method",
    "Sdirk": "sarrus.integrators.maximal.implicit.method",
    "SemiImplicit": "sarrus.integrators.maximal.implicit.method",
    "CompiledController": "sarrus.controller",
    "Simulation": "sarrus.simulation",
    "simulate": "sarrus.simulation",
    "Signal": "sarrus.signals",
    "equilibrium": "sarrus.rest",
    "inverse_dynamics": "sarrus.inverse",
    "Efforts": "sarrus.inverse",
    "Trajectory": "sarrus.trajectory",
    "load": "sarrus.importers.load",
    "convex_parts": "sarrus.importers.decomposition",
    "load_trajectory": "sarrus.trajectory",
    "StepDerivatives": "sarrus.integrators.tree.linear",
    "linearize": "sarrus.integrators.tree.linear",
}
_ROOMS = {"plots": "sarrus.plots", "rotations": "sarrus.mechanism.rotations"}

__all__ = [
    "JOINT_KINDS",
    "SENSOR_KINDS",
    "AssemblyError",
    "Bdf",
    "Box",
    "Capsule",
    "Chunk",
    "CompiledController",
    "Cone",
    "Continuous",
    "ContinuousSystem",
    "ConvexMesh",
    "Cylinder",
    "Efforts",
    "FileError",
    "HalfSpace",
    "HeightField",
    "InfeasibleInputs",
    "InputsMissed",
    "Interrupted",
    "LieTrapezoid",
    "LoopsLeftOpen",
    "LossyImport",
    "LossySave",
    "Mechanism",
    "MechanismError",
    "Mesh",
    "Method",
    "Model",
    "NearlyRedundant",
    "Pulley",
    "PushedApart",
    "RigidBodyCayley",
    "RigidBodyNewmark",
    "RigidMechanism",
    "SarrusError",
    "Sdirk",
    "SemiImplicit",
    "Signal",
    "Simulation",
    "Sphere",
    "State",
    "Status",
    "StepDerivatives",
    "StepFailed",
    "Stepper",
    "TargetsMissed",
    "Trajectory",
    "TreeMidpoint",
    "TreeTrapezoid",
    "UnknownName",
    "Variational",
    "Via",
    "Wrap",
    "WriteFailed",
    "align",
    "assemble",
    "build",
    "check_derivatives",
    "continuous",
    "convex_parts",
    "equilibrium",
    "frames",
    "gallery",
    "inverse_dynamics",
    "linearize",
    "load",
    "load_trajectory",
    "plots",
    "rotations",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return import_module(_ROOMS[name])
    raise AttributeError(f"module 'sarrus' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
