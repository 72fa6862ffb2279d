"""Reader of adjacency matrices, alone or with features.

In: a scipy sparse or square numpy matrix, or a tuple that begins with one. Out: a
:class:`GraphRecord`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from skshake._as_array import as_array, is_table
from skshake.graphs._errors import InvalidGraphError, Naming
from skshake.graphs._named_columns import Columns
from skshake.graphs._records import (
    AttributeNames,
    GraphRecord,
    chosen_of_array,
    count_rows,
    given_column,
)


def _stored_entries(
    matrix: Any, keeps_order: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of the stored entries, in CSR order.

    Those of a COO matrix come in its own order, repeats too, if that matters.
    """
    if not sparse.issparse(matrix):
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns]
    if matrix.format == "coo" and keeps_order:
        return matrix.row.astype(np.int64), matrix.col.astype(np.int64), matrix.data
    if matrix.format == "bsr":
        # Its blocks hold zeros that are no edges.
        matrix = matrix.tocsr(copy=True)
        matrix.eliminate_zeros()
    elif matrix.format != "csr":
        matrix = matrix.tocsr()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows, matrix.indices.astype(np.int64), matrix.data


def read_adjacency(graph: Any, names: AttributeNames) -> GraphRecord:
    """A scipy sparse or square numpy adjacency; or (adjacency, x[, edge_attr])."""
    adjacency, x, edge_attr = graph, None, None
    if isinstance(graph, tuple):
        if len(graph) not in (2, 3):
            raise InvalidGraphError(
                "a tuple must be (adjacency, x) or (adjacency, x, edge_attr), got "
                f"{len(graph)} items"
            )
        adjacency, x, edge_attr = (*graph, None)[:3]
    with Naming("adjacency"):
        matrix = adjacency if sparse.issparse(adjacency) else as_array(adjacency)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidGraphError(
            f"adjacency: expected a square matrix, got {matrix.shape}",
            field="adjacency",
        )
    if matrix.dtype.kind not in "biuf":
        raise InvalidGraphError(
            f"adjacency: expected numbers, got dtype {matrix.dtype}", field="adjacency"
        )
    source, target, weight = _stored_entries(matrix, edge_attr is not None)
    edges: Columns = {}
    if edge_attr is not None:
        kept = _rows_of_edge_attr(matrix, source, target, weight, edge_attr)
        source, target, weight = source[kept], target[kept], weight[kept]
        edges = given_column("edge_attr", edge_attr)
    n_nodes = matrix.shape[0]
    return GraphRecord(
        n_nodes,
        np.stack([source, target]),
        chosen_of_array("node", "x", given_column("x", x), n_nodes, names),
        chosen_of_array("edge", "edge_attr", edges, len(source), names),
        weight,
    )


def _rows_of_edge_attr(
    matrix: Any,
    source: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    edge_attr: Any,
) -> np.ndarray | slice:
    """Which stored entries the rows of edge_attr belong to, in their order."""
    if sparse.issparse(matrix) and matrix.format not in ("csr", "coo"):
        raise InvalidGraphError(
            "edge_attr: expected an adjacency whose entries have one order, got the "
            f"sparse format {matrix.format!r}; use tocsr() or tocoo(), and give one "
            "row per entry in the order of its data",
            field="edge_attr",
        )
    n_rows = (
        len(edge_attr) if is_table(edge_attr) else count_rows("edge_attr", edge_attr)
    )
    is_upper = source < target
    if n_rows == len(source):
        return slice(None)
    if n_rows != is_upper.sum():
        raise InvalidGraphError(
            f"edge_attr: expected {is_upper.sum()} rows (entries of the upper "
            f"triangle) or {len(source)} (stored entries), got {n_rows}",
            field="edge_attr",
        )
    # One row per undirected edge: the upper triangle alone says everything.
    whole = sparse.csr_array((weight, (source, target)), matrix.shape)
    if (whole != whole.T).nnz:
        raise InvalidGraphError(
            "edge_attr: one row per undirected edge needs a symmetric adjacency; give "
            f"one row per stored entry ({len(source)})",
            field="edge_attr",
        )
    return is_upper
