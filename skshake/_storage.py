"""Storage: files of one folder, on this machine or on an object store, through fsspec.

In: a path or a URL. Out: files written whole or not at all, and ranges of their bytes.
Nothing here knows what the files hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from skshake._whole_file import partial_name


class Storage:
    """A folder and its files.

    Parameters
    ----------
    folder : str or Path
        A path, or a URL of a protocol that fsspec knows ("s3://bucket/name").
    """

    def __init__(self, folder: str | Path) -> None:
        self.fs, self.root = fsspec.core.url_to_fs(os.fspath(folder))
        self.is_local = isinstance(self.fs, LocalFileSystem)
        self.folder = (
            self.root if self.is_local else self.fs.unstrip_protocol(self.root)
        )

    def path(self, name: str) -> str:
        """Path of a file, as people know it."""
        return f"{self.folder}/{name}"

    def make(self) -> None:
        """Make the folder if it is not there."""
        with _naming(self.folder):
            self.fs.makedirs(self.root, exist_ok=True)

    def sizes(self) -> dict[str, int]:
        """Bytes of each file in the folder, by name; none if there is no folder."""
        self.fs.invalidate_cache()
        try:
            found = self.fs.ls(self.root, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return {
            each["name"].rstrip("/").rpartition("/")[2]: int(each["size"] or 0)
            for each in found
            if each["type"] == "file"
        }

    @contextmanager
    def create(self, name: str) -> Iterator[Any]:
        """A binary file to write, which gets its name once it is complete.

        Raises
        ------
        OSError
            If it cannot be written; its path is named, and nothing is left behind.
        """
        final = f"{self.root}/{name}"
        partial = partial_name(final)
        try:
            with _naming(self.path(name)):
                with self.fs.open(partial, "wb") as file:
                    yield file
                if self.is_local:
                    os.replace(partial, final)
                else:
                    self.fs.mv(partial, final)
        except BaseException:
            with suppress(OSError):
                self.fs.rm_file(partial)
            raise

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError):
            self.fs.rm_file(f"{self.root}/{name}")

    def read(self, name: str) -> bytes:
        """All bytes of a file."""
        with _naming(self.path(name)):
            found: bytes = self.fs.cat_file(f"{self.root}/{name}")
        return found

    def read_ranges(self, name: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Bytes from a start to a stop, for each range; one request where they touch.

        A file that is too short gives fewer bytes than were asked for.
        """
        joined: list[list[int]] = []
        for start, stop in ranges:
            if joined and joined[-1][1] == start:
                joined[-1][1] = stop
            else:
                joined.append([start, stop])
        path = f"{self.root}/{name}"
        with _naming(self.path(name)):
            if self.is_local:
                with open(path, "rb", buffering=0) as file:
                    found = [_read_range(file, *each) for each in joined]
            else:
                starts, stops = map(list, zip(*joined, strict=True))
                paths = [path] * len(joined)
                found = self.fs.cat_ranges(paths, starts, stops, on_error="raise")
        parts, k = [], 0
        for start, stop in ranges:
            while stop > joined[k][1]:
                k += 1
            first = start - joined[k][0]
            parts.append(found[k][first : first + stop - start])
        return parts


def _read_range(file: Any, start: int, stop: int) -> bytes:
    """Bytes of an open file, fewer where it ends before."""
    file.seek(start)
    found: list[bytes] = []
    while start < stop:
        # Raw files give what one call of the system does, at most 2 GB.
        more = file.read(stop - start)
        if not more:
            break
        found.append(more)
        start += len(more)
    return found[0] if len(found) == 1 else b"".join(found)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Errors of the system that name no file get the path."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, path) from error
