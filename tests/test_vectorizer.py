"""SubtreeVectorizer: tables of graphs, their columns, and what is no column."""

import doctest
import pickle
from collections import Counter
from pathlib import Path

import joblib
import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import skshake
from skshake import (
    CategoryWarning,
    InvalidGraphError,
    KFCoarsener,
    SubtreeVectorizer,
    as_graphs,
    from_edges,
)
from tests._helpers import naive_colours, run_python

PLAIN = {"statistics": False, "min_df": 1, "max_features": None}


def frame_of(vectorizer, graphs):
    """Table as a dictionary of columns by their names."""
    table = vectorizer.transform(graphs)
    table = table.toarray() if sparse.issparse(table) else table
    names = vectorizer.get_feature_names_out().tolist()
    assert len({*names}) == len(names) == table.shape[1]
    return dict(zip(names, table.T, strict=True))


def renumbered(graph, rng):
    """The same graph of a collection with nodes in another order."""
    order = rng.permutation(graph.n_nodes)
    place = np.argsort(order)
    ends = place[graph.edges]
    return from_edges(
        ends,
        [len(ends)],
        [graph.n_nodes],
        x=graph.x[order],
        edge_attr=graph.edge_attr,
    )[0]


def test_counts_are_those_of_nested_tuples(small_mutag):
    graphs, _ = small_mutag
    vectorizer = SubtreeVectorizer(**PLAIN)
    table = vectorizer.fit_transform(graphs)
    naive = naive_colours(graphs, 2)
    trees = sorted(
        {(d, tree) for g in naive for d, c in enumerate(g) for tree in c}, key=repr
    )
    assert table.shape == (len(graphs), len(trees))
    counts = [Counter((d, t) for d, c in enumerate(g) for t in c) for g in naive]
    expected = np.array([[count[tree] for tree in trees] for count in counts])
    # The same columns, in another order.
    assert sorted(expected.T.tolist()) == sorted(table.toarray().T.tolist())


def test_a_small_graph_by_hand():
    # Two paths, C-C-O and C=C-O, of which the ends are told apart at depth 1.
    path = nx.to_numpy_array(nx.path_graph(3))
    graphs = [
        (path, np.array([6, 6, 8]), np.array([1, 1])),
        (path, np.array([6, 6, 8]), np.array([2, 1])),
    ]
    vectorizer = SubtreeVectorizer(depth=1, **PLAIN).fit(graphs)
    found = {
        vectorizer.describe(name).replace("    ", "  "): column.tolist()
        for name, column in frame_of(vectorizer, graphs).items()
    }
    middle = "x0=6\n  edge0={} to x0=6\n  edge0={} to x0=8"
    by_lines = {
        tuple(sorted(text.split("\n"))): column for text, column in found.items()
    }
    assert by_lines == {
        ("x0=6",): [2, 2],
        ("x0=8",): [1, 1],
        ("  edge0=1 to x0=6", "x0=6"): [1, 0],
        ("  edge0=2 to x0=6", "x0=6"): [0, 1],
        ("  edge0=1 to x0=6", "x0=8"): [1, 1],
        tuple(sorted(middle.format(1, 1).split("\n"))): [1, 0],
        tuple(sorted(middle.format(2, 1).split("\n"))): [0, 1],
    }


