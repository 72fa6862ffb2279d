"""Spectral measures without eigenvectors, by Lanczos quadrature.

In: a Side. Out: its measure from a few dozen products with each Laplacian. Energies of
features are exact up to the steps taken, which go on until the curves stand still; the
complexity is estimated from random vectors, corrected by the moments of the spectrum
that are known exactly.
"""

from __future__ import annotations

import numpy as np

from skshake._jit import kernel
from skshake._splitmix import mix
from skshake.resolution._calibration import weigh_probes
from skshake.resolution._columns import (
    centre_columns,
    count_feature_columns,
    count_probes,
    fill_features,
    fill_probes,
    number_categories,
)
from skshake.resolution._lanczos import gauss_rule, take_step
from skshake.resolution._measure import NO_PROBE, SpectralMeasure
from skshake.resolution._side import Side

# Curves are compared after 16, 32, ... steps at these multiples of the mean eigenvalue;
# steps end when none moved by more than STILL, or after MOST_STEPS.
CHECKED = np.geomspace(1e-3, 1e2, 11)
FIRST_CHECK, MOST_STEPS, STILL = 12, 384, 1e-3
# Entries of the largest block of vectors: 4 million are 32 MB, and there are three.
BLOCK_ENTRIES = 4_000_000
TINY = np.finfo(np.float64).tiny


def lanczos_measure(side: Side, seed: int = 0) -> SpectralMeasure:
    """Measure of one side; a graph's part depends on the seed and its content alone."""
    graphs, features = side.graphs, side.features
    codes = np.zeros(features.categories.shape, np.int64)
    n_codes = np.zeros(len(codes.T), np.int64)
    for c, column in enumerate(features.categories.T):
        known, codes[:, c] = np.unique(column, return_inverse=True)
        n_codes[c] = len(known)
    weight = np.empty(0) if graphs.edge_weight is None else graphs.edge_weight
    points, point_ptr, moved = _measure_graphs(
        side.is_line,
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        np.empty(0) if side.is_line else weight,
        side.component,
        side.n_zeros,
        features.numeric,
        codes,
        n_codes,
        graphs.fingerprints ^ mix(np.uint64(seed)),
    )
    mu, reconstruction, dirichlet, complexity, spread, probe = points.T.copy()
    return SpectralMeasure(
        point_ptr,
        mu,
        reconstruction,
        dirichlet,
        complexity,
        spread,
        probe.astype(np.int8),
        moved,
    )


@kernel
def _measure_graphs(
    is_line,
    node_ptr,
    edge_ptr,
    all_edges,
    all_weight,
    all_component,
    n_zeros,
    all_numeric,
    all_codes,
    n_codes,
    streams,
):
    """Points of all graphs.

    Parameters
    ----------
    is_line, node_ptr, edge_ptr, all_edges, all_weight, all_component, n_zeros : the
        side, see Side; weights are empty where all are 1  # IN
    all_numeric : float32 array of shape (n_rows, n_numeric)  # IN
    all_codes : int64 array of shape (n_rows, n_categorical)  # IN
    n_codes : int64 array of shape (n_categorical,), one more than the largest  # IN
    streams : uint64 array of shape (n_graphs,), states of random numbers  # IN

    Returns
    -------
    points : float64 array of shape (n_points, 6): mu, the three weights, the weight
        for the error, probe
    point_ptr : int64 array of shape (n_graphs + 1,)
    moved : float64 array of shape (n_graphs,), last movement of the curves
    """
    n_graphs = len(node_ptr) - 1
    row_ptr = edge_ptr if is_line else node_ptr
    points, n_points = np.empty((1024, 6)), 0
    point_ptr, moved = np.zeros(n_graphs + 1, np.int64), np.zeros(n_graphs)
    most_codes = 0
    for c in range(len(n_codes)):
        most_codes = max(most_codes, n_codes[c])
    seen = np.full((most_codes, len(n_codes)), -1)
    for g in range(n_graphs):
        rows = slice(row_ptr[g], row_ptr[g + 1])
        n_rows = row_ptr[g + 1] - row_ptr[g]
        if n_rows > n_zeros[g]:
            edges = all_edges[edge_ptr[g] : edge_ptr[g + 1]]
            weight = all_weight[edge_ptr[g] : edge_ptr[g + 1]]
            n_nodes = node_ptr[g + 1] - node_ptr[g]
            degree, moments = _degrees_and_moments(is_line, edges, weight, n_nodes)
            moments[0] = n_rows - n_zeros[g]
            codes, n_local = number_categories(all_codes[rows], seen)
            mine, moved[g] = _measure_graph(
                is_line,
                edges,
                weight,
                degree,
                moments,
                _numbered_from_zero(all_component[rows]),
                all_numeric[rows],
                codes,
                n_local,
                streams[g],
            )
            while n_points + len(mine) > len(points):
                points = np.concatenate((points, np.empty_like(points)))
            for k in range(len(mine)):
                for c in range(6):
                    points[n_points, c] = mine[k, c]
                n_points += 1
        point_ptr[g + 1] = n_points
    return points[:n_points], point_ptr, moved


