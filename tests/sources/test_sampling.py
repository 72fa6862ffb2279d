"""fit from parts learns what it learns from all graphs at once."""

import numpy as np
import pytest

from skshake import CategoryWarning, KFCoarsener, _coarsener, as_graphs
from skshake.datasets import make_graph_classification
from skshake.sources import _sampling
from skshake.sources._sampling import sample_sources


def cut(graphs, n_parts):
    return [graphs[rows] for rows in np.array_split(np.arange(len(graphs)), n_parts)]


@pytest.mark.parametrize("parameters", [{}, {"q": 1.0}, {"n_levels": 2}], ids=str)
def test_parts_teach_what_the_list_does(parameters, mutag, tmp_path):
    graphs, _ = mutag
    for k, part in enumerate(cut(graphs, 3)):
        part.save(tmp_path / f"{k}.npz")
    expected = KFCoarsener(random_state=0, **parameters).fit(graphs)
    for X in (str(tmp_path), iter(cut(graphs, 5)), [lambda: graphs[:50], graphs[50:]]):
        found = KFCoarsener(random_state=0, **parameters).fit(X)
        assert found.q_.tolist() == expected.q_.tolist()
        assert found.reduction_ == expected.reduction_
        assert found.n_forests_ == expected.n_forests_
        assert found._pooling.key == expected._pooling.key
        # A file that holds the same.
    assert found.n_features_in_ == expected.n_features_in_


def test_fit_and_fit_transform_learn_the_same(small_mutag):
    for parameters in ({}, {"q": 1.0}, {"q": np.inf}, {"include_original": True}):
        first, second = (KFCoarsener(random_state=0, **parameters) for _ in range(2))
        first.fit(small_mutag[0])
        second.fit_transform(small_mutag[0])
        assert first.reduction_ == second.reduction_
        assert first.q_.tolist() == second.q_.tolist()


def test_fit_does_not_coarsen(mutag, monkeypatch):
    """Features are pooled nowhere, and many graphs are measured by some of them."""
    asked = []
    coarsen_graphs = _coarsener.coarsen_graphs
    monkeypatch.setattr(_coarsener, "REDUCED_GRAPHS", 50)
    monkeypatch.setattr(
        _coarsener,
        "coarsen_graphs",
        lambda *given: (
            asked.append((len(given[0]), given[4])) or coarsen_graphs(*given)
        ),
    )
    coarsener = KFCoarsener(random_state=0).fit(mutag[0])
    assert asked == [(50, None)]
    # 50 of 188 graphs, whose sizes differ by a third.
    assert coarsener.reduction_.nodes[0] == pytest.approx(
        KFCoarsener(random_state=0).fit(mutag[0]).reduction_.nodes[0], rel=0.2
    )


def test_a_sample_has_the_q_of_all_graphs(monkeypatch):
    """Of graphs that are too many, those are kept that all graphs would be asked."""
    graphs, _ = make_graph_classification(
        1_500, mean_nodes=12.0, random_state=0, return_X_y=True
    )
    expected = KFCoarsener(random_state=0, q_tol=0.5).fit(graphs)
    assert expected.q_curves_.n_graphs < len(graphs)
    n_rows = graphs.n_nodes + graphs.n_edges
    monkeypatch.setattr(_sampling, "SAMPLE_ROWS", n_rows // 2)
    given = sample_sources(cut(graphs, 20), "from_dtype", 0)
    assert len(given.graphs) < 800
    assert given.n_graphs == 1_500
    found = KFCoarsener(random_state=0, q_tol=0.5).fit(iter(cut(graphs, 20)))
    assert found.q_star_ == expected.q_star_
    assert found.q_star_interval_ == expected.q_star_interval_
    # Whatever the order and the sizes of parts.
    other = KFCoarsener(random_state=0, q_tol=0.5).fit(iter(cut(graphs[::-1], 3)))
    assert other.q_star_ == pytest.approx(expected.q_star_, rel=1e-9)


def test_categories_are_those_of_all_parts(monkeypatch):
    monkeypatch.setattr(_sampling, "SAMPLE_ROWS", 20)
    ring = np.roll(np.eye(5), 1, 0) + np.roll(np.eye(5), -1, 0)
    parts = [[(ring, np.full((5, 1), k))] for k in (7, 2, 9, 2, 4)]
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(iter(parts))
    (known,) = coarsener._pooling.node_vocabulary.categories
    assert known.tolist() == [2, 4, 7, 9]


def test_the_sample_may_lack_the_largest_category(monkeypatch):
    monkeypatch.setattr(_sampling, "SAMPLE_ROWS", 20)
    ring = np.roll(np.eye(5), 1, 0) + np.roll(np.eye(5), -1, 0)
    codes = np.arange(500).reshape(100, 5, 1)
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0)
    with pytest.warns(CategoryWarning, match="hold 500 categories"):
        coarsener.fit(iter([[(ring, of_graph)] for of_graph in codes]))


def test_whole_numbers_stand_in_for_floats_in_later_parts():
    ring = np.roll(np.eye(5), 1, 0) + np.roll(np.eye(5), -1, 0)
    parts = [[(ring, np.full((5, 1), 0.5))], [(ring, np.full((5, 1), 2))]]
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(iter(parts))
    assert coarsener._node_fields[0].is_categorical is False


def test_parts_that_differ_are_named():
    ring = np.roll(np.eye(5), 1, 0) + np.roll(np.eye(5), -1, 0)
    parts = [as_graphs([(ring, np.ones((5, 1)))]), as_graphs([(ring, np.ones((5, 2)))])]
    with pytest.raises(ValueError, match=r"1 graphs \(.*\): the node features"):
        KFCoarsener(q=1.0).fit(parts)
    with pytest.raises(ValueError, match="at least one"):
        KFCoarsener(q=1.0).fit(iter([]))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        KFCoarsener(q=1.0).fit("nowhere")


def test_an_empty_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="got an empty folder"):
        KFCoarsener().fit(tmp_path)
