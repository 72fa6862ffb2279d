"""What a notebook shows of a HierarchyCollection: levels, sizes, some coarse graphs.

In: a collection. Out: a Card.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from skshake.graphs import choose_drawn
from skshake.hierarchy._level import Level, PooledFeatures

if TYPE_CHECKING:
    from skshake.hierarchy._collection import HierarchyCollection


def card_of_hierarchies(hierarchies: HierarchyCollection) -> Card:
    """Facts of each level, and coarse graphs of the finest coarse one."""
    n_graphs, n_nodes = len(hierarchies), hierarchies.n_nodes
    facts = [
        Fact("graphs", f"{n_graphs:,}"),
        Fact("input nodes", f"{n_nodes:,}"),
        Fact("forests", f"{hierarchies.n_forests} independent hierarchies per graph"),
    ]
    sections = [Section("", tuple(facts))]
    for number, level in enumerate(hierarchies.levels):
        sections.append(
            Section(f"Level {number}: q = {level.q:.4g}", (*_facts(level, n_nodes),))
        )
    return Card(
        f"HierarchyCollection of {count(n_graphs, 'graph')}",
        sections,
        [*_drawings(hierarchies)],
    )


def _facts(level: Level, n_input: int) -> Iterator[Fact]:
    """Sizes of a level of the first forest, and what is pooled."""
    n_nodes, n_edges = int(level.node_ptr[-1]), int(level.edge_ptr[-1])
    in_graph = format_range(np.diff(level.node_ptr))
    yield Fact(
        "nodes",
        f"{n_nodes:,}, {n_nodes / max(n_input, 1):.1%} of the input nodes; in a graph "
        f"{in_graph}",
    )
    yield Fact(
        "edges", f"{n_edges:,}; in a graph {format_range(np.diff(level.edge_ptr))}"
    )
    yield Fact("pooled node features", _describe_pooled(level.x))
    yield Fact("pooled edge features", _describe_pooled(level.edge_attr))


def _describe_pooled(features: PooledFeatures) -> str:
    """Numbers of columns, in words."""
    n_numbers, n_slots = features.widths
    parts = [count(n_numbers, "number")] if n_numbers else []
    parts += [f"frequencies of {n_slots:,} categories"] if n_slots else []
    return ", ".join(parts) or "none"


def _drawings(hierarchies: HierarchyCollection) -> Iterator[Figure]:
    """Some coarse graphs; areas of nodes are numbers of input nodes."""
    levels = hierarchies.levels
    number = min(int(np.isinf(hierarchies.q).sum()), len(levels) - 1)
    level = levels[number]
    drawn = choose_drawn(np.diff(level.node_ptr), np.diff(level.edge_ptr))
    chosen, names = hierarchies.take(drawn), hierarchies.names
    for k, name in enumerate(names[drawn].tolist()):
        view = chosen[k].levels[number]
        sizes = np.bincount(view.block, minlength=view.n_nodes)
        order = np.arange(view.n_nodes)
        positions = place_nodes(view.edges, np.ones(len(view.edges)), order)
        svg = draw_svg(positions, view.edges, (sizes == 1) * 9, sizes)
        yield Figure(svg, f"{name}: {len(view.block)} to {view.n_nodes} nodes")
