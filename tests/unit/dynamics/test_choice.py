"""The choice of the rows of a loop against a dense Cholesky factorisation with pivots."""

import numpy as np
import pytest

import sarrus
from sarrus import layout as at
from sarrus.model.linear import Linearisation
from sarrus.model.redundancy import choose_rows

# Pivots over their scale: a dense inverse of some 20 rows against the elimination of the tree.
SAME = 1e-9
LOOPS = ("four_bar", "bennett", "bricard", "slider_crank")


def dense_matrix(model, j):
    """Matrix of the rows of joint j in the metric of the masses, all other joints obeyed; scaled."""
    here = Linearisation(model.every, model.every.state.copy())
    topo, rows = model.every.topo, len(here.residual)
    of = topo[topo[0, at.T_ROWS] : topo[0, at.T_ROWS] + rows, at.ROW_OF]
    places = model.every.state[topo[0, at.S_ROWS] :][:rows, at.ACTIVE].astype(int)
    G, W = here.matrix.toarray(), here.inverse_mass().toarray()
    tree, own = G[of != j], G[of == j][np.argsort(places[of == j])]
    free = W - W @ tree.T @ np.linalg.pinv(tree @ W @ tree.T, rcond=1e-12) @ tree @ W
    scale = np.sqrt(model.ranks.scales[j, np.sort(places[of == j])])
    return own @ free @ own.T / np.outer(scale, scale), np.sort(places[of == j])


def pivoted(A, rank):
    """(order of the pivots, pivots) of the first `rank` steps of Cholesky's method."""
    A, order, pivots = A.copy(), [], []
    for _ in range(rank):
        k = int(np.argmax(np.diag(A)))
        order.append(k)
        pivots.append(A[k, k])
        A -= np.outer(A[:, k], A[k]) / A[k, k]
        A[k, :] = A[:, k] = 0.0
    return order, pivots


@pytest.mark.parametrize("name", LOOPS)
def test_rows_are_those_of_a_dense_factorisation(name):
    model = sarrus.build(getattr(sarrus.gallery, name)())
    (j,) = model.ranks.ranks
    state = model.candidates.state.copy()
    choice = choose_rows(model.candidates, state, model.ranks.scales, model.ranks.ranks)
    A, places = dense_matrix(model, j)
    assert np.abs(choice.blocks[j] - A).max() < SAME
    order, pivots = pivoted(A, model.ranks.ranks[j])
    assert choice.smallest[j] == pytest.approx(min(pivots), rel=1e-6)
    # Rows with equal pivots may come in either order.
    assert np.linalg.matrix_rank(A[np.ix_(order, order)], tol=SAME) == model.ranks.ranks[j]
    chosen = [list(places).index(p) for p in choice.places[j]]
    assert np.linalg.slogdet(A[np.ix_(chosen, chosen)])[1] == pytest.approx(
        np.linalg.slogdet(A[np.ix_(order, order)])[1], abs=1e-6
    )


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_beyond_the_rank_is_rounding(name):
    model = sarrus.build(getattr(sarrus.gallery, name)())
    (j,) = model.ranks.ranks
    A, _ = dense_matrix(model, j)
    assert np.linalg.matrix_rank(A, tol=SAME) <= model.ranks.ranks[j]
