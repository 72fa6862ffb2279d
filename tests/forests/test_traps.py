"""The guard against walks that do not end: clusters of heavy edges."""

import numpy as np
import pytest
from scipy import sparse

from skshake import as_graphs, sample_forests
from skshake.forests._traps import count_trapped_steps


def path(n_nodes):
    return np.diag(np.ones(n_nodes - 1), 1) + np.diag(np.ones(n_nodes - 1), -1)


def trapped_steps(adjacency, q, smallest=0):
    graphs = as_graphs([adjacency])
    order = np.argsort(-graphs.edge_weight, kind="stable")
    steps = np.zeros(1)
    count_trapped_steps(
        graphs.node_ptr,
        graphs.edge_ptr,
        np.ascontiguousarray(graphs.edges[order]),
        graphs.edge_weight[order],
        graphs.degrees,
        q,
        smallest,
        steps,
    )
    return steps[0]


def test_steps_are_bounded_from_below(global_random_seed):
    # Expected entries: the trace of (qI + D) (qI + L)^-1.
    rng, n, q = np.random.default_rng(global_random_seed), 12, 0.1
    for spread in (0, 2, 4):
        upper = np.triu(rng.random((n, n)) < 0.5, 1) * 10 ** rng.uniform(
            -spread, spread, (n, n)
        )
        adjacency = 2 * (upper + upper.T)
        degrees = adjacency.sum(axis=1)
        inverse = np.linalg.inv(q * np.eye(n) + np.diag(degrees) - adjacency)
        assert trapped_steps(adjacency, q) <= ((q + degrees) * np.diag(inverse)).sum()


def test_a_cluster_is_a_trap_though_no_edge_is_one():
    adjacency = path(600)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        adjacency[i, j] = adjacency[j, i] = 1e12
    # Three edges inside, one edge and q of three nodes out.
    assert trapped_steps(adjacency, 1.0) == pytest.approx(3e12 / 4)
    assert trapped_steps(adjacency, 1.0, smallest=600) == 0.0
    with pytest.raises(ValueError, match="Graph 0: a forest would take some 7e"):
        sample_forests([adjacency], 1.0)


def test_small_components_of_a_large_graph_are_no_traps():
    parts = [sparse.csr_array(1e12 * path(30)) for _ in range(20)]
    graph = sparse.block_diag(parts, format="csr")
    forests = sample_forests([graph], [10.0, 1.0], random_state=0)
    assert (forests.n_blocks >= 20).all()
