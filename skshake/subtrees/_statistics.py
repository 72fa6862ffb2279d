"""Statistics of graphs: sizes, histograms, moments, without any subtree.

In: training graphs, whose categories and degrees are learnt. Out: a record that makes
columns of any graphs with the same features, and names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse

from skshake.graphs import (
    BINS_PER_OCTAVE,
    EXACT_DEGREES,
    GraphCollection,
    bin_degrees,
    chunk_bounds,
    return_probabilities,
)
from skshake.hierarchy import (
    LogRule,
    Vocabulary,
    learn_log_scales,
    learn_vocabulary,
    take_logarithms,
)
from skshake.subtrees._counting import count_table
from skshake.subtrees._moments import MOMENTS, moments_table
from skshake.subtrees._names import Names
from skshake.subtrees._vocabulary import Choice, choose_categories

CHUNKS_PER_THREAD = 8
SIZES = ("n_nodes", "n_edges", "edges_per_node")


class Statistics(NamedTuple):
    """What ``fit`` learnt about statistics of graphs.

    ``degrees``, ``nodes`` and ``edges`` are the categories that get a column, of bins
    of degrees, of nodes and of edges; ``walk_length`` is the longest walk of whose
    return probabilities there is a mean, and ``is_weighted`` says that the training
    graphs had weights. Moments are those of the logarithm of numeric columns with a
    scale; without any such column there are no scales.
    """

    degrees: Vocabulary
    nodes: Vocabulary
    edges: Vocabulary
    walk_length: int
    is_weighted: bool
    node_log_scales: tuple[float, ...] = ()
    edge_log_scales: tuple[float, ...] = ()


def _degree_bins(graphs: GraphCollection) -> np.ndarray:
    """Bin of the number of neighbours of each node, (n_nodes, 1); no weights count."""
    n_neighbours = np.diff(graphs.arcs.indptr)
    return bin_degrees(n_neighbours.astype(np.float64))[:, None]


def learn_statistics(
    graphs: GraphCollection,
    nodes: Vocabulary,
    edges: Vocabulary,
    choice: Choice,
    walk_length: int,
    log_rule: LogRule,
) -> Statistics:
    """Choose degrees and categories that get a column, and numbers to take logs of."""
    node_codes, edge_codes = (
        features.categories for features in (graphs.node_features, graphs.edge_features)
    )
    bins = _degree_bins(graphs)
    return Statistics(
        choose_categories(learn_vocabulary(bins), bins, graphs.node_ptr, choice),
        choose_categories(nodes, node_codes, graphs.node_ptr, choice),
        choose_categories(edges, edge_codes, graphs.edge_ptr, choice),
        walk_length,
        graphs.edge_weight is not None,
        learn_log_scales(graphs.node_features, log_rule),
        learn_log_scales(graphs.edge_features, log_rule),
    )


def _count_categories(
    ptr: np.ndarray, codes: np.ndarray, vocabulary: Vocabulary
) -> list[sparse.csr_array]:
    """Counts of categories in the rows of each graph, and their fractions."""
    counts = count_table(ptr, vocabulary.slots_of(codes), vocabulary.n_slots)
    n_rows = np.repeat(np.diff(ptr), np.diff(counts.indptr))
    parts = counts.data / n_rows, counts.indices, counts.indptr
    return [counts, sparse.csr_array(parts, shape=counts.shape)]


def _walk(graphs: GraphCollection, walk_length: int, n_jobs: int | None) -> np.ndarray:
    """Return probabilities, by threads over chunks of graphs: the same in any case."""
    n_threads = effective_n_jobs(n_jobs)
    if n_threads == 1:
        return return_probabilities(graphs, walk_length)
    # Many chunks, as their times differ: a graph's is more than linear in its size.
    bounds = chunk_bounds(graphs, CHUNKS_PER_THREAD * n_threads)
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(return_probabilities)(graphs[start:stop], walk_length)
        for start, stop in pairwise(bounds.tolist())
    )
    return np.concatenate(parts)


def statistics_blocks(
    statistics: Statistics, graphs: GraphCollection, n_jobs: int | None = None
) -> list[sparse.csr_array]:
    """Columns of statistics (n_graphs, n_columns), as tables side by side."""
    node_ptr, edge_ptr = graphs.node_ptr, graphs.edge_ptr
    nodes, edges = graphs.node_features, graphs.edge_features
    n_nodes, n_edges = np.diff(node_ptr), np.diff(edge_ptr)
    sizes = np.column_stack([n_nodes, n_edges, n_edges / np.maximum(n_nodes, 1)])
    moments = [
        moments_table(ptr, take_logarithms(features, scales).numeric)
        for ptr, features, scales in (
            (node_ptr, nodes, statistics.node_log_scales),
            (edge_ptr, edges, statistics.edge_log_scales),
        )
    ]
    if statistics.is_weighted:
        weight = graphs.edge_weight
        weight = np.ones(graphs.n_edges) if weight is None else weight
        moments.append(moments_table(edge_ptr, weight[:, None]))
    if statistics.walk_length:
        returns = _walk(graphs, statistics.walk_length, n_jobs)
        # Means alone: forests did worse on most sets with all four moments.
        moments.append(moments_table(node_ptr, returns)[:, :: len(MOMENTS)])
    return [
        sparse.csr_array(sizes),
        *_count_categories(node_ptr, _degree_bins(graphs), statistics.degrees),
        *_count_categories(node_ptr, nodes.categories, statistics.nodes),
        *_count_categories(edge_ptr, edges.categories, statistics.edges),
        sparse.csr_array(np.hstack(moments)),
    ]


def _range_of_bin(number: int) -> str:
    """Degrees of a bin: "3", or "37-39" above those that have bins of their own."""
    if number < EXACT_DEGREES:
        return str(number)
    low, high = (
        int(np.ceil(EXACT_DEGREES * 2 ** ((number - EXACT_DEGREES + half) / steps)))
        for half, steps in ((-0.5, BINS_PER_OCTAVE), (0.5, BINS_PER_OCTAVE))
    )
    low = max(low, EXACT_DEGREES)
    return str(low) if high - low == 1 else f"{low}-{high - 1}"


def _name_counts(names: Iterable[str], known: Iterable[Iterable[object]]) -> list[str]:
    """Names of counts and fractions: "x0=other" and "x0=6", then "x0=6_fraction"."""
    counts = [
        f"{name}={value}"
        for name, values in zip(names, known, strict=True)
        for value in ("other", *values)
    ]
    return [*counts, *(f"{count}_fraction" for count in counts)]


def _name_numbers(names: Sequence[str], log_scales: Sequence[float]) -> list[str]:
    """Names of numeric columns, with "log_" before those of which it is taken."""
    scales = log_scales or [0.0] * len(names)
    pairs = zip(names, scales, strict=True)
    return [f"log_{name}" if scale else name for name, scale in pairs]


def statistics_names(statistics: Statistics, nodes: Names, edges: Names) -> list[str]:
    """Names of the columns of :func:`statistics_blocks`."""
    (bins,) = statistics.degrees.categories
    measured = _name_numbers(nodes.numeric, statistics.node_log_scales)
    measured += _name_numbers(edges.numeric, statistics.edge_log_scales)
    measured += ["weight"] * statistics.is_weighted
    return [
        *SIZES,
        *_name_counts(["degree"], [map(_range_of_bin, bins.tolist())]),
        *_name_counts(nodes.categorical, statistics.nodes.categories),
        *_name_counts(edges.categorical, statistics.edges.categories),
        *(f"{name}_{moment}" for name in measured for moment in MOMENTS),
        *(f"return_{step}_mean" for step in range(2, statistics.walk_length + 1)),
    ]
