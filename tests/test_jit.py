"""Compiled functions: where they are kept, when they are stale, what is said."""

import logging
import pickle

import pytest

from skshake import _jit, _simd
from tests._helpers import run_python

MODULE = """
from skshake._jit import kernel
from {callee} import {imported}

@kernel
def twice(x):
    return {body}
"""
CALLEE = """
from skshake._jit import kernel
FACTOR = {factor}

@kernel(inline=True)
def multiply(x):
    return x * FACTOR
"""


@pytest.fixture
def call(tmp_path):
    """Function that calls a kernel in a new process; files that it leaves."""
    modules, cache = tmp_path / "modules", tmp_path / "cache"
    modules.mkdir()

    def run(factor):
        (modules / "callee.py").write_text(CALLEE.format(factor=factor))
        text = MODULE.format(callee="callee", imported="multiply", body="multiply(x)")
        (modules / "caller.py").write_text(text)
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]);"
            "sys.dont_write_bytecode = True;"
            "from caller import twice; print(twice(3), twice(3.0));"
            "from skshake._jit import KernelCache as K; print(len(K._has_said))"
        )
        out = run_python(code, modules, NUMBA_CACHE_DIR=str(cache))
        return out.split(), sorted(path.name for path in cache.rglob("*.*"))

    return run


def test_kernels_are_kept_until_a_callee_changes(call):
    found, files = call(2)
    # An integer, a float, and a word about compilation.
    assert found == ["6", "6.0", "1"]
    assert len(files) == 2
    assert all(name.startswith("caller.twice.") for name in files)
    assert call(2) == (["6", "6.0", "0"], files)
    found, changed = call(5)
    assert found == ["15", "15.0", "1"]
    # The old files are gone.
    assert len(changed) == 2
    assert not {*files} & {*changed}


def test_constants_and_code_are_part_of_the_name():
    def stamp(text, **constants):
        space = {**constants, "__name__": "module"}
        exec(text, space)
        return _jit.KernelCache(space["f"])._stamp

    text = "def f(x):\n    return x + CONSTANT"
    known = stamp(text, CONSTANT=1)
    assert stamp(text, CONSTANT=1) == known
    assert stamp("# moved\n" + text, CONSTANT=1) == known
    others = [
        stamp(text, CONSTANT=2),
        stamp(text, CONSTANT=1.0),
        stamp(text.replace("+", "-"), CONSTANT=1),
        stamp(text.replace("x + C", "x + 1 + C"), CONSTANT=1),
    ]
    assert len({known, *others}) == 5


def test_what_makes_code_beside_an_intrinsic_is_part_of_the_name(monkeypatch):
    space = {"load": _simd.load, "__name__": "module"}
    exec("def f(array):\n    return load(array, 0, 0)", space)
    f = space["f"]
    known = _jit.KernelCache(f)._stamp

    def elsewhere(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    elsewhere.__module__ = _simd.__name__
    monkeypatch.setattr(_simd, "_find_vector", elsewhere)
    assert _jit.KernelCache(f)._stamp != known


def test_damaged_and_unwritable_files_do_no_harm(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(_jit.KernelCache, "_has_said", set())
    monkeypatch.setattr(_jit.config, "CACHE_DIR", str(tmp_path))

    def add(x):
        return x + 1

    with caplog.at_level(logging.WARNING, "skshake"):
        assert _jit.kernel(add)(1) == 2
        (path,) = tmp_path.rglob("*.nbc")
        for damaged in (b"", b"not a pickle", path.read_bytes()[:100]):
            path.write_bytes(damaged)
            assert _jit.kernel(add)(1) == 2
        file = tmp_path / "file"
        file.write_text("")
        monkeypatch.setattr(_jit.config, "CACHE_DIR", str(file))
        assert _jit.kernel(add)(1) == 2
    said = [record.getMessage() for record in caplog.records]
    assert said[0] == "compiling kernels, once per installation"
    assert "set NUMBA_CACHE_DIR to a folder that can" in said[1]
    assert len(said) == 2


def test_kernels_are_found_where_nothing_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_jit.config, "CACHE_DIR", str(tmp_path))

    def add(x):
        return x + 1

    _jit.kernel(add)(1)

    def refuse(*_):
        raise PermissionError("read-only file system")

    for name in ("write_bytes", "mkdir"):
        monkeypatch.setattr(_jit.Path, name, refuse)
    monkeypatch.setattr(_jit.KernelCache, "_has_said", set())
    kept = _jit.kernel(add)
    assert kept(1) == 2
    assert not _jit.KernelCache._has_said


def test_kernels_are_copied_between_processes():
    # joblib and dask pickle functions that name them.
    from skshake._splitmix import hash_rows

    assert pickle.loads(pickle.dumps(hash_rows)) is not None


RECORDS = """
from typing import NamedTuple
from skshake._jit import kernel

class Pair(NamedTuple):
    {fields}

@kernel
def read(pair):
    return 10 * pair.one + pair.other

@kernel
def make(x, y):
    return read(Pair(x, y))
"""


def test_records_whose_fields_change_places_are_compiled_again(tmp_path):
    # Numba's type of a NamedTuple does not say which field is which.
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True;"
        "from records import Pair, make, read;"
        "print(read(Pair(one=1, other=2)), make(1, 2))"
    )
    found = []
    for fields in ("one: int; other: int", "other: int; one: int"):
        (tmp_path / "records.py").write_text(RECORDS.format(fields=fields))
        out = run_python(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
        found.append(out.split())
    assert found == [["12", "12"], ["12", "21"]]
