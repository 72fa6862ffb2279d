"""Overlap of two levels: how many input nodes two blocks share (the paper's P).

In: blocks of the same input nodes at two levels. Out: one sparse row per fine block.
Beside it: which coarse edge an input edge is part of.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from skshake.graphs import FLOAT, GraphCollection
from skshake.hierarchy._aggregation import Aggregation, as_aggregation, divisors_of
from skshake.hierarchy._contraction import INSIDE
from skshake.hierarchy._level import Level


def overlap_matrix(
    fine: Level, coarse: Level, input_node_ptr: np.ndarray
) -> sparse.csr_array:
    """Number of input nodes shared by each fine (row) and coarse (column) block.

    Blocks of all graphs are numbered one after the other, so the matrix is block
    diagonal; it has at most one entry per input node.
    """
    rows = fine.numbered_blocks(input_node_ptr)
    columns = coarse.numbered_blocks(input_node_ptr)
    n_fine, n_coarse = int(fine.node_ptr[-1]), int(coarse.node_ptr[-1])
    counts = sparse.coo_array(
        (np.ones(len(rows), FLOAT), (rows, columns)), (n_fine, n_coarse)
    )
    return counts.tocsr()


def projection_matrix(
    overlap: sparse.csr_array, node_pooling: str | Aggregation = "mean"
) -> sparse.csr_array:
    r"""The paper's P from a fine to a coarse level, one row per coarse block.

    .. math::
        P = diag(1/|c|) \, O^T \quad (mean), \qquad P = O^T diag(1/|f|) \quad (sum)

    and for an aggregation with any divisor d,
    :math:`P = diag(1/d(|c|)) \, O^T diag(d(|f|)/|f|)`.

    Parameters
    ----------
    overlap : csr_array of shape (n_fine, n_coarse)
        Shared input nodes of fine and coarse blocks.
    node_pooling : {"mean", "sum"} or Aggregation, default="mean"

    Returns
    -------
    projection : csr_array of shape (n_coarse, n_fine)
    """
    aggregation = as_aggregation(node_pooling)
    fine, coarse = (
        np.asarray(overlap.sum(axis=axis), float).ravel() for axis in (1, 0)
    )
    before = sparse.diags_array(divisors_of(aggregation, fine) / fine)
    after = sparse.diags_array(1.0 / divisors_of(aggregation, coarse))
    return sparse.csr_array(after @ overlap.T @ before)


def find_coarse_edges(level: Level, graphs: GraphCollection) -> np.ndarray:
    """Coarse edge of each input edge, numbered over the collection, or INSIDE.

    Parameters
    ----------
    level : Level
    graphs : GraphCollection
        The input graphs of the level.

    Returns
    -------
    coarse : int64 array of shape (n_edges,)
    """
    n_blocks = int(level.node_ptr[-1])
    first = np.repeat(level.node_ptr[:-1], np.diff(level.edge_ptr))
    # Coarse edges are sorted, so their keys are.
    keys = (level.edges[:, 0] + first) * n_blocks + level.edges[:, 1] + first
    blocks = level.numbered_blocks(graphs.node_ptr)[graphs.numbered_ends]
    wanted = blocks.min(axis=1) * n_blocks + blocks.max(axis=1)
    coarse = np.searchsorted(keys, wanted).astype(np.int64)
    coarse[blocks[:, 0] == blocks[:, 1]] = INSIDE
    return coarse
