"""The ensembles: what they average, what reaches members, and what they refuse."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    RandomForestClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from skshake import (
    InvalidGraphError,
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SHAKEEnsembleRegressor,
    SubtreeVectorizer,
)

NETWORK = {"hidden_dim": 8, "n_layers": 1, "max_iter": 2}
TREES = {
    "trees__count__walk_length": 0,
    "trees__count__trial__n_estimators": 30,
    "trees__forests__random__n_estimators": 10,
    "trees__forests__extra__n_estimators": 10,
}


def small(ensemble, **params):
    """The same with a small network and few trees."""
    step = "clf" if isinstance(ensemble, SHAKEEnsembleClassifier) else "reg"
    network = {f"shake__{step}__{name}": value for name, value in NETWORK.items()}
    small_one = {"shake__coarsen__n_forests": 1, **network, **TREES}
    return ensemble.set_params(random_state=0, **small_one, **params)


@pytest.fixture
def classifier():
    return small(SHAKEEnsembleClassifier())


@pytest.fixture
def regressor():
    return small(SHAKEEnsembleRegressor())


@pytest.fixture
def labels(small_mutag):
    """Three labels of each molecule; of the second every other is not known."""
    _, y = small_mutag
    labels = np.column_stack([y > 0, y > 0, y < 0]).astype(float)
    labels[::2, 1] = np.nan
    return labels


def of_members(ensemble, method, graphs):
    """What the members say, the network first."""
    members = ensemble.named_estimators_
    return [getattr(members[name], method)(graphs) for name in ("shake", "trees")]


@pytest.mark.parametrize("weights", [None, [3, 1], np.array([0.0, 0.5])])
def test_probabilities_are_the_weighted_mean(classifier, weights, small_mutag):
    graphs, y = small_mutag
    classifier.set_params(weights=weights).fit(graphs, y)
    shake, trees = of_members(classifier, "predict_proba", graphs)
    a, b = (1, 1) if weights is None else weights
    found = classifier.predict_proba(graphs)
    assert classifier.weights_ == pytest.approx([a / (a + b), b / (a + b)])
    assert found == pytest.approx((a * shake + b * trees) / (a + b))
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert isinstance(classifier.voting_, VotingClassifier)
    # What it says is what scikit-learn's says.
    labels = classifier.predict(graphs)
    assert np.array_equal(labels, classifier.voting_.predict(graphs))
    assert np.array_equal(labels, classifier.classes_[found.argmax(axis=1)])
    assert classifier.score(graphs, y) == np.mean(labels == y)


def test_the_network_counts_the_more_the_more_graphs_it_has_seen(
    classifier, small_mutag
):
    graphs, y = small_mutag
    of_network = []
    for n in (20, 40):
        weights = classifier.fit(graphs[:n], y[:n]).weights_
        assert weights == pytest.approx([n / (n + 100) / 2, 1 - n / (n + 100) / 2])
        assert classifier.voting_.weights is not None
        of_network.append(weights[0])
    assert of_network[0] < of_network[1] < 0.5


@pytest.mark.parametrize("weights", ["auto", None, [3, 1]])
def test_numbers_are_the_weighted_mean(regressor, weights, small_mutag):
    graphs, y = small_mutag
    regressor.set_params(weights=weights).fit(graphs, y * 0.5)
    predictions = of_members(regressor, "predict", graphs)
    expected = np.average(predictions, axis=0, weights=regressor.weights_)
    share = 0.7 * len(y) / (len(y) + 100)
    if weights != "auto":
        share = 0.75 if weights else 0.5
    assert regressor.weights_ == pytest.approx([share, 1 - share])
    assert np.array_equal(regressor.predict(graphs), expected)
    assert isinstance(regressor.voting_, VotingRegressor)
    residuals = ((expected - y * 0.5) ** 2).sum() / (0.25 * len(y))
    assert regressor.score(graphs, y * 0.5) == pytest.approx(1 - residuals)
    # One column is a target too, and comes back as one.
    column = clone(regressor).fit(graphs, y[:, None] * 0.5).predict(graphs)
    assert np.array_equal(column, expected[:, None])


def test_the_mean_is_as_calibrated_as_its_members(classifier, small_mutag):
    # In the mean of their squared errors, of which none is smaller for any graphs.
    graphs, y = small_mutag
    classifier.fit(graphs[::2], y[::2])
    truth = y[1::2, None] == classifier.classes_

    def squared_error(proba):
        return ((proba - truth) ** 2).mean()

    members = of_members(classifier, "predict_proba", graphs[1::2])
    found = squared_error(classifier.predict_proba(graphs[1::2]))
    errors = [squared_error(each) for each in members]
    assert found <= np.average(errors, weights=classifier.weights_) + 1e-12


def test_several_labels_with_nan(classifier, labels, small_mutag):
    graphs, _ = small_mutag
    classifier.set_params(weights=[1, 3]).fit(graphs, labels)
    members = of_members(classifier, "predict_proba", graphs)
    proba = classifier.predict_proba(graphs)
    assert proba.shape == labels.shape
    assert proba == pytest.approx(np.average(members, axis=0, weights=[1, 3]))
    assert classifier.classes_.tolist() == [0, 1, 2]
    found = classifier.predict(graphs)
    assert np.array_equal(found, proba > 0.5)
    known = ~np.isnan(labels)
    assert classifier.score(graphs, labels) == (found == labels)[known].mean()
    assert classifier.voting_ is None
    # One table, and forests of three labels, the second of which has gaps.
    trees = classifier.named_estimators_["trees"]
    assert isinstance(trees["count"], SubtreeVectorizer)
    assert [forest.n_outputs_ for forest in trees["forests"].forests_] == [3 + 1] * 2
    folds = KFold(2, shuffle=True, random_state=0)
    scores = cross_val_score(classifier, graphs, labels, cv=folds, error_score="raise")
    assert scores.shape == (2,)


def test_several_columns_of_numbers_with_nan(regressor, labels, small_mutag):
    graphs, _ = small_mutag
    regressor.fit(graphs, labels)
    predictions = of_members(regressor, "predict", graphs)
    expected = np.average(predictions, axis=0, weights=regressor.weights_)
    assert np.array_equal(regressor.predict(graphs), expected)
    assert np.isfinite(regressor.score(graphs, labels))
    assert len(regressor.explain(graphs[:2], target=2)) == 2


def test_one_class(classifier, small_mutag):
    graphs, y = small_mutag
    with pytest.warns(ConvergenceWarning, match="y holds 7 alone"):
        classifier.fit(graphs, np.full_like(y, 7))
    assert classifier.classes_.tolist() == [7]
    assert set(classifier.predict(graphs)) == {7}
    assert classifier.predict_proba(graphs).tolist() == [[1.0]] * len(y)


def test_one_value_of_a_label(classifier, labels, small_mutag):
    graphs, _ = small_mutag
    labels[:, 2] = 0
    with pytest.warns(ConvergenceWarning, match="column 2 of y holds 0 alone"):
        classifier.fit(graphs, labels)
    _, trees = of_members(classifier, "predict_proba", graphs)
    assert not trees[:, 2].any()


def test_labels_are_those_that_were_given(classifier, small_mutag):
    graphs, y = small_mutag
    names = np.where(y > 0, "yes", "no")
    classifier.fit(graphs, names.tolist())
    assert classifier.classes_.tolist() == ["no", "yes"]
    assert set(classifier.predict(graphs)) <= {"no", "yes"}
    for member in classifier.named_estimators_.values():
        assert member.classes_.tolist() == ["no", "yes"]
    yes, no = (classifier.explain(graphs[:3], target=t) for t in ("yes", "no"))
    for one, other in zip(yes, no, strict=True):
        assert one == pytest.approx(-other)


def test_parameters_of_members_are_reached_without_giving_them(small_mutag):
    ensemble = SHAKEEnsembleClassifier()
    assert ensemble.get_params(deep=False)["shake"] is None
    assert ensemble.get_params()["shake__clf__hidden_dim"] == 64
    ensemble.set_params(shake__clf__hidden_dim=32)
    assert ensemble.shake["clf"].hidden_dim == 32
    assert ensemble.trees is None
    assert clone(ensemble).get_params()["shake__clf__hidden_dim"] == 32
    assert ensemble.set_params(shake=None).get_params()["shake__clf__hidden_dim"] == 64
    ensemble.set_params(shake=None, shake__clf__max_iter=3)
    assert ensemble.shake["clf"].max_iter == 3
    with pytest.raises(ValueError, match="Invalid parameter 'nope'"):
        ensemble.set_params(shake__clf__nope=1)
    with pytest.raises(ValueError, match="Invalid parameter 'nope'"):
        ensemble.set_params(nope__depth=1)


def test_a_search_reaches_both_members(small_mutag):
    graphs, y = small_mutag
    # Members are None: the search itself makes them.
    fixed = {f"shake__clf__{name}": value for name, value in NETWORK.items()} | TREES
    grid = {name: [value] for name, value in fixed.items()}
    grid |= {"shake__clf__hidden_dim": [4, 8], "trees__count__depth": [1]}
    ensemble = SHAKEEnsembleClassifier(random_state=0)
    search = GridSearchCV(ensemble, grid, cv=2, error_score="raise").fit(graphs, y)
    best = search.best_estimator_
    hidden_dim = search.best_params_["shake__clf__hidden_dim"]
    assert best.named_estimators_["shake"]["clf"].hidden_dim == hidden_dim
    assert best.named_estimators_["trees"]["count"].depth == 1
    assert len(search.cv_results_["params"]) == 2
    assert ensemble.shake is None


def test_equal_seeds_give_equal_bits_and_other_seeds_other_members(
    classifier, global_random_seed, small_mutag
):
    graphs, y = small_mutag
    classifier.set_params(random_state=global_random_seed)
    one, same = (clone(classifier).fit(graphs, y) for _ in range(2))
    assert np.array_equal(one.predict_proba(graphs), same.predict_proba(graphs))
    other = clone(classifier).set_params(random_state=global_random_seed + 1)
    other.fit(graphs, y)
    for before, after in zip(
        of_members(one, "predict_proba", graphs),
        of_members(other, "predict_proba", graphs),
        strict=True,
    ):
        assert not np.array_equal(before, after)


def test_members_keep_what_they_set(classifier, small_mutag):
    graphs, y = small_mutag
    set_ones = {"shake__clf__random_state": 5, "trees__forests__random__n_jobs": 1}
    classifier.set_params(n_jobs=2, **set_ones)
    fitted = classifier.fit(graphs, y).named_estimators_
    assert fitted["shake"]["clf"].random_state == 5
    forest = fitted["trees"]["forests"].named_estimators_["random"]
    assert forest.n_jobs == 1
    # And get what they leave open, while the parameters stay as they are.
    assert fitted["shake"]["coarsen"].n_jobs == 2
    assert fitted["trees"]["count"].trial.n_jobs == 2
    assert fitted["trees"]["forests"].named_estimators_["extra"].n_jobs == 2
    assert None not in (fitted["shake"]["coarsen"].random_state, forest.random_state)
    assert classifier.shake["coarsen"].random_state is None
    assert classifier.shake["coarsen"].n_jobs is None
    # A seed that is set moves no other.
    without = clone(classifier).set_params(shake__clf__random_state=None)
    again = without.fit(graphs, y).named_estimators_
    other = again["trees"]["forests"].named_estimators_["random"]
    assert other.random_state == forest.random_state


def test_n_jobs_changes_nothing_but_rounding(classifier, small_mutag):
    graphs, y = small_mutag
    one = clone(classifier).fit(graphs, y).predict_proba(graphs)
    # Threads of a forest add up its trees in any order.
    two = classifier.set_params(n_jobs=2).fit(graphs, y).predict_proba(graphs)
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


def test_verbose_reaches_the_network_alone(classifier, small_mutag, capsys):
    graphs, y = small_mutag
    fitted = classifier.set_params(verbose=1).fit(graphs, y).named_estimators_
    assert fitted["shake"]["clf"].verbose == 1
    for forest in fitted["trees"]["forests"].estimators_:
        assert forest.verbose == 0
    assert "loss" in capsys.readouterr().err


def test_graphs_are_read_once(classifier, small_mutag):
    graphs, y = small_mutag
    expected = clone(classifier).fit(graphs, y).predict_proba(graphs)
    # A generator cannot be read twice.
    classifier.fit((graph for graph in graphs), y)
    found = classifier.predict_proba(graph for graph in graphs)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_pickles_predict_alike(how, classifier, small_mutag, tmp_path):
    graphs, y = small_mutag
    classifier.fit(graphs, y)
    if how == "pickle":
        again = pickle.loads(pickle.dumps(classifier))
    else:
        joblib.dump(classifier, tmp_path / "model")
        again = joblib.load(tmp_path / "model")
    expected = classifier.predict_proba(graphs)
    assert np.array_equal(again.predict_proba(graphs), expected)
    assert isinstance(again.voting_, VotingClassifier)


def test_weights_of_graphs_and_classes_reach_both_members(classifier, small_mutag):
    graphs, y = small_mutag
    plain = clone(classifier).fit(graphs, y)
    by_class = clone(classifier).set_params(class_weight={1: 9.0}).fit(graphs, y)
    by_graph = clone(classifier).fit(graphs, y, np.where(y == 1, 9.0, 1.0))
    for before, one, other in zip(
        of_members(plain, "predict_proba", graphs),
        of_members(by_class, "predict_proba", graphs),
        of_members(by_graph, "predict_proba", graphs),
        strict=True,
    ):
        assert np.array_equal(one, other)
        assert one[:, 1].mean() > before[:, 1].mean()


def test_weights_with_several_labels(classifier, labels, small_mutag):
    graphs, y = small_mutag
    plain = clone(classifier).fit(graphs, labels)
    heavy = classifier.fit(graphs, labels, np.where(y == 1, 9.0, 1.0))
    for before, after in zip(
        of_members(plain, "predict_proba", graphs),
        of_members(heavy, "predict_proba", graphs),
        strict=True,
    ):
        assert after[:, 0].mean() > before[:, 0].mean()


def test_any_pair_that_takes_graphs(small_mutag, labels):
    graphs, y = small_mutag
    settings = {**NETWORK, "random_state": 0}
    linear = make_pipeline(SubtreeVectorizer(), MaxAbsScaler(), LogisticRegression())
    ensemble = SHAKEEnsembleClassifier(shake=SHAKEClassifier(**settings), trees=linear)
    ensemble.fit(graphs, y)
    members = of_members(ensemble, "predict_proba", graphs)
    expected = np.average(members, axis=0, weights=ensemble.weights_)
    assert np.array_equal(ensemble.predict_proba(graphs), expected)
    assert len(ensemble.explain(graphs[:2], level=0)) == 2
    assert not ensemble.check(graphs)
    # Sparse tables, networks in both places, and a linear model of each label.
    assert ensemble.fit(graphs, labels).predict(graphs).shape == labels.shape
    coarse = Pipeline([("c", KFCoarsener(q=1.0)), ("n", SHAKEClassifier(**settings))])
    both = clone(ensemble).set_params(trees=coarse).fit(graphs, labels)
    assert isinstance(both.named_estimators_["trees"]["n"], SHAKEClassifier)
    linear = make_pipeline(SubtreeVectorizer(statistics=False), LinearRegression())
    numbers = SHAKEEnsembleRegressor(trees=linear, random_state=0)
    numbers.set_params(**{f"shake__reg__{k}": v for k, v in NETWORK.items()})
    assert numbers.fit(graphs, y * 1.0).predict(graphs).shape == (40,)


def test_steps_of_the_network_that_do_nothing_are_passed(classifier, small_mutag):
    graphs, y = small_mutag
    classifier.fit(graphs, y)
    shake = classifier.get_params()["shake"]
    assert shake is not None
    padded = Pipeline([("nothing", "passthrough"), *shake.steps])
    other = clone(classifier).set_params(shake=padded).fit(graphs, y)
    expected = classifier.explain(graphs[:2])
    found = other.explain(graphs[:2])
    for one, two in zip(found, expected, strict=True):
        assert np.array_equal(one, two)


def test_a_member_that_is_no_pipeline_is_fitted_to_each_label(labels, small_mutag):
    graphs, _ = small_mutag

    class Sizes(RandomForestClassifier):
        """A forest on numbers of nodes and edges."""

        def fit(self, X, y, sample_weight=None):
            return super().fit(self.table(X), y, sample_weight)

        def predict_proba(self, X):
            return super().predict_proba(self.table(X))

        def table(self, X):
            return np.array([[graph.n_nodes, len(graph.edges)] for graph in X])

    ensemble = SHAKEEnsembleClassifier(trees=Sizes(n_estimators=5))
    ensemble.set_params(
        random_state=0, **{f"shake__clf__{k}": v for k, v in NETWORK.items()}
    )
    ensemble.fit(graphs, labels, np.ones(len(labels)))
    assert len(ensemble.named_estimators_["trees"].estimators_) == 3
    assert ensemble.predict_proba(graphs).shape == labels.shape


def test_in_a_pipeline_with_molecules(classifier):
    smiles = ["CCO", "c1ccccc1", "CC(=O)O", "c1ccncc1"] * 6
    y = [0, 1] * 12
    model = make_pipeline(MoleculeFeaturizer(), classifier)
    scores = cross_val_score(model, smiles, y, cv=2, error_score="raise")
    assert np.isfinite(scores).all()
    model.fit(smiles, y)
    assert model.predict(["CCCO"]).shape == (1,)
    assert [p.graph for p in model[0].check(["CCO", "nonsense"])] == [1]


@pytest.mark.parametrize("as_list", [False, True])
def test_cross_validation(as_list, classifier, regressor, small_mutag):
    graphs, y = small_mutag
    X = list(graphs) if as_list else graphs
    for scoring in ("accuracy", "roc_auc", "neg_log_loss"):
        scores = cross_val_score(
            classifier, X, y, cv=2, scoring=scoring, error_score="raise"
        )
        assert np.isfinite(scores).all()
    scores = cross_val_score(regressor, X, y * 0.5, cv=2, error_score="raise")
    assert np.isfinite(scores).all()


def test_graphs_without_nodes_get_no_prediction_if_the_network_gives_none(
    classifier, regressor
):
    empty = MoleculeFeaturizer(on_invalid="empty")
    with pytest.warns(UserWarning, match="invalid"):
        X = empty.fit_transform(["CCO", "CCN", "nonsense", "CCCO", "CCCN"] * 4)
    y = np.array([0, 1, 0, 0, 1] * 4)
    is_gap = np.arange(20) % 5 == 2
    classifier.set_params(shake__clf__on_empty="nan").fit(X, y)
    assert np.array_equal(np.isnan(classifier.predict_proba(X)).any(axis=1), is_gap)
    found = classifier.predict(X)
    assert classifier.score(X, y) == (found == y)[~is_gap].mean()
    regressor.set_params(shake__reg__on_empty="nan").fit(X, y * 1.0)
    assert np.array_equal(np.isnan(regressor.predict(X)), is_gap)
    assert np.isfinite(regressor.score(X, y * 1.0))


def test_check_names_graphs_of_other_kinds(classifier, small_mutag):
    graphs, y = small_mutag
    bare = np.ones((3, 3)) - np.eye(3)
    assert classifier.check([bare, "CCO"])[0].graph == 1
    assert not classifier.check([bare, bare])
    classifier.fit(graphs, y)
    assert not classifier.check(graphs)
    problems = classifier.check([graphs[0], bare])
    assert {problem.graph for problem in problems} == {1}
    with pytest.raises(InvalidGraphError, match="Graph 1"):
        classifier.predict([graphs[0], bare])
    with pytest.raises(InvalidGraphError, match="Graph 1 is of type str"):
        classifier.fit([graphs[0], "CCO"], [0, 1])


@pytest.mark.parametrize(
    "weights", [[1], [1, 2, 3], [1, -1], [0, 0], [np.nan, 1], [np.inf, 1]], ids=str
)
def test_wrong_weights_of_members_are_refused(weights, classifier, small_mutag):
    with pytest.raises(ValueError, match="weights: expected two numbers of 0 or more"):
        classifier.set_params(weights=weights).fit(*small_mutag)


def test_members_that_take_no_weights_are_named(small_mutag):
    graphs, y = small_mutag
    neighbours = make_pipeline(SubtreeVectorizer(), KNeighborsClassifier())
    ensemble = SHAKEEnsembleClassifier(
        shake=SHAKEClassifier(**NETWORK), trees=neighbours, random_state=0
    )
    ensemble.fit(graphs, y)
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.*'trees', takes none"):
        ensemble.fit(graphs, y, np.ones(len(y)))


def test_wrong_targets_and_members_are_refused(classifier, labels, small_mutag):
    graphs, y = small_mutag
    with pytest.raises(ValueError, match="expected 40 labels, got 39"):
        classifier.fit(graphs, y[:-1])
    with pytest.raises(ValueError, match="the first at graph 3"):
        classifier.fit(graphs, np.where(np.arange(40) == 3, np.nan, y))
    with pytest.raises(ValueError, match="labels 0, 1 or NaN"):
        classifier.fit(graphs, labels + 1)
    with pytest.raises(ValueError, match="class_weight: y has several columns"):
        clone(classifier).set_params(class_weight="balanced").fit(graphs, labels)
    with pytest.raises(ValueError, match="'trees' parameter of SHAKEEnsembleC"):
        SHAKEEnsembleClassifier(trees=LinearRegression()).fit(graphs, y)
    with pytest.raises(NotFittedError, match="SHAKEEnsembleClassifier"):
        classifier.predict(graphs)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("shake__clf__dropout", 2, "'dropout' parameter of SHAKEClassifier"),
        ("shake__coarsen__n_levels", 0, "'n_levels' parameter of KFCoarsener"),
        ("trees__count__depth", -1, "'depth' parameter of OutOfBagVectorizer"),
        (
            "trees__forests__random__max_features",
            2.0,
            "'max_features' parameter of RandomForest",
        ),
    ],
)
def test_wrong_parameters_of_members_are_refused(
    name, value, message, classifier, small_mutag
):
    with pytest.raises(ValueError, match=message):
        classifier.set_params(**{name: value}).fit(*small_mutag)


def test_callbacks_of_the_network_are_called(classifier, small_mutag):
    pytest.importorskip("sklearn.callback")
    ended = []

    class Recorder:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            ended.append(context.task_name)

        def teardown(self, estimator, context):
            pass

    classifier.shake["clf"].set_callbacks(Recorder())
    classifier.fit(*small_mutag)
    assert ended.count("epoch") == NETWORK["max_iter"]


def test_a_fit_that_fails_leaves_the_ensemble_as_it_was(classifier, small_mutag):
    graphs, y = small_mutag
    expected = classifier.fit(graphs, y).predict_proba(graphs)
    with pytest.raises(ValueError, match="expected 40 labels"):
        classifier.fit(graphs, y[:-1])
    assert np.array_equal(classifier.predict_proba(graphs), expected)
