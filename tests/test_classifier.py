"""SHAKEClassifier: labels, training, repeatability, scikit-learn's contract."""

import pickle
import shutil

import joblib
import numpy as np
import pytest
import torch
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

import skshake
from skshake import KFCoarsener, SHAKEClassifier
from skshake._classifier import TEMPERATURE
from skshake._targets import split_validation
from skshake.forests import MAX_SEED
from tests._helpers import run_python

FAST = {"hidden_dim": 8, "n_layers": 1, "max_iter": 3, "random_state": 0}


@pytest.fixture
def hierarchies(two_levels):
    return two_levels


@pytest.fixture
def y(small_mutag):
    return small_mutag[1]


def fast(**parameters):
    return SHAKEClassifier(**{**FAST, **parameters})


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++"), reason="torch.compile needs g++")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
@pytest.mark.parametrize("conv", ["gine", "gcn", "gat"])
def test_compile_is_right_and_seldom_compiles_for_other_sizes(conv, mutag):
    from torch._dynamo.utils import counters

    # In batches large enough for several threads.
    graphs, y = mutag
    coarse = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit_transform(graphs)
    # PESG moves by what the gradient is; AdamW by its sign, where it is but rounding.
    parameters = {"conv": conv, "batch_size": 63, "weight_averaging": False}
    parameters |= {"optimizer": "pesg", "learning_rate": 0.01}
    plain = fast(**parameters).fit(coarse, y)
    torch._dynamo.reset()
    counters.clear()
    compiled = fast(**parameters, compile=True).fit(coarse, y)
    # A second time where two sizes happened to be equal at first; torch_geometric's
    # layers are cut where a shape depends on values.
    n_graphs = counters["stats"]["unique_graphs"]
    assert 1 <= n_graphs <= (2 if conv == "gine" else 20)
    for record, expected in zip(compiled.history_, plain.history_, strict=True):
        assert record.loss == pytest.approx(expected.loss, rel=1e-3)
    np.testing.assert_allclose(
        compiled.predict_proba(coarse), plain.predict_proba(coarse), atol=1e-3
    )


def test_it_learns_what_structure_alone_tells():
    # Triangles against paths of three nodes: only edges differ.
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    triangle = np.ones((3, 3)) - np.eye(3)
    x = np.ones((3, 1))
    graphs, y = [(path, x), (triangle, x)] * 20, np.array(["path", "ring"] * 20)
    classifier = SHAKEClassifier(random_state=0, n_layers=2, dropout=0.0, max_iter=40)
    # Log-odds end at six and more, whatever the seed.
    assert classifier.fit(graphs, y).score(graphs, y) == 1


def test_it_learns_what_the_coarse_level_alone_tells():
    # The classes differ in the category of a node; one level at small q pools it.
    rng = np.random.default_rng(0)
    ring = np.roll(np.eye(8), 1, axis=0)
    codes = [rng.integers(0, 2, (8, 1)) + 2 * (i % 2) for i in range(40)]
    graphs = [(ring, c) for c in codes]
    y = np.arange(40) % 2
    hierarchies = KFCoarsener(q=0.2, random_state=0).fit_transform(graphs)
    classifier = SHAKEClassifier(random_state=0, max_iter=40).fit(hierarchies, y)
    # Log-odds end at five and more, whatever the seed.
    assert classifier.score(hierarchies, y) == 1


@pytest.mark.parametrize(
    "names",
    [["no", "yes"], [-1, 1], [10, 30], [False, True], np.array(["a", "b"], object)],
    ids=str,
)
def test_labels_come_back_as_they_were_given(names, hierarchies, y):
    # Field report 17.
    labels = np.asarray(names)[(y == 1).astype(int)]
    classifier = fast().fit(hierarchies, labels)
    assert classifier.classes_.tolist() == sorted(names)
    predicted = classifier.predict(hierarchies)
    assert predicted.dtype == labels.dtype
    assert set(predicted.tolist()) <= set(labels.tolist())


