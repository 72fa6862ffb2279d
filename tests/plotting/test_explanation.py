"""ExplanationDisplay draws what nodes and edges add."""

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
    for artist, values in (
        (display.nodes_.get_facecolors(), explanation.nodes[0]),
        (display.edges_.get_colors(), explanation.edges[0]),
    ):
        assert len(artist) == 7
        # Red for the class, blue against it.
        redness = np.asarray(artist)[:, 0] - np.asarray(artist)[:, 2]
        strong = np.abs(values) > 0.05 * np.abs(values).max()
        assert (np.sign(redness) == np.sign(values))[strong].all()
    assert [text.get_text() for text in display.ax_.texts][-1] == "N"
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
