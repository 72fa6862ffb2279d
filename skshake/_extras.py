"""require: packages that only some uses need, refused with the line that installs them.

In: the name of a package. Out: nothing, its folder, or an ImportError.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

# The extra of pyproject.toml that brings a package.
EXTRAS = {"matplotlib": "plot", "pyarrow": "parquet", "rdkit": "molecules"}


def require(package: str, use: str) -> None:
    """Refuse to go on without a package.

    Parameters
    ----------
    package : str
    use : str
        What needs it, as the beginning of a sentence.

    Raises
    ------
    ImportError
        If it is not installed. One that is installed and broken says so itself.
    """
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise _missing(package, use) from error


def folder_of(package: str, use: str) -> Path:
    """Where a package is installed; it is not imported.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(package, use)
    return Path(spec.submodule_search_locations[0])


def _missing(package: str, use: str) -> ImportError:
    what = f"skshake[{EXTRAS[package]}]" if package in EXTRAS else package
    return ImportError(f'{use} needs {package}: pip install "{what}"', name=package)
