"""What a notebook shows of a GraphCollection: counts, sizes, features, some graphs.

In: a collection. Out: a Card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from skshake._cards import (
    Card,
    Fact,
    Figure,
    Section,
    count,
    draw_svg,
    format_range,
)
from skshake._places import place_nodes
from skshake.graphs._features import Field

if TYPE_CHECKING:
    from skshake.graphs._collection import GraphCollection

# Graphs that are drawn, and the largest of them.
N_DRAWN, LARGEST_DRAWN, MOST_EDGES_DRAWN = 5, 60, 600
# Fields that are named.
N_NAMED = 12


def card_of_graphs(graphs: GraphCollection) -> Card:
    """Facts and drawings of a collection; time does not grow with its features."""
    sizes = [Fact("graphs", f"{len(graphs):,}"), *size_facts(graphs)]
    for what, features in (
        ("node", graphs.node_features),
        ("edge", graphs.edge_features),
    ):
        sizes.append(Fact(f"{what} features", describe_fields(features.fields)))
    if graphs.edge_weight is not None:
        sizes.append(Fact("edge weights", format_range(graphs.edge_weight)))
    return Card(
        f"GraphCollection of {count(len(graphs), 'graph')}",
        [Section("", tuple(sizes))],
        [*drawings_of(graphs)],
    )


def size_facts(graphs: GraphCollection) -> Iterator[Fact]:
    """Nodes and edges, of all graphs and of one."""
    for what, ptr in (("nodes", graphs.node_ptr), ("edges", graphs.edge_ptr)):
        yield Fact(what, f"{ptr[-1]:,}; in a graph {format_range(np.diff(ptr))}")


def describe_fields(fields: Iterable[Field]) -> str:
    """Names and kinds of features, in words."""
    fields = [*fields]
    if not fields:
        return "none"
    parts = []
    for field in fields[:N_NAMED]:
        kind = "categorical" if field.is_categorical else "numeric"
        kind = "text" if field.is_text else kind
        columns = "" if field.width == 1 else f", {field.width} columns"
        parts.append(f"{field.name} ({kind}{columns})")
    if len(fields) > N_NAMED:
        parts.append(f"and {len(fields) - N_NAMED} more")
    return ", ".join(parts)


def choose_drawn(n_nodes: np.ndarray, n_edges: np.ndarray) -> np.ndarray:
    """Graphs to draw: small and large ones among those that a drawing can show."""
    fits = (n_nodes > 0) & (n_nodes <= LARGEST_DRAWN) & (n_edges <= MOST_EDGES_DRAWN)
    found = np.flatnonzero(fits)
    found = found[np.argsort(n_nodes[found], kind="stable")]
    places = np.linspace(0.1, 0.9, N_DRAWN) * (len(found) - 1)
    return found[np.unique(places.round().astype(int))] if len(found) else found


def drawings_of(graphs: GraphCollection) -> Iterator[Figure]:
    """Some graphs; colours are those of the first categorical column."""
    drawn = choose_drawn(np.diff(graphs.node_ptr), np.diff(graphs.edge_ptr))
    chosen, names = graphs.take(drawn), graphs.names
    numbers = _colour_numbers(chosen.node_features.categories)
    for k, name in enumerate(names[drawn].tolist()):
        one = chosen[k]
        nodes = slice(*chosen.node_ptr[k : k + 2])
        order = np.arange(one.n_nodes)
        positions = place_nodes(one.edges, np.ones(len(one.edges)), order)
        svg = draw_svg(positions, one.edges, numbers[nodes])
        yield Figure(svg, f"{name}: {one.n_nodes} nodes, {len(one.edges)} edges")


def _colour_numbers(categories: np.ndarray) -> np.ndarray:
    """Colour of each node by its first category: 0 for the most frequent one."""
    if not categories.shape[1]:
        return np.zeros(len(categories), int)
    codes = categories[:, 0].tolist()
    ranks = {code: k for k, (code, _) in enumerate(Counter(codes).most_common())}
    return np.array([ranks[code] for code in codes], int)
