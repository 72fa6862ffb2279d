"""Coarsen whole data sets at extreme resolutions and check what must always hold.

At q = inf, 50, 2, 0.1 and 1e-6, with sum pooling: blocks cover all nodes, each
connected component has at least one block and no block spans two, coarse edge weights
sum to the weight of the cut, and pooled features sum to the input's.

    python examples/benchmarks/check_invariants.py DATA/graphs/*.npz DATA/molecules/*.gz
"""

import argparse
import time
from pathlib import Path

import numpy as np
from _bench import Table

from skshake import GraphCollection, KFCoarsener
from skshake.datasets import load_molecules_csv, load_npz

QS = [np.inf, 50.0, 2.0, 0.1, 1e-6]


def check(graphs: GraphCollection) -> list[float]:
    """Assert the invariants; share of nodes kept at each q."""
    coarsener = KFCoarsener(
        q=QS,
        node_pooling="sum",
        edge_pooling="sum",
        walk_length=0,
        n_forests=1,
        random_state=0,
    )
    levels = coarsener.fit_transform(graphs).levels
    u, v = graphs.numbered_ends.T
    weight = np.ones(len(u)) if graphs.edge_weight is None else graphs.edge_weight
    graph_of_node = np.repeat(np.arange(len(graphs)), np.diff(graphs.node_ptr))
    shares = []
    for level in levels:
        block = level.block + level.node_ptr[graph_of_node]
        assert (np.unique(block) == np.arange(level.node_ptr[-1])).all()
        pairs = np.unique(np.stack([block, graphs.components]), axis=1)
        assert pairs.shape[1] == level.node_ptr[-1], "a block spans two components"
        is_cut = block[u] != block[v]
        cut, kept = weight[is_cut].sum(), level.edge_weight.sum(dtype=float)
        np.testing.assert_allclose(kept, cut, rtol=1e-5)
        pooled = [(level.x, graphs.node_features, slice(None))]
        pooled += [(level.edge_attr, graphs.edge_features, is_cut)]
        for coarse, features, rows in pooled:
            if not features.n_columns:
                continue  # the degree stands in for node features
            assert coarse.shares.sum(dtype=float) == features.categories[rows].size
            np.testing.assert_allclose(
                coarse.numeric.sum(axis=0, dtype=float),
                features.numeric[rows].sum(axis=0, dtype=float),
                rtol=1e-4,
                atol=1e-6 * float(np.abs(features.numeric).sum()),
            )
        shares.append(float(level.node_ptr[-1]) / max(graphs.n_nodes, 1))
    return shares


def main() -> None:
    """Run the checks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    files = parser.parse_args().files
    table = Table("file", "graphs", *(f"nodes at q = {q:g}" for q in QS), "s")
    for path in files:
        load = load_npz if path.suffix == ".npz" else load_molecules_csv
        graphs = load(path, return_X_y=True)[0]
        start = time.perf_counter()
        shares = check(graphs)
        seconds = time.perf_counter() - start
        kept = (f"{share:.3f}" for share in shares)
        table.add(path.name, f"{len(graphs)}", *kept, f"{seconds:.1f}")


if __name__ == "__main__":
    main()
