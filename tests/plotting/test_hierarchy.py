"""HierarchyDisplay draws what the coarsener did."""

import re
from collections import Counter

import numpy as np
import pytest

from skshake import KFCoarsener
from skshake.datasets import load_bace
from skshake.plotting import HierarchyDisplay
from skshake.plotting._hierarchy import WIDEST

NORMAL = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@pytest.fixture(scope="module")
def molecules():
    return load_bace()


def test_one_row_per_coarse_level(pyplot, mutag):
    coarsener = KFCoarsener(
        n_levels=2, include_original=True, n_forests=1, random_state=0
    ).fit(mutag[0])
    display = HierarchyDisplay.from_estimator(coarsener, mutag[0][0])
    assert display.axes_.shape == (2, 2)
    hierarchy = coarsener.transform(mutag[0][:1])[0]
    for level, (inputs, coarse) in zip(
        hierarchy.levels[1:], display.nodes_, strict=True
    ):
        assert len(inputs.get_offsets()) == mutag[0][0].n_nodes
        assert len(coarse.get_offsets()) == level.n_nodes
        sizes = np.bincount(level.block)
        display.figure_.canvas.draw()
        radius = coarse.get_transforms()[:, 0, 0]
        # Larger blocks are larger nodes.
        assert (np.diff(radius[np.argsort(sizes)]) >= 0).all()
        assert radius[sizes.argmax()] > radius[sizes.argmin()]
        # A coarse node lies in the middle of its block.
        middle = inputs.get_offsets()[level.block == 0].mean(axis=0)
        np.testing.assert_allclose(coarse.get_offsets()[0], middle)


def test_hulls_hold_what_is_merged_and_single_nodes_stay_plain(pyplot, mutag):
    graphs = mutag[0]
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(graphs)
    display = HierarchyDisplay.from_estimator(coarsener, graphs[3])
    level = coarsener.transform(graphs[3:4])[0].levels[0]
    inputs, coarse = display.nodes_[0]
    sizes, (hulls,) = np.bincount(level.block), display.hulls_
    # Blocks are trees at least: one piece joins two of their nodes.
    assert len(hulls.get_paths()) == (sizes - 1).sum()
    places, is_merged = inputs.get_offsets(), sizes[level.block] > 1
    is_held = [
        any(hull.contains_point(place) for hull in hulls.get_paths())
        for place in places
    ]
    assert is_held == is_merged.tolist()
    # All input nodes look alike, and so do those of the coarse graph that are single.
    assert len(np.unique(inputs.get_facecolors(), axis=0)) == 1
    plain = coarse.get_facecolors()[sizes == 1]
    assert (plain == inputs.get_facecolors()[0]).all()
    texts = [text.get_text() for text in display.axes_[0, 1].texts]
    assert texts == [str(size) for size in sizes if size > 1]


def test_neighbouring_blocks_differ_in_colour_and_edges_in_width(pyplot, mutag):
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(mutag[0])
    display = HierarchyDisplay.from_estimator(coarsener, mutag[0][3])
    level = coarsener.transform(mutag[0][3:4])[0].levels[0]
    colors = display.nodes_[0][1].get_facecolors()
    is_merged = np.bincount(level.block) > 1
    assert is_merged[level.edges].all(axis=1).any()
    for u, v in level.edges:
        assert (colors[u] != colors[v]).any() or not (is_merged[u] or is_merged[v])
    widths = np.array(display.edges_[0][1].get_linewidths())
    np.testing.assert_allclose(widths / widths[0], np.sqrt(level.edge_weight))


def test_cliques_of_blocks_have_a_colour_each_and_edges_a_largest_width(pyplot):
    clique = np.ones((60, 60)) - np.eye(60)
    coarsener = KFCoarsener(q=60.0, n_forests=1, random_state=0).fit([clique])
    display = HierarchyDisplay.from_estimator(coarsener, clique)
    (level,) = coarsener.transform([clique])[0].levels
    colors = display.nodes_[0][1].get_facecolors()[np.bincount(level.block) > 1]
    assert len(np.unique(colors, axis=0)) == len(colors) > 9
    assert max(display.edges_[0][1].get_linewidths()) <= WIDEST


def test_molecules_are_drawn_as_molecules(pyplot, molecules):
    pytest.importorskip("rdkit")
    graphs, smiles = molecules.data, molecules.smiles
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(graphs[:20])
    display = HierarchyDisplay.from_estimator(coarsener, graphs[3], molecule=smiles[3])
    written = [text.get_text() for text in display.axes_[0, 0].texts]
    assert any("N" in text for text in written)
    assert "C" not in written
    assert display.nodes_[0][0] is None
    # Coarse nodes hold formulas, single ones symbols.
    level = display.hierarchy.levels[0]
    formulas = [text.get_text() for text in display.axes_[0, 1].texts]
    assert len(formulas) == level.n_nodes
    atoms = Counter()
    for symbol, count in re.findall("([A-Z][a-z]?)([₀-₉]*)", "".join(formulas)):
        atoms[symbol] += int(count.translate(NORMAL)) if count else 1
    chem = pytest.importorskip("rdkit.Chem")
    expected = Counter(
        atom.GetSymbol() for atom in chem.MolFromSmiles(smiles[3]).GetAtoms()
    )
    assert atoms == expected
    with pytest.raises(ValueError, match="atoms"):
        HierarchyDisplay.from_estimator(coarsener, graphs[3], molecule="CCO")
    with pytest.raises(ValueError, match="no valid SMILES"):
        HierarchyDisplay.from_estimator(coarsener, graphs[3], molecule="C1CC")


def test_graphs_of_all_shapes(pyplot, awkward_graphs):
    coarsener = KFCoarsener(q=0.01, n_forests=1, random_state=0).fit(awkward_graphs)
    for graph in awkward_graphs:
        display = HierarchyDisplay.from_estimator(coarsener, graph)
        display.figure_.canvas.draw()


def test_axes_of_the_caller_are_used(pyplot, mutag):
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(mutag[0])
    figure, axes = pyplot.subplots(1, 2)
    display = HierarchyDisplay.from_estimator(coarsener, mutag[0][0], ax=axes)
    assert display.figure_ is figure
    with pytest.raises(ValueError, match="1 x 2 axes"):
        HierarchyDisplay.from_estimator(coarsener, mutag[0][0], ax=axes[0])


def test_nothing_coarse_is_refused(mutag):
    coarsener = KFCoarsener(q=np.inf).fit(mutag[0])
    with pytest.raises(ValueError, match="nothing coarse"):
        HierarchyDisplay.from_estimator(coarsener, mutag[0][0])


def test_a_smiles_stands_for_its_graph(pyplot, molecules):
    pytest.importorskip("rdkit")
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(molecules.data[:20])
    display = HierarchyDisplay.from_estimator(coarsener, molecules.smiles[3])
    other = HierarchyDisplay.from_estimator(
        coarsener, molecules.data[3], molecule=molecules.smiles[3]
    )
    block, expected = (
        each.hierarchy.levels[0].block.tolist() for each in (display, other)
    )
    assert block == expected
    assert [t.get_text() for t in display.axes_[0, 0].texts] == [
        t.get_text() for t in other.axes_[0, 0].texts
    ]
    with pytest.raises(ValueError, match="Graph 0: 'C1CC' is not a SMILES"):
        HierarchyDisplay.from_estimator(coarsener, "C1CC")
