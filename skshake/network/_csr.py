"""Sparse records of a batch: CSR, its transpose, and arcs.

In: tensors on one device. Out: named tuples of them. Names are those of torch_geometric
(``rowptr``, ``col``, ``value``, ``colptr``, ``perm``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor


class Transpose(NamedTuple):
    """Entries of a CSR matrix in the order of their columns.

    ``colptr`` (n_cols + 1,), ``perm`` (n_entries,), the place of each entry in the CSR
    matrix, ``row`` (n_entries,) and ``value`` (n_entries,).
    """

    colptr: Tensor
    perm: Tensor
    row: Tensor
    value: Tensor


class CSR(NamedTuple):
    """A sparse matrix by rows.

    ``rowptr`` (n_rows + 1,), ``col`` (n_entries,), ``value`` (n_entries,);
    ``transpose`` where an engine needs it for gradients.
    """

    rowptr: Tensor
    col: Tensor
    value: Tensor
    transpose: Transpose | None = None


class BatchArcs(NamedTuple):
    """Both arcs of each edge of a batch, by the node that a message goes to.

    Each arc has a twin in the other direction, with the same edge state and weight, so
    the arcs to a node are also those from it.

    ``rowptr`` (n_nodes + 1,), ``col`` (n_arcs,), the neighbour that a message comes
    from, ``edge`` (n_arcs,), the row of the edge states that each arc uses, ``weight``
    (n_arcs,), that in messages. ``by_edge`` has the arcs of each such row, where an
    engine needs it for gradients.
    """

    rowptr: Tensor
    col: Tensor
    edge: Tensor
    weight: Tensor
    by_edge: Transpose | None = None

    def targets(self) -> Tensor:
        """Node that each arc's message goes to."""
        n_arcs = self.rowptr.diff()
        return torch.repeat_interleave(n_arcs, output_size=len(self.col))


def transpose(csr: CSR, n_cols: int) -> Transpose:
    """Entries by columns, without asking the device for a number."""
    col, perm = csr.col.sort(stable=True)
    each = torch.arange(n_cols + 1, device=col.device)
    owner = torch.repeat_interleave(csr.rowptr.diff(), output_size=len(col))
    colptr = torch.searchsorted(col, each)
    return Transpose(colptr, perm, owner[perm], csr.value[perm])


def as_numpy(record: Any) -> Any:
    """The record with arrays that share memory with its tensors, for kernels."""
    return type(record)(*(t.numpy() if isinstance(t, Tensor) else t for t in record))
