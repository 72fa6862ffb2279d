"""save and load: any model in one file, without pickles, through skops.

In: an estimator, or a pipeline, search, calibration or ensemble with ours inside. Out:
one file: a mark, a digest, and an archive of skops, with arrays in numpy's own format
and all else as JSON. Reading one runs no code of the file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from skshake._whole_file import whole_file
from skshake.saving._states import for_a_file
from skshake.saving._trusted import TRUSTED

# First bytes of a file; the number is that of the format, raised as well when networks
# of earlier files would predict otherwise.
KIND = b"skshake model "
MARK = KIND + b"3\n"
# Of files that the methods `save` of 0.1.0.dev0 wrote.
OLD_MARK = b"SKSHAKE\n"
START = len(MARK) + hashlib.sha256().digest_size
# Keys of a dictionary that are the same again once they were text.
KEYS = {"str", "int", "float", "str_", *(f"int{n}" for n in (8, 16, 32, 64))}
BY_NAME = ("FunctionNode", "ObjectNode", "TypeNode")


def save(model: Any, path: str | Path) -> None:
    """Write a model to one file that holds no code.

    Parameters
    ----------
    model : estimator
        Fitted or not: one of ours, or a pipeline, search, calibration, threshold or
        ensemble of scikit-learn with ours inside. Or a dict, list or tuple of such, and
        of numbers, strings and arrays, such as ``{"model": model, "cutoff": 0.3}``.
        Callbacks of our estimators are left out.
    path : str or Path
        File to write; one that is there is replaced when all is written.

    Raises
    ------
    TypeError
        If the model holds what no file can hold without pickles, such as a lambda given
        as ``conv``, an open file, a discrete distribution of scipy, or a dictionary
        whose keys are no strings or numbers. Nothing is written then.
    FileNotFoundError
        If there is no folder to write to.

    See Also
    --------
    load : Read the file.
    GraphCollection.save : Graphs, with their names.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import skshake
    >>> from skshake.datasets import load_mutag
    >>> graphs, y = load_mutag(return_X_y=True)
    >>> model = skshake.SHAKEClassifier(max_iter=2, random_state=0).fit(graphs, y)
    >>> path = Path(mkdtemp()) / "model.skops"
    >>> skshake.save(model, path)
    >>> again = skshake.load(path)
    >>> bool((again.predict_proba(graphs) == model.predict_proba(graphs)).all())
    True
    """
    import skops.io

    with for_a_file():
        try:
            # Trees are long lists of small things, of which little is left so.
            body = skops.io.dumps(model, compression=ZIP_DEFLATED, compresslevel=1)
        except RecursionError:
            raise TypeError(
                f"{type(model).__name__}: something in it holds itself, as "
                "discrete distributions of scipy do; of a search keep best_estimator_"
            ) from None
        except Exception as error:
            raise TypeError(
                f"{type(model).__name__}: cannot be saved without pickles: {error}; "
                "joblib.dump may keep it"
            ) from error
    with ZipFile(BytesIO(body)) as archive:
        _check_entries(json.loads(archive.read("schema.json")))
    with whole_file(path) as partial:
        partial.write_bytes(MARK + hashlib.sha256(body).digest() + body)


def load(path: str | Path, *, trusted: Sequence[str | type] = ()) -> Any:
    """Read a model that :func:`save` wrote.

    Parameters
    ----------
    path : str or Path
        File to read. Reading it runs no code of the file, whoever made it.
    trusted : sequence of str or type, default=()
        Types and functions that the file may use besides those of skshake,
        scikit-learn, numpy and scipy that we know: your own transformers, layers and
        losses, or those of another library. A file can call what is named here with any
        arguments, so name what you have looked at.

    Returns
    -------
    model : object
        Predicts as the one that was saved, on machines without a GPU too: the same bits
        on the same kind of processor.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If :func:`save` did not write the file, or it was altered or cut short since, or
        a newer version wrote it.
    TypeError
        If the file uses types that are not trusted. The message names them.

    Warns
    -----
    InconsistentVersionWarning
        If another version of skshake or scikit-learn wrote the file.

    See Also
    --------
    save : Write the file.
    """
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    # It loads all trees of scikit-learn, and this module comes with every estimator.
    from skshake.saving._check_trees import check_trees

    body = _read_body(path)
    known: list[str | type] = [*TRUSTED, *trusted]
    try:
        model = skops.io.loads(body, trusted=known)
        check_trees(model)
    except UntrustedTypesFoundException:
        strange = _strange_names(body, known)
        raise TypeError(
            f"{path} uses {strange}, which load does not know; if you do, and know who "
            f"made the file: load({str(path)!r}, trusted={strange})"
        ) from None
    except (ImportError, MemoryError):
        # The first of a type that the user trusts, and that is not installed here.
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise ValueError(
            f"{path}: is complete, but no model can be read from it ({reason}); "
            "another version of skshake may have written it, or somebody altered it; "
            "save the model again"
        ) from error
    return model


def _strange_names(body: bytes, known: Sequence[str | type]) -> list[str]:
    """Types in an archive that are not known, sorted."""
    import skops.io

    names = {
        each if isinstance(each, str) else f"{each.__module__}.{each.__name__}"
        for each in known
    }
    return sorted(set(skops.io.get_untrusted_types(data=body)) - names)


def _read_body(path: str | Path) -> bytes:
    """The archive in a file, which is as it was written."""
    data = Path(path).read_bytes()
    if data.startswith(OLD_MARK):
        raise ValueError(
            f"{path}: written by model.save of skshake 0.1.0.dev0, whose format is "
            "gone; fit the model again and keep it with skshake.save, or read it with "
            "that version"
        )
    if data.startswith(KIND) and not MARK.startswith(data[: len(MARK)]):
        raise ValueError(
            f"{path}: expected format {MARK.decode().split()[-1]}, got another; if a "
            "newer skshake wrote it, update skshake, else fit the model again"
        )
    if len(data) < START and MARK.startswith(data[: len(MARK)]):
        raise ValueError(f"{path}: empty or cut short, as it has {len(data)} bytes")
    if not data.startswith(MARK):
        raise ValueError(
            f"{path}: not written by skshake.save; joblib.load reads files of "
            "joblib.dump, GraphCollection.load those of graphs"
        )
    body = data[START:]
    if hashlib.sha256(body).digest() != data[len(MARK) : START]:
        raise ValueError(f"{path}: altered since it was written, or cut short")
    return body


def _entries(value: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Entries of skops's schema, each with its place in the model."""
    if isinstance(value, list):
        for child in value:
            yield from _entries(child, where)
    elif isinstance(value, dict):
        is_entry = "__loader__" in value
        if is_entry:
            yield where, value
        for key, child in value.items():
            yield from _entries(child, where if is_entry else f"{where}.{key}")


def _check_entries(schema: dict[str, Any]) -> None:
    """Refuse what was written and could not be read, or would be read as another."""
    for where, entry in _entries(schema, schema["__class__"]):
        if entry["__loader__"] in BY_NAME:
            module, name = entry["__module__"], entry["__class__"]
            if not hasattr(sys.modules.get(module), name):
                raise TypeError(
                    f"{where}: a file holds functions and classes by name, and "
                    f"{name!r} of {module} cannot be imported by its own; define it at "
                    "the top of a module"
                )
        elif entry["__loader__"] == "DictNode":
            keys = {each["__class__"] for each in entry["key_types"]["content"]}
            if not keys <= KEYS:
                raise TypeError(
                    f"{where}: a file holds dictionaries with strings and numbers as "
                    f"keys, got {sorted(keys - KEYS)}"
                )
