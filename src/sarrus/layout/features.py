"""Contact features: which points, edges and faces of two bodies meet.  See `kinematics/features.py`.

One line per contact in arrays of their own, and the first columns of the contacts in `state`."""

from __future__ import annotations

from sarrus.layout.declare import Table, Values

features = Table("features", "contact features", "a pair of features of two bodies")
FEATURE_TYPE = features.column(
    "FEATURE_TYPE", 1, "kind", "see the types of features",
    "kinematics, collision, model, integrators", "kinematics, collision, model, integrators, viewers",
)  # fmt: skip
FEATURE_FLIP = features.column(
    "FEATURE_FLIP", 1, "flag", "whether the pair's first body plays B",
    "collision", "kinematics, collision, integrators",
)  # fmt: skip
FEATURE_PA = features.column("FEATURE_PA", 3, "m", "point on A", "collision, model", "kinematics, collision")
FEATURE_PB = features.column(
    "FEATURE_PB", 3, "m", "point on B", "kinematics, collision, model", "kinematics, collision"
)
FEATURE_N = features.column(
    "FEATURE_N", 3, "1", "normal or direction fixed in A", "collision, model", "kinematics, collision"
)
FEATURE_E = features.column(
    "FEATURE_E", 3, "1", "direction fixed in B", "collision, model", "kinematics, collision"
)
FEATURE_R = features.column(
    "FEATURE_R", 1, "m", "radius, or length of a rope", "collision, model", "kinematics, collision, model"
)
FEATURE_KEY = features.column(
    "FEATURE_KEY", 1, "number", "names the pair of features, from step to step",
    "collision, integrators", "kinematics, collision, integrators",
)  # fmt: skip
FEATURE_RB = features.column("FEATURE_RB", 1, "m", "B's part of the radius", "collision, model", "kinematics")

feature_types = Values("types of features", "Values of FEATURE_TYPE.")
NO_FEATURE = feature_types.value("NO_FEATURE", 0, "the line is not used")
PLANE = feature_types.value("PLANE", 1, "a plane of A and a point of B")
POINTS = feature_types.value("POINTS", 2, "two points")
LINE = feature_types.value("LINE", 3, "a line on A and a point of B")
EDGES_FEATURE = feature_types.value("EDGES_FEATURE", 4, "lines on both")
ROPE = feature_types.value("ROPE", 5, "two points that cannot part further than a length")
RIM = feature_types.value("RIM", 6, "a plane of A and the lowest point of a circle on B")
