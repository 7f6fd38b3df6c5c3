"""Vectors, quaternions, spatial vectors and 3x3 blocks as tuples of numbers: pure functions, compiled and
inlined."""
