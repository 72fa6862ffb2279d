"""What only a GPU can show: captured training, streaming, memory, other machines."""

import pickle
import sys

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network._training import Training
from skshake.network.batches import _device
from tests._helpers import run_process

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.fixture(params=[1, 2], ids="{} forests".format)
def hierarchies(request, mutag):
    coarsener = KFCoarsener(q=1.0, n_forests=request.param, random_state=0)
    return coarsener.fit_transform(mutag[0])


def fit(hierarchies, y, **changes):
    settings = {"max_iter": 40, "random_state": 0, "device": "cuda", **changes}
    return SHAKEClassifier(**settings).fit(hierarchies, y)


def test_equal_seeds_give_equal_bits(hierarchies, mutag):
    _, y = mutag
    first, second = (fit(hierarchies, y) for _ in range(2))
    outputs = first.decision_function(hierarchies)
    assert np.array_equal(outputs, second.decision_function(hierarchies))
    # 1 on a CPU, over seeds; the larger class is 0.66 of all.
    assert first.score(hierarchies, y) > 0.8


def test_deterministic_algorithms_suffice(hierarchies, mutag):
    torch.use_deterministic_algorithms(True)
    try:
        fit(hierarchies, mutag[1], max_iter=3)
    finally:
        torch.use_deterministic_algorithms(False)


def test_cpu_and_gpu_learn_alike(hierarchies, mutag):
    _, y = mutag
    # Both go their own ways after the first rounding; they end with as good a ranking.
    scores = [
        roc_auc_score(
            y, fit(hierarchies, y, device=device).decision_function(hierarchies)
        )
        for device in ("cpu", "cuda")
    ]
    assert min(scores) > 0.9
    assert scores[0] == pytest.approx(scores[1], abs=0.08)


def test_graphs_that_do_not_fit_are_streamed(hierarchies, mutag, monkeypatch):
    _, y = mutag
    whole = fit(hierarchies, y, max_iter=5)
    monkeypatch.setattr(_device, "MOST_MEMORY", 0.0)
    streamed = fit(hierarchies, y, max_iter=5)
    assert np.array_equal(
        whole.decision_function(hierarchies), streamed.decision_function(hierarchies)
    )


def test_resumed_training_ends_with_equal_weights(
    hierarchies, mutag, tmp_path, monkeypatch
):
    _, y = mutag
    settings = {"checkpoint": tmp_path, "schedule": "constant"}
    whole = fit(hierarchies, y, max_iter=6, schedule="constant")
    run_epoch = Training.run_epoch

    def interrupted(training):
        if len(training.history) == 3:
            raise RuntimeError("stopped")
        return run_epoch(training)

    with monkeypatch.context() as patch:
        patch.setattr(Training, "run_epoch", interrupted)
        with pytest.raises(RuntimeError, match="stopped"):
            fit(hierarchies, y, max_iter=6, **settings)
    resumed = fit(hierarchies, y, max_iter=6, **settings)
    assert np.array_equal(
        whole.decision_function(hierarchies), resumed.decision_function(hierarchies)
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"conv": "gat"},
        {"conv": "gcn", "precision": "auto"},
        {"norm": "layer"},
        {"residual": True, "precision": "bf16"},
        {"conv": "gin"},
        {"loss": "auc_margin", "optimizer": "pesg"},
        {"hidden_dim": 100, "clip_norm": 1.0},
    ],
    ids=str,
)
def test_every_option_trains(changes, hierarchies, mutag):
    _, y = mutag
    fitted = fit(hierarchies, y, **changes)
    # 0.98 and more on a CPU, over seeds; 0.5 would be chance.
    assert roc_auc_score(y, fitted.decision_function(hierarchies)) > 0.75


def test_out_of_memory_halves_the_batch(mutag):
    graphs, y = mutag
    hierarchies = KFCoarsener(q=np.inf).fit_transform(graphs)
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(250e6 / total)
    try:
        with pytest.warns(UserWarning, match="out of memory"):
            fit(hierarchies, y, hidden_dim=2_048, batch_size=188, max_iter=2)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_a_fitted_model_predicts_on_a_machine_without_gpu(hierarchies, mutag, tmp_path):
    _, y = mutag
    classifier = fit(hierarchies, y, max_iter=5)
    file = tmp_path / "model.pkl"
    file.write_bytes(pickle.dumps((classifier, hierarchies)))
    code = (
        "import pickle, sys, warnings; warnings.simplefilter('ignore')\n"
        "model, X = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(*model.predict_proba(X).ravel())"
    )
    command = [sys.executable, "-c", code, file]
    out = run_process(*command, CUDA_VISIBLE_DEVICES="")
    expected = classifier.predict_proba(hierarchies)
    # Equal but for rounding, which TensorFloat-32 makes larger.
    found = np.array(out.stdout.split(), float).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=0.02)
