"""Contributions of nodes add up, and fall on the nodes that decide."""

import networkx as nx
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from skshake import KFCoarsener, SHAKEClassifier, SHAKERegressor


@pytest.fixture(scope="module")
def marked():
    """Cycles in which one class has a node of category 1 among zeros."""
    rng = np.random.default_rng(0)
    graphs, labels, marks = [], [], []
    for i in range(60):
        n = int(rng.integers(6, 12))
        x, mark = np.zeros((n, 1), np.int64), int(rng.integers(n))
        x[mark] = i % 2
        graphs.append((nx.to_numpy_array(nx.cycle_graph(n)), x))
        labels.append("yes" if i % 2 else "no")
        marks.append(mark)
    return graphs, np.array(labels), np.array(marks)


@pytest.mark.parametrize("q", [np.inf, [np.inf, 1.0]], ids=str)
def test_contributions_add_up_to_the_log_odds(q, marked):
    graphs, y, _ = marked
    coarse = KFCoarsener(q=q, n_forests=2, random_state=0).fit_transform(graphs)
    model = SHAKEClassifier(n_layers=2, max_iter=30, random_state=0).fit(coarse, y)
    explained = model.explain(coarse)
    sums = np.array([c.sum() for c in explained])
    found = model._explain(coarse, model._explained_outputs(coarse, None))
    outputs, spread = model.decision_function(coarse), np.ptp(found.output)
    np.testing.assert_allclose(found.output, outputs, atol=1e-4 * spread)
    # What a sum in place of an integral leaves: over ten seeds at most 0.02 of a level,
    # and 0.05 of two, whose states have more kinks on the way.
    missing = found.output - found.baseline - sums
    assert np.abs(missing).max() < (0.1 if np.ndim(q) == 0 else 0.2) * spread
    if np.ndim(q) == 0:
        # What is left is the log-odds of the cycle made of average nodes. On blocks it
        # differs by their edges too, so that outputs need not follow what nodes add.
        rest, n_nodes = outputs - sums, np.array([len(x) for _, x in graphs])
        for n in np.unique(n_nodes):
            assert np.ptp(found.baseline[n_nodes == n]) < 1e-4 * spread
            assert np.ptp(rest[n_nodes == n]) < 0.1 * np.ptp(sums)
        # 0.96 and more, over seeds.
        assert np.corrcoef(sums, outputs)[0, 1] > 0.9
    levels = len(coarse.levels)
    by_level = [model.explain(coarse, level=k) for k in range(levels)]
    for graph, whole in enumerate(explained):
        assert len(whole) == len(graphs[graph][1])
        parts = sum(by_level[k][graph] for k in range(levels))
        np.testing.assert_allclose(parts, whole, rtol=1e-4, atol=1e-5)


def test_the_node_that_decides_contributes_most(marked):
    graphs, y, marks = marked
    model = SHAKEClassifier(n_layers=2, max_iter=40, random_state=0).fit(graphs, y)
    # All of them, over seeds.
    assert (model.predict(graphs) == y).mean() > 0.9
    is_marked = y == "yes"
    found = [int(np.argmax(c)) for c in model.explain(graphs)]
    assert np.mean(np.array(found)[is_marked] == marks[is_marked]) > 0.9


def test_classes_are_explained_by_name(marked):
    graphs, y, _ = marked
    model = SHAKEClassifier(max_iter=3, random_state=0).fit(graphs, y)
    second, first = model.explain(graphs), model.explain(graphs, target="no")
    for one, other in zip(second, first, strict=True):
        np.testing.assert_allclose(one, -other, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="target"):
        model.explain(graphs, target="maybe")
    with pytest.raises(ValueError, match="level"):
        model.explain(graphs, level=1)


def test_blocks_share_their_contribution(marked):
    graphs, y, _ = marked
    coarse = KFCoarsener(q=0.5, n_forests=1, random_state=0).fit_transform(graphs)
    model = SHAKEClassifier(max_iter=3, random_state=0).fit(coarse, y)
    contributions = model.explain(coarse)[0]
    block = coarse[0].levels[0].block
    for k in range(block.max() + 1):
        assert np.ptp(contributions[block == k]) < 1e-9


def test_numbers_are_explained_in_their_units(marked):
    graphs, _, _ = marked
    y = np.array([[100.0 * len(x), -3.0] for _, x in graphs])
    model = SHAKERegressor(max_iter=60, n_layers=2, random_state=0).fit(graphs, y)
    sums = np.array([c.sum() for c in model.explain(graphs, target=0)])
    predicted = model.predict(graphs)[:, 0]
    assert np.corrcoef(sums, predicted)[0, 1] > 0.95
    with pytest.raises(ValueError, match="target"):
        model.explain(graphs, target=2)


def test_a_lone_class_is_explained_by_its_own_output(marked):
    graphs, _, _ = marked
    model = SHAKEClassifier(max_iter=2, n_layers=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="one class"):
        model.fit(graphs, ["only"] * len(graphs))
    sums = np.array([c.sum() for c in model.explain(graphs)])
    outputs = model.decision_function(graphs).ravel()
    assert np.corrcoef(sums, outputs)[0, 1] > 0.9


def test_nodes_are_explained_as_before_where_nobody_asks_for_edges(marked):
    graphs, y, _ = marked
    model = SHAKEClassifier(n_layers=2, max_iter=5, random_state=0).fit(graphs, y)
    hierarchies = model._read(graphs)
    explained = model._explained_outputs(hierarchies, None)
    found = model._explain(hierarchies, explained)
    assert found.edges.shape == (1, 0)
    assert np.array_equal(found.nodes[0], np.concatenate(model.explain(graphs)))
    # The output is what the nodes add to the cycle made of average nodes.
    np.testing.assert_allclose(found.output, model.decision_function(graphs), atol=1e-4)
    sums = np.array([c.sum() for c in model.explain(graphs)])
    rest = found.output - found.baseline - sums
    # At most 0.02 over seeds.
    assert np.abs(rest).max() < 0.1 * np.ptp(found.output)
