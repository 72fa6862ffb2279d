"""Training from folders: as in memory where all fits, exact resumes where not."""

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score, train_test_split

from skshake import (
    HierarchyCollection,
    KFCoarsener,
    SHAKEClassifier,
    SHAKERegressor,
)
from skshake.network import _model
from skshake.network._training import Training
from skshake.network.batches import StoredSet, find_buffer_bytes
from skshake.network.batches._buffers import (
    BUFFER_FACTOR,
    LARGEST_BUFFER,
    WHOLE_FACTOR,
    _cut,
)
from skshake.sources import _writing

# Of the 313 KB of one of three forests: four buffers.
SHORT = round(BUFFER_FACTOR * 80_000)


@pytest.fixture(scope="module")
def whole(mutag):
    coarsener = KFCoarsener(q=[2.0, 0.5], n_forests=3, random_state=0)
    return coarsener, coarsener.fit_transform(mutag[0])


@pytest.fixture(scope="module")
def folder(whole, mutag, tmp_path_factory):
    """The same in a folder of small row groups."""
    root = tmp_path_factory.mktemp("hier")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_writing, "GROUP_ROWS", 400)
        whole[0].transform_to(root, *mutag)
    return root


@pytest.fixture
def short(folder):
    """Hierarchies of which a quarter of one forest fits into memory."""
    stored = HierarchyCollection.open(folder, memory=SHORT)
    n_bytes = find_buffer_bytes(stored, free=0)
    assert 3 < stored.one_forest(0).n_bytes / n_bytes < 5
    return stored


def weights(model):
    return model.module_.state_dict()


