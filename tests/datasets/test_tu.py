"""TU folders: written here, read back, refused when lines disagree."""

import numpy as np
import pytest

from skshake.datasets import load_tu


@pytest.fixture
def folder(tmp_path):
    """A triangle with a tail, and an edge."""
    lines = {
        "A": [
            *("1, 2", "2, 1", "2, 3", "3, 2", "1, 3", "3, 1", "3, 4", "4, 3"),
            *("5, 6", "6, 5"),
        ],
        "graph_indicator": ["1", "1", "1", "1", "2", "2"],
        "graph_labels": ["1", "-1"],
        "node_labels": ["0", "1", "0", "2", "1", "1"],
        "node_attributes": [f"{0.5 * i}, {i}" for i in range(6)],
        "edge_labels": ["0"] * 8 + ["3", "3"],
    }
    for name, rows in lines.items():
        (tmp_path / f"TOY_{name}.txt").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_a_folder_is_read(folder):
    data = load_tu(folder)
    assert data.target.tolist() == [1, -1]
    assert np.diff(data.data.node_ptr).tolist() == [4, 2]
    assert data.data[0].edges.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]
    assert data.data.node_features.widths == (2, 1)
    assert data.data.edge_features.categories[:, 0].tolist() == [0, 0, 0, 0, 3]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("A", "1, 5\n", "line 1 joins nodes of two graphs"),
        ("A", "1, 9\n", "two node numbers up to 6"),
        ("graph_indicator", "1\n1\n2\n1\n", "increasing numbers from 1 to 2"),
        ("node_labels", "1\n", "expected 6 lines, got 1"),
        ("node_labels", "C\n", "node_labels"),
        ("node_attributes", "1, 2\n3\n" * 3, "line 2 lacks a number"),
    ],
)
def test_broken_folders_are_refused(name, text, message, folder):
    (folder / f"TOY_{name}.txt").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_tu(folder)


def test_a_folder_without_edges_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"_A\.txt"):
        load_tu(tmp_path)


def test_graphs_without_edges_and_folders_of_two_sets(folder):
    (folder / "TOY_A.txt").write_text("")
    (folder / "TOY_edge_labels.txt").unlink()
    assert load_tu(folder).data.n_edges == 0
    (folder / "OTHER_A.txt").write_text("1, 2\n")
    with pytest.raises(ValueError, match=r"expected one <name>_A\.txt, got 2"):
        load_tu(folder)
