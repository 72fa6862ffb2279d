"""load_npz: flat arrays of graphs and labels."""

import numpy as np
import pytest

from skshake.datasets import load_npz

ARRAYS = {
    "node_counts": np.array([3, 0, 2]),
    "edge_counts": np.array([2, 0, 1]),
    "edges": np.array([[0, 1], [1, 2], [0, 1]]),
    "y": np.array([1, 0, 1]),
    "node_labels": np.array([5, 6, 5, 7, 7], np.int16),
    "node_attributes": np.arange(10, dtype=np.float32).reshape(5, 2),
}


def _save(path, **changes):
    arrays = {**ARRAYS, **changes}
    np.savez(path, **{k: v for k, v in arrays.items() if v is not None})
    return path


def test_labels_are_categories_and_attributes_numbers(tmp_path):
    data = load_npz(_save(tmp_path / "a.npz"))
    assert np.diff(data.data.node_ptr).tolist() == [3, 0, 2]
    assert data.data.node_features.widths == (2, 1)
    assert data.data[2].edges.tolist() == [[0, 1]]
    assert data.target.tolist() == [1, 0, 1]
    assert data.target_names.tolist() == [0, 1]


def test_a_missing_array_is_named(tmp_path):
    with pytest.raises(ValueError, match="expected an array 'edges'"):
        load_npz(_save(tmp_path / "a.npz", edges=None))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.zeros(2)}, "expected y of shape"),
        ({"edge_counts": np.array([2, 0, 5])}, "expected edges of shape"),
        ({"node_counts": np.array([3, 0, 9])}, "node_labels: expected 12 rows"),
        ({"node_attributes": np.full((5, 2), np.nan)}, "Graph 0: node_attributes"),
        ({"node_labels": np.full(5, 0.5)}, "a category must be an integer"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        load_npz(_save(tmp_path / "a.npz", **changes))


def test_an_edge_outside_its_graph_names_the_graph(tmp_path):
    edges = np.array([[0, 1], [1, 2], [0, 2]])
    with pytest.raises(ValueError, match="Graph 2: an edge joins nodes 0 and 2"):
        load_npz(_save(tmp_path / "a.npz", edges=edges))


@pytest.mark.parametrize(
    ("name", "n_graphs", "n_nodes", "n_edges"),
    [
        ("MUTAG", 188, 3371, 3721),
        ("Fingerprint", 2800, 15167, 12378),
        ("ENZYMES", 600, 19580, 37282),
    ],
)
def test_real_files(name, n_graphs, n_nodes, n_edges, shared_data):
    graphs, y = load_npz(shared_data / "graphs" / f"{name}.npz", return_X_y=True)
    assert (len(graphs), graphs.n_nodes, graphs.n_edges) == (n_graphs, n_nodes, n_edges)
    assert len(y) == n_graphs
