"""Folders of hierarchies: the same graphs as in memory, and damage is named."""

import json
import pickle

import networkx as nx
import numpy as np
import pytest

from skshake import HierarchyCollection, KFCoarsener, as_graphs
from skshake.hierarchy import StoredHierarchies
from skshake.sources import _writing
from tests._helpers import assert_same_hierarchies


@pytest.fixture(scope="module")
def whole(mutag):
    """A coarsener with two levels and forests, and hierarchies in memory."""
    graphs, _ = mutag
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=2, random_state=0)
    return coarsener, coarsener.fit_transform(graphs)


@pytest.fixture(scope="module")
def folder(whole, mutag, tmp_path_factory):
    """The same in a folder of three parts with several row groups each."""
    graphs, y = mutag
    root = tmp_path_factory.mktemp("hier")
    parts = [(graphs[i : i + 70], y[i : i + 70]) for i in (0, 70, 140)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_writing, "GROUP_ROWS", 400)
        whole[0].transform_to(root, parts)
    return root


@pytest.fixture
def copied(folder, tmp_path):
    """A copy that a test may damage."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_all_graphs_have_the_same_bits(whole, folder, mutag):
    _, hierarchies = whole
    stored = HierarchyCollection.open(folder)
    assert len(stored.folder.group_ptr) > 10
    assert_same_hierarchies(stored.in_memory(), hierarchies)
    assert (stored.y == mutag[1]).all()
    assert (stored.node_ptr == hierarchies.node_ptr).all()
    for name in ("n_nodes", "n_forests", "signature", "n_rows", "widths"):
        assert getattr(stored, name) == getattr(hierarchies, name)
    assert stored.q.tolist() == hierarchies.q.tolist()
    # What forests share is read once, and shared again.
    loaded = stored.in_memory()
    assert loaded.forests[0][0] is loaded.forests[1][0]


@pytest.mark.parametrize(
    "key",
    [slice(3, 90), slice(None, None, -7), [180, 3, 3, 77], [], np.arange(188) % 5 == 0],
    ids=str,
)
def test_rows_in_any_order(key, whole, folder):
    stored = HierarchyCollection.open(folder)[key]
    expected = whole[1][key]
    assert isinstance(stored, StoredHierarchies)
    assert_same_hierarchies(stored.in_memory(), expected)
    assert stored.n_nodes == expected.n_nodes


def test_rows_of_rows_forests_and_views(whole, folder):
    stored, expected = HierarchyCollection.open(folder)[50:150], whole[1][50:150]
    assert_same_hierarchies(
        stored[::3].first_forests(1).in_memory(), expected[::3].first_forests(1)
    )
    assert_same_hierarchies(
        stored.one_forest(1).in_memory(),
        HierarchyCollection(
            expected.node_ptr, expected.forests[1:], expected.pooling_key
        ),
    )
    assert stored[7].levels[1].n_nodes == expected[7].levels[1].n_nodes
    assert (stored[7].levels[1].block == expected[7].levels[1].block).all()
    assert (stored.levels[1].edges == expected.levels[1].edges).all()
    again = pickle.loads(pickle.dumps(stored))
    assert_same_hierarchies(again.in_memory(), expected)


def test_names_travel(tmp_path):
    rings = [nx.cycle_graph(["a", "b", "c", "d"][: 3 + i % 2]) for i in range(10)]
    given = as_graphs(rings)
    coarsener = KFCoarsener(q=1.0, random_state=0, n_forests=1).fit(given)
    stored = coarsener.transform_to(tmp_path, [given[:4], given[4:]])
    expected = coarsener.transform(given)
    assert stored[5:].names.tolist() == expected[5:].names.tolist()
    assert stored[6].node_names.tolist() == expected[6].node_names.tolist()


def test_only_the_row_groups_of_some_graphs_are_read(folder, monkeypatch):
    stored = HierarchyCollection.open(folder)
    asked = []
    storage = type(stored.folder.storage)
    read_ranges = storage.read_ranges

    def count(self, name, ranges):
        asked.append(sum(stop - start for start, stop in ranges))
        return read_ranges(self, name, ranges)

    monkeypatch.setattr(storage, "read_ranges", count)
    stored[[5]].first_forests(1).in_memory(with_names=False)
    assert sum(asked) < stored.n_bytes / 10
    asked.clear()
    stored.in_memory(with_names=False)
    assert sum(asked) == stored.n_bytes


def test_sizes_of_some_graphs(folder):
    stored = HierarchyCollection.open(folder)
    graphs, ptr, n_bytes = stored[::2].split_groups()
    assert sorted(graphs) == list(range(94))
    assert ptr[-1] == 94
    assert sum(n_bytes) == pytest.approx(stored[::2].n_bytes, abs=1)
    assert stored[:0].n_bytes == 0
    spread = stored.spread(20)
    assert 10 < len(spread) <= 20
    # From the first to the last part.
    assert spread.min() < 10
    assert spread.max() > 170


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "cut short"),
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.with_name("part-00007.skshake").touch(), "part-00007"),
    ],
    ids=["truncated", "missing", "foreign"],
)
def test_opening_names_what_is_wrong(damage, message, copied):
    path = copied / "part-00001.skshake"
    damage(path)
    with pytest.raises(ValueError, match=message) as caught:
        HierarchyCollection.open(copied)
    assert str(copied) in str(caught.value)


def test_an_altered_part_is_named_when_it_is_read(copied):
    path = copied / "part-00001.skshake"
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    stored = HierarchyCollection.open(copied)
    with pytest.raises(ValueError, match=r"part-00001.* was altered"):
        stored.in_memory()
    # Others are read.
    assert len(stored[:70].in_memory()) == 70


def test_a_folder_without_index_says_how_to_go_on(copied, tmp_path):
    (copied / "index.json").unlink()
    with pytest.raises(FileNotFoundError, match="not finished"):
        HierarchyCollection.open(copied)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        HierarchyCollection.open(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda index: [], "no index"),
        (lambda index: {}, "no index"),
        (lambda index: {**index, "format": 99, "version": "7.0"}, "skshake 7.0"),
    ],
    ids=["list", "empty", "newer"],
)
def test_a_foreign_index_is_refused(change, message, copied):
    path = copied / "index.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(ValueError, match=message):
        HierarchyCollection.open(copied)


def test_an_object_store_holds_the_same_bytes(whole, folder, mutag):
    graphs, y = mutag
    parts = [(graphs[i : i + 70], y[i : i + 70]) for i in (0, 70, 140)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_writing, "GROUP_ROWS", 400)
        stored = whole[0].transform_to("memory://hier", parts)
    for file in folder.iterdir():
        assert stored.folder.storage.read(file.name) == file.read_bytes()
    assert_same_hierarchies(stored[60:80].in_memory(), whole[1][60:80])