def test_outputs_agree_with_each_other(hierarchies, y):
    classifier = fast().fit(hierarchies, y)
    probabilities = classifier.predict_proba(hierarchies)
    margin = classifier.decision_function(hierarchies)
    assert probabilities.shape == (40, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-margin)))
    assert (classifier.predict(hierarchies) == np.where(margin > 0, 1, -1)).all()
    assert classifier.embed(hierarchies).shape == (40, 8)


def test_three_classes(hierarchies):
    labels = np.arange(40) % 3
    classifier = fast().fit(hierarchies, labels)
    assert classifier.decision_function(hierarchies).shape == (40, 3)
    assert classifier.predict_proba(hierarchies).shape == (40, 3)


def test_a_single_class_is_predicted_with_certainty(hierarchies):
    classifier = fast().fit(hierarchies, ["only"] * 40)
    assert set(classifier.predict(hierarchies)) == {"only"}
    assert (classifier.predict_proba(hierarchies) == 1).all()


def test_equal_seeds_give_equal_bits(hierarchies, y):
    one, other = (fast(dropout=0.3).fit(hierarchies, y) for _ in range(2))
    for a, b in zip(one.module_.parameters(), other.module_.parameters(), strict=True):
        assert torch.equal(a, b)
    different = fast(random_state=1).fit(hierarchies, y)
    assert (
        different.predict_proba(hierarchies) != one.predict_proba(hierarchies)
    ).any()


def test_small_sets_do_not_depend_on_the_number_of_threads(hierarchies, y):
    n_threads = torch.get_num_threads()
    fitted = []
    try:
        for n in (1, 2):
            torch.set_num_threads(n)
            fitted.append(fast(hidden_dim=64, max_iter=5).fit(hierarchies, y).module_)
            assert torch.get_num_threads() == n
    finally:
        torch.set_num_threads(n_threads)
    for one, two in zip(*(module.parameters() for module in fitted), strict=True):
        assert torch.equal(one, two)


def test_the_users_random_streams_are_left_alone(hierarchies, y):
    torch.manual_seed(5)
    np.random.seed(5)
    expected = torch.rand(3).tolist(), np.random.rand(3).tolist()
    torch.manual_seed(5)
    np.random.seed(5)
    fast(dropout=0.5).fit(hierarchies, y)
    fast(max_iter=1).fit([np.ones((2, 2))] * 4, [0, 1, 0, 1])
    assert (torch.rand(3).tolist(), np.random.rand(3).tolist()) == expected


def test_a_graph_is_predicted_the_same_alone_and_among_others(hierarchies, y):
    classifier = fast().fit(hierarchies, y)
    whole = classifier.predict_proba(hierarchies)
    order = np.array([30, 3, 3])
    some = classifier.predict_proba([hierarchies[int(i)] for i in order])
    np.testing.assert_allclose(some, whole[order], atol=1e-4)
    np.testing.assert_allclose(
        classifier.predict_proba(hierarchies[[7]]), whole[[7]], atol=1e-4
    )


def test_the_temperature_divides_logits_and_changes_no_class(hierarchies, y, tmp_path):
    plain = fast(temperature=1.0).fit(hierarchies, y)
    cool = fast(temperature=2.0).fit(hierarchies, y)
    # A power of two, so that nothing is rounded.
    logits = plain.decision_function(hierarchies)
    assert np.array_equal(2 * cool.decision_function(hierarchies), logits)
    assert np.array_equal(cool.predict(hierarchies), plain.predict(hierarchies))
    assert cool.history_[-1].loss == plain.history_[-1].loss
    for one, two in zip(*(m.explain(hierarchies) for m in (plain, cool)), strict=True):
        np.testing.assert_allclose(2 * two, one, rtol=1e-5, atol=1e-6)
    skshake.save(cool, tmp_path / "cool")
    loaded = skshake.load(tmp_path / "cool")
    assert np.array_equal(2 * loaded.decision_function(hierarchies), logits)


def test_what_is_trained_to_the_end_is_cooled_down(hierarchies, y):
    def temperature_of(**parameters):
        module = fast(max_iter=1, **parameters).fit(hierarchies, y).module_
        (temperature,) = {float(one.temperature) for one in module.networks}
        return temperature

    assert temperature_of() == temperature_of(loss="cross_entropy") == TEMPERATURE
    assert temperature_of(early_stopping=True) == 1
    assert temperature_of(loss="auc_margin") == 1
    assert temperature_of(early_stopping=True, temperature=3) == 3


