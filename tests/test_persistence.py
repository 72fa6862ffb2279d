"""Files of estimators: exact, without code, and refused when anything is altered."""

import json
import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import InconsistentVersionWarning

import skshake
from skshake import KFCoarsener, SHAKEClassifier, SHAKERegressor

# Where the JSON begins: after the mark, the digest, and its length.
HEADER = len(skshake._persistence.MARK) + 32 + 8


@pytest.fixture(scope="module")
def coarsener(small_mutag):
    return KFCoarsener(n_levels=2, n_forests=2, random_state=0).fit(small_mutag[0])


@pytest.fixture(scope="module")
def classifier(coarsener, small_mutag):
    graphs, y = small_mutag
    names = np.array(["inert", "mutagenic"])[(y > 0).astype(int)]
    hierarchies = coarsener.transform(graphs)
    settings = {"max_iter": 2, "class_weight": {"inert": 1.0, "mutagenic": 2.0}}
    return SHAKEClassifier(random_state=0, **settings).fit(hierarchies, names)


def test_a_loaded_coarsener_draws_the_same(coarsener, small_mutag, tmp_path):
    coarsener.save(tmp_path / "coarsener")
    again = KFCoarsener.load(tmp_path / "coarsener")
    assert again.get_params() == coarsener.get_params()
    assert again.q_star_ == coarsener.q_star_
    assert again.reduction_ == coarsener.reduction_
    assert np.array_equal(again.q_curves_.objective, coarsener.q_curves_.objective)
    graphs = small_mutag[0]
    for one, other in zip(
        again.transform(graphs).levels, coarsener.transform(graphs).levels, strict=True
    ):
        assert np.array_equal(one.block, other.block)
        assert np.array_equal(one.x.shares, other.x.shares)


def test_a_loaded_classifier_predicts_the_same(
    classifier, coarsener, small_mutag, tmp_path
):
    hierarchies = coarsener.transform(small_mutag[0])
    classifier.save(tmp_path / "classifier")
    again = SHAKEClassifier.load(tmp_path / "classifier")
    assert again.get_params() == classifier.get_params()
    assert again.classes_.tolist() == ["inert", "mutagenic"]
    assert again.history_ == classifier.history_
    for method in ("predict", "predict_proba", "embed"):
        one, other = (getattr(m, method)(hierarchies) for m in (again, classifier))
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype


def test_raw_graphs_numbers_and_unfitted_estimators(small_mutag, tmp_path):
    graphs, y = small_mutag
    regressor = SHAKERegressor(max_iter=1, random_state=0).fit(graphs, y * 0.5)
    regressor.save(tmp_path / "regressor")
    again = SHAKERegressor.load(tmp_path / "regressor")
    assert np.array_equal(again.predict(graphs), regressor.predict(graphs))
    KFCoarsener(q=[np.inf, 1.0], q_grid=np.array([1.0, 2.0])).save(tmp_path / "new")
    params = KFCoarsener.load(tmp_path / "new").get_params()
    assert params["q"] == [np.inf, 1.0]
    assert params["q_grid"].tolist() == [1.0, 2.0]


def test_what_needs_code_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match=r"conv: a file can hold.*joblib"):
        SHAKEClassifier(conv=lambda width: None).save(tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_other_classes_missing_and_strange_files_are_refused(coarsener, tmp_path):
    path = tmp_path / "file"
    coarsener.save(path)
    with pytest.raises(ValueError, match="expected a SHAKEClassifier, got KFC"):
        SHAKEClassifier.load(path)
    with pytest.raises(FileNotFoundError):
        KFCoarsener.load(tmp_path / "none")
    path.write_bytes(pickle.dumps(coarsener))
    with pytest.raises(ValueError, match="no estimator of skshake"):
        KFCoarsener.load(path)


def test_newer_files_are_refused(coarsener, tmp_path, monkeypatch):
    monkeypatch.setattr(skshake._persistence, "FORMAT", 2)
    coarsener.save(tmp_path / "file")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="newer than this"):
        KFCoarsener.load(tmp_path / "file")


