"""The numbers that the equations of a step need beside its arrays."""

from typing import NamedTuple


class Step(NamedTuple):
    """One step, or one stage of it."""

    time: float
    """[s] at its first node"""
    dt: float
    """its length [s]; negative where a stage runs backwards"""
    ratio: float
    """dt over the length of the last step"""
    left: float
    """weight of the forces at its first node (1/2: second order; 1: as printed in [MC23])"""
    right: float
    """weight of those at its last"""
    gravity: tuple[float, float, float]
    """[m/s^2]"""
    tolerance: float
    """largest error of a converged step [m, 2 sin(angle/2)]"""
    limit: float
    """error allowed in redundant rows"""
    most: int
    """iterations at most"""
    read: bool
    """whether velocities were read out at the first node"""
    starts: int
    """starts that a stage with contacts tries at most"""


class Part(NamedTuple):
    """A part of a step that converged, for the judgement of its energy."""

    length: float
    """[s]"""
    gravity: tuple[float, float, float]
    """[m/s^2]"""
    kinetic: float
    """energy at its first node [J]"""
    inner: float
    """that of its own velocities, with contacts [J]"""
    work: float
    """done on it [J]"""
    turn: float
    """largest turn of a joint [rad]"""
    pivot: float
    """smallest of a loop at its two nodes, over its scale"""
    allowed: float
    """imbalance allowed, over the largest kinetic energy so far"""
    before: tuple[float, float, float, float]
    """work of motors, dampers, contacts and applied forces in the step before this part [J]"""


class Path(NamedTuple):
    """How an interior point goes from its start to its end."""

    stage: int
    """POSITIONS or MOMENTA"""
    end: float
    """barrier to reach, natural units"""
    most: int
    """iterations at most"""
    level: float
    """0 for Mehrotra's predictor-corrector; else the barrier at the start of short steps"""
    centre: float
    """least factor by which the predictor-corrector lowers the barrier at once"""
