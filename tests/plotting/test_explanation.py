"""ExplanationDisplay draws what nodes and edges add."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier, explain
from skshake.plotting import ExplanationDisplay

SMILES = ["CCO", "c1ccccc1N", "CCN", "CC(=O)O"]


@pytest.fixture(scope="module")
def model():
    return make_pipeline(
        MoleculeFeaturizer(),
        KFCoarsener(q=1.0, n_forests=1, random_state=0),
        SHAKEClassifier(n_layers=1, max_iter=2, random_state=0),
    ).fit(SMILES * 5, [0, 1] * 10)


def test_molecules_are_coloured_atom_by_atom_and_bond_by_bond(pyplot, model):
    display = ExplanationDisplay.from_estimator(model, SMILES[1], target=0)
    explanation = explain(model, [SMILES[1]], target=0)
    largest = max(np.abs(explanation.nodes).max(), np.abs(explanation.edges).max())
    for artist, values in (
        (display.nodes_, explanation.nodes[0]),
        (display.edges_, explanation.edges[0]),
    ):
        colors = artist.get_facecolors()
        assert len(colors) == 7
        # Red for the class, blue against it, and the less of it the less is said.
        redness = colors[:, 0] - colors[:, 2]
        assert (np.sign(redness) == np.sign(values))[values != 0].all()
        # Colours have 256 steps.
        np.testing.assert_allclose(colors[:, 3], np.abs(values) / largest, atol=0.01)
    assert [text.get_text() for text in display.ax_.texts] in (["NH₂"], ["H₂N"])
    assert "contribution to 0" in display.colorbar_.ax.get_ylabel()


def test_other_graphs_are_laid_out_and_axes_can_be_given(pyplot, small_mutag):
    graphs, y = small_mutag
    model = SHAKEClassifier(n_layers=1, max_iter=1, random_state=0).fit(graphs, y)
    _, ax = pyplot.subplots()
    display = ExplanationDisplay.from_estimator(model, graphs[3], ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert len(display.nodes_.get_offsets()) == graphs[3].n_nodes
    assert not any(text.get_text() for text in ax.texts)
    with pytest.raises(ValueError, match="that of one graph, got 2"):
        ExplanationDisplay(explain(model, graphs[:2])).plot()


def test_a_molecule_that_cannot_be_read_is_not_drawn(pyplot, model):
    reader = MoleculeFeaturizer(on_invalid="empty")
    model = make_pipeline(reader, *(step for _, step in model.steps[1:]))
    with (
        pytest.warns(UserWarning, match="graphs without nodes"),
        pytest.raises(ValueError, match="has no nodes to draw"),
    ):
        ExplanationDisplay.from_estimator(model, "no molecule")


def test_nodes_of_graphs_are_coloured_and_hide_what_is_below(pyplot, small_mutag):
    graphs, y = small_mutag
    model = SHAKEClassifier(n_layers=1, max_iter=1, random_state=0).fit(graphs, y)
    for style, is_brighter in (("default", False), ("dark_background", True)):
        with pyplot.style.context(style):
            display = ExplanationDisplay.from_estimator(model, graphs[3])
        colors = display.nodes_.get_facecolors()
        assert (colors[:, 3] == 1).all()
        least = np.abs(display.explanation.nodes[0]).argmin()
        # What says nothing has the colour of the paper.
        assert (colors[least, :3].mean() < 0.5) == is_brighter


def test_an_explanation_of_nothing_is_drawn(pyplot, small_mutag):
    graphs, y = small_mutag
    model = SHAKEClassifier(n_layers=1, max_iter=1, random_state=0).fit(graphs, y)
    explanation = replace(
        explain(model, graphs[:1]), nodes=np.zeros((1, graphs[0].n_nodes))
    )
    explanation = replace(explanation, edges=np.zeros((1, len(graphs[0].edges))))
    ExplanationDisplay(explanation).plot().figure_.canvas.draw()