def test_early_stopping_records_scores_and_keeps_the_best(hierarchies, y):
    classifier = fast(early_stopping=True, max_iter=30, n_iter_no_change=2)
    classifier.fit(hierarchies, y)
    assert classifier.n_iter_ == len(classifier.history_) <= 30
    assert len(classifier.validation_scores_) == classifier.n_iter_
    assert classifier.best_score_ == max(classifier.validation_scores_)
    assert len(classifier.loss_curve_) == classifier.n_iter_


def test_without_early_stopping_nothing_is_held_out(hierarchies, y):
    classifier = fast().fit(hierarchies, y)
    assert classifier.n_iter_ == 3
    assert classifier.validation_scores_ is None
    assert classifier.best_score_ is None


def test_a_validation_set_may_be_given(hierarchies, y):
    # Field report 19.
    classifier = fast(max_iter=4)
    classifier.fit(hierarchies[::2], y[::2], X_val=hierarchies[1::2], y_val=y[1::2])
    assert len(classifier.validation_scores_) == classifier.n_iter_
    fitted = classifier.predict_proba(hierarchies)
    with pytest.raises(ValueError, match="both or neither"):
        classifier.fit(hierarchies, y, X_val=hierarchies)
    with pytest.raises(ValueError, match="y_val: label 7 does not occur"):
        classifier.fit(hierarchies, y, X_val=hierarchies[:1], y_val=[7])
    # A fit that fails leaves the estimator as it was.
    assert (classifier.predict_proba(hierarchies) == fitted).all()


def test_weights_count_in_batches_of_one(hierarchies, y):
    heavy = np.where(np.arange(40) < 20, 1.0, 1e-3)
    one = fast(batch_size=1).fit(hierarchies, y, sample_weight=heavy)
    other = fast(batch_size=1).fit(hierarchies, y)
    assert (one.predict_proba(hierarchies) != other.predict_proba(hierarchies)).any()


@pytest.mark.parametrize("early_stopping", [True, np.True_])
def test_booleans_of_numpy_count(early_stopping, hierarchies, y):
    classifier = fast(early_stopping=early_stopping).fit(hierarchies, y)
    assert classifier.validation_scores_


def test_a_device_that_is_not_there_is_an_error(hierarchies, y):
    with pytest.raises(ValueError, match="device: expected"):
        fast(device="abacus").fit(hierarchies, y)
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="no CUDA device"):
            fast(device="cuda").fit(hierarchies, y)


@pytest.mark.skipif(torch.cuda.is_available(), reason="simulates a machine without GPU")
def test_fitted_on_a_gpu_predicts_without_one(hierarchies, y):
    # Field report 22: what a GPU leaves in the estimator is its parameter ``device``.
    classifier = fast().fit(hierarchies, y)
    expected = classifier.predict_proba(hierarchies)
    classifier.set_params(device="cuda")
    with pytest.warns(UserWarning, match="predicting on the CPU"):
        assert (classifier.predict_proba(hierarchies) == expected).all()


def test_training_lowers_the_loss(hierarchies, y):
    classifier = fast(max_iter=30, hidden_dim=16, dropout=0.0).fit(hierarchies, y)
    # From 0.4 to 0.7 times the first, over seeds.
    assert classifier.loss_curve_[-1] < 0.85 * classifier.loss_curve_[0]


def test_zero_weights_silence_graphs(hierarchies, y):
    # Labels of the silenced half are wrong; what is learnt must not follow them.
    silenced = np.arange(40) % 2 == 0
    wrong = np.where(silenced, -y, y)
    weights = np.where(silenced, 0.0, 1.0)
    parameters = {"max_iter": 80, "hidden_dim": 32, "n_layers": 2, "dropout": 0.0}
    classifier = fast(**parameters).fit(hierarchies, wrong, sample_weight=weights)
    # In the usual sense the wrong half would be learnt as well as the right one. Over
    # seeds the scores are 0.05 to 0.4, and 1.
    assert classifier.score(hierarchies[silenced], wrong[silenced]) < 0.6
    assert classifier.score(hierarchies[~silenced], y[~silenced]) > 0.8


