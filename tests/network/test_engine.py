"""Which engine runs, on which device, in which precision."""

import pytest
import torch

from skshake import KFCoarsener, SHAKEClassifier
from skshake.network import _engine
from skshake.network._engine import (
    can_fuse,
    choose_engine,
    resolve_device,
    resolve_precision,
)
from skshake.network._torch_engine import DEVICE_WINDOW_ROWS, Engine
from skshake.network.cpu._engine import CPUEngine

CPU = torch.device("cpu")


@pytest.fixture
def shape(small_mutag, make_shape):
    hierarchies = KFCoarsener(q=1.0, n_forests=1).fit_transform(small_mutag[0])
    return lambda **changes: make_shape(hierarchies, **changes)


@pytest.mark.parametrize(
    ("changes", "fuses"),
    [
        ({}, True),
        ({"conv": "gin"}, True),
        ({"conv": "gcn"}, False),
        ({"conv": lambda width: None}, False),
        ({"norm": "layer"}, False),
        ({"norm": None}, False),
        ({"residual": True}, False),
        ({"readout": "another"}, False),
    ],
    # Names that are the same in each process.
    ids=["gine", "gin", "gcn", "function", "layer", "no norm", "residual", "readout"],
)
def test_layers_are_fused_where_kernels_do_what_they_do(changes, fuses, shape):
    assert can_fuse(shape(**changes)) == fuses
    assert choose_engine(shape(**changes), CPU) == CPUEngine(fuses)


def test_plain_torch_runs_what_no_engine_does(shape):
    for options in ({"precision": "bf16"}, {"compiles": True}):
        assert choose_engine(shape(), CPU, **options) == Engine()
    elsewhere = choose_engine(shape(), torch.device("meta"))
    assert elsewhere == Engine(window_rows=DEVICE_WINDOW_ROWS)


def test_a_device_is_one_that_is_there(monkeypatch):
    assert resolve_device("cpu") == resolve_device(CPU) == CPU
    monkeypatch.setitem(_engine.PREFERRED, "cuda", lambda: True)
    assert resolve_device("auto").type == "cuda"
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device='cuda:3', but torch finds no CU"):
            resolve_device("cuda:3")
    monkeypatch.setitem(_engine.PREFERRED, "cuda", lambda: False)
    assert resolve_device("auto") == CPU
    with pytest.raises(ValueError, match="device='cuda', but torch finds no CUDA"):
        resolve_device("cuda")
    for wrong in ("toaster", None, 1.5):
        with pytest.raises(ValueError, match="device: expected 'auto' or a torch"):
            resolve_device(wrong)


def test_a_cpu_computes_in_float32(shape):
    assert resolve_precision("auto", shape(conv="gcn"), CPU) == "float32"
    assert resolve_precision("bf16", shape(), CPU) == "bf16"


@pytest.mark.parametrize("changes", [{"precision": "bf16"}, {"conv": "gcn"}], ids=str)
def test_each_engine_trains(changes, small_mutag):
    model = SHAKEClassifier(max_iter=8, random_state=0, n_layers=2, **changes)
    model.fit(*small_mutag)
    assert model.loss_curve_[-1] < model.loss_curve_[0]
