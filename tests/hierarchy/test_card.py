"""What a notebook shows of a HierarchyCollection."""

import xml.etree.ElementTree as ET

import numpy as np

from skshake import KFCoarsener


def test_it_says_levels_sizes_and_what_is_pooled(mutag):
    coarsener = KFCoarsener(
        n_levels=2, include_original=True, n_forests=2, random_state=0
    )
    hierarchies = coarsener.fit_transform(mutag[0])
    page = hierarchies._repr_html_()
    text = " ".join(ET.fromstring(page).itertext())
    assert "HierarchyCollection of 188 graphs" in text
    assert "2 independent hierarchies per graph" in text
    for number, level in enumerate(hierarchies.levels):
        assert f"Level {number}: q = {level.q:.4g}" in text
        assert f"{level.node_ptr[-1]:,}, {level.node_ptr[-1] / 3371:.1%}" in text
    # Seven categories and one slot for others; walks of 2 to 8 steps.
    assert "7 numbers, frequencies of 8 categories" in text
    # Coarse graphs are drawn, not the input.
    n_drawn = page.count("<svg")
    assert n_drawn > 1
    sizes = np.diff(hierarchies.levels[1].node_ptr)
    discs = [len([*svg.iter("circle")]) for svg in ET.fromstring(page).iter("svg")]
    assert {*discs} <= {*sizes.tolist()}


def test_graphs_of_all_shapes_have_a_page(awkward_graphs):
    for q in (0.01, np.inf):
        coarsener = KFCoarsener(q=q, n_forests=1, random_state=0)
        hierarchies = coarsener.fit_transform(awkward_graphs)
        ET.fromstring(hierarchies._repr_html_())
        ET.fromstring(hierarchies[:0]._repr_html_())
