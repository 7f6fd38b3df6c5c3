"""Convex shapes that may touch: which pairs are near, how far apart they are, and between which features the
features of a step run.  Knows nothing of mechanisms."""
