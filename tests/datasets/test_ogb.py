"""Folders in OGB's format, as its downloads unpack."""

import numpy as np
import pandas as pd
import pytest

from skshake.datasets import iter_ogb, load_ogb
from skshake.graphs import concatenate_graphs


def _write(folder, **files):
    for name, rows in files.items():
        path = folder / f"{name.replace('__', '/').replace('_', '-')}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_csv(path, header=False, index=False)


@pytest.fixture
def folder(tmp_path):
    """A triangle and an edge with a lone node."""
    _write(
        tmp_path,
        raw__edge=[[0, 1], [1, 2], [0, 2], [0, 1]],
        raw__num_node_list=[3, 3],
        raw__num_edge_list=[3, 1],
        raw__node_feat=[[5, 1], [5, 1], [6, 0], [5, 0], [7, 0], [7, 1]],
        raw__edge_feat=[[0.5], [1.0], [1.5], [2.0]],
        raw__graph_label=[[0], [1]],
        split__scaffold__train=[0],
        split__scaffold__valid=[1],
        split__scaffold__test=[1],
    )
    return tmp_path


def test_a_folder_becomes_graphs_labels_and_a_split(folder):
    data = load_ogb(folder)
    assert [graph.n_nodes for graph in data.data] == [3, 3]
    assert data.data[0].edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert data.data[0].edge_attr.ravel().tolist() == [0.5, 1.5, 1.0]
    # Integers are categories.
    assert data.data.node_features.widths == (0, 2)
    assert data.data[1].x.tolist() == [[5, 0], [7, 0], [7, 1]]
    assert data.target.tolist() == [0, 1]
    assert data.target.dtype == np.int64
    assert [data[part].tolist() for part in ("train", "valid", "test")] == [
        [0],
        [1],
        [1],
    ]


def test_graphs_without_features_and_labels_that_are_missing(folder):
    for name in ("node", "edge"):
        (folder / "raw" / f"{name}-feat.csv.gz").unlink()
    _write(folder, raw__graph_label=[[0.0, np.nan], [1.0, 1.0]])
    graphs, y = load_ogb(folder, return_X_y=True)
    assert graphs.node_features.n_columns == graphs.edge_features.n_columns == 0
    np.testing.assert_array_equal(y, [[0, np.nan], [1, 1]])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"raw__edge": [[0, 1]]}, "edge.csv.gz: expected 4 rows, got 1"),
        ({"raw__graph_label": [0]}, "graph-label.csv.gz: expected 2 rows, got 1"),
        ({"raw__graph_label": ["a", "b"]}, "expected numbers"),
        ({"raw__edge": [[0, 9], [1, 2], [0, 2], [0, 1]]}, "Graph 0"),
        ({"split__random__train": [0]}, r"choose one of \['random', 'scaffold'\]"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(folder, files, message):
    _write(folder, **files)
    with pytest.raises(ValueError, match=message):
        load_ogb(folder)


def test_a_split_that_is_not_there_is_refused(folder):
    with pytest.raises(ValueError, match=r"expected one of \['scaffold'\], got 'time'"):
        load_ogb(folder, split="time")


@pytest.mark.parametrize("n_graphs", [1, 2, 5])
def test_parts_are_the_graphs_of_the_folder(n_graphs, folder):
    data = load_ogb(folder)
    parts = list(iter_ogb(folder, n_graphs=n_graphs))
    assert len(parts) == -(-2 // n_graphs)
    graphs = concatenate_graphs([part for part, _ in parts])
    assert (graphs.fingerprints == data.data.fingerprints).all()
    assert np.concatenate([y for _, y in parts]).tolist() == data.target.tolist()


def test_parts_of_graphs_without_edges_or_with_too_few_rows(folder):
    _write(folder, raw__num_edge_list=[3, 0], raw__edge_feat=[[0.5], [1.0], [1.5]])
    (_, (alone, _)) = iter_ogb(folder, n_graphs=1)
    assert alone.n_edges == 0
    _write(folder, raw__num_edge_list=[3, 9])
    parts = iter_ogb(folder, n_graphs=1)
    next(parts)
    with pytest.raises(ValueError, match=r"edge-feat.* expected 12 rows at least"):
        next(parts)