def test_200_corruptions_are_all_refused(classifier, tmp_path):
    path = tmp_path / "file"
    classifier.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    start = HEADER
    length = int.from_bytes(whole[start - 8 : start], "little")
    for k in range(200):
        data = bytearray(whole)
        kind = k % 4
        if kind == 0:
            # Half of all flips in the header, which is small but says most.
            place = rng.integers(start + length if k % 8 else len(data))
            data[place] ^= 1 << rng.integers(8)
        elif kind == 1:
            data = data[: rng.integers(len(data))]
        elif kind == 2:
            place = rng.integers(len(data))
            data[place:place] = rng.bytes(rng.integers(1, 20))
        else:
            first, last = sorted(rng.integers(len(data), size=2))
            data[first : last + 1] = rng.bytes(last + 1 - first)
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"no estimator of skshake|altered"):
            SHAKEClassifier.load(path)


def test_no_class_but_the_known_ones_is_made(coarsener, tmp_path):
    path = tmp_path / "file"
    coarsener.save(path)
    content, arrays = skshake._persistence._read(path.read_bytes())
    content["state"]["reduction_"] = {"!": "Popen", "state": {}}
    path.write_bytes(skshake._persistence._write(content, arrays))
    with pytest.raises(ValueError, match="Popen"):
        KFCoarsener.load(path)


def test_a_pickled_network_is_as_large_as_its_weights(classifier):
    n_bytes = sum(value.nbytes for value in classifier.module_.state_dict().values())
    assert len(pickle.dumps(classifier.module_)) < 1.5 * n_bytes + 50_000


def test_pickles_warn_across_versions(classifier, monkeypatch):
    data = pickle.dumps(classifier)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(data)
    monkeypatch.setattr(skshake, "__version__", "99.0")
    with pytest.warns(InconsistentVersionWarning, match=r"skshake 99\.0"):
        pickle.loads(data)


def test_the_header_is_json_that_anyone_can_read(classifier, tmp_path):
    classifier.save(tmp_path / "file")
    data = (tmp_path / "file").read_bytes()
    start = HEADER
    length = int.from_bytes(data[start - 8 : start], "little")
    header = json.loads(data[start : start + length])["__metadata__"]
    assert json.loads(header["skshake"])["class"] == "SHAKEClassifier"


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        {"format": "9"},
        {"format": 1, "class": "KFCoarsener", "params": None, "state": {}},
        {"format": 1, "class": "KFCoarsener", "params": {"z": 1}, "state": {}},
        {"format": 1, "class": "KFCoarsener", "params": {"q": {}}, "state": {}},
        {
            "format": 1,
            "class": "KFCoarsener",
            "params": {"q": {"!": "array", "name": "none", "dtype": "<f8"}},
            "state": {},
        },
        {
            "format": 1,
            "class": "KFCoarsener",
            "params": {},
            "state": {"q_": {"!": "Field", "items": []}},
        },
    ],
    ids=str,
)
def test_forged_files_are_refused(content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(skshake._persistence._write(content, {}))
    with pytest.raises(ValueError, match="file: "):
        KFCoarsener.load(path)


def test_any_byte_order_is_kept(small_mutag, tmp_path):
    graphs, y = small_mutag
    labels = y.astype(">i8")
    model = SHAKEClassifier(hidden_dim=8, max_iter=1, random_state=0)
    model.fit(graphs, labels).save(tmp_path / "file")
    again = SHAKEClassifier.load(tmp_path / "file")
    assert np.array_equal(again.predict(graphs), model.predict(graphs))
    with pytest.raises(TypeError, match="q_grid: a file can hold no array of"):
        KFCoarsener(q_grid=np.ones(3, complex)).save(tmp_path / "other")
