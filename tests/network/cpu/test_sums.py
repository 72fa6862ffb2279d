"""Kernels of sums of rows: by hand, and against scipy."""

import numpy as np
import pytest
import torch
from scipy import sparse

from skshake.network import _threads
from skshake.network._csr import CSR
from skshake.network._torch_engine import PLAIN
from skshake.network.cpu import _sums
from skshake.network.cpu._engine import CPUEngine


def test_sums_by_hand():
    # Rows: (.5 at 2, 1 at 0), nothing, (2 at 2).
    csr = CSR(np.array([0, 2, 2, 3]), np.array([2, 0, 2]), np.float32([0.5, 1, 2]))
    table = np.array([[1, 10], [9, 9], [4, 40]], np.float32)
    out = np.full((3, 2), -1, np.float32)
    _sums.multiply(0, 2, csr, table, out)
    assert out.tolist() == [[3, 30], [0, 0], [-1, -1]]
    grad, grad_table = np.array([[1, 2], [9, 9], [3, 4]], np.float32), table * 0 + 1
    _sums.multiply_backward(0, 3, csr, grad, grad_table)
    assert grad_table.tolist() == [[2, 3], [1, 1], [1 + 0.5 + 6, 1 + 1 + 8]]


@pytest.mark.parametrize("lane_rows", [4, 2_048])
@pytest.mark.parametrize("n_cols", [3, 3_000])
def test_sums_and_gradients_are_those_of_plain_torch(
    lane_rows, n_cols, monkeypatch, global_random_seed
):
    monkeypatch.setattr(_threads, "LANE_ROWS", lane_rows)
    rng = np.random.default_rng(global_random_seed)
    matrix = sparse.random(50, n_cols, 0.2, "csr", np.float32, rng)
    csr = CSR(
        *(
            torch.from_numpy(a.astype(np.int64))
            for a in (matrix.indptr, matrix.indices)
        ),
        torch.from_numpy(matrix.data),
    )
    grad, found = torch.from_numpy(rng.normal(size=(50, 6))).float(), []
    values = torch.from_numpy(rng.normal(size=(n_cols, 6))).float()
    for engine in (CPUEngine(), PLAIN):
        table = values.clone().requires_grad_()
        out = engine.sum_rows(csr, table)
        out.backward(grad)
        found.append((out.detach(), table.grad))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[0][0], matrix @ values.numpy(), atol=1e-3)
