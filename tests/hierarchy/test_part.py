"""A part: what the footer says, and how damage is noticed."""

import json

import numpy as np
import pytest

from skshake._storage import Storage
from skshake.hierarchy import check_part, read_footer, write_part
from skshake.hierarchy._part import TAIL, read_graphs_of_part, read_levels_of_group


@pytest.fixture
def part(two_levels, tmp_path):
    """A part of two row groups, its storage and its size."""
    storage = Storage(tmp_path)
    groups = [
        (some.node_ptr, [*some.forests[0], *some.forests[1][1:]])
        for some in (two_levels[:15], two_levels[15:])
    ]
    arrays = {
        "n_nodes": np.diff(two_levels.node_ptr),
        "y": np.arange(80).reshape(40, 2),
    }
    with storage.create("a") as file:
        written = write_part(file, {"pooling_key": 5}, "some", groups, arrays)
    return storage, storage.sizes()["a"], written


def test_a_footer_says_what_was_written(part, two_levels):
    storage, size, written = part
    found = read_footer(storage, "a", size)
    assert found == written
    check_part(storage, "a", found)
    assert found.n_graphs == 40
    assert found.n_targets == 2
    assert [len(group.levels) for group in found.groups] == [3, 3]
    rows = [sum(each) for each in zip(*(g.n_rows for g in found.groups), strict=True)]
    first, second = two_levels.forests
    levels = [*first, second[1]]
    assert rows == [level.node_ptr[-1] + level.edge_ptr[-1] for level in levels]
    arrays = read_graphs_of_part(storage, "a", found)
    assert arrays["y"].shape == (40, 2)
    sections = found.groups[1].levels
    for level, (node_ptr, read) in zip(
        [*two_levels[15:].forests[0], two_levels[15:].forests[1][1]],
        read_levels_of_group(storage, "a", sections),
        strict=True,
    ):
        assert node_ptr.tolist() == two_levels[15:].node_ptr.tolist()
        assert read.q == level.q
        assert (read.x.shares == level.x.shares).all()
        # Kernels are compiled once more for arrays that cannot be written.
        assert read.edges.flags.writeable


@pytest.mark.parametrize("place", ["first", "middle", "footer", "mark"])
def test_any_altered_byte_is_noticed(place, part, tmp_path):
    storage, size, _ = part
    places = {"first": 0, "middle": size // 2, "footer": size - TAIL - 5, "mark": -1}
    content = bytearray((tmp_path / "a").read_bytes())
    content[places[place]] ^= 4
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(ValueError, match=r"a (was altered|is no part)"):
        check_part(storage, "a", read_footer(storage, "a", size))


def test_parts_of_newer_releases_are_refused(part, tmp_path, monkeypatch):
    storage, size, written = part
    monkeypatch.setattr("skshake.hierarchy._part.FORMAT", 0)
    with pytest.raises(ValueError, match="newer than this"):
        read_footer(storage, "a", size)
    assert json.dumps(written.as_json())
