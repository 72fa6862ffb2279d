"""Readers of dictionaries: OGB's graphs, and those of Hugging Face's data sets.

In: a dictionary, or one with a label. Out: a :class:`GraphRecord`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._named_columns import without_objects
from skshake.graphs._records import (
    AttributeNames,
    GraphRecord,
    check_count,
    chosen_values,
    count_arcs,
    count_rows,
)

# Keys of dictionaries: of OGB's graphs, what others call the same, and labels and ids.
DICT_ALIASES = {"node_feat": "x", "edge_feat": "edge_attr"}
DICT_SILENT = ("y", "label", "labels", "id", "idx", "graph_id", "name", "smiles")
DICT_KNOWN = frozenset(
    ("edge_index", "num_nodes", "x", "edge_attr", "edge_weight", *DICT_SILENT)
)


def _renamed(attrs: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Names of attributes as a dictionary's keys are read."""
    return attrs and tuple(DICT_ALIASES.get(name, name) for name in attrs)


def read_ogb(graph: Mapping, names: AttributeNames) -> GraphRecord:
    """A dictionary of OGB or Hugging Face; every key must be known or chosen."""
    store: dict[str, Any] = {}
    for key, value in graph.items():
        name = DICT_ALIASES.get(key, key)
        if value is None and name != "num_nodes":
            continue
        if name in store:
            raise InvalidGraphError(
                f"{name}: given twice, as {name!r} and "
                f"{next(k for k, v in DICT_ALIASES.items() if v == name)!r}",
                field=name,
            )
        store[name] = value
    wanted = [_renamed(attrs) for attrs in (names.node_attrs, names.edge_attrs)]
    unknown = store.keys() - DICT_KNOWN
    if unknown:
        unknown = unknown.difference(*(attrs or () for attrs in wanted))
    if unknown:
        key = next(key for key in store if key in unknown)
        raise InvalidGraphError(
            f"a dictionary has the unknown key {key!r}; expected 'edge_index', "
            "'num_nodes', 'node_feat' (or 'x'), 'edge_feat' (or 'edge_attr') and "
            f"'edge_weight'; {', '.join(map(repr, DICT_SILENT))} may come along, and "
            "any other key has to be named in node_attrs or edge_attrs",
            field=str(key),
        )
    if "edge_index" not in store or ("num_nodes" not in store and "x" not in store):
        needed = "num_nodes" if "edge_index" in store else "edge_index"
        raise InvalidGraphError(
            f"a dictionary needs the key {needed!r}, got {list(graph)}", field=needed
        )
    if "num_nodes" not in store:
        store["num_nodes"] = count_rows("x", store["x"])
    n_nodes = check_count("num_nodes", store["num_nodes"])
    edge_index = without_objects("edge_index", store["edge_index"])
    edge_weight = without_objects("edge_weight", store.get("edge_weight"))
    n_arcs = 0 if wanted[1] is None else count_arcs(edge_index)
    return GraphRecord(
        n_nodes,
        edge_index,
        chosen_values("node", store, "x", wanted[0], n_nodes, names.defaults),
        chosen_values("edge", store, "edge_attr", wanted[1], n_arcs, names.defaults),
        edge_weight,
    )


def read_labelled_ogb(graph: tuple, names: AttributeNames) -> GraphRecord:
    """An item (graph, label) of an OGB dataset; labels are not read here."""
    return read_ogb(graph[0], names)
