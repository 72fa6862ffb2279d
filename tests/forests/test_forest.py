"""sample_forests: structure of every draw, streams, and bad input."""

import numpy as np
import pytest
from scipy import sparse

from skshake import KFCoarsener, as_graphs, sample_forests
from tests._helpers import limit

QS = [np.inf, 50.0, 2.0, 0.3, 1e-3]


def check_structure(graphs, forests):
    """Parents are neighbours, end in roots; blocks are trees in order of appearance."""
    for level in range(len(forests.q)):
        for g in range(len(graphs)):
            nodes = slice(graphs.node_ptr[g], graphs.node_ptr[g + 1])
            parent = forests.parent[level, nodes]
            root, block = forests.root[level, nodes], forests.block[level, nodes]
            edges = {tuple(edge) for edge in graphs[g].edges.tolist()}
            is_root = parent == -1
            assert all(
                (min(v, p), max(v, p)) in edges
                for v, p in enumerate(parent.tolist())
                if p != -1
            )
            assert (root[is_root] == np.flatnonzero(is_root)).all()
            assert (root[~is_root] == root[parent[~is_root]]).all()
            assert is_root.sum() == forests.n_blocks[level, g]
            firsts = np.unique(block, return_index=True)[1]
            assert (np.diff(firsts) > 0).all()
            pairs = set(zip(root.tolist(), block.tolist(), strict=True))
            assert len(pairs) == forests.n_blocks[level, g]


@pytest.mark.parametrize("kind", ["random_graphs", "awkward_graphs"])
def test_every_draw_is_a_forest(kind, global_random_seed, request):
    graphs = as_graphs(request.getfixturevalue(kind))
    forests = sample_forests(graphs, QS, random_state=global_random_seed)
    assert forests.q.tolist() == QS
    check_structure(graphs, forests)


def test_each_component_has_a_root(random_graphs):
    graphs = as_graphs(random_graphs)
    forests = sample_forests(graphs, 1e-3, random_state=0)
    n_components = len(np.unique(graphs.components))
    assert forests.n_blocks.sum() >= n_components


def test_infinite_q_makes_every_node_a_root(random_graphs):
    forests = sample_forests(random_graphs, np.inf, random_state=0)
    assert (forests.parent == -1).all()


def test_a_forest_depends_on_seed_and_content_alone(random_graphs):
    graphs = as_graphs(random_graphs)
    whole = sample_forests(graphs, QS, random_state=7)
    order = np.array([5, 0, 11, 5])
    some = sample_forests(graphs[order], QS, random_state=7)
    for place, g in enumerate(order):
        nodes = slice(graphs.node_ptr[g], graphs.node_ptr[g + 1])
        here = slice(some.node_ptr[place], some.node_ptr[place + 1])
        assert (whole.parent[:, nodes] == some.parent[:, here]).all()
    other = sample_forests(graphs, QS, random_state=8)
    assert (whole.parent != other.parent).any()


def test_unit_weights_draw_what_no_weights_draw(triangle_with_tail):
    heavy = 2.5 * triangle_with_tail
    alone = sample_forests([triangle_with_tail], QS, random_state=0)
    beside = sample_forests([triangle_with_tail, heavy], QS, random_state=0)
    assert (alone.parent == beside.parent[:, :5]).all()


def test_relabelled_graphs_have_forests_of_the_same_size_in_law(global_random_seed):
    # A star: relabelling its centre must not change the mean number of trees.
    n, n_graphs, q = 12, 3_000, 0.5
    means = []
    for centre in (0, n - 1):
        star = np.zeros((n, n))
        star[centre] = star[:, centre] = 1
        star[centre, centre] = 0
        x = np.arange(n_graphs, dtype=float)
        graphs = [(sparse.csr_array(star), np.full((n, 1), v)) for v in x]
        forests = sample_forests(graphs, q, random_state=global_random_seed)
        means.append(forests.n_blocks.mean())
    mu = np.array([0, *[1] * (n - 2), n])
    p = q / (q + mu)
    error = np.sqrt((p * (1 - p)).sum() / n_graphs)
    assert np.abs(np.array(means) - p.sum()).max() < limit(2) * error


@pytest.mark.parametrize("q", [0.0, -1.0, [1.0, 1.0], [], [[1.0]], np.nan])
def test_bad_q_is_refused(q, triangle_with_tail):
    with pytest.raises(ValueError, match="q: expected"):
        sample_forests([triangle_with_tail], q)


def test_weights_with_which_drawing_would_not_end_are_refused():
    heavy, long = np.ones((4, 4)) - np.eye(4), np.diag(np.ones(599), 1)
    good, long = heavy.copy(), long + long.T
    heavy[0, 1] = heavy[1, 0] = 1e20
    with pytest.raises(ValueError, match="Graph 1: a node has weighted degree 1e"):
        sample_forests([good, heavy], 1.0)
    long[0, 1] = long[1, 0] = 1e12
    for n_jobs in (None, 2):
        with pytest.raises(ValueError, match=r"Graph 1: a forest would take some 3e"):
            KFCoarsener(q=1.0, n_jobs=n_jobs).fit([good, long])
    for weight in (1e300, 1e-300):
        with pytest.raises(ValueError, match=r"Graph 0: edge weight .*1e-30 to 1e\+30"):
            sample_forests([good * weight], 1.0)
