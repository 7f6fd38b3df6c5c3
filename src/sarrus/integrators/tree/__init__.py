"""Variational integrators in joint coordinates, on the tree of frames that the spanning tree of a mechanism
is.

plan.py makes the frames of a model; stage.py evaluates the Lagrangian and its derivatives at one place of a
step; groups.py has the Cayley maps of joints that turn freely; newton.py solves one step with the dense
factor of dense.py or the recursion of recursion.py; node.py reads velocities out."""
