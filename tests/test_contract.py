"""scikit-learn's contract for estimators whose X is a list of graphs.

The checks of scikit-learn that need no data run by name; the others, which feed
matrices, are here as they read for graphs. Two of them have no counterpart: sparse
containers and 32-bit indices are kinds of graphs (tests/graphs/test_readers.py).
Weights equal repetition in the loss alone: batch normalisation sees repeated graphs
twice, so fits differ (`test_weights_equal_repetition_in_the_loss`).
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from joblib import hash as content_hash
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import check_get_params_invariance, check_set_params

from skshake import (
    GraphCollection,
    HierarchyCollection,
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SHAKEEnsembleRegressor,
    SHAKERegressor,
    SubtreeVectorizer,
    as_graphs,
    graphs_from_edgelist,
)
from skshake.datasets import make_payments

SETTINGS = {"hidden_dim": 8, "n_layers": 1, "max_iter": 2, "random_state": 0}


def small_ensemble(ensemble, step):
    """An ensemble of a small network and few trees."""
    settings = {f"shake__{step}__{name}": value for name, value in SETTINGS.items()}
    trees = {
        "count__trial__n_estimators": 30,
        "forests__random__n_estimators": 5,
        "forests__extra__n_estimators": 5,
    }
    settings |= {f"trees__{name}": value for name, value in trees.items()}
    return ensemble.set_params(random_state=0, **settings)


ESTIMATORS = {
    "coarsener": KFCoarsener(n_forests=2, random_state=0),
    "featurizer": MoleculeFeaturizer(),
    "vectorizer": SubtreeVectorizer(),
    "classifier": SHAKEClassifier(**SETTINGS),
    "regressor": SHAKERegressor(**SETTINGS),
    "ensemble_classifier": small_ensemble(SHAKEEnsembleClassifier(), "clf"),
    "ensemble_regressor": small_ensemble(SHAKEEnsembleRegressor(), "reg"),
}
DATA_FREE = [
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_valid_tag_types",
]
# Nothing is learnt from molecules, so there is nothing to be unfitted.
FITTED = [name for name in ESTIMATORS if name != "featurizer"]
NETWORKS = ["classifier", "regressor"]
ENSEMBLES = ["ensemble_classifier", "ensemble_regressor"]


@pytest.fixture
def make(small_mutag):
    """Function of a name that gives a new estimator, X and y."""
    graphs, y = small_mutag
    smiles = ["CCO", "c1ccccc1", "CC(=O)O", "CCN"] * 10

    def make(name):
        X = smiles if name == "featurizer" else graphs
        target = y * 0.5 + 1.0 if is_regressor(ESTIMATORS[name]) else y
        return clone(ESTIMATORS[name]), X, target

    return make


def outputs(estimator, X):
    """What an estimator makes of X, as arrays."""
    if hasattr(estimator, "predict"):
        found = [estimator.predict(X)]
        if hasattr(estimator, "embed"):
            found.append(estimator.embed(X))
        if is_classifier(estimator):
            found.append(estimator.predict_proba(X))
        return found
    made = estimator.transform(X)
    if isinstance(made, HierarchyCollection):
        names = ("block", "edges", "edge_weight")
        return [getattr(level, name) for level in made.levels for name in names]
    if not isinstance(made, GraphCollection):
        # A table: sparse, dense or a data frame.
        return [made.toarray() if sparse.issparse(made) else np.asarray(made)]
    return [made.node_ptr, made.edges, made.node_features.categories]


def smooth_outputs(estimator, X):
    """Those outputs that rounding changes but by rounding: all but labels."""
    found = [estimator.embed(X)] if hasattr(estimator, "embed") else []
    if is_classifier(estimator):
        return [*found, estimator.predict_proba(X)]
    return [*found, estimator.predict(X)]


def values_of(params):
    """Parameters that are no estimators, which are equal to themselves alone."""
    return {
        name: value
        for name, value in params.items()
        if not isinstance(value, (BaseEstimator, list))
    }


def assert_equal(one, other):
    for a, b in zip(one, other, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("check", DATA_FREE)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_data_free_checks_of_sklearn(name, check):
    getattr(estimator_checks, check)(type(ESTIMATORS[name]).__name__, ESTIMATORS[name])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters(name):
    estimator = ESTIMATORS[name]
    check_get_params_invariance(type(estimator).__name__, estimator)
    check_set_params(type(estimator).__name__, estimator)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fit_returns_self_and_changes_neither_parameters_nor_data(name, make):
    estimator, X, y = make(name)
    before = estimator.get_params(), content_hash([X, y])
    assert estimator.fit(X, y) is estimator
    after = estimator.get_params(), content_hash([X, y])
    assert before == after
    assert all(before[0][key] is value for key, value in after[0].items())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fit_is_idempotent(name, make):
    estimator, X, y = make(name)
    first = outputs(estimator.fit(X, y), X)
    assert_equal(first, outputs(estimator.fit(X, y), X))
    # And forgets what it was fitted to before.
    assert_equal(first, outputs(estimator.fit(X[:20], y[:20]).fit(X, y), X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_clone_of_a_fitted_estimator_is_unfitted_and_equal(name, make):
    estimator, X, y = make(name)
    expected = outputs(estimator.fit(X, y), X)
    again = clone(estimator)
    assert values_of(again.get_params()) == values_of(estimator.get_params())
    if name in FITTED:
        with pytest.raises(NotFittedError):
            outputs(again, X)
    assert_equal(expected, outputs(again.fit(X, y), X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pickle_keeps_what_was_fitted(name, make):
    estimator, X, y = make(name)
    estimator.fit(X, y)
    again = pickle.loads(pickle.dumps(estimator))
    assert_equal(outputs(estimator, X), outputs(again, X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_asking_changes_nothing(name, make):
    estimator, X, y = make(name)
    estimator.fit(X, y)
    before = content_hash(pickle.dumps(estimator))
    outputs(estimator, X)
    assert content_hash(pickle.dumps(estimator)) == before


@pytest.mark.parametrize("name", NETWORKS + ENSEMBLES)
def test_order_and_subsets_do_not_matter(name, make):
    estimator, X, y = make(name)
    estimator.fit(X, y)
    whole = smooth_outputs(estimator, X)
    order = np.random.default_rng(0).permutation(len(y))
    for one, other in zip(whole, smooth_outputs(estimator, X[order]), strict=True):
        np.testing.assert_allclose(one[order], other, rtol=1e-3, atol=1e-4)
    parts = [smooth_outputs(estimator, X[k : k + 1]) for k in range(5)]
    for k, one in enumerate(whole):
        alone = np.concatenate([part[k] for part in parts])
        np.testing.assert_allclose(one[:5], alone, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_lists_arrays_and_views_are_the_same(name, make):
    estimator, X, y = make(name)
    expected = outputs(estimator.fit(X, y), X)
    array = np.empty(len(X), object)
    array[:] = list(X)
    for same in (list(X), tuple(X), array):
        assert_equal(expected, outputs(clone(estimator).fit(same, list(y)), same))


@pytest.mark.parametrize("name", FITTED)
def test_tables_with_directions_and_names_are_graphs_like_others(name, make):
    estimator, _, y = make(name)
    data = make_payments(40, random_state=0)
    columns = {"graph": "case", "source": "payer", "target": "payee", "directed": True}
    graphs = graphs_from_edgelist(data.transfers, edge_attrs=["amount"], **columns)
    y = y[15:25].repeat(4)
    expected = outputs(estimator.fit(graphs, y), graphs)
    bare = replace(graphs, given_names=None)
    assert_equal(expected, outputs(clone(estimator).fit(bare, y), bare))
    assert_equal(expected, outputs(clone(estimator).fit(list(graphs), y), list(graphs)))
    assert_equal(expected, outputs(pickle.loads(pickle.dumps(estimator)), graphs))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_nothing_and_a_lone_graph_are_refused(name, make):
    estimator, X, y = make(name)
    estimator.fit(X, y)
    for method in ("predict", "transform"):
        if hasattr(estimator, method):
            with pytest.raises(ValueError, match="at least one"):
                getattr(estimator, method)([])
            with pytest.raises(TypeError, match="list"):
                getattr(estimator, method)(X[0])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_graph_is_a_list_of_one(name, make):
    estimator, X, y = make(name)
    for found in outputs(estimator.fit(X, y), X[:1]):
        assert len(found)


@pytest.mark.parametrize("name", FITTED)
def test_unfitted_estimators_say_so(name, make):
    estimator, X, _ = make(name)
    with pytest.raises(NotFittedError, match=type(estimator).__name__):
        outputs(estimator, X)


@pytest.mark.parametrize("name", FITTED)
def test_other_features_than_fitted_are_refused(name, make):
    estimator, X, y = make(name)
    estimator.fit(X, y)
    assert estimator.n_features_in_ == X.node_features.n_columns
    with pytest.raises(ValueError, match="feature"):
        outputs(estimator, [np.ones((3, 3)) - np.eye(3)])


@pytest.mark.parametrize("name", FITTED)
def test_read_only_input_is_read(name, make):
    estimator, _, y = make(name)
    matrices = [(np.ones((n, n)) - np.eye(n), np.eye(n)[:, :2]) for n in range(3, 13)]
    for adjacency, x in matrices:
        adjacency.flags.writeable = x.flags.writeable = False
    y = np.array(y[15:25])
    y.flags.writeable = False
    assert outputs(estimator.fit(matrices, y), matrices)


@pytest.mark.parametrize("name", FITTED)
def test_integer_types_of_indices_do_not_matter(name, make):
    estimator, _, y = make(name)
    results = []
    for dtype in (np.int32, np.int64):
        matrices = []
        for n in range(4, 14):
            ring = sparse.csr_array(np.eye(n, k=1) + np.eye(n, k=-1))
            ring.indices, ring.indptr = (
                part.astype(dtype) for part in (ring.indices, ring.indptr)
            )
            matrices.append(ring)
        y_ten = y[15:25]
        results.append(outputs(clone(estimator).fit(matrices, y_ten), matrices))
    assert_equal(*results)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_tags_and_html(name, make):
    estimator, X, y = make(name)
    tags = get_tags(estimator)
    assert not tags.input_tags.two_d_array
    assert is_classifier(estimator) == name.endswith("classifier")
    assert is_regressor(estimator) == name.endswith("regressor")
    assert type(estimator).__name__ in estimator.fit(X, y)._repr_html_()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_set_output_is_harmless(name, make):
    estimator, X, y = make(name)
    expected = outputs(clone(estimator).fit(X, y), X)
    if hasattr(estimator, "set_output"):
        estimator.set_output(transform="pandas")
    assert_equal(expected, outputs(estimator.fit(X, y), X))


@pytest.mark.parametrize("name", NETWORKS)
def test_embeddings_have_names(name, make):
    estimator, X, y = make(name)
    estimator.fit(X, y)
    names = estimator.get_feature_names_out()
    assert names.tolist() == [
        f"{type(estimator).__name__.lower()}{k}" for k in range(8)
    ]
    frame = estimator.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == names.tolist()
    assert np.array_equal(frame.to_numpy(), estimator.embed(X))


@pytest.mark.parametrize(
    "classes",
    [["no", "yes"], [-1, 1], [10, 20], [False, True], np.array(["a", "b"], object)],
    ids=str,
)
def test_labels_of_any_type_come_back(classes, make):
    estimator, X, y = make("classifier")
    labels = np.asarray(classes)[(y > 0).astype(int)]
    estimator.fit(X, labels)
    assert estimator.classes_.tolist() == sorted(set(labels.tolist()))
    predicted = estimator.predict(X)
    assert set(predicted.tolist()) <= set(labels.tolist())
    assert predicted.dtype == labels.dtype
    assert estimator.predict_proba(X).shape == (len(X), 2)


def test_a_single_class_is_predicted(make):
    estimator, X, y = make("classifier")
    estimator.fit(X, np.full_like(y, 7))
    assert set(estimator.predict(X)) == {7}
    assert estimator.predict_proba(X).tolist() == [[1.0]] * len(X)


@pytest.mark.parametrize("name", FITTED)
def test_one_sample_is_enough_or_refused_with_its_number(name, make):
    estimator, X, y = make(name)
    assert outputs(estimator.fit(X[:1], y[:1]), X[:2])


@pytest.mark.parametrize("name", NETWORKS + ENSEMBLES)
@pytest.mark.parametrize("bad", ["short", "nan", "none"])
def test_targets_that_do_not_fit_are_refused(name, bad, make):
    estimator, X, y = make(name)
    targets = {"short": y[:-1], "nan": np.where(y > 0, np.nan, y), "none": None}[bad]
    with pytest.raises((ValueError, TypeError), match=r"y|NaN"):
        estimator.fit(X, targets)


def test_weights_equal_repetition_in_the_loss():
    from skshake.network import find_loss

    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(6, 3, generator=generator)
    codes = torch.tensor([0, 1, 2, 0, 1, 2])
    counts = torch.tensor([1, 2, 3, 0, 1, 1])
    rows = torch.repeat_interleave(counts)
    loss = find_loss("cross_entropy").make("classes", 1)
    weighted = loss(scores, codes, counts.float()) * len(codes)
    repeated = loss(scores[rows], codes[rows], torch.ones(len(rows))) * len(rows)
    assert weighted.item() == pytest.approx(repeated.item(), rel=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_weights_of_one_are_no_weights(name, make):
    estimator, X, y = make(name)
    plain = outputs(clone(estimator).fit(X, y), X)
    weighted = estimator.fit(X, y, sample_weight=np.ones(len(y)))
    assert_equal(plain, outputs(weighted, X))


@pytest.mark.parametrize("name", NETWORKS)
def test_hierarchies_and_views_of_them_are_read_alike(name, make):
    estimator, X, y = make(name)
    hierarchies = KFCoarsener(q=1.0, random_state=0).fit_transform(as_graphs(X))
    expected = outputs(clone(estimator).fit(hierarchies, y), hierarchies)
    views = list(hierarchies)
    assert_equal(expected, outputs(estimator.fit(views, y), views))
