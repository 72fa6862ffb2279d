"""How much memory is left: the least of what the machine and its groups say."""

from pathlib import Path

import pytest

from skshake import _memory


def test_something_is_left():
    assert _memory.available_memory() > 2**20


@pytest.mark.parametrize(
    ("limit", "expected"), [("1000000", 1_000_000 - 300_000), ("max", None)]
)
def test_a_group_may_be_allowed_less(limit, expected, tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("400000")
    # Files that were read count as used.
    (tmp_path / "memory.stat").write_text("anon 300000\ninactive_file 100000\n")
    groups = [(str(Path(tmp_path)), "memory.max", "memory.current")]
    monkeypatch.setattr(_memory, "GROUPS", [])
    machine = _memory.available_memory()
    monkeypatch.setattr(_memory, "GROUPS", groups)
    found = _memory.available_memory()
    if expected is None:
        # What is free changes meanwhile.
        assert found > machine / 2
    else:
        assert found == expected
