"""Plain torch, the reference of the engines: sums and layers against dense algebra."""

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import nn

from skshake.network._csr import CSR, BatchArcs
from skshake.network._readouts import READOUTS
from skshake.network._torch_engine import PLAIN, LevelPlan


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sums_of_rows_are_a_product(dtype, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    matrix = sparse.random(9, 6, 0.4, "csr", np.float32, rng)
    indices = (matrix.indptr, matrix.indices)
    csr = CSR(
        *(torch.from_numpy(a.astype(np.int64)) for a in indices),
        torch.from_numpy(matrix.data),
    )
    table = torch.from_numpy(rng.normal(size=(6, 4))).to(dtype)
    found = PLAIN.sum_rows(csr, table)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, matrix @ table.numpy(), rtol=1e-5, atol=1e-5)


class Double(nn.Module):
    """A layer that doubles states."""

    def forward(self, h, edge_states, arcs):
        return 2 * h


@pytest.mark.parametrize(
    ("residual", "states"), [(False, [1, 2, 4]), (True, [1, 3, 9])]
)
def test_states_before_and_after_each_layer_are_pooled(residual, states):
    none = torch.empty(0)
    plan = LevelPlan(
        BatchArcs(torch.zeros(3, dtype=torch.int64), none, none, none),
        torch.tensor([0, 2]),
        shares_edges=False,
        n_linear=1,
        dropout=0.0,
        streams=None,
        is_training=True,
        residual=residual,
        readout=READOUTS["mean_max_sum"],
    )
    layers, h = [Double(), Double()], torch.ones(2, 1)
    last, pooled = PLAIN.run_layers(layers, plan, h, none)
    assert last.tolist() == [[states[-1]]] * 2
    means_and_maxima = pooled.view(3, 3)[:, :2]
    assert means_and_maxima.tolist() == [[s, s] for s in states]
    last, pooled = PLAIN.run_layers(layers, plan._replace(readout=None), h, none)
    assert pooled.shape == (1, 0)
