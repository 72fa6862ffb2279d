"""Compile every kernel, so that the first fit or prediction of a new machine does not.

    NUMBA_CACHE_DIR=/opt/kernels python -m skshake.warm_up

What is compiled is kept in ``NUMBA_CACHE_DIR``, else beside the package, else in the
user's own cache; later processes need only read it. It fits processors of the kind that
compiled it: set ``NUMBA_CPU_NAME=generic`` too where an image runs on several kinds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from skshake._classifier import SHAKEClassifier
from skshake._coarsener import KFCoarsener
from skshake._sizes import expected_nodes, paper_edges
from skshake._vectorizer import SubtreeVectorizer
from skshake.datasets import load_mutag
from skshake.forests import sample_forests
from skshake.forests._small_q import LARGEST_COMPONENT
from skshake.graphs import GraphCollection, as_graphs


def _random_graphs(
    n_graphs: int, n_nodes: int, rng: np.random.Generator
) -> Iterator[tuple]:
    """Connected weighted graphs: adjacency, and number of edges."""
    for _ in range(n_graphs):
        row, column = np.triu_indices(n_nodes, 1)
        is_edge = (column == row + 1) | (rng.random(len(row)) < 2 / n_nodes)
        ends = row[is_edge], column[is_edge]
        weight = rng.uniform(0.5, 2.0, len(ends[0]))
        half = sparse.csr_array((weight, ends), (n_nodes, n_nodes))
        yield half + half.T, len(weight)


def _collections() -> Iterator[GraphCollection]:
    """Graphs of every kind that kernels tell apart."""
    rng = np.random.default_rng(0)
    yield load_mutag().data[:20]
    # The last have more rows of features than are told apart.
    for n_graphs, n_nodes in ((4, 12), (4, 40), (8, 150)):
        graphs = list(_random_graphs(n_graphs, n_nodes, rng))
        yield as_graphs([(graph != 0).astype(float) for graph, _ in graphs])
        for draw in (rng.normal, lambda size: rng.integers(3, size=size)):
            yield as_graphs(
                [
                    (graph, draw(size=(n_nodes, 2)), draw(size=(n_edges, 1)))
                    for graph, n_edges in graphs
                ]
            )


def warm_up() -> None:
    """Run everything once on small graphs."""
    for graphs in _collections():
        y = np.arange(len(graphs)) % 2
        for options in ({}, {"n_levels": 2, "include_original": True}):
            coarsener = KFCoarsener(random_state=0, n_forests=2, **options)
            hierarchies = coarsener.fit_transform(graphs)
            coarsener.transform(graphs[:2])
            model = SHAKEClassifier(max_iter=1, hidden_dim=8, dropout=0.1)
            model.fit(hierarchies, y).predict(hierarchies)
            model.explain(hierarchies[:2])
        SubtreeVectorizer(min_df=1).fit(graphs).transform(graphs)
        sample_forests(graphs, [1e-6, 1.0], random_state=0)
        expected_nodes(graphs, 1.0)
        paper_edges(graphs, 1.0)
    # Whether walks are trapped is asked of weighted graphs with large components alone.
    n_nodes = LARGEST_COMPONENT + 1
    ((large, _),) = _random_graphs(1, n_nodes, np.random.default_rng(0))
    sample_forests([large], 1.0, random_state=0)


def main() -> None:
    """Warm up, and say how long it took."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        # What small random graphs are warned of concerns nobody.
        warnings.simplefilter("ignore")
        warm_up()
    print(f"all kernels are compiled ({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
