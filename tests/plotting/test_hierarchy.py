"""HierarchyDisplay draws what the coarsener did."""

import numpy as np
import pytest

from skshake import KFCoarsener
from skshake.datasets import load_bace
from skshake.plotting import HierarchyDisplay


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
        areas = coarse.get_sizes()
        np.testing.assert_allclose(areas / areas[0], sizes / sizes[0])
        # A coarse node has the colour of its block and lies in its middle.
        colors = coarse.get_facecolors()[level.block]
        np.testing.assert_allclose(inputs.get_facecolors(), colors)
        middle = inputs.get_offsets()[level.block == 0].mean(axis=0)
        np.testing.assert_allclose(coarse.get_offsets()[0], middle)


def test_neighbouring_blocks_differ_in_colour_and_edges_in_width(pyplot, mutag):
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(mutag[0])
    display = HierarchyDisplay.from_estimator(coarsener, mutag[0][3])
    level = coarsener.transform(mutag[0][3:4])[0].levels[0]
    colors = display.nodes_[0][1].get_facecolors()
    for u, v in level.edges:
        assert (colors[u] != colors[v]).any()
    widths = np.array(display.edges_[0][1].get_linewidths())
    np.testing.assert_allclose(widths / widths[0], np.sqrt(level.edge_weight))


def test_molecules_are_drawn_as_molecules(pyplot, molecules):
    pytest.importorskip("rdkit")
    graphs, smiles = molecules.data, molecules.smiles
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(graphs[:20])
    display = HierarchyDisplay.from_estimator(coarsener, graphs[3], molecule=smiles[3])
    written = [text.get_text() for text in display.axes_[0, 0].texts]
    assert "N" in written
    assert "C" not in written
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
