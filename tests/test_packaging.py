"""What pyproject.toml declares is what the package imports, and what is tested."""

import ast
import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from skshake._extras import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
# Packages that are imported by another name than they are installed by.
INSTALLED_AS = {"sklearn": "scikit-learn", "torch_geometric": "torch-geometric"}
# Come with packages that are declared, in the version that these ask for.
BROUGHT = {"llvmlite", "triton"}


def needed(*extras):
    """Requirements by package: those of all users, or those of some extras."""
    lines = [
        line for extra in extras for line in PROJECT["optional-dependencies"][extra]
    ]
    found = map(Requirement, lines if extras else PROJECT["dependencies"])
    return {requirement.name: requirement for requirement in found}


def imported(source):
    """Names of packages in import statements, wherever they stand."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_all_imports_are_declared():
    found = set()
    for path in (ROOT / "skshake").rglob("*.py"):
        found |= imported(path.read_text(encoding="utf-8"))
    third_party = found - sys.stdlib_module_names - {"skshake"} - BROUGHT
    declared = {*needed(), *EXTRAS}
    assert {INSTALLED_AS.get(name, name) for name in third_party} <= declared
    # Importing it asks a server for newer versions.
    assert "ogb" not in found


def test_messages_name_the_extra_that_brings_the_package():
    for package, extra in EXTRAS.items():
        assert package in needed(extra)


def test_the_oldest_versions_are_those_that_are_allowed():
    lines = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    declared = needed() | needed(*EXTRAS.values())
    assert pins.keys() == declared.keys()
    for name, requirement in declared.items():
        (bound,) = requirement.specifier
        assert bound.operator == ">="
        assert Version(pins[name]) == Version(bound.version)


def test_what_was_tested_is_allowed():
    text = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8")
    pins = {
        name.lower(): pin for name, pin in re.findall(r"(?m)^([^#=]+)==(.+)$", text)
    }
    for name, requirement in (needed() | needed(*EXTRAS.values())).items():
        assert requirement.specifier.contains(pins[name])
