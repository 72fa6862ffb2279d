"""Sums of rows on a GPU against plain torch."""

from functools import partial

import numpy as np
import pytest
import torch

from skshake.network._csr import CSR, transpose
from skshake.network._torch_engine import PLAIN


@pytest.mark.parametrize("n_rows", [3, 40])
def test_sums_of_rows(n_rows, device):
    from skshake.network.cuda._engine import CUDAEngine

    rng = np.random.default_rng(0)
    counts = rng.integers(0, 30, 25)
    tensor = partial(torch.as_tensor, device=device)
    csr = CSR(
        tensor(np.concatenate([[0], counts.cumsum()])),
        tensor(rng.integers(0, n_rows, counts.sum())),
        tensor(rng.normal(size=counts.sum()), dtype=torch.float32),
    )
    csr = csr._replace(transpose=transpose(csr, n_rows))
    results = []
    for engine in (CUDAEngine(), PLAIN):
        table = torch.linspace(-1, 1, 20 * n_rows, device=device).view(n_rows, 20)
        table.requires_grad_()
        out = engine.sum_rows(csr, table)
        (out**2).sum().backward()
        results.append((out, table.grad))
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
