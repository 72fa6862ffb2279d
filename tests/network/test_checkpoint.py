"""A training that is cut off and taken up again ends with the same weights."""

import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network._training import Training

# Trains four epochs, says in the middle of the fifth where it is, and waits.
PROGRAM = """
import sys, threading
from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag
from skshake.network._steps import Steps

step = Steps.step
def stop(self, window, b):
    # An epoch has six steps.
    if self.n_updates == 4 * 6 + 2:
        print("here", flush=True)
        threading.Event().wait()
    return step(self, window, b)
Steps.step = stop
graphs, y = load_mutag(return_X_y=True)
coarse = KFCoarsener(q=1.0, n_forests=3, random_state=0).fit_transform(graphs)
SHAKEClassifier(max_iter=12, random_state=3, checkpoint=sys.argv[1]).fit(coarse, y)
"""


@pytest.fixture(scope="module")
def hierarchies():
    from skshake.datasets import load_mutag

    graphs, y = load_mutag(return_X_y=True)
    coarsener = KFCoarsener(q=1.0, n_forests=3, random_state=0)
    return coarsener.fit_transform(graphs), y


def weights(model):
    return {k: v.clone() for k, v in model.module_.state_dict().items()}


def assert_same(one, other):
    for name, tensor in one.items():
        assert torch.equal(tensor, other[name]), name


def test_killed_in_mid_epoch_and_resumed(hierarchies, tmp_path):
    parameters = {"max_iter": 12, "random_state": 3}
    expected = weights(SHAKEClassifier(**parameters).fit(*hierarchies))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    (file,) = tmp_path.glob("*.pt")
    assert len(torch.load(file, weights_only=True)["history"]) == 4
    resumed = SHAKEClassifier(checkpoint=tmp_path, **parameters).fit(*hierarchies)
    assert_same(weights(resumed), expected)
    assert resumed.n_iter_ == 12


@pytest.mark.parametrize(
    "parameters",
    [
        {"early_stopping": True},
        {"loss": "auc_margin", "optimizer": "pesg"},
        {"loss": "auc_margin", "optimizer": "adamw", "schedule": "constant"},
        {"early_stopping": True, "weight_averaging": False},
    ],
    ids=str,
)
def test_interrupted_and_resumed(parameters, hierarchies, tmp_path, monkeypatch):
    parameters = {"max_iter": 6, "random_state": 0, **parameters}
    expected = SHAKEClassifier(**parameters).fit(*hierarchies)
    run_epoch = Training.run_epoch

    def interrupt(self):
        if len(self.history) == 3:
            raise KeyboardInterrupt
        return run_epoch(self)

    monkeypatch.setattr(Training, "run_epoch", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 4"):
        cut_off = SHAKEClassifier(checkpoint=tmp_path, **parameters).fit(*hierarchies)
    assert cut_off.n_iter_ == 3
    assert cut_off.predict(hierarchies[0]).shape == hierarchies[1].shape
    monkeypatch.undo()
    resumed = SHAKEClassifier(checkpoint=tmp_path, **parameters).fit(*hierarchies)
    assert_same(weights(resumed), weights(expected))
    assert resumed.loss_curve_ == expected.loss_curve_


def test_trainings_that_differ_have_their_own_files(hierarchies, tmp_path):
    X, y = hierarchies
    for parameters in ({"random_state": 0}, {"random_state": 1}, {"hidden_dim": 8}):
        parameters = {"random_state": 0, "max_iter": 1, **parameters}
        SHAKEClassifier(checkpoint=tmp_path, **parameters).fit(X, y)
    SHAKEClassifier(checkpoint=tmp_path, random_state=0, max_iter=1).fit(
        X[:100], y[:100]
    )
    assert len(list(tmp_path.iterdir())) == 4


def test_a_damaged_file_says_so(hierarchies, tmp_path):
    model = SHAKEClassifier(checkpoint=tmp_path, random_state=0, max_iter=1)
    model.fit(*hierarchies)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ValueError, match="cannot be read"):
        model.fit(*hierarchies)


def test_numpy_and_torch_streams_are_left_alone(hierarchies, tmp_path):
    torch.manual_seed(5)
    np.random.seed(5)
    expected = torch.rand(1), np.random.rand()
    torch.manual_seed(5)
    np.random.seed(5)
    model = SHAKEClassifier(checkpoint=tmp_path, random_state=0, max_iter=1)
    model.fit(*hierarchies).fit(*hierarchies)
    assert (torch.rand(1), np.random.rand()) == expected