def test_class_weight_shifts_the_balance(hierarchies, y):
    plain = fast(max_iter=30).fit(hierarchies, y)
    heavy = fast(max_iter=30, class_weight={-1: 1, 1: 50}).fit(hierarchies, y)
    assert (
        heavy.predict_proba(hierarchies)[:, 1].mean()
        > plain.predict_proba(hierarchies)[:, 1].mean()
    )


@pytest.mark.parametrize("level_input", ["add", "replace"])
@pytest.mark.parametrize("conv", ["gine", "gin"])
def test_options_of_the_network_train(level_input, conv, hierarchies, y):
    classifier = fast(level_input=level_input, conv=conv, n_readout=0, n_linear=1)
    assert np.isfinite(classifier.fit(hierarchies, y).predict_proba(hierarchies)).all()
    assert classifier.embed(hierarchies).shape == (40, 8)


@pytest.mark.parametrize(
    "parameters",
    [
        {"hidden_dim": 0},
        {"conv": "transformer"},
        {"dropout": 1.0},
        {"learning_rate": 0.0},
        {"batch_size": 0},
        {"max_iter": 0},
        {"early_stopping": "maybe"},
        {"validation_fraction": 1.0},
        {"level_input": "concat"},
        {"schedule": "cosine"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters, hierarchies, y):
    with pytest.raises(ValueError, match=f"'{next(iter(parameters))}' parameter"):
        fast(**parameters).fit(hierarchies, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"loss": "auc_margin", "optimizer": "pesg"},
        {"loss": "auc_margin"},
        {"optimizer": "pesg"},
        {"precision": "bf16"},
        {"precision": "auto"},
    ],
    ids=str,
)
def test_losses_optimisers_and_precisions_learn(parameters, mutag):
    graphs, y = mutag
    model = SHAKEClassifier(max_iter=15, random_state=0, n_layers=2, **parameters)
    model.fit(graphs, y)
    # 0.94 and more, over seeds; 0.5 would be chance.
    assert roc_auc_score(y, model.decision_function(graphs)) > 0.8
    assert set(model.predict(graphs)) <= set(y)


def test_several_labels_with_missing_ones(mutag):
    graphs, y = mutag
    is_large = np.diff(graphs.node_ptr) > 17
    labels = np.column_stack([y == 1, is_large]).astype(float)
    known = labels.copy()
    known[::3, 0] = np.nan
    model = SHAKEClassifier(max_iter=30, random_state=0, early_stopping=True)
    model.fit(graphs, known)
    assert model.classes_.tolist() == [0, 1]
    probability = model.predict_proba(graphs)
    assert probability.shape == labels.shape
    assert (model.predict(graphs) == (probability > 0.5)).all()
    for k in range(2):
        # 0.84 and more, over seeds; 0.5 would be chance.
        assert roc_auc_score(labels[:, k], probability[:, k]) > 0.7
    expected = (model.predict(graphs) == known)[~np.isnan(known)].mean()
    assert model.score(graphs, known) == pytest.approx(expected)
    doubled = model.score(graphs, known, sample_weight=np.full(len(y), 2.0))
    assert doubled == pytest.approx(expected)
    assert len(model.explain(graphs[:3], target=1)) == 3


def test_averaged_weights_are_those_that_are_validated(hierarchies, y):
    parameters = {"early_stopping": True, "schedule": "constant", "max_iter": 4}
    plain, averaged, auto = (
        fast(weight_averaging=choice, **parameters).fit(hierarchies, y)
        for choice in (False, True, "auto")
    )
    assert averaged.loss_curve_ == plain.loss_curve_
    assert averaged.validation_scores_ == auto.validation_scores_
    one, other = (m.predict_proba(hierarchies) for m in (plain, averaged))
    assert (one != other).any()


def test_one_class_predicted_for_all_warns():
    alike = [np.ones((3, 3))] * 20
    with pytest.warns(ConvergenceWarning, match="one class is predicted"):
        fast(max_iter=1).fit(alike, [0, 1] * 10)


