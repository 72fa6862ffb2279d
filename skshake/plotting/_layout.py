"""Places of nodes on the page: a drawing of the graph, or of the molecule that it is.

In: a graph, maybe its molecule. Out: coordinates, and what to write on atoms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skshake._extras import require
from skshake.graphs import Graph

# A layout by distances in the graph is the better one, and quadratic in the nodes.
MOST_BY_DISTANCE = 200


class Drawing(NamedTuple):
    """How the input graph is drawn.

    ``positions`` (n_nodes, 2), ``labels`` of the nodes (empty for none), ``bonds``
    (n_edges,), lines to draw for each edge.
    """

    positions: np.ndarray
    labels: list[str]
    bonds: np.ndarray


def draw_graph(graph: Graph, molecule: Any = None) -> Drawing:
    """Place the nodes of a graph.

    Parameters
    ----------
    graph : Graph
    molecule : str, rdkit Mol or None, default=None
        SMILES or molecule whose atoms are the nodes, in order.

    Returns
    -------
    drawing : Drawing
    """
    if molecule is not None:
        return _draw_molecule(graph, molecule)
    positions = _place(graph.n_nodes, graph.edges)
    return Drawing(positions, [""] * graph.n_nodes, np.ones(len(graph.edges)))


def _place(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    """Lay out each component by itself and put the components side by side."""
    import networkx as nx

    graph = nx.empty_graph(n_nodes)
    graph.add_edges_from(edges.tolist())
    positions, left = np.zeros((n_nodes, 2)), 0.0
    for nodes in sorted(nx.connected_components(graph), key=len, reverse=True):
        part = graph.subgraph(nodes)
        if len(nodes) > MOST_BY_DISTANCE:
            by_node = nx.spring_layout(part, seed=0)
        else:
            by_node = nx.kamada_kawai_layout(part)
        numbers = list(part)
        # The area of a drawing grows with its nodes.
        places = np.array([by_node[node] for node in numbers]) * np.sqrt(len(nodes))
        places -= places.min(axis=0)
        positions[numbers] = places + np.array([left, 0.0])
        left += np.ptp(places[:, 0]) + 1.0
    return positions


def _draw_molecule(graph: Graph, molecule: Any) -> Drawing:
    """Place atoms as chemists do; symbols for all but carbon."""
    require("rdkit", "drawing a molecule")
    from rdkit import Chem
    from rdkit.Chem import rdDepictor

    mol = Chem.MolFromSmiles(molecule) if isinstance(molecule, str) else molecule
    if mol is None:
        raise ValueError(f"molecule: {molecule!r} is no valid SMILES")
    if (mol.GetNumAtoms(), mol.GetNumBonds()) != (graph.n_nodes, len(graph.edges)):
        raise ValueError(
            f"molecule: expected {graph.n_nodes} atoms and {len(graph.edges)} bonds "
            f"like the graph, got {mol.GetNumAtoms()} and {mol.GetNumBonds()}"
        )
    mol = Chem.Mol(mol)
    Chem.Kekulize(mol)
    rdDepictor.Compute2DCoords(mol)
    positions = mol.GetConformer().GetPositions()[:, :2]
    symbols = [atom.GetSymbol() for atom in mol.GetAtoms()]
    bonds = [
        mol.GetBondBetweenAtoms(int(u), int(v)).GetBondTypeAsDouble()
        for u, v in graph.edges
    ]
    labels = ["" if symbol == "C" else symbol for symbol in symbols]
    return Drawing(positions, labels, np.array(bonds))
