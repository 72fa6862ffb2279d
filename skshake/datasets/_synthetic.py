"""Generated graphs: with a known coarse structure, or of the size of a published set.

In: sizes and a seed. Out: a GraphCollection and labels. No loop over graphs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import Bunch, check_random_state

from skshake.graphs import (
    FLOAT,
    GraphCollection,
    build_features,
    concatenate_graphs,
    from_arcs,
    offsets,
)

# Parent of each block in the tree that tells a class: a path, a star, a binary tree,
# and a path that ends in a star. All have as many blocks and links.
TREES = (
    lambda block, n: block - 1,
    lambda block, n: np.zeros_like(block),
    lambda block, n: (block - 1) // 2,
    lambda block, n: np.minimum(block - 1, n // 2),
)
FEWEST_NODES = 2
# Edges that are made at once: drawing them takes ten times the memory of the graphs.
PART_EDGES = 4_000_000
# Draws of edges, each corrected by how many the last one left.
ROUNDS = 3


class _Published(NamedTuple):
    """Means of a published set, and what is not published but needed."""

    n_nodes: float
    n_edges: float
    n_classes: int
    n_edge_features: int
    # Spread of the logarithm of sizes, and exponent of the weights of a node's edges.
    spread: float
    exponent: float


# Hu et al. 2020 (ogbg-ppa); Yanardag & Vishwanathan 2015 (REDDIT-MULTI-12K).
PUBLISHED = {
    "ogbg-ppa": _Published(243.4, 2266.1, 37, 7, 0.25, 0.3),
    "REDDIT-MULTI-12K": _Published(391.4, 456.9, 11, 0, 0.9, 1.0),
}


def _unique_edges(
    owner: np.ndarray, u: np.ndarray, v: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """Each edge once: its graph, and its ends (2, n_edges). Loops are left out."""
    low, high = np.minimum(u, v), np.maximum(u, v)
    key = (owner * width + low) * width + high
    key = np.unique(key[low < high])
    pair = key % width**2
    return key // width**2, np.stack([pair // width, pair % width])


def make_graph_classification(
    n_graphs: int = 200,
    *,
    n_classes: int = 2,
    n_blocks: int = 8,
    mean_nodes: float = 40.0,
    density: float = 0.4,
    n_links: int = 2,
    noise: float = 0.1,
    n_features: int = 2,
    feature_noise: float = 1.0,
    weighted: bool = False,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Make graphs whose class is the shape of a tree of dense blocks.

    Each graph is a tree of blocks: a path, a star, a binary tree, or a path that ends
    in a star, one shape per class. A block is a random connected graph; linked blocks
    are joined by a few edges. So classes differ in the coarse structure alone: sizes,
    densities and features follow the same law in all.

    Parameters
    ----------
    n_graphs : int, default=200
        Graphs, classes in turn.
    n_classes : int, default=2
        From 2 to 4.
    n_blocks : int, default=8
        Blocks of each graph, at least 4.
    mean_nodes : float, default=40.0
        Expected nodes of a graph; blocks have at least two.
    density : float, default=0.4
        Share of pairs of nodes of one block that are joined, beyond what connects it.
    n_links : int, default=2
        Edges drawn between linked blocks.
    noise : float, default=0.1
        Share of these that join any two nodes of the graph instead: the difficulty.
    n_features : int, default=2
        Numeric node features: a random vector per block, plus noise.
    feature_noise : float, default=1.0
        Standard deviation of the noise; that of the vectors is 1.
    weighted : bool, default=False
        Whether edges have weights, from 1 to 2 inside blocks and 0.1 to 0.5 elsewhere.
    random_state : int, RandomState instance or None, default=None
        Seeds all of it.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection), ``target`` (n_graphs,), and ``blocks`` (n_nodes,),
        the true block of each node, numbered within its graph.

    Raises
    ------
    ValueError
        If ``n_classes`` or ``n_blocks`` is out of range.

    Examples
    --------
    >>> from skshake.datasets import make_graph_classification
    >>> graphs, y = make_graph_classification(6, random_state=0, return_X_y=True)
    >>> len(graphs), y.tolist()
    (6, [0, 1, 0, 1, 0, 1])
    """
    if not 2 <= n_classes <= len(TREES):
        raise ValueError(f"n_classes: expected 2 to {len(TREES)}, got {n_classes}")
    if n_blocks < 4:
        raise ValueError(f"n_blocks: expected at least 4, got {n_blocks}")
    rng = check_random_state(random_state)
    y = np.arange(n_graphs) % n_classes
    extra = max(mean_nodes / n_blocks - FEWEST_NODES, 0.0)
    sizes = FEWEST_NODES + rng.poisson(extra, (n_graphs, n_blocks))
    block_ptr = offsets(sizes.ravel())
    n_nodes = sizes.sum(axis=1)
    block = np.repeat(np.arange(sizes.size), sizes.ravel())
    # Nodes are numbered within their graph, and first[b] is the first of block b.
    first = block_ptr[:-1] - np.repeat(offsets(n_nodes)[:-1], n_blocks)
    place = np.arange(len(block)) - block_ptr[block]
    parts = [
        _inside(rng, sizes.ravel(), block, place, density),
        _between(rng, y, sizes, n_links),
    ]
    of_block, u, v = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    owner, is_link = of_block // n_blocks, np.arange(len(u)) >= len(parts[0][0])
    u, v = first[of_block] + u, _shifted(v, first, of_block, is_link, y, n_blocks)
    is_noise = is_link & (rng.random_sample(len(u)) < noise)
    for ends in (u, v):
        anywhere = (rng.random_sample(len(u)) * n_nodes[owner]).astype(np.int64)
        ends[is_noise] = anywhere[is_noise]
    owner, ends = _unique_edges(owner, u, v, int(n_nodes.max()))
    n_edges = np.bincount(owner, minlength=n_graphs)
    number = block - (block // n_blocks) * n_blocks
    weights = None
    if weighted:
        of_node = offsets(n_nodes)[:-1][owner] + ends
        is_inside = block[of_node[0]] == block[of_node[1]]
        draw = rng.random_sample(len(owner))
        weights = np.where(is_inside, 1.0 + draw, 0.1 + 0.4 * draw)
    centres = rng.normal(size=(sizes.size, n_features))
    x = centres[block] + feature_noise * rng.normal(size=(len(block), n_features))
    fields = [("x", x.astype(FLOAT), False)] if n_features else []
    graphs = from_arcs(
        n_nodes,
        n_edges,
        ends,
        build_features(fields, len(block)),
        build_features([], len(owner)),
        weights,
    )
    if return_X_y:
        return graphs, y
    return Bunch(data=graphs, target=y, blocks=number)


def _inside(
    rng: Any, sizes: np.ndarray, block: np.ndarray, place: np.ndarray, density: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of each block: block, and two places in it; a random tree and more."""
    later = place > 0
    parent = (rng.random_sample(len(block)) * place).astype(np.int64)
    n_pairs = sizes * (sizes - 1) // 2
    n_more = rng.binomial(n_pairs, density)
    of_more = np.repeat(np.arange(len(sizes)), n_more)
    more = (rng.random_sample((2, len(of_more))) * sizes[of_more]).astype(np.int64)
    return (
        np.concatenate([block[later], of_more]),
        np.concatenate([place[later], more[0]]),
        np.concatenate([parent[later], more[1]]),
    )


def _between(
    rng: Any, y: np.ndarray, sizes: np.ndarray, n_links: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Links of each block with its parent: block, and a place in either."""
    n_graphs, n_blocks = sizes.shape
    child = np.tile(np.arange(1, n_blocks), n_graphs)
    graph = np.repeat(np.arange(n_graphs), n_blocks - 1)
    parent = _parents(y[graph], child, n_blocks)
    graph, child, parent = (np.repeat(a, n_links) for a in (graph, child, parent))
    places = [
        (rng.random_sample(len(graph)) * sizes[graph, side]).astype(np.int64)
        for side in (child, parent)
    ]
    return graph * n_blocks + child, places[0], places[1]


def _parents(classes: np.ndarray, child: np.ndarray, n_blocks: int) -> np.ndarray:
    """Parent of each block in the tree of its class."""
    return np.choose(classes, [tree(child, n_blocks) for tree in TREES])


def _shifted(
    v: np.ndarray,
    first: np.ndarray,
    of_block: np.ndarray,
    is_link: np.ndarray,
    y: np.ndarray,
    n_blocks: int,
) -> np.ndarray:
    """Node of each second end: in the same block, or that of a link in the parent."""
    graph, number = of_block // n_blocks, of_block % n_blocks
    parent = graph * n_blocks + _parents(y[graph], np.maximum(number, 1), n_blocks)
    return v + first[np.where(is_link, parent, of_block)]


def _skewed(rng: Any, n_nodes: np.ndarray, exponent: float) -> np.ndarray:
    """Nodes drawn with weights i^-exponent, by the inverse of their distribution."""
    draw = rng.random_sample(len(n_nodes))
    if exponent < 1:
        node = n_nodes * draw ** (1.0 / (1.0 - exponent))
    else:
        node = np.exp(draw * np.log(n_nodes + 1.0)) - 1.0
    return np.minimum(node.astype(np.int64), n_nodes - 1)


def make_like(name: str, n_graphs: int, *, random_state: Any = None) -> GraphCollection:
    """Make graphs of the size of a published set, to measure time and memory on.

    Sizes are log-normal around the published mean numbers of nodes and edges; ends of
    edges are drawn with weights that fall as a power of a node's number, so degrees are
    skewed (hubs in REDDIT-MULTI-12K). Nothing can be learnt from them.

    Parameters
    ----------
    name : {"ogbg-ppa", "REDDIT-MULTI-12K"}
    n_graphs : int
        The published sets have 158,100 and 11,929.
    random_state : int, RandomState instance or None, default=None
        Seeds all of it.

    Returns
    -------
    graphs : GraphCollection
        With seven numeric edge features like ogbg-ppa, or without features.

    Raises
    ------
    ValueError
        If the name is another.

    Examples
    --------
    >>> from skshake.datasets import make_like
    >>> len(make_like("ogbg-ppa", 3, random_state=0))
    3
    """
    if name not in PUBLISHED:
        raise ValueError(f"name: expected one of {list(PUBLISHED)}, got {name!r}")
    published, rng = PUBLISHED[name], check_random_state(random_state)
    n_parts = max(1, round(n_graphs * published.n_edges / PART_EDGES))
    sizes = [len(part) for part in np.array_split(np.arange(n_graphs), n_parts)]
    return concatenate_graphs([_make_part(rng, published, size) for size in sizes])


def _make_part(rng: Any, published: _Published, n_graphs: int) -> GraphCollection:
    """Graphs of the published size and degrees."""
    size = np.exp(published.spread * rng.normal(size=n_graphs))
    size *= np.exp(-(published.spread**2) / 2)
    n_nodes = np.maximum(2, np.round(published.n_nodes * size)).astype(np.int64)
    wanted = published.n_edges * size
    # Ends drawn twice count once, so more are drawn than are wanted.
    factor, width = 1.0, int(n_nodes.max())
    for _ in range(ROUNDS):
        n_draws = np.maximum(1, np.round(factor * wanted)).astype(np.int64)
        owner = np.repeat(np.arange(n_graphs), n_draws)
        u, v = (_skewed(rng, n_nodes[owner], published.exponent) for _ in range(2))
        owner, pairs = _unique_edges(owner, u, v, width)
        factor *= wanted.sum() / max(len(owner), 1)
    fields = []
    if published.n_edge_features:
        values = rng.random_sample((len(owner), published.n_edge_features))
        fields = [("edge_attr", values.astype(FLOAT), False)]
    return from_arcs(
        n_nodes,
        np.bincount(owner, minlength=n_graphs),
        pairs,
        build_features([], int(n_nodes.sum())),
        build_features(fields, len(owner)),
    )
