"""Files of models: exact, without code, and refused when anything is altered."""

import hashlib
import json
import pickle
import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import joblib
import numpy as np
import pytest
import skops.io
import torch
from mapie.classification import SplitConformalClassifier
from optuna.distributions import IntDistribution
from optuna.logging import WARNING, set_verbosity
from optuna_integration import OptunaSearchCV
from scipy.stats import loguniform, randint
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from sklearn.svm import SVC

import skshake
from skshake import (
    GraphCollection,
    KFCoarsener,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SHAKEEnsembleRegressor,
    SHAKERegressor,
    SubtreeVectorizer,
    as_graphs,
)
from skshake.saving._saving import MARK, START
from skshake.saving._trusted import _OURS
from tests._helpers import run_python

SMALL = {"max_iter": 1, "hidden_dim": 8, "n_layers": 1, "random_state": 0}
PAGE = Path(__file__).parents[2] / "docs" / "guide" / "saving.md"


def pipeline(**params):
    return make_pipeline(
        KFCoarsener(n_forests=1, random_state=0), SHAKEClassifier(**SMALL, **params)
    )


def ensemble(cls):
    return cls(random_state=0).set_params(
        shake__coarsen__n_forests=1,
        **{f"shake__{'clf' if 'Cl' in cls.__name__ else 'reg'}__max_iter": 1},
        trees__forests__random__n_estimators=5,
        trees__forests__extra__n_estimators=5,
        trees__count__walk_length=0,
    )


MODELS = {
    "network": lambda: SHAKEClassifier(**SMALL, device=torch.device("cpu")),
    "pipeline": pipeline,
    "regressor": lambda: SHAKERegressor(**SMALL),
    "subtrees": lambda: make_pipeline(
        SubtreeVectorizer(), SelectKBest(chi2, k=5), SVC()
    ),
    "search": lambda: GridSearchCV(
        pipeline(),
        {"shakeclassifier__learning_rate": np.logspace(-3, -2, 2)},
        cv=StratifiedKFold(2),
        scoring=["roc_auc", "accuracy"],
        refit="roc_auc",
    ),
    "calibration": lambda: CalibratedClassifierCV(pipeline(), cv=2),
    "threshold": lambda: TunedThresholdClassifierCV(pipeline(), cv=2),
    "fixed threshold": lambda: FixedThresholdClassifier(pipeline(), threshold=0.3),
    "stack": lambda: StackingClassifier(
        [
            ("network", pipeline()),
            (
                "table",
                make_pipeline(
                    SubtreeVectorizer(), MaxAbsScaler(), LogisticRegression()
                ),
            ),
        ],
        cv=2,
    ),
    "function": lambda: make_pipeline(FunctionTransformer(as_graphs), pipeline()),
    "ensemble": lambda: ensemble(SHAKEEnsembleClassifier),
    "ensemble of numbers": lambda: ensemble(SHAKEEnsembleRegressor),
}


def outputs(model, graphs):
    """What the model says: probabilities where it has some."""
    name = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    return getattr(model, name)(graphs)


@pytest.fixture(scope="module")
def data(small_mutag):
    graphs, y = small_mutag
    return graphs, np.array(["inert", "mutagenic"])[(y > 0).astype(int)]


@pytest.fixture(scope="module")
def fitted(data):
    return pipeline().fit(*data)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


def written(fitted, path):
    """The bytes of a file of a fitted model."""
    skshake.save(fitted, path)
    return path.read_bytes()


def forged(body):
    """A file with a mark and a digest that are right."""
    return MARK + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize("name", MODELS)
def test_equal_bits_in_all_ways_that_models_are_kept(name, data, path):
    graphs, y = data
    if name in ("regressor", "ensemble of numbers"):
        y = np.array([float(graph.n_nodes) for graph in graphs])
    model = MODELS[name]().fit(graphs, y)
    expected = outputs(model, graphs)
    skshake.save(model, path)
    joblib.dump(model, path.with_name("joblib"))
    for again in (
        skshake.load(path),
        pickle.loads(pickle.dumps(model)),
        joblib.load(path.with_name("joblib")),
        clone(model).fit(graphs, y),
    ):
        found = outputs(again, graphs)
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)


