"""Inputs of a part of a step, and what a compiled controller sees."""

from sarrus import layout as at
from sarrus._jit import address_of, call_with_4, kernel
from sarrus.kinematics.coordinates import coordinate_joint, coordinate_rate


@kernel
def joint_velocities(topo, par, state, work, q, v):
    """Coordinates and velocities of all joints at the node, in the order of `joint_slices`; work holds the
    node"""
    for c in range(topo[0, at.JOINTS]):
        line = topo[0, at.T_JOINTS] + c
        for i in range(topo[line, at.JOINT_COORDINATES]):
            of, j = coordinate_joint(topo, par, c, i)
            value, rate, w = coordinate_rate(topo, par, state, work, of, j, True)
            q[0, topo[line, at.JOINT_COORDINATE] + i] = value
            v[0, topo[line, at.JOINT_COORDINATE] + i] = rate


@kernel
def inputs_at(u, k, part, stages, values, line):
    """Inputs at `part` (0 to 1) of step k: the polynomial through the samples at the ends of its
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
                    weight *= (part - there) / (here - there)
                if m < samples - 1:
                    there += stages[m]
            value += weight * u[k, j, i]
            least, most = min(least, u[k, j, i]), max(most, u[k, j, i])
            if j < samples - 1:
                here += stages[j]
        values[line, i] = min(max(value, least), most)


@kernel
def ask_controller(topo, par, state, work, time, control, u):
    """What a compiled controller gives at the node, into the inputs u (samples, inputs) of the step.

    control: its address, room for coordinates, velocities and (in line 2) its answer, and its memory"""
    address, q, v, values, memory = control
    joint_velocities(topo, par, state, work, q, v)
    call_with_4(
        address, time, address_of(q, 0, 0), address_of(v, 0, 0), address_of(values, 2, 0),
        address_of(memory, 0, 0),
    )  # fmt: skip
    for j in range(u.shape[0]):
        for i in range(topo[0, at.INPUTS]):
            u[j, i] = values[2, i]
