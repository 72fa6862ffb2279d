"""Public names are there, load lazily, and have types."""

import ast
import importlib
from pathlib import Path

import pytest

import skshake

USER = """
import numpy as np
from skshake import KFCoarsener, SHAKEClassifier, as_graphs

graphs = as_graphs([np.eye(3), (np.eye(3), np.ones((3, 1)))])
reveal_type(KFCoarsener().fit_transform(graphs))
reveal_type(SHAKEClassifier().fit(graphs, [0, 1]).predict(graphs))
"""
WRONG = """
import skshake

skshake.KFCoarsner
skshake.KFCoarsener().fit(5)
skshake.as_graphs(["CCO"])
"""


def test_types_and_lazy_names_are_the_same():
    tree = ast.parse(Path(skshake.__file__).read_text(encoding="utf-8"))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    typed = {
        alias.asname: node.module
        for node in block.body
        for alias in node.names
        if alias.name == alias.asname
    }
    assert typed == skshake._HOME


@pytest.mark.parametrize("name", skshake.__all__)
def test_each_name_is_where_it_is_said_to_be(name):
    home = importlib.import_module(skshake._HOME[name])
    assert getattr(skshake, name) is getattr(home, name)
    assert name in dir(skshake)


def test_other_names_are_errors():
    with pytest.raises(AttributeError, match="no attribute 'KFCoarsner'"):
        skshake.KFCoarsner  # noqa: B018


@pytest.mark.slow
def test_checkers_see_the_types(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.chdir(Path(skshake.__file__).parents[1])
    cache = f"--cache-dir={tmp_path / 'cache'}"
    # As a user has it, without the settings of this repository.
    options = ["--config-file=", "--ignore-missing-imports", cache, "-c"]
    out, error, _ = api.run([*options, USER])
    assert not error
    assert 'Revealed type is "skshake.hierarchy._collection.HierarchyCollection"' in out
    assert 'Revealed type is "numpy.ndarray' in out
    out, _, _ = api.run([*options, WRONG])
    assert 'no attribute "KFCoarsner"' in out
    assert 'incompatible type "int"' in out
    assert 'incompatible type "str"' in out


@pytest.mark.parametrize(
    "module", ["", "datasets", "model_selection", "plotting"], ids=str
)
def test_each_public_name_has_a_page(module):
    index = Path(__file__).parents[1] / "docs" / "api" / "index.rst"
    lines = {line.strip() for line in index.read_text(encoding="utf-8").splitlines()}
    path = f"skshake.{module}".rstrip(".")
    names = importlib.import_module(path).__all__
    assert {f"{module}.{name}".lstrip(".") for name in names} <= lines
