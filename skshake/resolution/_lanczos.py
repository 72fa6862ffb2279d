"""Lanczos recurrences of many vectors at once, and the Gauss rules that they give.

In: the edges of one graph and some start vectors. Out: points mu and weights w of
each vector x, with ``sum w f(mu) = x' f(L) x / x' x`` for polynomials f of degree up to
twice the steps less one (Golub & Meurant, "Matrices, Moments and Quadrature", 1994).
Neither L nor the line graph is formed: both act through the list of edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skshake._jit import kernel

# A residual below this share of the scale of the Laplacian ends a recurrence: the
# vectors so far span an invariant space.
EXHAUSTED = 1e-10


class Operator(NamedTuple):
    """The Laplacian of one graph, or of its line graph.

    ``edges`` int32 (n_edges, 2); ``weight`` float64 (n_edges,), or empty for weights of
    1; ``degree`` float64 (n_nodes,): weighted, or edges at a node if ``is_line``.
    """

    is_line: bool
    edges: np.ndarray
    weight: np.ndarray
    degree: np.ndarray


class Work(NamedTuple):
    """Vectors of the recurrences, float64 (n_rows, n_columns).

    ``sums`` is scratch of the line graph's operator, (n_nodes, n_columns).
    """

    previous: np.ndarray
    current: np.ndarray
    following: np.ndarray
    sums: np.ndarray


class Recurrence(NamedTuple):
    """The tridiagonal matrix of each column.

    ``alpha``, ``beta`` float64 (n_columns, most_steps), diagonal and off-diagonal;
    ``length`` int64 (n_columns,), steps until the column is exhausted, -1 before.
    """

    alpha: np.ndarray
    beta: np.ndarray
    length: np.ndarray


@kernel
def apply_laplacian(edges, weight, x, y):
    """Write L x to y, the sum over edges of w (x_u - x_v) at u and its negative at v.

    Parameters
    ----------
    edges : int32 array of shape (n_edges, 2)  # IN
    weight : float64 array of shape (n_edges,) or (0,) for weights of 1  # IN
    x : float64 array of shape (n_nodes, n_columns)  # IN
    y : float64 array of shape (n_nodes, n_columns)  # OUT
    """
    n_columns = x.shape[1]
    y[:] = 0.0
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        w = weight[e] if len(weight) else 1.0
        for c in range(n_columns):
            flow = w * (x[u, c] - x[v, c])
            y[u, c] += flow
            y[v, c] -= flow


@kernel
def apply_line_laplacian(edges, degree, x, sums, y):
    """Write L_e x to y, with L_e of the unweighted line graph.

    With the unsigned incidence matrix B, L_e = diag(d_u + d_v) - B'B, so that one pass
    to the nodes and one back suffice.

    Parameters
    ----------
    edges : int32 array of shape (n_edges, 2)  # IN
    degree : float64 array of shape (n_nodes,), edges at each node  # IN
    x : float64 array of shape (n_edges, n_columns)  # IN
    sums : float64 array of shape (n_nodes, n_columns)  # SCRATCH
    y : float64 array of shape (n_edges, n_columns)  # OUT
    """
    n_columns = x.shape[1]
    sums[:] = 0.0
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        for c in range(n_columns):
            sums[u, c] += x[e, c]
        for c in range(n_columns):
            sums[v, c] += x[e, c]
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        both = degree[u] + degree[v]
        for c in range(n_columns):
            y[e, c] = both * x[e, c] - sums[u, c] - sums[v, c]


@kernel
def take_step(step, operator, work, recurrence):
    """Extend the recurrence of every column by one step.

    Parameters
    ----------
    step : int, steps taken before  # IN
    operator : Operator  # IN
    work : Work  # IN and OUT
    recurrence : Recurrence  # IN and OUT, at ``step``

    Returns
    -------
    work : Work
        The same arrays, rotated for the next step.
    """
    previous, current, following, sums = work
    alpha, beta, length = recurrence
    n_rows, n_columns = current.shape
    if operator.is_line:
        apply_line_laplacian(operator.edges, operator.degree, current, sums, following)
    else:
        apply_laplacian(operator.edges, operator.weight, current, following)
    dot, norm = np.zeros(n_columns), np.zeros(n_columns)
    last = np.zeros(n_columns)
    for c in range(n_columns if step else 0):
        last[c] = beta[c, step - 1]
    for i in range(n_rows):
        for c in range(n_columns):
            following[i, c] -= last[c] * previous[i, c]
            dot[c] += following[i, c] * current[i, c]
    for i in range(n_rows):
        for c in range(n_columns):
            following[i, c] -= dot[c] * current[i, c]
            norm[c] += following[i, c] * following[i, c]
    factor = np.zeros(n_columns)
    for c in range(n_columns):
        alpha[c, step] = dot[c]
        norm[c] = np.sqrt(norm[c])
        if length[c] < 0 and norm[c] <= EXHAUSTED * max(dot[c], alpha[c, 0]):
            length[c] = step + 1
        if length[c] < 0:
            beta[c, step] = norm[c]
            factor[c] = 1.0 / norm[c]
    for i in range(n_rows):
        for c in range(n_columns):
            following[i, c] *= factor[c]
    return Work(current, following, previous, sums)


@kernel
def gauss_rule(alpha, beta, mu, weight):
    """Points and weights of the Gauss rule of a tridiagonal matrix.

    The QL algorithm with implicit shifts, carrying the first row of the eigenvectors
    alone (Golub & Welsch 1969): quadratic in the steps.

    Parameters
    ----------
    alpha, beta : float64 arrays of shape (n_steps,), diagonal and off-diagonal (the
        last of beta is not read)  # IN
    mu, weight : float64 arrays of shape (n_steps,)  # OUT, weights summing to 1
    """
    n = len(alpha)
    off = np.zeros(n)
    for k in range(n):
        off[k] = beta[k] if k < n - 1 else 0.0
        mu[k] = alpha[k]
        weight[k] = 1.0 if k == 0 else 0.0
    eps = np.finfo(np.float64).eps
    for first in range(n):
        while True:
            last = first
            while last < n - 1:
                if abs(off[last]) <= eps * (abs(mu[last]) + abs(mu[last + 1])):
                    break
                last += 1
            if last == first:
                break
            g = (mu[first + 1] - mu[first]) / (2.0 * off[first])
            r = np.sqrt(g * g + 1.0)
            g = mu[last] - mu[first] + off[first] / (g + np.copysign(r, g))
            s, c, p = 1.0, 1.0, 0.0
            is_split = False
            for i in range(last - 1, first - 1, -1):
                f, b = s * off[i], c * off[i]
                r = np.sqrt(f * f + g * g)
                off[i + 1] = r
                if r == 0.0:
                    mu[i + 1] -= p
                    off[last] = 0.0
                    is_split = True
                    break
                s, c = f / r, g / r
                g = mu[i + 1] - p
                r = (mu[i] - g) * s + 2.0 * c * b
                p = s * r
                mu[i + 1] = g + p
                g = c * r - b
                row = weight[i + 1]
                weight[i + 1] = s * weight[i] + c * row
                weight[i] = c * weight[i] - s * row
            if not is_split:
                mu[first] -= p
                off[first] = g
                off[last] = 0.0
    for i in range(n):
        weight[i] *= weight[i]
