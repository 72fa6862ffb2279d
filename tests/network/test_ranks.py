"""Ranks: two processes train one network, and what happens to one happens to both."""

import os
import pickle
import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import pytest
import torch
from sklearn.pipeline import make_pipeline

from skshake import (
    HierarchyCollection,
    KFCoarsener,
    SHAKEClassifier,
    SHAKERegressor,
)
from skshake.network import _predicting, _ranks
from skshake.network._ranks import ALONE, LostRankError
from skshake.network._steps import Steps
from tests._helpers import PATIENCE
from tests._helpers.two_ranks import (
    CLASSIFIER,
    PLAIN,
    SETTINGS,
    STREAMED,
    hash_of,
    numbers,
    read,
    streamed_memory,
)

# Ranks add in another order: a rounding of 1e-7. Many steps would carry it on, as they
# do in one process; three move few weights by more than that.
CLOSE = {"rtol": 0, "atol": 1e-4}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the two ranks write to."""
    return tmp_path_factory.mktemp("ranks")


@pytest.fixture(scope="module")
def found(folder):
    """What the two ranks of tests/_helpers/two_ranks.py found."""
    command = [sys.executable, "-m", "tests._helpers.two_ranks", str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    logs = [folder / f"{rank}.log" for rank in range(2)]
    with ExitStack() as stack:
        processes = []
        for rank, path in enumerate(logs):
            log = stack.enter_context(path.open("w"))
            process = subprocess.Popen(
                [*command, str(rank)], env=environment, stdout=log, stderr=log
            )
            processes.append(stack.enter_context(process))
            # Ended before it is waited for.
            stack.callback(process.kill)
        for process, path in zip(processes, logs, strict=True):
            assert process.wait(PATIENCE) == 0, path.read_text()
    return [pickle.loads((folder / f"{rank}.pkl").read_bytes()) for rank in range(2)]


@pytest.fixture(scope="module")
def read_here():
    return read()


def assert_close(of_ranks, outputs, losses):
    for of_rank in of_ranks:
        np.testing.assert_allclose(of_rank[0], outputs, **CLOSE)
        np.testing.assert_allclose(of_rank[1], losses, **CLOSE)
    for one, other in zip(*of_ranks, strict=True):
        np.testing.assert_array_equal(one, other)


def test_two_ranks_equal_one_process_on_classes(found, read_here):
    X, y = read_here
    model = SHAKEClassifier(**PLAIN, class_weight={-1: 2.0, 1: 0.5}).fit(X, y)
    of_ranks = [each["classifier"] for each in found]
    assert_close(of_ranks, model.predict_proba(X), model.loss_curve_)


def test_two_ranks_equal_one_process_on_numbers_with_gaps(found, read_here):
    # Most of one column is missing: the ranks have other numbers of labels.
    X, y = read_here
    model = SHAKERegressor(**PLAIN).fit(X, *numbers(y))
    of_ranks = [each["regressor"] for each in found]
    assert_close(of_ranks, model.predict(X), model.loss_curve_)


def test_two_ranks_equal_one_process_on_labels(found, read_here):
    X, y = read_here
    targets, _ = numbers(y)
    labels = np.where(np.isnan(targets), np.nan, targets > 0)
    model = SHAKEClassifier(**PLAIN, clip_norm=0.5).fit(X, labels)
    of_ranks = [each["labels"] for each in found]
    assert_close(of_ranks, model.predict_proba(X), model.loss_curve_)


@pytest.mark.parametrize(
    "what", ["trained alike", "hash", "any seed", "layer norm", "history"]
)
def test_ranks_end_alike(found, what):
    assert found[0][what] == found[1][what]


def test_what_one_rank_is_trained_to_is_what_all_have(found):
    assert found[0]["trained alike"] == found[0]["hash"]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("other parameters", "differ in parameters"),
        ("other graphs", "differ in graphs"),
        ("other labels", "differ in targets or weights"),
        ("pairwise", "expected a mean over labels"),
        ("small batches", "expected a graph for each of 2 processes"),
        ("a list", "expected one device within a process group"),
    ],
)
def test_what_cannot_be_trained_is_an_error_on_each_rank(found, what, message):
    for of_rank in found:
        assert of_rank[what].startswith("ValueError")
        assert message in of_rank[what]


@pytest.mark.parametrize(
    ("what", "own"),
    [
        ("one fails before", "'n_layers' parameter"),
        ("one fails within", "the disk is full"),
    ],
)
def test_an_error_on_one_rank_ends_the_other(found, what, own):
    assert "another process of this training has ended" in found[0][what]
    assert own in found[1][what]


def test_memory_that_runs_out_on_one_rank_halves_the_batches_of_both(found):
    assert found[0]["short of memory"] == found[1]["short of memory"]
    assert found[0]["short of memory"][1] == 3


def test_ctrl_c_on_one_rank_is_heard_by_both(found):
    assert found[0]["interrupted"] == found[1]["interrupted"]
    assert found[0]["interrupted"][1] == 1
    for of_rank in found:
        assert of_rank["interrupted at once"].startswith("KeyboardInterrupt")


def test_the_first_rank_warns(found):
    for what in ("out of memory", "interrupted in epoch 2"):
        assert any(what in message for message in found[0]["warnings"])
        assert not any(what in message for message in found[1]["warnings"])


def test_the_first_rank_writes_checkpoints_from_which_both_go_on(found):
    assert [of_rank["checkpoints"] for of_rank in found] == [1, 0]
    assert all(of_rank["resumed"] for of_rank in found)


def test_callbacks_of_the_first_rank_stop_both(found):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has none before 1.9")
    assert [of_rank["callbacks"] for of_rank in found] == [(2, 2), (2, 0)]


def test_ranks_read_each_graph_of_a_folder_once_an_epoch(found):
    for epoch in range(3):
        graphs = [g for of_rank in found for e, g in of_rank["read"] if e == epoch]
        # Two buffers of two ranks; a tenth of 188 graphs is held out.
        assert len(graphs) == 4
        assert sorted(np.concatenate(graphs)) == list(range(169))


def test_ranks_end_alike_from_a_folder(found):
    assert found[0]["streamed"] == found[1]["streamed"]
    assert found[0]["scores"] == found[1]["scores"]


def test_ranks_go_on_inside_an_epoch_of_a_folder(found):
    for of_rank in found:
        assert of_rank["streamed on"] == of_rank["streamed"]


def test_ranks_predict_a_folder_in_order(found):
    np.testing.assert_array_equal(found[0]["rows"], found[1]["rows"])
    for of_rank in found:
        # Batches of other sizes round differently.
        np.testing.assert_allclose(
            of_rank["rows"], of_rank["rows in memory"], rtol=0, atol=1e-5
        )


@pytest.mark.parametrize(
    ("what", "n_rows"), [("together", 40), ("one graph", 1), ("embedded", 40)]
)
def test_predictions_of_all_have_a_row_for_each_graph(found, what, n_rows):
    first, second = (of_rank[what] for of_rank in found)
    assert len(first) == n_rows
    np.testing.assert_array_equal(first, second)


def test_predictions_are_shared_where_both_ask_for_the_same(found):
    assert found[0]["sizes"] == [20, 1, 20]
    assert found[1]["sizes"] == [20, 0, 20]
    for rank, of_rank in enumerate(found):
        assert len(of_rank["different"]) == 40 - rank


def test_a_prediction_of_one_rank_does_not_wait_for_the_other(found):
    for of_rank in found:
        np.testing.assert_array_equal(of_rank["alone"], of_rank["together"])
        assert "not all 2 processes" in of_rank["warned"][0]


def test_predictions_shared_by_devices_are_in_order(read_here, monkeypatch):
    X, y = read_here
    model = SHAKEClassifier(**PLAIN).fit(X, y)
    expected = model.predict_proba(X)
    devices = [torch.device("cpu")] * 3
    monkeypatch.setattr(_predicting, "_find_devices", lambda device: devices)
    # Batches of other sizes round differently.
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-6)
    assert model.predict_proba(X[:2]).shape == (2, 2)


def test_any_gpu_is_that_of_the_process_within_a_group(monkeypatch):
    gpu = torch.device("cuda")
    assert _ranks.device_of_rank(gpu) == gpu
    monkeypatch.setattr(_ranks, "is_in_group", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert _ranks.device_of_rank(gpu) == torch.device("cuda:1")
    for device in ("cuda:0", "cpu"):
        assert _ranks.device_of_rank(torch.device(device)) == torch.device(device)


def test_one_process_alone_keeps_to_itself():
    assert ALONE.is_first
    assert ALONE.agree(3) == 3
    np.testing.assert_array_equal(ALONE.take(np.arange(3)), np.arange(3))


class KillsOthers:
    """Kills the processes of other devices before a step."""

    def __init__(self, monkeypatch, number):
        started, find = [], Steps._find_gradients

        class Noted(subprocess.Popen):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                started.append(self)

        def find_gradients(steps, window, b):
            if steps.n_updates == number:
                for process in started:
                    process.kill()
                    process.wait()
            return find(steps, window, b)

        monkeypatch.setattr(subprocess, "Popen", Noted)
        monkeypatch.setattr(Steps, "_find_gradients", find_gradients)


def test_a_list_of_devices_survives_a_killed_process(
    found, read_here, tmp_path, monkeypatch
):
    X, y = read_here
    model = SHAKEClassifier(**CLASSIFIER, device=["cpu", "cpu"], checkpoint=tmp_path)
    n_threads = torch.get_num_threads()
    with monkeypatch.context() as patches:
        KillsOthers(patches, 3)
        with pytest.raises(LostRankError, match=r"rank 1\) ended with signal SIGKILL"):
            model.fit(X, y)
    assert not hasattr(model, "module_")
    assert torch.get_num_threads() == n_threads
    model.fit(X, y)
    # The weights of a group of two, which nobody interrupted.
    assert hash_of(model.module_) == found[0]["hash"]
    assert len(model.predict(X)) == len(X)
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.device == ["cpu", "cpu"]
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.slow
def test_a_list_of_devices_reads_a_folder(found, folder):
    memory = streamed_memory(folder / "hierarchies")
    stored = HierarchyCollection.open(folder / "hierarchies", memory=memory)
    model = SHAKEClassifier(**STREAMED, device=["cpu", "cpu"]).fit(stored, stored.y)
    assert hash_of(model.module_) == found[0]["streamed"][0]


@pytest.mark.slow
def test_a_list_of_devices_in_a_pipeline(small_mutag):
    graphs, y = small_mutag
    rate = []
    # A function of a notebook, which a plain pickle cannot hold.
    settings = {
        **SETTINGS,
        "conv": lambda width: _make_layer(width, rate),
        "max_iter": 1,
    }
    model = SHAKERegressor(**settings, device=["cpu", "cpu"])
    pipeline = make_pipeline(KFCoarsener(q=1.0, random_state=0), model)
    assert pipeline.fit(graphs, y).predict(graphs).shape == (40,)


def _make_layer(width, rate):
    from torch_geometric.nn import GCNConv

    return GCNConv(width, width)


@pytest.mark.parametrize("device", [[], ["cpu", "meta"], ["meta", "meta"]])
def test_lists_of_devices_that_do_not_go_together(device, two_levels, small_mutag):
    with pytest.raises(ValueError, match="device: expected a list of different GPUs"):
        SHAKEClassifier(**SETTINGS, device=device).fit(two_levels, small_mutag[1])


def test_a_list_of_one_device_is_that_device(two_levels, small_mutag):
    settings = {**SETTINGS, "max_iter": 1}
    model = SHAKEClassifier(**settings, device=["cpu"]).fit(two_levels, small_mutag[1])
    expected = SHAKEClassifier(**settings).fit(two_levels, small_mutag[1])
    assert hash_of(model.module_) == hash_of(expected.module_)


def test_a_loss_that_is_no_mean_is_refused_before_processes_start(
    two_levels, small_mutag, monkeypatch
):
    monkeypatch.setattr(subprocess, "Popen", None)
    model = SHAKEClassifier(**SETTINGS, device=["cpu", "cpu"], loss="auc_margin")
    with pytest.raises(ValueError, match="expected a mean over labels"):
        model.fit(two_levels, small_mutag[1])
