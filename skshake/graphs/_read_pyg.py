"""Readers of torch_geometric's graphs and mini-batches, and why some are refused.

In: a ``Data`` or one of its relatives. Out: a :class:`GraphRecord`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skshake._as_array import as_array, is_from
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._records import (
    NO_ARCS,
    AttributeNames,
    GraphRecord,
    check_count,
    chosen_values,
    count_arcs,
    count_rows,
    given_column,
)

# What a torch_geometric Data holds for us, and what it may hold beside: labels, masks
# and numbers of nodes that say nothing about the graph.
PYG_READ = {"edge_index", "x", "edge_attr", "edge_weight", "num_nodes"}
PYG_SILENT = {"y", "batch", "ptr", "n_id", "e_id", "adj_t"} | {
    f"{part}_mask" for part in ("train", "val", "test")
}
PYG_KNOWN = PYG_READ | PYG_SILENT
# Attributes of Data that have one row per node by convention.
PYG_NODES = ("pos", "z", "node_type")


def read_pyg(graph: Any, names: AttributeNames) -> GraphRecord:
    """A torch_geometric ``Data``: edge_index, x, edge_attr, edge_weight, num_nodes."""
    # The public ``to_dict`` also infers num_nodes, which costs more than all the rest.
    store = graph._store._mapping if hasattr(graph, "_store") else graph.to_dict()
    if "edge_index" not in store and "adj_t" in store:
        raise InvalidGraphError(
            "expected edge_index, got adj_t; leave the transform ToSparseTensor out",
            field="edge_index",
        )
    if "batch" in store or "ptr" in store:
        _refuse_batch(store)
    edge_index = store.get("edge_index")
    if edge_index is None:
        edge_index = NO_ARCS
        _refuse_rows_without_edges(store)
    x, n_nodes = store.get("x"), store.get("num_nodes")
    if n_nodes is None:
        if x is None:
            n_nodes = _pyg_nodes(graph, store, edge_index, names)
        else:
            n_nodes = count_rows("x", x)
    n_nodes = check_count("num_nodes", n_nodes)
    if names.node_attrs is None:
        nodes = given_column("x", x)
    else:
        nodes = chosen_values(
            "node", store, "x", names.node_attrs, n_nodes, names.defaults
        )
    if names.edge_attrs is None:
        edges = given_column("edge_attr", store.get("edge_attr"))
    else:
        n_arcs, wanted = count_arcs(edge_index), names.edge_attrs
        edges = chosen_values(
            "edge", store, "edge_attr", wanted, n_arcs, names.defaults
        )
    extra = store.keys() - PYG_KNOWN
    return GraphRecord(
        n_nodes,
        edge_index,
        nodes,
        edges,
        store.get("edge_weight"),
        {name: store[name] for name in extra} if extra else None,
    )


def _refuse_rows_without_edges(store: Mapping[str, Any]) -> None:
    """Refuse features and weights of edges that are not there."""
    for name in ("edge_attr", "edge_weight"):
        if store.get(name) is not None and count_rows(name, store[name]):
            raise InvalidGraphError(
                f"edge_index: expected one, as {name} has "
                f"{count_rows(name, store[name])} rows",
                field="edge_index",
            )


def _pyg_nodes(
    graph: Any, store: Mapping[str, Any], edge_index: Any, names: AttributeNames
) -> Any:
    """Number of nodes of a Data, which need not say it."""
    for name in (*(names.node_attrs or ()), *PYG_NODES):
        if store.get(name) is not None:
            return count_rows(name, store[name])
    n_nodes = graph.num_nodes if count_arcs(edge_index) else None
    if n_nodes is None:
        raise InvalidGraphError(
            "num_nodes: needed for a Data without x and without edges",
            field="num_nodes",
        )
    return n_nodes


def _refuse_batch(store: Mapping[str, Any]) -> None:
    """Refuse a Data whose nodes belong to several graphs."""
    n_graphs = 1
    if store.get("batch") is not None:
        batch = as_array(store["batch"])
        if batch.ndim == 1 and batch.size and batch.dtype.kind in "iu":
            n_graphs = len(np.unique(batch))
    elif store.get("ptr") is not None:
        n_graphs = as_array(store["ptr"]).size - 1
    if n_graphs > 1:
        raise InvalidGraphError(
            f"is a mini-batch of {n_graphs} graphs, not one graph; give its graphs, as "
            "batch.to_data_list() does",
            field="batch",
        )


def read_batch(graph: Any, names: AttributeNames) -> GraphRecord:
    """A torch_geometric ``Batch``, which is not one graph but many."""
    raise InvalidGraphError(
        f"is a mini-batch ({type(graph).__name__}) of {graph.num_graphs} graphs, not "
        "one graph; give its graphs, as batch.to_data_list() does (a DataLoader's are "
        "those of its dataset)",
        field="batch",
    )


def read_hetero(graph: Any, names: AttributeNames) -> GraphRecord:
    """A ``HeteroData``: several types of nodes and edges."""
    raise InvalidGraphError(
        f"is a {type(graph).__name__} with several types of nodes and edges; expected "
        "a graph with one type: to_homogeneous() makes one, with node_type and "
        "edge_type, which as_graphs(node_attrs=[...], edge_attrs=[...]) reads"
    )


def read_temporal(graph: Any, names: AttributeNames) -> GraphRecord:
    """A ``TemporalData``: a stream of events."""
    raise InvalidGraphError(
        "is a TemporalData, a stream of events; expected a graph: give a Data with "
        "edge_index=torch.stack([src, dst]), and its features as edge_attr"
    )


def read_hypergraph(graph: Any, names: AttributeNames) -> GraphRecord:
    """A ``HyperGraphData``, whose edge_index joins nodes and hyperedges."""
    raise InvalidGraphError(
        "is a HyperGraphData, whose edges join any number of nodes; expected a graph "
        "whose edges join two; a clique expansion makes one"
    )


# Kinds of torch_geometric that are not one graph, each before what it derives from.
PYG_OTHERS = (
    ("torch_geometric.data", "HeteroData", read_hetero),
    ("torch_geometric.data", "TemporalData", read_temporal),
    ("torch_geometric.data.hypergraph_data", "HyperGraphData", read_hypergraph),
    ("torch_geometric.data", "Batch", read_batch),
)


def unpack(graphs: Any) -> Any:
    """The graphs of a mini-batch of torch_geometric; anything else as it came."""
    if not is_from(graphs, "torch_geometric.data", "Batch"):
        return graphs
    try:
        return graphs.to_data_list()
    except RuntimeError as error:
        raise InvalidGraphError(
            "expected a list of graphs, got a mini-batch that was not made by "
            "Batch.from_data_list() and cannot be taken apart; give a list of Data"
        ) from error
