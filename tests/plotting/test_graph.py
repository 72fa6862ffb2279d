"""plot_graph draws nodes and edges in given colours."""

import numpy as np

from skshake import as_graphs
from skshake.plotting._graph import frame, plot_graph
from skshake.plotting._layout import Drawing


def test_nodes_edges_double_bonds_and_labels(pyplot):
    graph = as_graphs([np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])])[0]
    positions = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    drawing = Drawing(positions, ["", "N", ""], np.array([1.0, 2.0]))
    _, ax = pyplot.subplots()
    colors = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    points, lines = plot_graph(ax, graph, drawing, colors[[0, 0, 1]], colors, 2.0)
    assert points.get_facecolors().tolist() == colors[[0, 0, 1]].tolist()
    assert lines.get_colors().tolist() == colors.tolist()
    assert lines.get_linewidths() == [2.0, 6.0]
    # The white line that makes a bond a double one.
    assert [len(each.get_paths()) for each in ax.collections[:2]] == [2, 1]
    assert [text.get_text() for text in ax.texts] == ["", "N", ""]
    frame(ax, positions)
    assert ax.get_xlim()[0] < 0 < 2 < ax.get_xlim()[1]
