"""The GPU's kernels run on a GPU, else in Triton's interpreter."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener

HAS_GPU = torch.cuda.is_available()


@pytest.fixture(autouse=True)
def few_programs(request, monkeypatch):
    """The interpreter runs one program after the other."""
    if request.path.name == "test_engine.py":
        return
    reason = "needs Triton, which comes with torch for GPUs"
    pytest.importorskip("triton", reason=reason)
    if not HAS_GPU:
        monkeypatch.setattr("skshake.network.cuda._launch.N_SHARES", 4)
        monkeypatch.setattr("skshake.network.cuda._static_batch.N_COPIERS", 4)


@pytest.fixture
def device():
    return torch.device("cuda" if HAS_GPU else "cpu")


@pytest.fixture
def hierarchies(small_mutag):
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
    return coarsener.fit_transform(small_mutag[0][:12])


@pytest.fixture
def batches():
    """Graphs of two batches."""
    return [np.array([3, 0, 5]), np.array([7, 2, 11, 4])]
