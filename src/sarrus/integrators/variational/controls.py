"""Inputs of a part of a step, and what a compiled controller sees."""

from sarrus._jit import kernel
from sarrus.dynamics.coordinates import coordinate_joint, coordinate_rate
from sarrus.layout import JOINT_COORDINATE, JOINT_COORDINATES, JOINTS, T_JOINTS


@kernel
def joint_velocities(topo, par, state, work, q, v):
    """Coordinates and velocities of all joints at the node, in the order of `joint_slices`; work holds the
    node"""
    for c in range(topo[0, JOINTS]):
        line = topo[0, T_JOINTS] + c
        for i in range(topo[line, JOINT_COORDINATES]):
            of, j = coordinate_joint(topo, c, i)
            value, rate, w = coordinate_rate(topo, par, state, work, of, j, True)
            q[0, topo[line, JOINT_COORDINATE] + i] = value
            v[0, topo[line, JOINT_COORDINATE] + i] = rate


@kernel
def inputs_at(u, k, at, stages, values, line):
    """Inputs at the part `at` (0 to 1) of step k: the polynomial through the samples at the ends of its
    stages, kept between the least and the largest of them.  It is each sample where that was taken, and
    linear where the samples are"""
    samples = stages.shape[0] + 1
    for i in range(u.shape[2]):
        value, least, most = 0.0, u[k, 0, i], u[k, 0, i]
        here = 0.0
        for j in range(samples):
            weight, there = 1.0, 0.0
            for m in range(samples):
                if m != j:
                    weight *= (at - there) / (here - there)
                if m < samples - 1:
                    there += stages[m]
            value += weight * u[k, j, i]
            least, most = min(least, u[k, j, i]), max(most, u[k, j, i])
            if j < samples - 1:
                here += stages[j]
        values[line, i] = min(max(value, least), most)
