"""A file is the old one or the new one."""

import pytest

from skshake._whole_file import whole_file


def test_a_file_is_replaced_when_all_is_written(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with whole_file(str(path)) as partial:
        partial.write_text("new")
        assert partial.parent == tmp_path
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def write_and_fail(path, written):
    with whole_file(path) as partial:
        if written:
            partial.write_text(written)
        raise KeyError


def test_what_fails_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    for written in ("half", None):
        with pytest.raises(KeyError):
            write_and_fail(path, written)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]
