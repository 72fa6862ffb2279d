"""Spectral measures without eigenvectors, by Lanczos quadrature.

In: a Laplacian. Out: its measure from a few dozen products with each graph's. Energies
of features are exact up to the steps taken, which go on until the curves stand still;
the complexity is estimated from random vectors, corrected by the moments of the
spectrum that are known exactly.
"""

from __future__ import annotations

from typing import NamedTuple

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
from skshake.resolution._curves import SPECTRAL_LOSSES, SpectralLoss, powers_of
from skshake.resolution._lanczos import (
    Operator,
    Recurrence,
    Work,
    gauss_rule,
    take_step,
)
from skshake.resolution._laplacian import Laplacian
from skshake.resolution._measure import NO_PROBE, SpectralMeasure
from skshake.resolution._points import COMPLEXITY, FIRST_LOSS, MU, PROBE

# Curves are compared after 12, 24, ... steps at these multiples of the mean eigenvalue;
# steps end when none moved by more than STILL, or after MOST_STEPS.
CHECKED = np.geomspace(1e-3, 1e2, 11)
FIRST_CHECK, MOST_STEPS, STILL = 12, 384, 1e-3
# Entries of all vectors that are iterated at once: 4 million are 32 MB, three times.
MOST_ENTRIES = 4_000_000
TINY = np.finfo(np.float64).tiny


class Operators(NamedTuple):
    """The operators of all graphs, see :class:`Laplacian`.

    ``weight`` is empty where all weigh 1.
    """

    is_line: bool
    node_ptr: np.ndarray
    edge_ptr: np.ndarray
    edges: np.ndarray
    weight: np.ndarray
    component: np.ndarray
    n_zeros: np.ndarray


class Signals(NamedTuple):
    """Features that the operators smooth.

    ``numeric`` float32 (n_rows, n_numeric); ``codes`` int64 (n_rows, n_categorical);
    ``n_codes`` int64 (n_categorical,), one more than the largest code, or in a graph
    the number of its categories.
    """

    numeric: np.ndarray
    codes: np.ndarray
    n_codes: np.ndarray


class Rules(NamedTuple):
    """Gauss rules of some columns.

    ``mu``, ``weight`` float64 (n_columns, most_steps), filled as far as ``length``
    int64 (n_columns,).
    """

    mu: np.ndarray
    weight: np.ndarray
    length: np.ndarray


def lanczos_measure(
    laplacian: Laplacian,
    seed: int = 0,
    losses: tuple[SpectralLoss, ...] = SPECTRAL_LOSSES,
) -> SpectralMeasure:
    """Measure of a Laplacian; a graph's part depends on the seed and its content."""
    graphs, features = laplacian.graphs, laplacian.features
    codes = np.zeros(features.categories.shape, np.int64)
    n_codes = np.zeros(len(codes.T), np.int64)
    for c, column in enumerate(features.categories.T):
        known, codes[:, c] = np.unique(column, return_inverse=True)
        n_codes[c] = len(known)
    operators = Operators(
        laplacian.is_line,
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        np.empty(0) if laplacian.is_line else graphs.kernel_weight,
        laplacian.component,
        laplacian.n_zeros,
    )
    points, point_ptr, moved = _measure_graphs(
        operators,
        Signals(features.numeric, codes, n_codes),
        powers_of(losses),
        graphs.fingerprints ^ mix(np.uint64(seed)),
    )
    mu, complexity, spread, probe = points[:, :FIRST_LOSS].T.copy()
    return SpectralMeasure(
        losses,
        point_ptr,
        mu,
        points[:, FIRST_LOSS:].copy(),
        complexity,
        spread,
        probe.astype(np.int8),
        moved,
    )