def test_a_loaded_network_is_whole(fitted, data, path):
    graphs, labels = data
    skshake.save(fitted, path)
    again, (coarsener, model) = skshake.load(path), fitted
    one, other = again[-1].module_.state_dict(), model.module_.state_dict()
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert again[-1].get_params() == model.get_params()
    assert again[-1].history_ == model.history_
    assert again[0].get_params() == coarsener.get_params()
    assert again[0].q_star_ == coarsener.q_star_
    assert np.array_equal(again[0].q_curves_.objective, coarsener.q_curves_.objective)
    hierarchies = again[0].transform(graphs)
    for x, z in zip(
        again[-1].explain(hierarchies), model.explain(hierarchies), strict=True
    ):
        assert np.array_equal(x, z)
    fits = [
        clone(m, safe=False).set_params(warm_start=True).fit(hierarchies, labels)
        for m in (again[-1], pickle.loads(pickle.dumps(model)))
    ]
    assert np.array_equal(*(fit.predict_proba(hierarchies) for fit in fits))


def test_what_is_not_fitted_and_several_things(path):
    graphs = KFCoarsener(q=[np.inf, 1.0], q_grid=np.array([1.0, 2.0]))
    given = {"first": graphs, "cutoff": 0.3, "all": [pipeline(), (1, "a", None)]}
    skshake.save(given, str(path))
    again = skshake.load(str(path))
    assert again["first"].q == [np.inf, 1.0]
    assert again["first"].q_grid.tolist() == [1.0, 2.0]
    assert again["cutoff"] == 0.3
    assert again["all"][0][-1].get_params() == pipeline()[-1].get_params()
    assert again["all"][1] == (1, "a", None)


def test_files_hold_no_network_of_torch_and_no_pickle(fitted, path):
    body = written(fitted, path)[START:]
    with ZipFile(BytesIO(body)) as archive:
        for name in set(archive.namelist()) - {"schema.json"}:
            np.load(BytesIO(archive.read(name)), allow_pickle=False)
        assert b"torch" not in archive.read("schema.json")
    # A file of skops, which its own tools read.
    assert skops.io.get_untrusted_types(file=path)


def test_trees_are_kept_once(data, path):
    model = ensemble(SHAKEEnsembleClassifier)
    model.set_params(trees__forests__random__n_estimators=50)
    skshake.save(model.fit(*data), path)
    again = skshake.load(path)
    for name, member in again.named_estimators_.items():
        assert again.voting_.named_estimators_[name].estimator is member
    skshake.save(model.named_estimators_["trees"], path.with_name("trees"))
    skshake.save(model.named_estimators_["shake"], path.with_name("shake"))
    parts = sum(path.with_name(name).stat().st_size for name in ("trees", "shake"))
    assert path.stat().st_size < 1.2 * parts


def test_all_of_ours_that_is_trusted_is_there():
    for module, names in _OURS.items():
        for name in names:
            found = getattr(__import__(module, fromlist=[name]), name)
            assert (found.__module__, found.__name__) == (module, name)


def test_200_corruptions_are_all_refused(fitted, path):
    whole = written(fitted, path)
    rng = np.random.default_rng(0)
    for k in range(200):
        data = bytearray(whole)
        if k % 4 == 0:
            # Half of all flips in the mark and the digest.
            place = rng.integers(START if k % 8 else len(data))
            data[place] ^= 1 << rng.integers(8)
        elif k % 4 == 1:
            data = data[: rng.integers(len(data))]
        elif k % 4 == 2:
            place = rng.integers(len(data))
            data[place:place] = rng.bytes(rng.integers(1, 20))
        else:
            first, last = sorted(rng.integers(len(data), size=2))
            data[first : last + 1] = rng.bytes(last + 1 - first)
        path.write_bytes(data)
        with pytest.raises(
            ValueError, match=r"model\.skops: (altered|empty|expected|not w)"
        ):
            skshake.load(path)


def test_a_folder_that_is_not_there_is_named(fitted, tmp_path):
    path = tmp_path / "none" / "model.skops"
    with pytest.raises(FileNotFoundError, match="there is no folder") as info:
        skshake.save(fitted, path)
    assert str(path.parent) in str(info.value)


