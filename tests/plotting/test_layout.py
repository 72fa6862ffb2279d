"""Places of nodes on the page."""

import networkx as nx
import numpy as np
import pytest

from skshake import MoleculeFeaturizer, as_graphs
from skshake._places import MOST_BY_DISTANCE
from skshake.plotting._layout import draw_graph


def _draw(graph, molecule=None):
    return draw_graph(as_graphs([graph])[0], molecule)


def _distances(positions):
    return np.linalg.norm(positions[:, None] - positions, axis=2)


def test_a_path_is_drawn_as_a_line():
    drawing = _draw(nx.path_graph(4))
    assert drawing.positions.shape == (4, 2)
    assert drawing.labels == drawing.symbols == [""] * 4
    assert not drawing.is_molecule
    assert drawing.bonds.tolist() == [1.0, 1.0, 1.0]
    distances = _distances(drawing.positions)
    steps = np.abs(np.arange(4)[:, None] - np.arange(4))
    # Up to where the layout stops.
    np.testing.assert_allclose(distances / distances[0, 1], steps, atol=0.05)


def test_neighbours_are_nearer_than_others():
    graph = nx.cycle_graph(12)
    distances = _distances(_draw(graph).positions)
    adjacent = nx.to_numpy_array(graph) > 0
    apart = ~adjacent & ~np.eye(12, dtype=bool)
    assert distances[adjacent].max() < distances[apart].min()


@pytest.mark.parametrize("n_nodes", [3, 15])
def test_components_are_side_by_side_and_the_largest_first(n_nodes):
    # The nodes of the components are numbered in turns.
    small, large = nx.path_graph(n_nodes), nx.cycle_graph(n_nodes + 1)
    graph = nx.disjoint_union(small, large)
    numbers = np.random.default_rng(0).permutation(len(graph))
    adjacency = nx.to_numpy_array(graph)[np.ix_(numbers, numbers)]
    positions = _draw(adjacency).positions
    is_small = numbers < n_nodes
    assert positions[~is_small].min() >= 0
    left, right = positions[~is_small][:, 0], positions[is_small][:, 0]
    # One unit lies between them.
    assert right.min() == pytest.approx(left.max() + 1.0)


def test_graphs_of_all_sizes_have_places():
    for n_nodes in (0, 1, 2, MOST_BY_DISTANCE + 1):
        drawing = _draw(nx.path_graph(n_nodes))
        assert drawing.positions.shape == (n_nodes, 2)
        assert np.isfinite(drawing.positions).all()
        assert len(np.unique(drawing.positions, axis=0)) == n_nodes


def test_places_do_not_change_from_call_to_call():
    graph = nx.star_graph(MOST_BY_DISTANCE + 5)
    state = np.random.get_state()[1].copy()
    one, other = _draw(graph), _draw(graph)
    assert (one.positions == other.positions).all()
    assert (np.random.get_state()[1] == state).all()


SMILES = "O=C(N)C"


def test_molecules_have_symbols_and_double_lines():
    graph = MoleculeFeaturizer().transform([SMILES])[0]
    drawing = draw_graph(graph, SMILES)
    assert drawing.symbols == ["O", "C", "N", "C"]
    assert drawing.labels[::2] in (["O", "NH₂"], ["O", "H₂N"])
    assert drawing.labels[1::2] == ["", ""]
    assert drawing.is_molecule
    assert graph.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert drawing.bonds.tolist() == [2.0, 1.0, 1.0]
    assert drawing.positions.shape == (4, 2)
    lengths = _distances(drawing.positions)[tuple(graph.edges.T)]
    np.testing.assert_allclose(lengths, lengths[0], rtol=1e-3)


def test_aromatic_bonds_are_drawn_in_turns():
    chem = pytest.importorskip("rdkit.Chem")
    molecule = chem.MolFromSmiles("c1ccccc1")
    graph = MoleculeFeaturizer().transform([molecule])[0]
    drawing = draw_graph(graph, molecule)
    assert sorted(drawing.bonds.tolist()) == [1.0] * 3 + [2.0] * 3
    # The user's molecule is as it was.
    assert all(bond.GetIsAromatic() for bond in molecule.GetBonds())
    assert molecule.GetNumConformers() == 0


@pytest.mark.parametrize(
    ("molecule", "message"),
    [
        ("C1CC", "molecule: 'C1CC' is no valid SMILES"),
        ("CC", "expected 3 atoms and 2 bonds like the graph, got 2 and 1"),
        ("C1CC1", "got 3 and 3"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_another_molecule_is_refused(molecule, message):
    with pytest.raises(ValueError, match=message):
        _draw(nx.path_graph(3), molecule)


@pytest.mark.parametrize(
    ("smiles", "labels"),
    [
        ("C", ["CH₄"]),
        ("[NH4+]", ["NH₄⁺"]),
        ("[Ca+2].[Cl-].[Cl-]", ["Ca²⁺", "Cl⁻", "Cl⁻"]),
        ("C[N+](C)(C)C", ["", "N⁺", "", "", ""]),
        ("C[CH2-]", ["", "C⁻"]),
    ],
)
def test_labels_hold_hydrogens_and_charges(smiles, labels):
    graph = MoleculeFeaturizer().transform([smiles])[0]
    found = draw_graph(graph, smiles).labels
    # Hydrogens of a bonded atom stand on the side that is free.
    assert [
        label.replace("H₂C", "CH₂").replace("CH₂", "C") for label in found
    ] == labels


def test_hydrogens_stand_where_no_bond_is():
    graph = MoleculeFeaturizer().transform(["OCCCCCCCCN"])[0]
    drawing = draw_graph(graph, "OCCCCCCCCN")
    is_left = drawing.positions[0, 0] < drawing.positions[-1, 0]
    expected = ("HO", "NH₂") if is_left else ("OH", "H₂N")
    assert (drawing.labels[0], drawing.labels[-1]) == expected


def test_blocks_of_dense_graphs_are_put_together():
    graph = as_graphs([nx.complete_graph(12)])[0]
    block = np.arange(12) % 3
    distances = _distances(draw_graph(graph, None, block).positions)
    is_same = block[:, None] == block
    within = distances[is_same & ~np.eye(12, dtype=bool)]
    assert within.max() < distances[~is_same].min()
    # The shape of a sparse graph says more than its blocks.
    path = as_graphs([nx.path_graph(12)])[0]
    positions = draw_graph(path, None, block).positions
    np.testing.assert_array_equal(positions, draw_graph(path).positions)
