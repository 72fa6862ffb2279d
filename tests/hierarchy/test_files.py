"""Hierarchies survive a file, mapped or read; what is no such file is refused."""

import zipfile

import numpy as np
import pytest

from skshake import HierarchyCollection
from tests._helpers import assert_same_hierarchies


@pytest.fixture
def hierarchies(two_levels):
    return two_levels


@pytest.mark.parametrize("mmap_mode", [None, "r"])
def test_round_trip(mmap_mode, hierarchies, tmp_path):
    hierarchies.save(tmp_path / "h.npz")
    again = HierarchyCollection.load(tmp_path / "h.npz", mmap_mode=mmap_mode)
    assert_same_hierarchies(again, hierarchies)
    assert_same_hierarchies(again[[3, 1]], hierarchies[[3, 1]])
    assert again.forests[0][0] is again.forests[1][0]
    assert isinstance(again.levels[1].block, np.memmap) == (mmap_mode == "r")


def test_the_file_holds_no_pickles(hierarchies, tmp_path):
    hierarchies.save(tmp_path / "h.npz")
    with np.load(tmp_path / "h.npz", allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "iuf" for name in file.files)


@pytest.mark.parametrize("mmap_mode", [None, "r"])
def test_damaged_and_newer_files_are_refused(mmap_mode, hierarchies, tmp_path):
    path = tmp_path / "h.npz"
    hierarchies.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="no intact file"):
        HierarchyCollection.load(path, mmap_mode=mmap_mode)
    np.savez(path, format_version=99)
    with pytest.raises(ValueError, match="newer skshake"):
        HierarchyCollection.load(path, mmap_mode=mmap_mode)
    np.savez(path, format_version=1)
    with pytest.raises(ValueError, match="lacks the array"):
        HierarchyCollection.load(path, mmap_mode=mmap_mode)
    np.savez(path, x=1)
    with pytest.raises(ValueError, match="got none"):
        HierarchyCollection.load(path, mmap_mode=mmap_mode)
    assert zipfile.is_zipfile(path)
    with open(path, "wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(ValueError, match="no intact file"):
        HierarchyCollection.load(path, mmap_mode=mmap_mode)
