"""Sparse records against dense matrices."""

import numpy as np
import torch
from scipy import sparse

from skshake.network._csr import CSR, BatchArcs, as_numpy, transpose


def test_the_transpose_by_hand():
    # Rows of a 3 x 4 matrix: (.5 at 2, 1 at 0), nothing, (2 at 2).
    csr = CSR(
        torch.tensor([0, 2, 2, 3]),
        torch.tensor([2, 0, 2]),
        torch.tensor([0.5, 1.0, 2.0]),
    )
    found = transpose(csr, 4)
    assert found.colptr.tolist() == [0, 1, 1, 3, 3]
    assert found.perm.tolist() == [1, 0, 2]
    assert found.row.tolist() == [0, 0, 2]
    assert found.value.tolist() == [1.0, 0.5, 2.0]


def test_the_transpose_is_that_of_scipy(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    matrix = sparse.random(30, 20, 0.1, "csr", None, rng)
    csr = CSR(*map(torch.from_numpy, (matrix.indptr, matrix.indices, matrix.data)))
    found = transpose(csr, 20)
    expected = matrix.tocsc()
    assert found.colptr.tolist() == expected.indptr.tolist()
    assert found.row.tolist() == expected.indices.tolist()
    assert found.value.tolist() == expected.data.tolist()
    assert csr.value[found.perm].tolist() == expected.data.tolist()


def test_targets_are_the_rows_of_arcs():
    rowptr, none = torch.tensor([0, 2, 2, 3]), torch.empty(0)
    arcs = BatchArcs(rowptr, torch.tensor([1, 2, 0]), none, none)
    assert arcs.targets().tolist() == [0, 0, 2]


def test_arrays_share_memory_with_tensors():
    csr = CSR(torch.tensor([0, 1]), torch.tensor([0]), torch.tensor([1.0]))
    arrays = as_numpy(csr)
    arrays.value[0] = 5.0
    assert csr.value.tolist() == [5.0]
    assert arrays.transpose is None
