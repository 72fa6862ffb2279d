"""Compiled functions: where they are kept, when they are stale, what is said."""

import logging
import os
import pickle
import subprocess
import sys

import pytest

from skshake import _jit
from tests.helpers import run_python

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


@pytest.mark.slow
def test_a_warm_machine_compiles_nothing(tmp_path):
    run = [sys.executable, "-W", "ignore", "-m", "skshake.warm_up"]
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    code = """if True:
        import warnings
        import networkx as nx, numpy as np
        from sklearn.pipeline import make_pipeline
        from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
        from skshake import SHAKERegressor, SubtreeVectorizer
        from skshake import from_edges, sample_forests
        warnings.simplefilter("ignore")
        smiles = ["CCO", "c1ccccc1", "CC(=O)O", "CCN"] * 3
        model = make_pipeline(
            MoleculeFeaturizer(), KFCoarsener(), SHAKEClassifier(max_iter=1)
        )
        model.fit(smiles, [0, 1] * 6).predict_proba(smiles)
        graphs = [nx.gnp_random_graph(n, 5 / n, seed=n) for n in (5, 60, 300)] * 2
        for k, graph in enumerate(graphs):
            nx.set_node_attributes(graph, {v: (v * 7 % 5) / 5 for v in graph}, "x")
            nx.set_node_attributes(graph, {v: "ab"[v % 2] for v in graph}, "s")
            nx.set_edge_attributes(graph, 1.0 + k, "weight")
        coarsener = KFCoarsener(n_levels=3, include_original=True, node_pooling="sum")
        hierarchies = coarsener.fit_transform(graphs)
        for options in ({"conv": "gin"}, {"conv": "gcn"}, {"dropout": 0.2}):
            model = SHAKERegressor(max_iter=1, **options)
            model.fit(hierarchies, range(6)).explain(hierarchies)
        sample_forests(graphs, [1e-5, 2.0])
        SubtreeVectorizer().fit_transform(graphs)
        edges = from_edges([[0, 1], [1, 2]], [2], [3], edge_weight=[1e9, 1.0])
        SHAKEClassifier(max_iter=1).fit([edges[0]] * 4, [0, 1, 0, 1])
    """
    said = []
    for command in (run, [sys.executable, "-c", code]):
        out = subprocess.run(
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(out.stderr)
    assert said == ["compiling kernels, once per installation\n", ""]