@pytest.mark.parametrize(
    "options", [{}, {"depth": 3, "min_df": 1}, {"statistics": False}], ids=str
)
def test_rows_depend_on_neither_numbers_of_nodes_nor_other_graphs(
    options, small_mutag, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    graphs, _ = small_mutag
    vectorizer = SubtreeVectorizer(**options).fit(graphs)
    table = vectorizer.transform(graphs).toarray()
    again = vectorizer.transform([renumbered(graph, rng) for graph in graphs])
    np.testing.assert_allclose(again.toarray(), table, rtol=1e-5, atol=1e-6)
    counts = [
        k
        for k, name in enumerate(vectorizer.get_feature_names_out())
        if "_mean" not in name and "_std" not in name and "return" not in name
    ]
    assert (again.toarray()[:, counts] == table[:, counts]).all()
    order = rng.permutation(len(graphs))
    assert (vectorizer.transform(graphs[order]).toarray() == table[order]).all()
    assert (vectorizer.transform([graphs[7]]).toarray() == table[7]).all()


def test_the_order_of_training_graphs_does_not_matter(small_mutag, global_random_seed):
    graphs, _ = small_mutag
    order = np.random.default_rng(global_random_seed).permutation(len(graphs))
    # So few columns that they are chosen among equally frequent ones.
    for max_features in (3, 20, None):
        one, other = (
            SubtreeVectorizer(max_features=max_features).fit(each)
            for each in (graphs, graphs[order])
        )
        names = one.get_feature_names_out().tolist()
        assert names == other.get_feature_names_out().tolist()
        difference = one.transform(graphs) != other.transform(graphs)
        assert difference.nnz == 0
        for name in names:
            if name.startswith("subtree"):
                assert one.describe(name) == other.describe(name)


def test_threads_make_the_same_table(small_mutag, awkward_graphs):
    for graphs in (small_mutag[0], as_graphs(awkward_graphs)):
        one, other = (
            SubtreeVectorizer(n_jobs=n_jobs).fit_transform(graphs) for n_jobs in (1, 2)
        )
        assert (one != other).nnz == 0


@pytest.mark.parametrize("min_df", [1, 5, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("max_features", [4, None])
def test_subtrees_in_enough_graphs_are_counted(min_df, max_features, small_mutag):
    graphs, _ = small_mutag
    everything = SubtreeVectorizer(**PLAIN).fit(graphs)
    vectorizer = SubtreeVectorizer(
        min_df=min_df, max_features=max_features, statistics=False
    ).fit(graphs)
    found = frame_of(vectorizer, graphs)
    fewest = min_df if isinstance(min_df, int) else min_df * len(graphs)
    for depth in range(3):
        frequent = {
            name: int((column > 0).sum())
            for name, column in frame_of(everything, graphs).items()
            if name.startswith(f"subtree{depth}")
        }
        chosen = {name for name, df in frequent.items() if df >= fewest}
        # Of equally frequent subtrees those of smaller hashes, as names sort them.
        order = sorted(chosen, key=lambda name: (-frequent[name], name))
        chosen = {*order[:max_features]}
        assert {name for name in found if name.startswith(f"subtree{depth}")} == chosen
    for name, column in found.items():
        assert (column == frame_of(everything, graphs)[name]).all()


def test_unseen_subtrees_are_left_out_and_unseen_categories_counted_together():
    path = nx.to_numpy_array(nx.path_graph(3))
    train = [(path, np.array([6, 7, 6]))] * 3
    vectorizer = SubtreeVectorizer(depth=1, walk_length=0).fit(train)
    found = frame_of(vectorizer, [(path, np.array([6, 7, 99])), train[0]])
    assert found["x0=other"].tolist() == [1, 0]
    assert found["x0=6"].tolist() == [1, 2]
    ends, middle = sorted(
        (column.tolist() for name, column in found.items() if "subtree" in name),
        reverse=True,
    )
    assert (ends, middle) == ([1, 2], [0, 1])


def test_depth_0_is_counted_where_no_histogram_says_the_same():
    path = nx.to_numpy_array(nx.path_graph(3))
    one, two = np.array([[6], [6], [8]]), np.array([[6, 0], [6, 1], [8, 1]])

    def n_leaves(x, **options):
        vectorizer = SubtreeVectorizer(min_df=1, depth=0, **options).fit([(path, x)])
        return len(vectorizer.subtrees_[0])

    assert n_leaves(one) == 0
    assert n_leaves(one, statistics=False) == 2
    assert n_leaves(two) == 3
    assert n_leaves(two, statistics=False) == 3


def test_graphs_without_nodes_have_rows_of_zeros(awkward_graphs):
    for sparse_output in (True, False):
        vectorizer = SubtreeVectorizer(min_df=1, sparse_output=sparse_output)
        table = vectorizer.fit_transform(awkward_graphs)
        table = table.toarray() if sparse_output else table
        assert np.isfinite(table).all()
        assert not table[0].any()
        assert table[:, 0].tolist() == [0, 1, 3, 4]
        assert (table == vectorizer.transform(awkward_graphs)).all()
    assert SubtreeVectorizer().fit_transform([awkward_graphs[0]]).sum() == 0


def test_tables_are_sparse_dense_or_frames(small_mutag):
    graphs, _ = small_mutag
    table = SubtreeVectorizer().fit_transform(graphs)
    assert isinstance(table, sparse.csr_array)
    assert (table.dtype, table.indices.dtype) == (np.float64, np.int32)
    assert table.has_canonical_format
    dense = SubtreeVectorizer(sparse_output=False).fit_transform(graphs)
    assert (dense == table.toarray()).all()
    vectorizer = SubtreeVectorizer().set_output(transform="pandas")
    for frame in (
        vectorizer.fit_transform(list(graphs)),
        vectorizer.transform(graphs),
    ):
        assert frame.columns.tolist() == vectorizer.get_feature_names_out().tolist()
        assert (frame.to_numpy() == dense).all()
    assert frame["n_nodes"].tolist() == np.diff(graphs.node_ptr).tolist()


def test_forests_linear_models_and_searches_follow(small_mutag):
    graphs, y = small_mutag
    forest = RandomForestClassifier(20, random_state=0)
    pipeline = make_pipeline(SubtreeVectorizer(), forest)
    scores = cross_val_score(pipeline, list(graphs), y, cv=3, error_score="raise")
    # They reach 0.8 to 0.9, chance 0.5.
    assert scores.mean() > 0.65
    grid = {"subtreevectorizer__depth": [0, 2], "subtreevectorizer__min_df": [1, 0.2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(graphs, y)
    assert search.best_params_.keys() == grid.keys()
    union = FeatureUnion(
        [("counts", SubtreeVectorizer(depth=1)), ("more", SubtreeVectorizer(depth=3))]
    )
    linear = make_pipeline(union, MaxAbsScaler(), LogisticRegression(max_iter=5_000))
    assert linear.fit(graphs, y).score(graphs, y) > 0.8
    names = union.get_feature_names_out().tolist()
    assert names[0] == "counts__n_nodes"


def test_pickles_files_and_clones_make_the_same_table(small_mutag, tmp_path):
    graphs, _ = small_mutag
    for options in ({}, {"statistics": False, "depth": 0, "min_df": 0.25}):
        vectorizer = SubtreeVectorizer(**options).fit(graphs[:30])
        expected = vectorizer.transform(graphs)
        skshake.save(vectorizer, tmp_path / "file")
        for again in (
            pickle.loads(pickle.dumps(vectorizer)),
            skshake.load(tmp_path / "file"),
            clone(vectorizer).fit(graphs[:30]),
        ):
            assert again.get_params() == vectorizer.get_params()
            assert (again.transform(graphs) != expected).nnz == 0
            names = again.get_feature_names_out()
            assert names.tolist() == vectorizer.get_feature_names_out().tolist()
            assert again.describe(names[-1]) == vectorizer.describe(names[-1])
            assert not again.check(graphs)
        # Parameters that are set later wait for the next fit.
        vectorizer.set_params(depth=5, statistics=True, min_df=1)
        assert (vectorizer.transform(graphs) != expected).nnz == 0


def test_another_process_has_the_same_names():
    code = (
        "from skshake import SubtreeVectorizer;"
        "from skshake.datasets import load_mutag;"
        "v = SubtreeVectorizer().fit(load_mutag().data[:40]);"
        "print(*v.get_feature_names_out())"
    )
    one, other = (run_python(code, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert one == other


def test_features_that_differ_are_refused_and_named(small_mutag):
    graphs, _ = small_mutag
    vectorizer = SubtreeVectorizer().fit(graphs)
    stranger = nx.path_graph(3)
    with pytest.raises(InvalidGraphError, match="node features were fitted") as caught:
        vectorizer.transform([stranger])
    assert caught.value.graph == 0
    (problem,) = vectorizer.check([graphs[0], stranger])
    assert problem.graph == 1
    assert not vectorizer.check(graphs)
    (problem,) = SubtreeVectorizer().check([*graphs[:2], stranger])
    assert problem.graph == 2


def test_hierarchies_are_no_graphs(two_levels):
    with pytest.raises(InvalidGraphError, match="Graph 0 is of type GraphHierarchy"):
        SubtreeVectorizer().fit(two_levels)


def test_nothing_to_count_is_refused_and_leaves_the_estimator_as_it_was(small_mutag):
    graphs, _ = small_mutag
    vectorizer = SubtreeVectorizer(statistics=False).fit(graphs)
    before = joblib.hash(vars(vectorizer))
    with pytest.raises(ValueError, match="no subtree is in as many graphs as min_df=3"):
        vectorizer.fit(graphs[:2])
    assert joblib.hash(vars(vectorizer)) == before
    assert SubtreeVectorizer().fit_transform(graphs[:2]).shape[0] == 2


def test_only_subtrees_are_described(small_mutag):
    vectorizer = SubtreeVectorizer().fit(small_mutag[0])
    for name in ("n_nodes", "subtree1_0", 5):
        with pytest.raises(ValueError, match="name: expected that of a subtree"):
            vectorizer.describe(name)


@pytest.mark.parametrize(
    "options",
    [
        {"depth": -1},
        {"min_df": 0},
        {"min_df": 1.5},
        {"max_features": 0},
        {"statistics": "all"},
        {"walk_length": 1},
        {"sparse_output": None},
    ],
    ids=str,
)
def test_parameters_out_of_range_are_refused(options):
    (name,) = options
    for method in ("fit", "fit_transform"):
        with pytest.raises(ValueError, match=f"The '{name}' parameter"):
            getattr(SubtreeVectorizer(**options), method)([nx.path_graph(3)])


def test_identifiers_warn():
    rings = [nx.cycle_graph(20) for _ in range(10)]
    for k, ring in enumerate(rings):
        nx.set_node_attributes(ring, {v: 20 * k + v for v in ring}, "id")
    with pytest.warns(CategoryWarning, match="id: 200 rows hold 200 categories"):
        vectorizer = SubtreeVectorizer().fit(rings[:10])
    nx.set_node_attributes(rings[0], {v: 1_000 + v for v in rings[0]}, "id")
    with pytest.warns(CategoryWarning, match="categories that fit has not seen"):
        vectorizer.transform([rings[0], rings[0]])


def test_the_page_about_it_is_right():
    page = Path(__file__).parents[1] / "docs" / "subtrees.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted == 5
    assert not found.failed


def test_kinds_of_graphs_do_not_matter_and_kinds_of_features_do():
    rings = [nx.cycle_graph(n) for n in (3, 4, 5)]
    paths = [nx.to_scipy_sparse_array(nx.path_graph(n)) for n in (3, 4, 5)]
    mixed = [*rings, *paths]
    same = as_graphs(mixed)
    tables = [SubtreeVectorizer().fit_transform(graphs) for graphs in (mixed, same)]
    assert (tables[0] != tables[1]).nnz == 0
    numbers = SubtreeVectorizer(categorical_features=False)
    pairs = [(nx.to_numpy_array(ring), np.arange(len(ring))) for ring in rings]
    assert "x0_mean" in numbers.fit(pairs).get_feature_names_out()
    assert "x0=other" in SubtreeVectorizer().fit(pairs).get_feature_names_out()


def test_both_transformers_read_alike(small_mutag):
    graphs, _ = small_mutag
    coarsener = KFCoarsener(q=1.0).fit(graphs)
    vectorizer = SubtreeVectorizer().fit(graphs)
    for name in ("n_features_in_", "n_edge_features_in_"):
        assert getattr(coarsener, name) == getattr(vectorizer, name)
