"""Files are written whole or not at all, and ranges of them are read."""

import pytest

from skshake._storage import Storage
from skshake._whole_file import PARTIAL


@pytest.fixture(params=["local", "memory"])
def storage(request, tmp_path):
    folder = tmp_path if request.param == "local" else f"memory://{tmp_path.name}"
    storage = Storage(folder)
    storage.make()
    return storage


def test_a_file_appears_when_it_is_complete(storage):
    with storage.create("a") as file:
        file.write(b"0123456789")
        assert "a" not in storage.sizes()
    assert storage.sizes() == {"a": 10}
    assert storage.read("a") == b"0123456789"
    storage.remove("a")
    storage.remove("a")
    assert storage.sizes() == {}


def test_a_failure_leaves_what_was_there(storage):
    def fail():
        with storage.create("a") as file:
            file.write(b"new")
            raise RuntimeError

    with storage.create("a") as file:
        file.write(b"old")
    with pytest.raises(RuntimeError):
        fail()
    assert storage.sizes() == {"a": 3}
    assert storage.read("a") == b"old"
    assert not any(name.endswith(PARTIAL) for name in storage.sizes())


def test_ranges_that_touch_are_read_as_one(storage):
    with storage.create("a") as file:
        file.write(b"0123456789")
    found = storage.read_ranges("a", [(0, 2), (2, 5), (7, 8), (8, 8)])
    assert [bytes(each) for each in found] == [b"01", b"234", b"7", b""]
    # A file that was cut short.
    (found,) = storage.read_ranges("a", [(8, 20)])
    assert bytes(found) == b"89"


def test_a_folder_that_is_not_there_has_no_files(tmp_path):
    assert Storage(tmp_path / "nowhere").sizes() == {}
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Storage(tmp_path / "nowhere").read("a")
