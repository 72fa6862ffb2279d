"""The solver of each graph, and what does not depend on it."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.resolution import edge_measure, node_measure, select_resolution
from tests._helpers import curve_table
from tests._helpers.graphs import larger_graphs


def test_auto_takes_each_graph_by_its_size():
    small, large = larger_graphs(3), as_graphs([nx.cycle_graph(300)] * 2)
    featured = as_graphs([(nx.to_numpy_array(nx.cycle_graph(300)), np.ones((300, 2)))])
    assert node_measure(small).complexity_error(1.0) == 0
    assert node_measure(large).complexity_error(0.01) > 0
    assert (curve_table(node_measure(featured), 1.0)[:, :2] == 0).all()
    with pytest.raises(ValueError, match="qr"):
        node_measure(small, solver="qr")


@pytest.mark.parametrize("solver", ["eigh", "lanczos"])
def test_solvers_agree_on_q_star(solver, mutag):
    q_star = select_resolution(mutag[0], solver=solver).q_star
    assert q_star == pytest.approx(2.4395, rel=0.001)


def test_no_edge_features_means_no_edge_side(triangle_with_tail):
    assert (curve_table(edge_measure(as_graphs([triangle_with_tail])), 0.5) == 0).all()
