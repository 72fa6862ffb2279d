"""Callbacks of scikit-learn: what they are told, and that they change nothing else."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import skshake
from skshake import (
    GraphCollection,
    HierarchyCollection,
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKERegressor,
    SubtreeVectorizer,
)
from skshake._callbacks import CALLBACK_ATTRIBUTES, OF_FIT
from skshake.network import _training
from tests._helpers import run_python

sklearn_callback = pytest.importorskip(
    "sklearn.callback", reason="scikit-learn has no callbacks before 1.9"
)

DOCS = Path(__file__).parents[1] / "docs" / "callbacks.md"
SETTINGS = {"hidden_dim": 8, "n_layers": 1, "max_iter": 3, "random_state": 0}


class Recorder:
    """Notes each call as (hook, class of the estimator, task), and more if asked.

    Parameters
    ----------
    act : callable, default=None
        Of each call and the estimator; what it returns is returned to the fit.
    """

    def __init__(self, act=None):
        self.calls, self._act = [], act

    def _note(self, hook, estimator, context):
        call = hook, type(estimator).__name__, context.task_name
        self.calls.append(call)
        return None if self._act is None else self._act(call, estimator)

    def setup(self, estimator, context):
        self._note("setup", estimator, context)

    def on_fit_task_begin(self, estimator, context):
        self._note("begin", estimator, context)

    def on_fit_task_end(self, estimator, context):
        return self._note("end", estimator, context)

    def teardown(self, estimator, context):
        self._note("teardown", estimator, context)


class Spreading(Recorder):
    """A recorder that scikit-learn gives on to the steps of a pipeline."""

    max_propagation_depth = None


class Keeper(Recorder):
    """Keeps what hooks get at the end of each task."""

    def __init__(self):
        super().__init__()
        self.got = []

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.got.append((context, X, y, metadata, fitted_estimator))


def calls_of_fit(name, n_epochs):
    """Calls of hooks while an estimator is fitted, but for setup and teardown."""
    epoch = [("begin", name, "epoch"), ("end", name, "epoch")]
    return [("begin", name, "fit"), *(epoch * n_epochs), ("end", name, "fit")]


def state_of(model):
    return {name: value.clone() for name, value in model.module_.state_dict().items()}


def assert_same_weights(one, other):
    expected = state_of(other)
    for name, value in state_of(one).items():
        assert torch.equal(value, expected[name]), name


def at_end_of_epoch(epoch, action):
    """What a recorder is to do at the end of one epoch."""

    def act(call, estimator):
        if call[0] == "end" and call[2] == "epoch":
            return action() if estimator.history_[-1].epoch == epoch else None
        return None

    return act


@pytest.fixture
def y(small_mutag):
    return small_mutag[1]


@pytest.mark.parametrize("estimator", [SHAKEClassifier, SHAKERegressor])
def test_each_epoch_is_a_task_of_the_fit(estimator, two_levels, y):
    recorder, name = Recorder(), estimator.__name__
    model = estimator(**SETTINGS).set_callbacks(recorder)
    assert model.fit(two_levels, y) is model
    setup, *calls, teardown = recorder.calls
    assert setup == ("setup", name, "fit")
    assert calls == calls_of_fit(name, 3)
    assert teardown == ("teardown", name, "fit")
    assert set(vars(model)) & set(CALLBACK_ATTRIBUTES) == {"_skl_callbacks"}


def test_transformers_have_one_task(small_mutag):
    for estimator, X in (
        (KFCoarsener(q=1.0, random_state=0), small_mutag[0]),
        (SubtreeVectorizer(sparse_output=False), small_mutag[0]),
        (MoleculeFeaturizer(), ["CCO", "CCN"]),
    ):
        keeper, recorder = Keeper(), Recorder()
        estimator.set_callbacks(keeper, recorder)
        for fit in (estimator.fit, estimator.fit_transform):
            recorder.calls.clear()
            fit(X)
            assert recorder.calls[1:-1] == calls_of_fit(type(estimator).__name__, 0)
            assert not set(vars(estimator)) & set(OF_FIT)
        _, got, _, _, fitted = keeper.got[-1]
        assert isinstance(got, GraphCollection) or got is X
        assert len(fitted.transform(X)) == len(X)


def test_what_hooks_get(small_mutag):
    graphs, y = small_mutag
    weights = np.linspace(1, 2, len(y))
    keeper = Keeper()
    model = SHAKEClassifier(early_stopping=True, **SETTINGS).set_callbacks(keeper)
    # An iterator is read once; what hooks get can be read again.
    model.fit(iter(graphs), y, sample_weight=weights)
    assert [context.task_id for context, *_ in keeper.got] == [0, 1, 2, 0]
    assert [context.max_subtasks for context, *_ in keeper.got] == [0, 0, 0, 3]
    for k, (_, X, got_y, metadata, fitted) in enumerate(keeper.got, start=1):
        assert isinstance(X, HierarchyCollection)
        assert len(X) == len(y)
        assert got_y is y
        assert metadata == {"sample_weight": weights}
        assert fitted.history_ == model.history_[:k]
        assert fitted.loss_curve_ == model.loss_curve_[:k]
        assert fitted.best_score_ == max(model.validation_scores_[:k])
        assert fitted.score(X, y, sample_weight=weights) > 0
    assert_same_weights(keeper.got[-1][-1], model)
    keeper.got.clear()
    model.fit(graphs, y)
    assert all(metadata is None for *_, metadata, _ in keeper.got)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"early_stopping": True}, {"schedule": "constant", "conv": "gcn"}],
    ids=str,
)
def test_the_fitted_estimator_is_that_of_a_fit_that_stops_there(
    parameters, two_levels, y
):
    keeper = Keeper()
    model = SHAKEClassifier(**SETTINGS, **parameters).set_callbacks(keeper)
    model.fit(two_levels, y)
    for epoch, (*_, fitted) in enumerate(keeper.got[:-1], start=1):
        stop = Recorder(at_end_of_epoch(epoch, lambda: True))
        stopped = clone(model).set_callbacks(stop).fit(two_levels, y)
        assert stopped.n_iter_ == epoch
        assert stop.calls[1:-1] == calls_of_fit("SHAKEClassifier", epoch)
        assert_same_weights(fitted, stopped)
        assert (
            fitted.predict_proba(two_levels) == stopped.predict_proba(two_levels)
        ).all()
        assert fitted.explain(two_levels[:1])[0].tolist() == (
            stopped.explain(two_levels[:1])[0].tolist()
        )


def test_history_grows_and_nothing_is_made_that_no_hook_takes(
    two_levels, y, monkeypatch
):
    monkeypatch.setattr(_training.Training, "snapshot", None)
    epochs = []

    def act(call, estimator):
        if call[2] == "epoch":
            epochs.append(len(getattr(estimator, "history_", [])))
            # What a callback does to the list is its own affair.
            getattr(estimator, "history_", []).append("changed")
            with pytest.raises(NotFittedError):
                estimator.predict(two_levels)

    model = SHAKEClassifier(**SETTINGS).set_callbacks(Recorder(act))
    model.fit(two_levels, y)
    # An epoch begins with what was appended when the last one ended.
    assert epochs == [0, 1, 2, 2, 3, 3]
    assert [record.epoch for record in model.history_] == [1, 2, 3]


@pytest.mark.parametrize(
    "parameters",
    [
        {"dropout": 0.3},
        {"dropout": 0.3, "early_stopping": True},
        {"dropout": 0.3, "conv": "gcn"},
        {"random_state": None},
    ],
    ids=str,
)
def test_a_callback_that_computes_and_draws_changes_no_weight(
    parameters, two_levels, y
):
    class Noisy(Keeper):
        def setup(self, estimator, context):
            np.random.rand()
            torch.rand(1)

        def on_fit_task_begin(self, estimator, context):
            self.setup(estimator, context)
            if context.task_name == "epoch":
                n_threads.append(torch.get_num_threads())

        def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
            self.setup(estimator, context)
            fitted_estimator.predict(X)
            clone(estimator).set_callbacks().fit(X, y)

    n_threads = []
    model = SHAKEClassifier(**{**SETTINGS, **parameters})
    np.random.seed(7)
    expected = clone(model).fit(two_levels, y)
    np.random.seed(7)
    found = model.set_callbacks(Noisy()).fit(two_levels, y)
    assert n_threads == [n_threads[0]] * 3
    assert_same_weights(found, expected)
    assert found.loss_curve_ == expected.loss_curve_


@pytest.mark.parametrize("was_fitted", [False, True])
@pytest.mark.parametrize(
    "where", [("setup", "fit"), ("begin", "epoch"), ("end", "epoch"), ("end", "fit")]
)
def test_a_callback_that_fails_ends_the_fit(where, was_fitted, two_levels, y):
    def fail(call, estimator):
        if (call[0], call[2]) == where:
            raise RuntimeError("no disk")

    model = SHAKEClassifier(**SETTINGS)
    if was_fitted:
        model.fit(two_levels, y)
    before = set(vars(model)), getattr(model, "history_", None)
    recorder = Recorder(fail)
    with pytest.raises(RuntimeError, match="no disk"):
        model.set_callbacks(recorder).fit(two_levels, y)
    assert recorder.calls[-1] == ("teardown", "SHAKEClassifier", "fit")
    assert not set(vars(model)) & set(OF_FIT)
    if where != ("end", "fit"):
        after = set(vars(model)) - {"_skl_callbacks"}
        assert (after, getattr(model, "history_", None)) == before
    # The next fit is as if nothing had been.
    assert_same_weights(
        model.set_callbacks().fit(two_levels, y),
        SHAKEClassifier(**SETTINGS).fit(two_levels, y),
    )


def test_a_callback_that_cannot_be_torn_down_says_so(two_levels, y):
    def fail(call, estimator):
        if call[0] == "teardown":
            raise RuntimeError("no disk")

    model = SHAKEClassifier(**SETTINGS).set_callbacks(Recorder(fail))
    with pytest.raises(RuntimeError, match="no disk"):
        model.fit(two_levels, y)
    assert not set(vars(model)) & set(OF_FIT)
    assert len(model.predict(two_levels)) == len(y)


def test_no_callback_is_told_of_a_fit_that_is_refused(two_levels, y):
    recorder = Recorder()
    for model, labels in (
        (SHAKEClassifier(dropout=2), y),
        (SHAKEClassifier(**SETTINGS), y[:-1]),
    ):
        with pytest.raises(ValueError, match=r"dropout|y"):
            model.set_callbacks(recorder).fit(two_levels, labels)
    assert not recorder.calls


def interrupt():
    raise KeyboardInterrupt


def test_ctrl_c_in_an_epoch_and_in_a_callback(two_levels, y, monkeypatch):
    recorder = Recorder(at_end_of_epoch(2, interrupt))
    model = SHAKEClassifier(**SETTINGS).set_callbacks(recorder)
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 3"):
        model.fit(two_levels, y)
    assert model.n_iter_ == 2
    assert recorder.calls[1:-1] == calls_of_fit("SHAKEClassifier", 2)

    run_epoch = _training.Training.run_epoch
    monkeypatch.setattr(
        _training.Training,
        "run_epoch",
        lambda self: interrupt() if len(self.history) == 2 else run_epoch(self),
    )
    recorder = Recorder()
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 3"):
        model.set_callbacks(recorder).fit(two_levels, y)
    # The third epoch has begun and never ends.
    *calls, end, teardown = recorder.calls[1:]
    assert calls == [
        *calls_of_fit("SHAKEClassifier", 2)[:-1],
        ("begin", "SHAKEClassifier", "epoch"),
    ]
    assert (end[0], teardown[0]) == ("end", "teardown")
    assert not set(vars(model)) & set(OF_FIT)


def test_ctrl_c_in_a_callback_stops_a_search(two_levels, y):
    recorder = Recorder(at_end_of_epoch(2, interrupt))
    model = SHAKEClassifier(**SETTINGS).set_callbacks(recorder)
    with pytest.raises(KeyboardInterrupt):
        GridSearchCV(model, {"dropout": [0.0, 0.1]}, cv=2).fit(two_levels, y)
    assert [call[0] for call in recorder.calls].count("setup") == 1
    assert recorder.calls[-1] == ("teardown", "SHAKEClassifier", "fit")


def test_ctrl_c_in_a_fit_that_a_decorated_estimator_passes_on(two_levels, y):
    class Wrapper(sklearn_callback.CallbackSupportMixin):
        @sklearn_callback.with_callbacks
        def fit(self, X, y):
            return model.fit(X, y)

    recorder = Recorder(at_end_of_epoch(2, interrupt))
    model = SHAKEClassifier(**SETTINGS).set_callbacks(recorder)
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 3"):
        Wrapper().fit(two_levels, y)
    assert model.n_iter_ == 2


def test_warm_start_counts_its_own_epochs(two_levels, y):
    keeper = Keeper()
    model = SHAKEClassifier(warm_start=True, **SETTINGS).set_callbacks(keeper)
    model.fit(two_levels, y).fit(two_levels, y)
    n_epochs = [len(fitted.history_) for *_, fitted in keeper.got]
    assert n_epochs == [1, 2, 3, 3] * 2
    plain = SHAKEClassifier(warm_start=True, **SETTINGS)
    assert_same_weights(model, plain.fit(two_levels, y).fit(two_levels, y))


def test_a_fit_that_was_stopped_goes_on_from_its_checkpoint(two_levels, y, tmp_path):
    model = SHAKEClassifier(checkpoint=tmp_path, **SETTINGS)
    stop = Recorder(at_end_of_epoch(2, lambda: True))
    assert clone(model).set_callbacks(stop).fit(two_levels, y).n_iter_ == 2
    told = []
    recorder = Recorder(at_end_of_epoch(3, lambda: told.append(3)))
    resumed = clone(model).set_callbacks(recorder).fit(two_levels, y)
    assert recorder.calls[1:-1] == calls_of_fit("SHAKEClassifier", 1)
    assert told == [3]
    assert_same_weights(resumed, SHAKEClassifier(**SETTINGS).fit(two_levels, y))
    recorder.calls.clear()
    resumed.fit(two_levels, y)
    assert recorder.calls[1:-1] == calls_of_fit("SHAKEClassifier", 0)
    assert resumed.n_iter_ == 3


def test_steps_of_a_pipeline_are_tasks_of_its_fit(small_mutag):
    recorder, of_step = Spreading(), Recorder()
    model = make_pipeline(
        KFCoarsener(q=1.0, random_state=0),
        SHAKEClassifier(**SETTINGS).set_callbacks(of_step),
    ).set_callbacks(recorder)
    model.fit(*small_mutag)
    setup, begin, *calls, end, teardown = recorder.calls
    assert [call[0] for call in (setup, begin, end, teardown)] == (
        ["setup", "begin", "end", "teardown"]
    )
    assert calls == [
        *calls_of_fit("KFCoarsener", 0),
        *calls_of_fit("SHAKEClassifier", 3),
    ]
    assert of_step.calls[1:-1] == calls_of_fit("SHAKEClassifier", 3)
    for step in model:
        assert not set(vars(step)) & set(OF_FIT)
    assert model[-1]._skl_callbacks == [of_step]


def test_a_pipeline_with_memory_loads_a_step_whether_callbacks_watch_or_not(
    small_mutag, tmp_path
):
    steps = KFCoarsener(q=1.0, random_state=0), SHAKEClassifier(**SETTINGS)
    model = make_pipeline(*steps, memory=str(tmp_path)).fit(*small_mutag)
    recorder = Spreading()
    clone(model).set_callbacks(recorder).fit(*small_mutag)
    assert recorder.calls[2:-2] == calls_of_fit("SHAKEClassifier", 3)


def test_bars_and_scores_of_scikit_learn(small_mutag, capsys):
    pytest.importorskip("rich")
    graphs, y = small_mutag
    bar = sklearn_callback.ProgressBar(max_propagation_depth=None)
    monitor = sklearn_callback.ScoringMonitor(scoring=["accuracy", "neg_log_loss"])
    coarsener, clf = KFCoarsener(q=1.0, random_state=0), SHAKEClassifier(**SETTINGS)
    alone = clone(clf).set_callbacks(bar, monitor).fit(graphs, y)
    assert "SHAKEClassifier - fit" in capsys.readouterr().out
    *epochs, last = sorted(
        monitor.get_logs().data,
        key=lambda row: (-len(row["task_id_path"]), row["task_id"]),
    )
    assert [(row["task_name"], row["task_id"]) for row in epochs] == [
        ("epoch", 0),
        ("epoch", 1),
        ("epoch", 2),
    ]
    assert last["accuracy"] == epochs[-1]["accuracy"] == alone.score(graphs, y)

    clf.set_callbacks(monitor)
    model = make_pipeline(coarsener, clf).set_callbacks(bar)
    weights = np.linspace(1, 2, len(y))
    model.fit(graphs, y, shakeclassifier__sample_weight=weights)
    printed = capsys.readouterr().out
    assert re.search(
        r"Pipeline - fit-final-estimator \| SHAKEClassifier - fit", printed
    )
    assert "KFCoarsener - fit" in printed
    assert monitor.get_logs().data[-1]["accuracy"] == model.score(
        graphs, y, sample_weight=weights
    )


def test_a_search_in_processes_sends_bars_and_scores_home(small_mutag, capsys):
    pytest.importorskip("rich")
    graphs, y = small_mutag
    monitor = sklearn_callback.ScoringMonitor(scoring="accuracy")
    coarsener, clf = KFCoarsener(q=1.0, random_state=0), SHAKEClassifier(**SETTINGS)
    model = make_pipeline(coarsener, clf.set_callbacks(monitor))
    grid = {"shakeclassifier__dropout": [0.0, 0.1]}
    scores = []
    for n_jobs in (1, 2):
        bar = sklearn_callback.ProgressBar(max_propagation_depth=None)
        search = GridSearchCV(model, grid, cv=2, n_jobs=n_jobs, error_score="raise")
        search.set_callbacks(bar).fit(graphs, y)
        printed = capsys.readouterr().out
        assert printed.count("SHAKEClassifier - fit") == 5
        # Each epoch and each end of a fit, of four candidates and the last.
        data = monitor.get_logs().data
        assert len(data) == 4 * 5
        scores.append(sorted((row["task_id_path"], row["accuracy"]) for row in data))
        assert search.best_estimator_[-1]._skl_callbacks == [monitor]
        for step in search.best_estimator_:
            assert not set(vars(step)) & set(OF_FIT)
    assert scores[0] == scores[1]


def test_clones_share_callbacks_and_files_hold_none(two_levels, y, tmp_path):
    recorder = Recorder()
    plain = SHAKEClassifier(**SETTINGS).fit(two_levels, y)
    model = SHAKEClassifier(**SETTINGS).set_callbacks(recorder)
    assert clone(model)._skl_callbacks == [recorder]
    model.fit(two_levels, y)
    for kept in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        skshake.save(kept, tmp_path / "model")
        loaded = skshake.load(tmp_path / "model")
        assert_same_weights(loaded, plain)
        assert not hasattr(loaded, "_skl_callbacks")
    assert set(vars(model.set_callbacks())) == set(vars(plain))
    # But for the order of attributes, which takes some bytes.
    assert len(pickle.dumps(model)) < len(pickle.dumps(plain)) + 100


def test_models_of_epochs_can_be_kept(two_levels, y, tmp_path):
    class Saver(Recorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            if context.task_name == "epoch":
                skshake.save(fitted_estimator, tmp_path / f"{context.task_id}")
                kept.append(pickle.dumps(fitted_estimator.set_callbacks()))

    kept = []
    model = SHAKEClassifier(**SETTINGS).set_callbacks(Saver()).fit(two_levels, y)
    assert len(kept) == 3
    for k, pickled in enumerate(kept):
        loaded = skshake.load(tmp_path / f"{k}")
        assert_same_weights(loaded, pickle.loads(pickled))
        assert not set(vars(pickle.loads(pickled))) & set(CALLBACK_ATTRIBUTES)
    assert_same_weights(loaded, model)
    assert model._skl_callbacks


def test_what_is_no_callback_is_refused():
    with pytest.raises(TypeError, match="FitCallback"):
        SHAKEClassifier().set_callbacks(print)


def test_without_callbacks_in_scikit_learn_all_works_as_before():
    code = (
        "import sys\n"
        "import sklearn.callback, sklearn.pipeline\n"
        "hidden = sys.modules['sklearn.callback']\n"
        # For us alone, as scikit-learn itself needs it.
        "sys.modules['sklearn.callback'] = None\n"
        "import skshake._callbacks\n"
        "sys.modules['sklearn.callback'] = hidden\n"
        "from skshake import KFCoarsener, MoleculeFeaturizer, SHAKERegressor\n"
        "from skshake.datasets import load_mutag\n"
        "graphs, y = load_mutag(return_X_y=True)\n"
        "steps = KFCoarsener(q=1.0), SHAKERegressor(hidden_dim=8, max_iter=1)\n"
        "for step in (MoleculeFeaturizer(), *steps):\n"
        "    assert not hasattr(step, 'set_callbacks')\n"
        "model = sklearn.pipeline.make_pipeline(*steps).fit(graphs, y)\n"
        "print(len(model.predict(graphs)))\n"
    )
    assert run_python(code) == "188\n"


def test_what_the_page_shows(tmp_path, monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(DOCS), "exec"), names)
    assert len((tmp_path / "epochs.jsonl").read_text().splitlines()) == 10
    assert "Pipeline - fit" in capsys.readouterr().out
    kept = skshake.load(tmp_path / "model.skops")
    assert 0 < kept.n_iter_ == names["model"].n_iter_ < 1_000
    assert_same_weights(kept, names["model"])