def test_metadata_is_routed_to_fit(hierarchies, y):
    weights = np.where(y == 1, 1.0, 0.0)
    expected = fast().fit(hierarchies, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        classifier = fast().set_fit_request(sample_weight=True)
        model = Pipeline([("clf", classifier)])
        model.fit(hierarchies, y, sample_weight=weights)
    found = model.predict_proba(hierarchies)
    assert (found == expected.predict_proba(hierarchies)).all()


def test_predict_before_fit_is_refused(hierarchies):
    with pytest.raises(NotFittedError):
        SHAKEClassifier().predict(hierarchies)


def test_an_exploding_loss_warns(hierarchies, y):
    with (
        np.errstate(all="ignore"),
        pytest.warns(ConvergenceWarning, match="decrease learning_rate"),
    ):
        fast(
            learning_rate=1e30, max_iter=5, schedule="constant", early_stopping=True
        ).fit(hierarchies, y)


def test_clone_and_repr():
    classifier = SHAKEClassifier(hidden_dim=7, n_layers=[1, 2])
    assert clone(classifier).get_params() == classifier.get_params()
    assert "hidden_dim=7" in repr(classifier)


def test_pickle_predicts_exactly_in_a_new_process(hierarchies, y, tmp_path):
    classifier = fast().fit(hierarchies, y)
    again = pickle.loads(pickle.dumps(classifier))
    expected = classifier.predict_proba(hierarchies)
    assert (again.predict_proba(hierarchies) == expected).all()
    joblib.dump((classifier, hierarchies, expected), tmp_path / "fitted.joblib")
    run_python(
        "import sys, joblib\n"
        "model, graphs, expected = joblib.load(sys.argv[1])\n"
        "assert (model.predict_proba(graphs) == expected).all()\n",
        tmp_path / "fitted.joblib",
    )


def test_the_auc_margin_goes_on_from_cross_entropy(hierarchies, y):
    model = fast().fit(hierarchies, y)
    before = {k: p.detach().clone() for k, p in model.module_.named_parameters()}
    model.set_params(loss="auc_margin", warm_start=True, learning_rate=1e-9)
    # Next to no rate moves next to nothing but the statistics of the normalisation.
    for name, parameter in model.fit(hierarchies, y).module_.named_parameters():
        torch.testing.assert_close(parameter, before[name], rtol=0, atol=1e-6)


def test_equal_seeds_give_equal_weights_in_any_process(mutag):
    graphs, y = mutag
    X = KFCoarsener(q=1.0, random_state=0).fit_transform(graphs)
    fits = (SHAKEClassifier(max_iter=3, random_state=0) for _ in range(2))
    weights = [model.fit(X, y).module_.state_dict() for model in fits]
    hashes = {joblib.hash({k: v.numpy() for k, v in w.items()}) for w in weights}
    code = (
        "import joblib\n"
        "from skshake import KFCoarsener, SHAKEClassifier\n"
        "from skshake.datasets import load_mutag\n"
        "graphs, y = load_mutag(return_X_y=True)\n"
        "X = KFCoarsener(q=1.0, random_state=0).fit_transform(graphs)\n"
        "model = SHAKEClassifier(max_iter=3, random_state=0).fit(X, y)\n"
        "weights = model.module_.state_dict()\n"
        "print(joblib.hash({k: v.numpy() for k, v in weights.items()}))"
    )
    assert {run_python(code, PYTHONHASHSEED="7").strip()} == hashes


@pytest.mark.parametrize(("counts", "what"), [(0, "left to train on"), (1, "held out")])
def test_weights_that_a_split_leaves_at_zero_are_refused(counts, what, small_mutag):
    graphs, y = small_mutag
    settings = {"early_stopping": True, "max_iter": 1, "random_state": 0}
    seed = int(check_random_state(0).randint(MAX_SEED))
    codes = np.unique(y, return_inverse=True)[1]
    parts = split_validation(codes, 0.1, seed)
    weight = np.ones(len(y))
    weight[parts[counts]] = 0
    with pytest.raises(ValueError, match=f"graphs that are {what} for early stopping"):
        SHAKEClassifier(**settings).fit(graphs, y, sample_weight=weight)
