"""Columns of the arrays of a run in joint coordinates.

A frame is what one joint freedom moves: a turn, a slide, a screw, or a group joint (a free rotation SO(3), a
free body SE(3)).  Frames stand parents first, the world is frame -1.  A body hangs on one frame; frames may
be without mass.  Freedoms of a frame stand together.  Spatial vectors are (rotation, translation) and
(torque, force), world axes, about a point near the root of their tree, REF: far from it inertias about the
origin would be lost in rounding."""

# `tree`, integers.  Line 0: counts, and whether freedoms are one chain, the matrix is kept entry by entry,
# all pairs of freedoms are coupled now, elements act on bodies, these may be stiff, joints turn freely,
# freedoms are nearly one chain, so that it is faster to take all pairs for coupled.  Then a line per frame:
# HEAVY is 2 where its inertia is diagonal; FLIES: three slides of its joint stand above it.
FRAMES, FREEDOMS, CHAIN, DENSE, FULL, PUSHED, STIFFLY, GROUPS, DEEP = 0, 1, 2, 3, 4, 5, 6, 7, 8
PARENT, KIND, FIRST, COUNT, HEAVY, FLIES = 0, 1, 2, 3, 4, 5
TREE_COLS = 9
# Kinds of frames.
TURN, SLIDE, SCREW, ROTATION, MOTION = 0, 1, 2, 3, 4

# `freedoms`, integers, one line per freedom: the freedom above it (-1: none), its frame, the joint and the
# coordinate it is (-1: it is none of its own), the line of the joint's drive in `par` (-1: none).
ABOVE, FRAME, JOINT, COORDINATE, DRIVE = 0, 1, 2, 3, 4
FREEDOM_COLS = 5

# `spans`, one line per frame and one for the world: the edges of the rows that close at it, from CLOSE0, and
# of those that pass through it, from OPEN0 to OPEN1.  `edges`: the row, and its edge at the frame above (-1
# where it closes).  A row passes through the frames between its bodies and the upper one.
CLOSE0, OPEN0, OPEN1 = 0, 1, 2
ROW, UP = 0, 1
# `we`, work per edge: how the row sees what moves above (RA), how its multiplier acts there (RB), its
# coefficients of the freedoms of the frame (RC), and the freedoms' answer to its multiplier (RE).
RA, RB, RC, RE = 0, 12, 24, 30
WE_COLS = 36

# `constants`, one line per frame: place in the frame above, axis, pitch, mass, centre of mass and inertia
# about it (xx, yy, zz, xy, xz, yz), in the axes of the frame.
OFFSET, AXIS, PITCH, MASS, CENTRE, INERTIA = 0, 3, 6, 7, 8, 11
CONSTANT_COLS = 17

# `bodies`: frame of every body; `centres` (n, 3): its centre of mass in the axes of the frame.

# `node`: one line per frame.  Coordinate of a turn, slide or screw; quaternion, and place of a free body on
# SE(3) and the force part of its momentum in world axes, in which no step rounds it.
VALUE, QUATERNION, PLACE, MOMENTUM = 0, 0, 4, 7
NODE_COLS = 10
# `motion`: one line per freedom.  Momentum and velocity at the node; increments of the last step and of the
# four before, over their lengths, from X; armature; 1, or 1 over the size of the mechanism for what slides.
P, V, X, ARMATURE, UNIT = 0, 1, 2, 7, 8
STEPS_KEPT = 5
MOTION_COLS = 9

# `wf`, work per frame at a stage: turn, place seen from REF, velocity, inertia and momentum of all that hangs
# on it (mass, mass times centre, inertia about REF), wrench of the elements, REF.  Of group joints: their
# maps A, B, C, E, X (6 x 6), quaternion and place of the stage; impulses of the step on a free body on SE(3),
# force parts at its first and at its last node.
QF, RF, OF, VF, IC, HC, WC, REF = 0, 4, 13, 16, 22, 32, 38, 44
MAP_A, MAP_B, MAP_C, MAP_E, MAP_X, STAGED = 48, 84, 120, 156, 192, 228
GIVEN = 236
WF_COLS, WF_GROUP_COLS = 48, 242

# `wd`, work per freedom.  Trial increment and velocity; motion S and its change Sd; a = Ic S,
# b = S x* H + Ic Sd, gravity's term; generators of the Newton matrix; its own block; residual, momentum at
# the end, the element forces; what solving needs.
XT, VT, R, P2, G, SCALE, STIFF, DAMP, EFFORT, SLOPE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
S, SD, AI, BI, WG, TARGET = 10, 16, 22, 28, 34, 37
SP, SM, Y, Z, OWN = 38, 50, 62, 74, 86
AL, KK, PIV, RHS = 92, 104, 116, 124
WD_COLS = 128
# Ports: midpoint 6 numbers and gravity's 3; trapezoid 6 for each of its two stages; mass matrix 6.  They are
# passed as tuples, whose length is known to the compiler.
MIDPOINT_PORT, TRAPEZOID_PORT, MASS_PORT = (0.0,) * 9, (0.0,) * 12, (0.0,) * 6
MOST_PORT = 12
