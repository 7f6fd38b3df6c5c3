"""The node as the configuration that everything is evaluated at."""

from sarrus import layout as at
from sarrus._jit import helper
from sarrus.maths.access import get3, get4, put3, put4, put9
from sarrus.maths.quaternion import rotation


@helper
def place_node(state, work, b):
    """The configuration of body b at the node becomes the one in `work`"""
    q = get4(state, b, at.Q)
    put3(work, b, at.X1, get3(state, b, at.X))
    put4(work, b, at.Q1, q)
    put9(work, b, at.R1, rotation(q))