def test_foreign_old_and_newer_files_are_refused(fitted, data, path, tmp_path):
    with pytest.raises(FileNotFoundError):
        skshake.load(tmp_path / "none")
    skops.io.dump(fitted, tmp_path / "skops")
    joblib.dump(fitted, tmp_path / "joblib")
    data[0].save(tmp_path / "graphs")
    skshake.save(fitted, path)
    whole = path.read_bytes()
    for size in (0, 10, 47):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=f"cut short, as it has {size} bytes"):
            skshake.load(path)
    (tmp_path / "page").write_text("404: Not Found")
    for name in ("skops", "joblib", "graphs", "page"):
        with pytest.raises(ValueError, match=rf"{name}: not written by skshake\.save"):
            skshake.load(tmp_path / name)
    path.write_bytes(b"SKSHAKE\n" + bytes(100))
    with pytest.raises(ValueError, match=r"model\.save of skshake 0\.1\.0\.dev0.*fit"):
        skshake.load(path)
    for number in (b"1", b"2", b"4"):
        path.write_bytes(b"skshake model " + number + b"\n" + bytes(100))
        with pytest.raises(
            ValueError, match=r"expected format 3.*update skshake, else fit the"
        ):
            skshake.load(path)
    skshake.save(fitted, path)
    with pytest.raises(ValueError, match="no intact file of graphs"):
        GraphCollection.load(path)


def altered_schema(body, change):
    """The same archive, its schema changed as text."""
    out = BytesIO()
    with ZipFile(BytesIO(body)) as old, ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                content = change(content.decode()).encode()
            new.writestr(name, content)
    return out.getvalue()


def test_forged_files_make_nothing_that_is_not_trusted(fitted, path):
    body = written(fitted, path)[START:]

    def popen(text):
        text = text.replace('"skshake._reduction"', '"subprocess"')
        return text.replace('"Reduction"', '"Popen"')

    path.write_bytes(forged(altered_schema(body, popen)))
    with pytest.raises(TypeError, match=r"uses \['subprocess\.Popen'\]"):
        skshake.load(path)
    for change in (
        lambda text: "[]",
        lambda text: "{",
        lambda text: json.dumps({"protocol": 99}),
        lambda text: text.replace(".npy", ".none"),
        lambda text: text * 2,
    ):
        path.write_bytes(forged(altered_schema(body, change)))
        with pytest.raises(ValueError, match=r"model\.skops: ."):
            skshake.load(path)


def make_layer(width):
    """A layer that a file names."""
    return torch.nn.Identity()


def local_function():
    def inner(width):
        return None

    return inner


class Held:
    """Cannot be written."""

    def __reduce__(self):
        raise TypeError("held by the system")


