from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.hyps import Lists

Vector = NDArray[np.float64]


def logistic_regression(
    lists: Lists, pairs: NDArray[np.int64], free: NDArray[np.bool_], regularization: float
) -> Vector:
    """The weights that make the first of each pair of candidates win, most probably.

    Minimises the mean of log(1 + exp(-w . x)) over the differences x of features, plus
    `regularization` / 2 times the squared norm of w, with every feature in units of its own
    root mean square over the pairs. Weights that are not free are 0.
    """
    from scipy.optimize import minimize  # here: it takes longer to import than commands to run

    dense = lists.dense[pairs[:, 0]] - lists.dense[pairs[:, 1]]
    sparse = _sparse_differences(lists, pairs)
    squares = np.concatenate(
        [(dense**2).mean(axis=0), np.asarray(sparse.multiply(sparse).mean(axis=0)).ravel()]
    )
    scale = np.where(free & (squares > 0), 1 / np.sqrt(np.where(squares > 0, squares, 1)), 0)
    n_dense, n_pairs = lists.n_dense, len(pairs)
    learned = np.flatnonzero(scale)  # the search costs time for every weight, even if it stays at 0

    def loss(weights: Vector) -> tuple[float, Vector]:
        scaled = np.zeros(len(scale))
        scaled[learned] = weights * scale[learned]
        # Not BLAS: how it groups sums depends on threads and machine.
        margins = np.einsum("ij,j->i", dense, scaled[:n_dense]) + sparse @ scaled[n_dense:]
        pull = -0.5 * (1 - np.tanh(margins / 2)) / n_pairs
        gradient = np.concatenate([np.einsum("ij,i->j", dense, pull), sparse.T @ pull])
        value = np.logaddexp(0, -margins).mean() + regularization / 2 * (weights**2).sum()
        return float(value), (gradient * scale)[learned] + regularization * weights

    start = np.zeros(len(learned))
    minimum: Any = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    weights = np.zeros(len(scale))
    weights[learned] = minimum.x * scale[learned]
    return weights


def _sparse_differences(lists: Lists, pairs: NDArray[np.int64]) -> Any:
    from scipy.sparse import csr_matrix

    shape = len(lists), len(lists.keys)
    # The matrix shares the lists' memory; only the rows of pairs are copied, and become floats.
    matrix = csr_matrix((lists.values, lists.columns, lists.row_offsets), shape=shape, copy=False)
    better, worse = (matrix[pairs[:, side]].astype(np.float64) for side in (0, 1))
    return (better - worse).tocsr()
