"""What is kept of estimators: exact, small, and aware of versions."""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, SHAKEClassifier, SHAKEEnsembleClassifier
from skshake.network import NetworkState
from skshake.saving._states import VERSION


@pytest.fixture(scope="module")
def classifier(small_mutag):
    graphs, y = small_mutag
    model = SHAKEClassifier(max_iter=1, hidden_dim=8, random_state=0)
    return model.fit(graphs, y)


def test_states_hold_arrays_and_models_networks(classifier):
    state = classifier.__getstate__()["module_"]
    assert isinstance(state, NetworkState)
    assert {type(value) for value in state.weights.values()} == {np.ndarray}
    n_bytes = sum(value.nbytes for value in state.weights.values())
    assert len(pickle.dumps(state)) < 1.5 * n_bytes + 50_000
    for kept in (
        pickle.loads(pickle.dumps(classifier)),
        copy.copy(classifier),
        copy.deepcopy(classifier),
    ):
        assert type(kept.module_) is type(classifier.module_)
        assert not kept.module_.training
        for name, value in kept.module_.state_dict().items():
            assert value.equal(classifier.module_.state_dict()[name])


# torch 2.4 says it of tensors in any pickle.
@pytest.mark.filterwarnings("ignore:You are using .torch.load.:FutureWarning")
def test_pickles_of_0_1_0_dev0_are_read(classifier, small_mutag):
    graphs, y = small_mutag
    # They held the network itself, and of ensembles the average.
    state = {**classifier.__getstate__(), "module_": classifier.module_}
    again = SHAKEClassifier.__new__(SHAKEClassifier)
    again.__setstate__(pickle.loads(pickle.dumps(state)))
    expected = classifier.predict_proba(graphs)
    assert np.array_equal(again.predict_proba(graphs), expected)
    members = {
        name: make_pipeline(KFCoarsener(n_forests=1, walk_length=0), classifier)
        for name in ("shake", "trees")
    }
    model = SHAKEEnsembleClassifier(**members, random_state=0).fit(graphs, y)
    again = SHAKEEnsembleClassifier.__new__(SHAKEEnsembleClassifier)
    again.__setstate__({**model.__getstate__(), "voting_": model.voting_})
    assert again.voting_ is model.voting_
    assert np.array_equal(again.predict_proba(graphs), model.predict_proba(graphs))


@pytest.mark.parametrize("way", ["pickle", "file"])
def test_other_versions_warn(way, classifier, tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    skshake.save(classifier, path)
    data = pickle.dumps(classifier)

    def read():
        return pickle.loads(data) if way == "pickle" else skshake.load(path)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(read(), VERSION)
    monkeypatch.setattr(skshake, "__version__", "99.0")
    with pytest.warns(InconsistentVersionWarning, match=r"skshake 99\.0") as record:
        read()
    assert {Path(each.filename).name for each in record} == {Path(__file__).name}


def test_files_keep_keys_and_paths_that_json_would_change(tmp_path):
    weight = {False: 1.0, True: 2.0}
    model = SHAKEClassifier(class_weight=weight, checkpoint=tmp_path / "folder")
    skshake.save(model, tmp_path / "model.skops")
    again = skshake.load(tmp_path / "model.skops")
    assert list(again.class_weight.items()) == list(weight.items())
    # A path of another system could not be made.
    assert again.checkpoint == str(tmp_path / "folder")
    # Pickles keep them as they are.
    kept = pickle.loads(pickle.dumps(model))
    assert kept.get_params() == model.get_params()
