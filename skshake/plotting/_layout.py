"""Places of nodes on the page: a drawing of the graph, or of the molecule that it is.

In: a graph, maybe its molecule. Out: coordinates, and what to write on atoms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skshake._extras import require
from skshake._places import place_nodes
from skshake.graphs import Graph

# Edges per node from which nodes of a block are put together, and how many times as
# far apart neighbours of different blocks are.
MANY_EDGES, APART = 4, 4.0
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Drawing(NamedTuple):
    """How the input graph is drawn.

    ``positions`` (n_nodes, 2), ``symbols`` of the nodes, those of atoms, empty for
    none, ``labels``, what is written on them, ``bonds`` (n_edges,), lines to draw for
    each edge.
    """

    positions: np.ndarray
    symbols: list[str]
    labels: list[str]
    bonds: np.ndarray

    @property
    def is_molecule(self) -> bool:
        """Whether nodes are atoms."""
        return any(self.symbols)


def draw_graph(
    graph: Graph, molecule: Any = None, block: np.ndarray | None = None
) -> Drawing:
    """Place the nodes of a graph.

    Parameters
    ----------
    graph : Graph
    molecule : str, rdkit Mol or None, default=None
        SMILES or molecule whose atoms are the nodes, in order.
    block : int array of shape (n_nodes,), default=None
        Nodes of one block are put together, where a graph has so many edges that its
        shape says little.

    Returns
    -------
    drawing : Drawing
    """
    if molecule is not None:
        return _draw_molecule(graph, molecule)
    lengths, order = np.ones(len(graph.edges)), np.arange(graph.n_nodes)
    if block is not None and len(graph.edges) > MANY_EDGES * graph.n_nodes:
        order = np.argsort(block, kind="stable")
        lengths[block[graph.edges[:, 0]] != block[graph.edges[:, 1]]] = APART
    positions = place_nodes(graph.edges, lengths, order)
    nothing = [""] * graph.n_nodes
    return Drawing(positions, nothing, nothing, np.ones(len(graph.edges)))


def _draw_molecule(graph: Graph, molecule: Any) -> Drawing:
    """Place atoms as chemists do."""
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
    rdDepictor.StraightenDepiction(mol)
    positions = mol.GetConformer().GetPositions()[:, :2]
    bonds = [
        mol.GetBondBetweenAtoms(int(u), int(v)).GetBondTypeAsDouble()
        for u, v in graph.edges
    ]
    atoms = [*mol.GetAtoms()]
    symbols = [atom.GetSymbol() for atom in atoms]
    labels = [_label_atom(atom, positions) for atom in atoms]
    return Drawing(positions, symbols, labels, np.array(bonds))


def _label_atom(atom: Any, positions: np.ndarray) -> str:
    """Symbol with hydrogens and charge; nothing for carbon within a chain or ring.

    Hydrogens stand on the side where no bond is, so before the symbol if all neighbours
    are at its right.
    """
    symbol, charge, n_hydrogens = (
        atom.GetSymbol(),
        atom.GetFormalCharge(),
        atom.GetTotalNumHs(),
    )
    neighbours = [other.GetIdx() for other in atom.GetNeighbors()]
    if symbol == "C" and neighbours and not charge:
        return ""
    hydrogens = "H" * bool(n_hydrogens)
    if n_hydrogens > 1:
        hydrogens += str(n_hydrogens).translate(SUBSCRIPTS)
    sign = "⁺" if charge > 0 else "⁻"
    size = str(abs(charge)).translate(SUPERSCRIPTS) if abs(charge) > 1 else ""
    charges = size + sign if charge else ""
    here = positions[atom.GetIdx(), 0]
    is_left = bool(neighbours) and (positions[neighbours, 0] > here + 0.1).all()
    if is_left and hydrogens:
        return hydrogens + symbol + charges
    return symbol + hydrogens + charges
