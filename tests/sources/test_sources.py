"""What sources are, how they are described, and what is read of them."""

import functools

import numpy as np
import pytest
from sklearn.utils import Bunch

from skshake import GraphCollection
from skshake.datasets import load_molecules_csv
from skshake.sources._sources import (
    describe_source,
    find_sources,
    is_source,
    read_source,
)

RING = np.roll(np.eye(5), 1, 0) + np.roll(np.eye(5), -1, 0)


def test_graphs_are_no_sources(small_mutag):
    graphs = small_mutag[0]
    for X in (graphs, [RING, RING], [(RING, np.ones((5, 1)))], iter(list(graphs))):
        sources, found = find_sources(X)
        assert sources is None
        assert len(list(found)) in (2, 1, 40)
    for X in ([graphs], [[RING], [RING]], [(graphs, [1] * 40)], ["a.npz"], [len]):
        sources, found = find_sources(X)
        assert sources is X
        assert found is None
    assert is_source(Bunch(data=graphs))
    assert not is_source((RING, np.ones((5, 1))))


def test_a_folder_is_its_files_in_order(tmp_path):
    for name in ("b.npz", "a.npz", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    sources, _ = find_sources(tmp_path)
    assert [path.name for path in sources] == ["a.npz", "b.npz"]
    assert find_sources(tmp_path / "a.npz")[0] == [tmp_path / "a.npz"]


def test_descriptions_are_the_same_until_the_source_changes(tmp_path, small_mutag):
    path = tmp_path / "a.npz"
    small_mutag[0].save(path)
    for source in (path, str(path), functools.partial(load_molecules_csv, path)):
        before = describe_source(source)
        assert describe_source(source) == before
        assert "a.npz" in before
    small_mutag[0][:10].save(path)
    assert describe_source(source) != before
    some = functools.partial(sorted, [3, 1], key=None, reverse=True)
    assert describe_source(some) == "builtins.sorted(list, key=None, reverse=True)"
    one, other = (describe_source((small_mutag[0][:n], None)) for n in (10, 11))
    assert one.startswith("10 graphs (")
    assert other != one
    assert describe_source(small_mutag[0][:10]) == one
    # Other targets are another source, and so are functions without a name.
    targets = [describe_source((small_mutag[0][:10], [k] * 10)) for k in (0, 1)]
    assert len({one, *targets}) == 3
    functions = [describe_source(lambda k=k: k) for k in (0, 1)]
    assert functions[0] != functions[1]
    assert "<lambda>" in functions[0]


def test_a_folder_is_known_by_its_files(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "edges").write_text("0,1")
    before = describe_source(tmp_path)
    assert describe_source(tmp_path) == before
    (tmp_path / "raw" / "edges").write_text("0,1,2")
    assert describe_source(tmp_path) != before


def test_smiles_are_not_taken_for_paths():
    with pytest.raises(FileNotFoundError, match="SMILES become graphs in Molecule"):
        read_source("CCO", "from_dtype")


def test_a_source_that_fails_is_named():
    with pytest.raises(ValueError, match=r"(?s)<lambda>.*no such thing"):
        read_source(lambda: [][0] if [] else float("no such thing"), "from_dtype")


def test_what_is_read(tmp_path, small_mutag):
    graphs, y = small_mutag
    graphs.save(tmp_path / "a.npz")
    csv = tmp_path / "a.csv"
    csv.write_text("smiles,y\nCCO,1\nCCN,0\n")
    for source, expected in (
        (tmp_path / "a.npz", None),
        ((graphs, y), y),
        (lambda: (graphs, y), y),
        (lambda: Bunch(data=graphs, target=y), y),
        (list(graphs), None),
        (csv, [1, 0]),
    ):
        found = read_source(source, "from_dtype")
        assert isinstance(found.graphs, GraphCollection)
        if expected is None:
            assert found.y is None
        else:
            assert found.y.tolist() == list(expected)
    text = read_source((graphs[:2], np.array(["a", "bc"], object)), "from_dtype").y
    assert text.dtype.kind == "U"
    with pytest.raises(ValueError, match=r"2 graphs .* expected 2 rows"):
        read_source((graphs[:2], [1]), "from_dtype")