@kernel(inline=True)
def _numbered_from_zero(component):
    """Components less the smallest of their numbers."""
    least = component[0]
    for i in range(len(component)):
        least = min(least, component[i])
    numbers = np.empty(len(component), np.int64)
    for i in range(len(component)):
        numbers[i] = component[i] - least
    return numbers


@kernel(inline=True)
def _measure_graph(
    is_line,
    edges,
    weight,
    degree,
    moments,
    component,
    numeric,
    codes,
    n_codes,
    stream,
):
    """Points of one graph (n_points, 6), and the last movement of its curves."""
    n_rows, moved = len(component), 0.0
    n_features = count_feature_columns(numeric.shape[1], n_codes)
    n_columns = n_features + count_probes(n_rows)
    width = max(1, min(n_columns, BLOCK_ENTRIES // n_rows))
    points = np.empty((0, 6))
    for first in range(0, n_columns, width):
        block = np.zeros((n_rows, min(width, n_columns - first)))
        fill_features(first, numeric, codes, n_codes, stream, block)
        fill_probes(first - n_features, stream, block)
        size = centre_columns(component, block)
        n_mine = min(max(n_features - first, 0), block.shape[1])
        mu, weight_of, length, change = _run(
            is_line, edges, weight, degree, block, size, n_mine, moments
        )
        moved = max(moved, change)
        n_new = 0
        for c in range(len(length)):
            n_new += length[c]
        new = np.zeros((n_new, 6))
        _collect(mu, weight_of, length, size, n_mine, first - n_features, new)
        points = np.concatenate((points, new))
    for c in range(1, 3):
        total = 0.0
        for k in range(len(points)):
            total += points[k, c]
        for k in range(len(points)):
            points[k, c] /= max(total, TINY)
    weigh_probes(points, moments, n_rows)
    return points, moved


@kernel
def _collect(mu, weight_of, length, size, n_features, first_probe, points):
    """Write the Gauss rules of a block as points.

    Parameters
    ----------
    mu, weight_of, length : from _run  # IN
    size : float64 array of shape (n_columns,), squared norms of the columns  # IN
    n_features : int, columns before are features, those after are probes  # IN
    first_probe : int, number of the block's first column among the probes  # IN
    points : float64 array of shape (n_points, 6)  # OUT
    """
    k = 0
    for c in range(len(length)):
        for i in range(length[c]):
            weight = size[c] * weight_of[c, i]
            points[k, 0] = max(mu[c, i], TINY)
            if c < n_features:
                points[k, 1] = weight
                points[k, 2] = weight * points[k, 0]
                points[k, 5] = NO_PROBE
            else:
                points[k, 3] = weight
                points[k, 5] = first_probe + c
            k += 1


@kernel
def _degrees_and_moments(is_line, edges, weight, n_nodes):
    """Degrees of the nodes, and traces (unset, tr L, tr L^2) of the operator.

    Weighted degrees on the node side; numbers of edges on the edge side.
    """
    degree, moments = np.zeros(n_nodes), np.zeros(3)
    for e in range(len(edges)):
        w = weight[e] if len(weight) else 1.0
        degree[edges[e, 0]] += w
        degree[edges[e, 1]] += w
        if not is_line:
            moments[2] += 2.0 * w * w
    if is_line:
        for e in range(len(edges)):
            neighbours = degree[edges[e, 0]] + degree[edges[e, 1]] - 2.0
            moments[1] += neighbours
            moments[2] += neighbours * (neighbours + 1.0)
    else:
        squares = 0.0
        for v in range(n_nodes):
            moments[1] += degree[v]
            squares += degree[v] * degree[v]
        moments[2] += squares
    return degree, moments


@kernel
def _run(is_line, edges, weight, degree, block, size, n_features, moments):
    """Take Lanczos steps until the curves of a block of columns stand still.

    Parameters
    ----------
    is_line, edges, weight, degree : see take_step  # IN
    block : float64 array of shape (n_rows, n_columns), of norm 1 or 0  # IN and SCRATCH
    size : float64 array of shape (n_columns,), squared norms before  # IN
    n_features : int, the columns before are features, those after are probes  # IN
    moments : n_positive, tr L, tr L^2  # IN

    Returns
    -------
    mu, weight_of : float64 arrays of shape (n_columns, most_steps), Gauss rules
    length : int64 array of shape (n_columns,), points of each column
    change : float, last movement of the curves; 0 where the rule is exact
    """
    n_rows, n_columns = block.shape
    most = int(min(MOST_STEPS, moments[0]))
    alpha, beta = np.zeros((n_columns, most)), np.zeros((n_columns, most))
    length, reached = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64)
    for c in range(n_columns):
        length[c] = -1 if size[c] > 0 else 0
    work = (
        np.zeros((n_rows, n_columns)),
        block,
        np.empty((n_rows, n_columns)),
        np.empty((len(degree) if is_line else 0, n_columns)),
    )
    qs = CHECKED * (moments[1] / moments[0])
    curves, before = np.zeros((len(qs), 3)), np.zeros((len(qs), 3))
    # Where so few steps are exact, checks would cost more than they save.
    check = FIRST_CHECK if most > 2 * FIRST_CHECK else 2 * most
    mu, weight_of = np.empty((n_columns, most)), np.empty((n_columns, most))
    # Not a literal 0, for which take_step would be compiled once more.
    n_checks, change, step = 0, 0.0, np.int64(0)
    while step < most and _goes_on(length):
        work = take_step(
            step, edges, weight, degree, is_line, work, alpha, beta, length
        )
        step += 1
        if step == check:
            for k in range(len(qs)):
                for kind in range(3):
                    before[k, kind] = curves[k, kind]
            _note_steps(length, step, reached)
            _find_rules(alpha, beta, reached, mu, weight_of)
            _sum_curves(mu, weight_of, reached, size, n_features, qs, curves)
            n_checks += 1
            check *= 2
            if n_checks > 1:
                change = 0.0
                for k in range(len(qs)):
                    for kind in range(3):
                        change = max(change, abs(curves[k, kind] - before[k, kind]))
                if change < STILL:
                    return mu, weight_of, reached, change
    _note_steps(length, step, reached)
    _find_rules(alpha, beta, reached, mu, weight_of)
    is_exact = not _goes_on(length) or step == int(moments[0])
    return mu, weight_of, reached, 0.0 if is_exact else change


@kernel(inline=True)
def _goes_on(length):
    """Whether some column is not exhausted, which has length -1."""
    goes_on = False
    for c in range(len(length)):
        goes_on |= length[c] < 0
    return goes_on


@kernel(inline=True)
def _note_steps(length, step, reached):
    """Steps of each column, also of those that go on."""
    for c in range(len(length)):
        reached[c] = step if length[c] < 0 else length[c]


@kernel
def _find_rules(alpha, beta, length, mu, weight_of):
    """Gauss rule of each column."""
    for c in range(len(length)):
        n = length[c]
        if n:
            gauss_rule(alpha[c, :n], beta[c, :n], mu[c, :n], weight_of[c, :n])


@kernel
def _sum_curves(mu, weight_of, length, size, n_features, qs, curves):
    """L_rec and L_dir of the block's features and the mean gain of its probes."""
    for k in range(len(qs)):
        for kind in range(3):
            curves[k, kind] = 0.0
    energy, roughness = 0.0, 0.0
    n_probes = max(len(size) - n_features, 1)
    for c in range(len(size)):
        for i in range(length[c]):
            m, w = mu[c, i], weight_of[c, i]
            if c < n_features:
                energy += size[c] * w
                roughness += size[c] * w * m
            for k in range(len(qs)):
                gain = qs[k] / (qs[k] + m)
                if c < n_features:
                    lost = size[c] * w * (1.0 - gain) * (1.0 - gain)
                    curves[k, 0] += lost
                    curves[k, 1] += lost * m
                else:
                    curves[k, 2] += w * gain / n_probes
    for k in range(len(qs)):
        curves[k, 0] /= max(energy, TINY)
        curves[k, 1] /= max(roughness, TINY)