@kernel
def _measure_graphs(operators, signals, powers, streams):
    """Points of all graphs.

    Parameters
    ----------
    operators : Operators  # IN
    signals : Signals  # IN
    powers : int64 array of shape (n_losses,)  # IN
    streams : uint64 array of shape (n_graphs,), states of random numbers  # IN

    Returns
    -------
    points : float64 array of shape (n_points, n_columns), see ``_points``
    point_ptr : int64 array of shape (n_graphs + 1,)
    moved : float64 array of shape (n_graphs,), last movement of the curves
    """
    node_ptr, edge_ptr = operators.node_ptr, operators.edge_ptr
    n_graphs, n_columns = len(node_ptr) - 1, FIRST_LOSS + len(powers)
    row_ptr = edge_ptr if operators.is_line else node_ptr
    points, n_points = np.empty((1024, n_columns)), 0
    point_ptr, moved = np.zeros(n_graphs + 1, np.int64), np.zeros(n_graphs)
    most_codes = 0
    for c in range(len(signals.n_codes)):
        most_codes = max(most_codes, signals.n_codes[c])
    seen = np.full((most_codes, len(signals.n_codes)), -1)
    for g in range(n_graphs):
        rows = slice(row_ptr[g], row_ptr[g + 1])
        n_rows, n_zeros = row_ptr[g + 1] - row_ptr[g], operators.n_zeros[g]
        if n_rows > n_zeros:
            edges = operators.edges[edge_ptr[g] : edge_ptr[g + 1]]
            weight = operators.weight[edge_ptr[g] : edge_ptr[g + 1]]
            n_nodes = node_ptr[g + 1] - node_ptr[g]
            degree, moments = _degrees_and_moments(
                operators.is_line, edges, weight, n_nodes
            )
            moments[0] = n_rows - n_zeros
            codes, n_codes = number_categories(signals.codes[rows], seen)
            mine, moved[g] = _measure_graph(
                Operator(operators.is_line, edges, weight, degree),
                Signals(signals.numeric[rows], codes, n_codes),
                _numbered_from_zero(operators.component[rows]),
                moments,
                powers,
                streams[g],
            )
            while n_points + len(mine) > len(points):
                points = np.concatenate((points, np.empty_like(points)))
            for k in range(len(mine)):
                for c in range(n_columns):
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
def _measure_graph(operator, signals, component, moments, powers, stream):
    """Points of one graph (n_points, n_columns), and the last movement of its curves.

    ``moments`` (3,) are the number of positive eigenvalues, tr L and tr L^2. As many
    columns are iterated at once as ``MOST_ENTRIES`` allows.
    """
    n_rows, moved = len(component), 0.0
    numeric, codes, n_codes = signals
    n_features = count_feature_columns(numeric.shape[1], n_codes)
    n_vectors = n_features + count_probes(n_rows)
    width = max(1, min(n_vectors, MOST_ENTRIES // n_rows))
    points = np.empty((0, FIRST_LOSS + len(powers)))
    for first in range(0, n_vectors, width):
        columns = np.zeros((n_rows, min(width, n_vectors - first)))
        fill_features(first, numeric, codes, n_codes, stream, columns)
        fill_probes(first - n_features, stream, columns)
        size = centre_columns(component, columns)
        n_mine = min(max(n_features - first, 0), columns.shape[1])
        rules, change = _iterate(operator, columns, size, n_mine, moments, powers)
        moved = max(moved, change)
        n_new = 0
        for c in range(len(rules.length)):
            n_new += rules.length[c]
        new = np.zeros((n_new, FIRST_LOSS + len(powers)))
        _collect(rules, size, n_mine, first - n_features, powers, new)
        points = np.concatenate((points, new))
    for c in range(FIRST_LOSS, FIRST_LOSS + len(powers)):
        total = 0.0
        for k in range(len(points)):
            total += points[k, c]
        for k in range(len(points)):
            points[k, c] /= max(total, TINY)
    weigh_probes(points, moments, n_rows)
    return points, moved


@kernel
def _times_power(value, mu, power):
    """``value * mu ** power`` for a small integer."""
    for _ in range(power):
        value *= mu
    return value


@kernel
def _collect(rules, size, n_features, first_probe, powers, points):
    """Write the Gauss rules of some columns as points.

    Parameters
    ----------
    rules : Rules  # IN
    size : float64 array of shape (n_columns,), squared norms of the columns  # IN
    n_features : int, columns before are features, those after are probes  # IN
    first_probe : int, number of the first column among the probes  # IN
    powers : int64 array of shape (n_losses,)  # IN
    points : float64 array of shape (n_points, n_columns), zeros  # OUT
    """
    k = 0
    for c in range(len(rules.length)):
        for i in range(rules.length[c]):
            weight = size[c] * rules.weight[c, i]
            points[k, MU] = max(rules.mu[c, i], TINY)
            if c < n_features:
                for loss in range(len(powers)):
                    points[k, FIRST_LOSS + loss] = _times_power(
                        weight, points[k, MU], powers[loss]
                    )
                points[k, PROBE] = NO_PROBE
            else:
                points[k, COMPLEXITY] = weight
                points[k, PROBE] = first_probe + c
            k += 1


@kernel
def _degrees_and_moments(is_line, edges, weight, n_nodes):
    """Degrees of the nodes, and traces (unset, tr L, tr L^2) of the operator.

    Weighted degrees; of the line graph's operator numbers of edges.
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
def _iterate(operator, columns, size, n_features, moments, powers):
    """Take Lanczos steps until the curves of some columns stand still.

    Parameters
    ----------
    operator : Operator  # IN
    columns : float64 array of shape (n_rows, n_columns)  # IN and SCRATCH
        Of norm 1, or 0.
    size : float64 array of shape (n_columns,), squared norms before  # IN
    n_features : int, the columns before are features, those after are probes  # IN
    moments : n_positive, tr L, tr L^2  # IN
    powers : int64 array of shape (n_losses,)  # IN

    Returns
    -------
    rules : Rules
    change : float, last movement of the curves; 0 where the rules are exact
    """
    n_rows, n_columns = columns.shape
    most = int(min(MOST_STEPS, moments[0]))
    length = np.empty(n_columns, np.int64)
    for c in range(n_columns):
        length[c] = -1 if size[c] > 0 else 0
    recurrence = Recurrence(
        np.zeros((n_columns, most)), np.zeros((n_columns, most)), length
    )
    rules = Rules(
        np.empty((n_columns, most)),
        np.empty((n_columns, most)),
        np.empty(n_columns, np.int64),
    )
    work = Work(
        np.zeros((n_rows, n_columns)),
        columns,
        np.empty((n_rows, n_columns)),
        np.empty((len(operator.degree) if operator.is_line else 0, n_columns)),
    )
    qs = CHECKED * (moments[1] / moments[0])
    curves = np.zeros((len(qs), len(powers) + 1))
    before = np.zeros_like(curves)
    # Where so few steps are exact, checks would cost more than they save.
    check = FIRST_CHECK if most > 2 * FIRST_CHECK else 2 * most
    # Not a literal 0, for which take_step would be compiled once more.
    n_checks, change, step = 0, 0.0, np.int64(0)
    while step < most and _goes_on(length):
        work = take_step(step, operator, work, recurrence)
        step += 1
        if step == check:
            for k in range(len(qs)):
                for c in range(curves.shape[1]):
                    before[k, c] = curves[k, c]
            _find_rules(recurrence, step, rules)
            _sum_curves(rules, size, n_features, powers, qs, curves)
            n_checks += 1
            check *= 2
            if n_checks > 1:
                change = 0.0
                for k in range(len(qs)):
                    for c in range(curves.shape[1]):
                        change = max(change, abs(curves[k, c] - before[k, c]))
                if change < STILL:
                    return rules, change
    _find_rules(recurrence, step, rules)
    is_exact = not _goes_on(length) or step == int(moments[0])
    return rules, 0.0 if is_exact else change


@kernel(inline=True)
def _goes_on(length):
    """Whether some column is not exhausted, which has length -1."""
    goes_on = False
    for c in range(len(length)):
        goes_on |= length[c] < 0
    return goes_on


@kernel
def _find_rules(recurrence, step, rules):
    """Gauss rule of each column, also of those that go on after ``step`` steps."""
    for c in range(len(recurrence.length)):
        n = step if recurrence.length[c] < 0 else recurrence.length[c]
        rules.length[c] = n
        if n:
            gauss_rule(
                recurrence.alpha[c, :n],
                recurrence.beta[c, :n],
                rules.mu[c, :n],
                rules.weight[c, :n],
            )


@kernel
def _sum_curves(rules, size, n_features, powers, qs, curves):
    """Losses of the features among the columns, and the mean gain of the probes.

    Parameters
    ----------
    rules : Rules  # IN
    size, n_features, powers : as in ``_iterate``  # IN
    qs : float64 array of shape (n_qs,)  # IN
    curves : float64 array of shape (n_qs, n_losses + 1)  # OUT, the gain comes last
    """
    n_losses = len(powers)
    for k in range(len(qs)):
        for c in range(n_losses + 1):
            curves[k, c] = 0.0
    energy = np.zeros(n_losses)
    n_probes = max(len(size) - n_features, 1)
    for c in range(len(size)):
        for i in range(rules.length[c]):
            mu, weight = rules.mu[c, i], rules.weight[c, i]
            if c < n_features:
                for loss in range(n_losses):
                    energy[loss] += _times_power(size[c] * weight, mu, powers[loss])
            for k in range(len(qs)):
                gain = qs[k] / (qs[k] + mu)
                if c < n_features:
                    lost = size[c] * weight * (1.0 - gain) * (1.0 - gain)
                    for loss in range(n_losses):
                        curves[k, loss] += _times_power(lost, mu, powers[loss])
                else:
                    curves[k, n_losses] += weight * gain / n_probes
    for k in range(len(qs)):
        for loss in range(n_losses):
            curves[k, loss] /= max(energy[loss], TINY)
