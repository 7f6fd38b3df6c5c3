"""The equations of one step as functions of all they depend on, for derivatives of the step."""

from sarrus._jit import entry
from sarrus.integrators.tree import columns as col
from sarrus.integrators.tree.closures import add_multipliers, put_targets, row_errors
from sarrus.integrators.tree.newton import evaluate, place_end
from sarrus.integrators.tree.node import enter_node
from sarrus.integrators.tree.stage import gather, place_frames, put_references
from sarrus.maths.access import get6
from sarrus.maths.spatial import dot6


@entry
def step_equations(plan, room, settings, values, dt, x, out, port, elements, loops):
    """Residual of the momentum balance into out[0], momenta at the end of the step into out[1], for the node
    as it is, the increments x and the multipliers rows[0]; errors of the rows into rows[1]"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    if elements is not None or loops is not None:
        enter_node(plan, room, elements, loops)
    if elements is not None and loops is not None:
        put_targets(topo, state, values, 1.0, dt)
    put_references(tree, con, node, wf)
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.XT] = x[d]
    evaluate(plan, room, settings, values, dt, False, port, elements)
    if loops is not None:
        place_end(plan, room, port)
        row_errors(topo, par, state, work, rows[1], elements)
        add_multipliers(tree, spans, edges, D0, rows[0], wd)
    for d in range(tree[0, col.FREEDOMS]):
        out[0, d] = wd[d, col.R]
        out[1, d] = wd[d, col.P2]


@entry
def momenta_of_rates(plan, room, v, out):
    """Momenta of the freedoms for their velocities v at the node"""
    tree, freedoms, con, bodies, centres, acts_on, carried, stops, spans, edges, topo, par, scales = plan
    node, motion, wf, wd, A, F, ports, rhs, state, work, D0, D1, L0, T1, K, we, rows = room
    for d in range(tree[0, col.FREEDOMS]):
        wd[d, col.XT] = 0.0
        wd[d, col.VT] = v[d]
    put_references(tree, con, node, wf)
    place_frames(tree, con, node, wf, wd, 0.0, True)
    gather(tree, wf)
    for i in range(tree[0, col.FRAMES]):
        for d in range(tree[i + 1, col.FIRST], tree[i + 1, col.FIRST] + tree[i + 1, col.COUNT]):
            out[d] = dot6(get6(wd, d, col.S), get6(wf, i, col.HC)) + motion[d, col.ARMATURE] * v[d]