def test_what_no_file_can_hold_is_named(tmp_path, path):
    class Local(KFCoarsener):
        pass

    path.write_bytes(b"the old one")
    itself = {}
    itself["again"] = itself
    spread = {"shakeclassifier__n_layers": randint(1, 3)}
    for model, message in [
        (SHAKEClassifier(conv=lambda width: None), r"SHAKEClassifier\.conv: .*<lambda"),
        (make_pipeline(SHAKEClassifier(conv=local_function())), r"\.conv: .*'inner'"),
        (Local(), r"^Local: .*'Local' of .* cannot be imported"),
        (SHAKEClassifier(checkpoint=Held()), "SHAKEClassifier: .*held by the system"),
        ({"weights": {(1, 2): 3}}, "dict: cannot be saved.*tuple"),
        ({"weights": {True: 3}}, r"dict\.weights: .*got \['bool'\]"),
        (itself, "dict: something in it holds itself"),
        (RandomizedSearchCV(pipeline(), spread), "holds itself.*best_estimator_"),
    ]:
        with pytest.raises(TypeError, match=message):
            skshake.save(model, path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"the old one"


def test_functions_of_modules_are_loaded_where_they_are_trusted(path):
    skshake.save(SHAKEClassifier(conv=make_layer), path)
    name = f"{make_layer.__module__}.make_layer"
    with pytest.raises(TypeError, match=rf"uses \['{name}'\].*trusted=\['{name}'\]"):
        skshake.load(path)
    for trusted in ([name], [make_layer]):
        assert skshake.load(path, trusted=trusted).conv is make_layer
    with pytest.raises(TypeError, match="which load does not know"):
        skshake.load(path, trusted=["another.name"])
    # scipy runs text of the state when it reads one.
    skshake.save([loguniform(1e-3, 1e-2)], path)
    with pytest.raises(TypeError, match="rv_continuous_frozen"):
        skshake.load(path)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_models_of_a_gpu_are_read_without_one(data, path):
    graphs, labels = data
    model = SHAKEClassifier(**SMALL).fit(graphs, labels)
    expected = model.predict_proba(graphs)
    skshake.save(model.set_params(device=torch.device("cuda", 1)), path)
    again = skshake.load(path)
    assert again.device == torch.device("cuda", 1)
    with pytest.warns(UserWarning, match="predicting on the CPU"):
        assert np.array_equal(again.predict_proba(graphs), expected)


@pytest.mark.slow
def test_a_new_process_reads_the_file(fitted, data, path, tmp_path):
    skshake.save(fitted, path)
    data[0].save(tmp_path / "graphs.npz")
    np.save(tmp_path / "expected.npy", fitted.predict_proba(data[0]))
    code = (
        "import sys, numpy as np, skshake\n"
        "assert 'skops' not in sys.modules\n"
        "model = skshake.load(sys.argv[1])\n"
        "graphs = skshake.GraphCollection.load(sys.argv[2])\n"
        "print(np.array_equal(model.predict_proba(graphs), np.load(sys.argv[3])))\n"
    )
    files = path, tmp_path / "graphs.npz", tmp_path / "expected.npy"
    assert run_python(code, *files) == "True\n"


@pytest.mark.filterwarnings("ignore:.*(optuna.terminator|OptunaSearchCV)")
def test_what_optuna_found_is_kept(data, path):
    graphs, labels = data
    set_verbosity(WARNING)
    layers = {"shakeclassifier__n_layers": IntDistribution(0, 1)}
    search = OptunaSearchCV(pipeline(), layers, cv=2, n_trials=2, random_state=0)
    best = search.fit(graphs, labels).best_estimator_
    skshake.save(best, path)
    found = skshake.load(path).predict_proba(graphs)
    assert np.array_equal(found, best.predict_proba(graphs))


def test_sets_of_mapie(data, path):
    graphs, labels = data
    # MAPIE asks for an array, and tries estimators that say how many columns they take
    # on zeros.
    X = np.fromiter(graphs, object, len(graphs))
    model = make_pipeline(make_pipeline(FunctionTransformer(as_graphs), pipeline()))
    model.fit(X[::2], labels[::2])
    sets = SplitConformalClassifier(model, confidence_level=0.8, prefit=True)
    sets.conformalize(X[1::2], labels[1::2])
    _, expected = sets.predict_set(X)
    # More than 0.8 of the graphs that it learnt the level from, by construction.
    truth = np.searchsorted(model.classes_, labels[1::2])
    is_held = expected[1::2, :, 0][np.arange(len(truth)), truth]
    assert is_held.mean() >= 0.8
    skshake.save(sets, path)
    with pytest.raises(TypeError, match=r"mapie\.classification\.Split") as info:
        skshake.load(path)
    trusted = [name for name in str(info.value).split("'") if name.startswith("mapie.")]
    assert np.array_equal(
        skshake.load(path, trusted=trusted).predict_set(X)[1], expected
    )


def test_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    with pytest.raises(TypeError, match=r"\['numpy\.asarray'\]"):
        skshake.load("model.skops")


def test_callbacks_of_a_pipeline_are_kept(data, path):
    callback = pytest.importorskip("sklearn.callback", reason="none before 1.9")
    pytest.importorskip("rich")
    model = pipeline().set_callbacks(callback.ProgressBar()).fit(*data)
    skshake.save(model, path)
    again = skshake.load(path)
    assert np.array_equal(outputs(again, data[0]), outputs(model, data[0]))
    assert [type(each).__name__ for each in again._skl_callbacks] == ["ProgressBar"]
    skshake.save(model.set_callbacks(), path)
    assert not hasattr(skshake.load(path), "_skl_callbacks")