def assert_equal(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert torch.equal(values, other[name]), name


@pytest.mark.parametrize("early_stopping", [False, True])
def test_what_fits_is_trained_on_as_in_memory(early_stopping, whole, folder, mutag):
    stored = HierarchyCollection.open(folder)
    parameters = {
        "max_iter": 3,
        "early_stopping": early_stopping,
        "class_weight": "balanced",
        "random_state": 0,
    }
    expected = SHAKEClassifier(**parameters).fit(whole[1], mutag[1])
    found = SHAKEClassifier(**parameters).fit(stored, stored.y)
    assert_equal(weights(found), weights(expected))
    assert found.loss_curve_ == expected.loss_curve_
    assert found.validation_scores_ == expected.validation_scores_
    assert (found.predict_proba(stored) == expected.predict_proba(whole[1])).all()


def test_buffers_hold_each_graph_once_an_epoch(short):
    made = StoredSet(short, lambda X: X, SHORT / BUFFER_FACTOR, seed=3, n_epochs=9)
    plans = [made.plan(epoch) for epoch in range(3)]
    for plan in plans:
        assert len(plan) == 4
        assert sorted(np.concatenate(plan)) == list(range(188))
    assert plans[0][0].tolist() != plans[1][0].tolist()
    # The same again, and from any buffer on.
    first, second = ([*made.buffers(1, first=k)] for k in (0, 2))
    assert [b.graphs.tolist() for b in first[2:]] == [b.graphs.tolist() for b in second]
    assert [b.rng.random() for b in first[2:]] == [b.rng.random() for b in second]
    assert first[0].start == 0
    assert first[-1].start + first[-1].width == pytest.approx(1)
    for buffer in first:
        assert len(buffer.data) == len(buffer.graphs)
        assert buffer.data.n_forests == 1
    made.close()


def test_a_buffer_has_the_graphs_that_its_numbers_say(short, whole):
    made = StoredSet(short, lambda X: X, SHORT / BUFFER_FACTOR, seed=3, n_epochs=9)
    # Epoch 1 trains on the second forest.
    for buffer in made.buffers(1):
        expected = whole[1].take(buffer.graphs).forests[1]
        for level, other in zip(buffer.data.levels, expected, strict=True):
            assert (level.block == other.block).all()
    made.close()


def test_row_groups_are_cut_into_ranges_of_equal_bytes():
    sizes = np.random.default_rng(0).uniform(1, 2, 1_000)
    ranges = _cut(sizes, 100)
    assert [a for a, _ in ranges[1:]] == [b for _, b in ranges[:-1]]
    assert len(ranges) == np.ceil(sizes.sum() / 100)
    # A range ends within half of a row group of where it should.
    assert max(sizes[a:b].sum() for a, b in ranges) <= 100 + 2
    assert _cut(np.array([5.0]), 1) == [(0, 1)]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"early_stopping": True},
        {"loss": "auc_margin", "optimizer": "pesg"},
        {"schedule": "constant", "class_weight": "balanced", "dropout": 0.2},
    ],
    ids=str,
)
def test_a_training_goes_on_inside_an_epoch(
    parameters, short, mutag, tmp_path, monkeypatch
):
    parameters = {"max_iter": 3, "random_state": 0, **parameters}
    expected = SHAKEClassifier(**parameters).fit(short, mutag[1])
    run_buffer = Training._run_buffer

    def interrupt(self, buffer):
        if len(self.history) == 1 and self._n_buffers == 2:
            raise KeyboardInterrupt
        return run_buffer(self, buffer)

    monkeypatch.setattr(Training, "_run_buffer", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 2"):
        SHAKEClassifier(checkpoint=tmp_path, **parameters).fit(short, mutag[1])
    monkeypatch.undo()
    begun = []
    monkeypatch.setattr(
        Training,
        "_run_buffer",
        lambda self, buffer: begun.append(self._n_buffers) or run_buffer(self, buffer),
    )
    # However much memory there is now.
    again = HierarchyCollection.open(short.folder.storage.folder)
    resumed = SHAKEClassifier(checkpoint=tmp_path, **parameters).fit(again, mutag[1])
    assert begun[0] == 2
    assert_equal(weights(resumed), weights(expected))
    assert resumed.loss_curve_ == expected.loss_curve_


def test_scales_are_those_of_all_graphs(short, whole, mutag, monkeypatch):
    def scales(of):
        model = SHAKEClassifier(max_iter=1, random_state=0, learning_rate=1e-12)
        names = ("node_encoder.mean", "node_encoder.scale", "weight_scale")
        networks = model.fit(of, mutag[1]).module_.networks
        assert len(networks) == 3
        return [
            (one.state_dict()[name], one.weight_power)
            for one in networks
            for name in names
        ]

    for is_wide in (False, True):
        monkeypatch.setattr(_model, "WIDE_SPREAD", 0.1 if is_wide else 1.3)
        pairs = zip(scales(short), scales(whole[1]), strict=True)
        for (found, power), (expected, same_power) in pairs:
            # Sums of a few thousand numbers in float32 and in float64.
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
            assert (
                power.tolist() == same_power.tolist() == [0.5 if is_wide else 1.0] * 2
            )


def test_predictions_in_pieces_are_those_of_graphs_in_memory(short, whole, mutag):
    model = SHAKEClassifier(max_iter=1, random_state=0).fit(whole[1], mutag[1])
    order = np.random.default_rng(0).permutation(188)[:150]
    for method in ("predict_proba", "transform", "decision_function"):
        found = getattr(model, method)(short[order])
        expected = getattr(model, method)(whole[1][order])
        # Sums are taken in other batches.
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    labels = model.predict(short)
    assert labels.shape == (188,)
    assert model.score(short, labels) == 1


def test_folds_of_a_folder_stay_in_it(short, mutag):
    y = mutag[1]
    model = SHAKEClassifier(max_iter=2, random_state=0)
    assert len(cross_val_score(model, short, y, cv=2)) == 2
    X_train, X_test, y_train, y_test = train_test_split(short, y, random_state=0)
    model.fit(X_train, y_train, X_val=X_test, y_val=y_test)
    assert len(model.predict(X_test)) == len(y_test)
    # No fold has had the whole folder read.
    assert "_loaded" not in vars(short)


def test_regression_streams_too(short, whole):
    y = np.diff(whole[1].node_ptr).astype(float)
    model = SHAKERegressor(max_iter=2, random_state=0).fit(short, y)
    assert model.predict(short).shape == (188,)


def test_how_much_is_in_memory(folder):
    stored = HierarchyCollection.open(folder)
    n_bytes = stored.n_bytes
    assert find_buffer_bytes(stored, free=2**40) is None
    # A power of two, below the largest, whatever is free.
    assert find_buffer_bytes(stored, free=n_bytes) in (2.0**k for k in range(30))
    given = HierarchyCollection.open(folder, memory=round(WHOLE_FACTOR * n_bytes))
    assert find_buffer_bytes(given, free=0) is None
    given = HierarchyCollection.open(folder, memory=n_bytes)
    assert find_buffer_bytes(given, free=2**40) == n_bytes / BUFFER_FACTOR
    assert np.log2(LARGEST_BUFFER) % 1 == 0


def test_an_altered_part_ends_a_training_with_its_name(folder, mutag, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    path = tmp_path / "part-00000.skshake"
    content = bytearray(path.read_bytes())
    content[-20_000] ^= 1
    stored = HierarchyCollection.open(tmp_path, memory=SHORT)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"part-00000\.skshake was altered"):
        SHAKEClassifier(max_iter=3, random_state=0).fit(stored, mutag[1])
