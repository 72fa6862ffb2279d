"""Estimators in files without pickled objects, and pickles that know their version.

In: an estimator. Out: one file: a mark, a digest, and a safetensors file with arrays,
and everything else as JSON in its header. Reading one runs no code of the file: it
makes objects of those classes only that the estimator names.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays
from sklearn.exceptions import InconsistentVersionWarning

import skshake
from skshake._callbacks import CALLBACK_ATTRIBUTES
from skshake._warnings import warn_user

FORMAT = 1
# First bytes of a file.
MARK = b"SKSHAKE\n"
PLAIN = (type(None), bool, int, float, str)
# Labels that are no plain values: how they are written, and read again.
SCALARS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    bytes: (bytes.hex, bytes.fromhex),
    date: (date.isoformat, date.fromisoformat),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    timedelta: (
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: timedelta(*parts),
    ),
}
SCALAR_NAMES = {cls.__name__: cls for cls in SCALARS}
SEQUENCES: dict[str, Callable[[list], Any]] = {
    "list": list,
    "tuple": tuple,
    "dict": dict,
}

Estimator = TypeVar("Estimator", bound="SaveMixin")


class SavedClass(NamedTuple):
    """A class whose objects are made otherwise than by setting their attributes.

    ``take_apart`` gives a list of values that files can hold, of which ``put_together``
    makes the object again.
    """

    cls: type
    take_apart: Callable[[Any], list]
    put_together: Callable[..., Any]


def _by_name(classes: tuple[type | SavedClass, ...]) -> dict[str, type | SavedClass]:
    """The classes by the tags that files have for them."""
    return {
        (each.cls if isinstance(each, SavedClass) else each).__name__: each
        for each in classes
    }


class _Encoder:
    """Objects as JSON; arrays are put aside under names of their own."""

    def __init__(self, classes: tuple[type | SavedClass, ...]) -> None:
        self.classes = _by_name(classes)
        self.arrays: dict[str, np.ndarray] = {}

    def _class_of(self, value: Any) -> type | SavedClass | None:
        """How an object is saved, by its type; None if it cannot be."""
        known = self.classes.get(type(value).__name__)
        cls = known.cls if isinstance(known, SavedClass) else known
        return known if type(value) is cls else None

    def encode(self, where: str, value: Any) -> Any:
        """JSON of a value; ``where`` it stands is named if it cannot be saved."""
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, (np.ndarray, np.generic)):
            return self._encode_array(where, np.asarray(value))
        if isinstance(value, (Path, np.dtype)):
            return str(value)
        tag, known = type(value).__name__, self._class_of(value)
        if type(value) in SCALARS:
            write, _ = SCALARS[type(value)]
            return {"!": tag, "value": write(value)}
        if isinstance(value, Mapping):
            items = [[k, v] for k, v in value.items()]
            return {"!": "dict", "items": [self.encode(where, item) for item in items]}
        if isinstance(value, (list, tuple)):
            if known is None:
                tag = "list" if isinstance(value, list) else "tuple"
            return {"!": tag, "items": [self.encode(where, v) for v in value]}
        if isinstance(known, SavedClass):
            return {"!": tag, "state": self.encode(where, known.take_apart(value))}
        if known is not None:
            state = {k: self.encode(f"{where}.{k}", v) for k, v in vars(value).items()}
            return {"!": tag, "state": state}
        raise TypeError(
            f"{where}: a file can hold numbers, strings, arrays and lists of them, got "
            f"{value!r}; use joblib.dump for the rest"
        )

    def _encode_array(self, where: str, values: np.ndarray) -> Any:
        type_code = values.dtype.kind
        if type_code in "OSU":
            rows = [self.encode(where, v) for v in values.ravel().tolist()]
            dtype = values.dtype.str
            return {"!": "rows", "dtype": dtype, "shape": values.shape, "rows": rows}
        if type_code not in "biufmM" or values.dtype.itemsize > 8:
            raise TypeError(f"{where}: a file can hold no array of {values.dtype}")
        view = values.astype(np.int64) if type_code in "mM" else values
        name = f"array {len(self.arrays)}"
        little = view.dtype.newbyteorder("<")
        self.arrays[name] = np.array(view, little, order="C")
        return {"!": "array", "name": name, "dtype": values.dtype.str}


class _Decoder:
    """The values that ``_Encoder`` took apart."""

    def __init__(
        self,
        classes: tuple[type | SavedClass, ...],
        arrays: dict[str, np.ndarray],
    ) -> None:
        self.classes = _by_name(classes)
        self.arrays = arrays

    def decode(self, value: Any) -> Any:
        if isinstance(value, PLAIN):
            return value
        tag = value["!"]
        if tag == "array":
            found = self.arrays[value["name"]].astype(value["dtype"], copy=False)
            return found if found.ndim else found[()]
        if tag == "rows":
            rows = np.empty(len(value["rows"]), object)
            rows[:] = [self.decode(row) for row in value["rows"]]
            found = rows.reshape(value["shape"]).astype(value["dtype"])
            return found if found.ndim else found[()]
        if tag in SCALAR_NAMES:
            _, read = SCALARS[SCALAR_NAMES[tag]]
            return read(value["value"])
        if "items" in value:
            items = [self.decode(item) for item in value["items"]]
            if tag in SEQUENCES:
                return SEQUENCES[tag](items)
            record: Any = self._find_class(tag)
            return record(*items)
        return self._decode_object(tag, value["state"])

    def _decode_object(self, tag: str, state: Any) -> Any:
        known = self._find_class(tag)
        if isinstance(known, SavedClass):
            return known.put_together(*self.decode(state))
        made: Any = object.__new__(known)
        for name, part in state.items():
            object.__setattr__(made, name, self.decode(part))
        return made

    def _find_class(self, tag: str) -> type | SavedClass:
        if tag not in self.classes:
            raise ValueError(f"holds an object of class {tag!r}, which is none of ours")
        return self.classes[tag]


def _write(content: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A mark, the digest of what follows, and that: a safetensors file."""
    body = bytes(save_arrays(arrays, {"skshake": json.dumps(content)}))
    return MARK + hashlib.sha256(body).digest() + body


def _read(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Content and arrays of a file.

    Raises
    ------
    ValueError
        If anything differs from what was written.
    """
    start = len(MARK) + hashlib.sha256().digest_size
    if data[: len(MARK)] != MARK:
        raise ValueError("no estimator of skshake")
    body = data[start:]
    if hashlib.sha256(body).digest() != data[len(MARK) : start]:
        raise ValueError("altered since it was written, or cut short")
    length = int.from_bytes(body[:8], "little")
    metadata = json.loads(body[8 : 8 + length])["__metadata__"]
    content: dict[str, Any] = json.loads(metadata["skshake"])
    if content["format"] > FORMAT:
        raise ValueError(
            f"written by skshake {content['version']}, which is newer than this "
            f"({skshake.__version__}); update skshake"
        )
    return content, load_arrays(body)


def to_json(where: str, values: list[Any]) -> str:
    """Plain values, dates, and lists and tuples of them as text.

    Raises
    ------
    TypeError
        If something else is among them; ``where`` it stands is named.
    """
    encoder = _Encoder(())
    content = encoder.encode(where, values)
    if encoder.arrays:
        raise TypeError(
            f"{where}: expected plain values, got an array or a number of numpy"
        )
    return json.dumps(content)


def from_json(text: str) -> list[Any]:
    """The values that :func:`to_json` wrote."""
    values: list[Any] = _Decoder((), {}).decode(json.loads(text))
    return values


class SaveMixin:
    """Save and load estimators without pickles; pickles warn across versions."""

    @classmethod
    def _saved_classes(cls) -> tuple[type | SavedClass, ...]:
        """Classes of which the files of this estimator may hold objects.

        NamedTuples are saved as their items and other objects as their attributes,
        unless a :class:`SavedClass` says how.
        """
        return ()

    def _saved_params(self) -> dict[str, Any]:
        """Parameters, as values that files can hold."""
        return self.get_params(deep=False)  # type: ignore[attr-defined]

    def save(self, path: str | Path) -> None:
        """Write the estimator, fitted or not, to a file that holds no code.

        Parameters
        ----------
        path : str or Path
            File to write; one that is there is replaced when all is written.

        Raises
        ------
        TypeError
            If a parameter is no number, string, array or list, such as a function given
            as ``conv`` or a RandomState.
        """
        encoder = _Encoder(self._saved_classes())
        params = self._saved_params()
        left_out = {*params, *CALLBACK_ATTRIBUTES}
        state = {k: v for k, v in vars(self).items() if k not in left_out}
        content = {
            "format": FORMAT,
            "version": skshake.__version__,
            "class": type(self).__name__,
            "params": {k: encoder.encode(k, v) for k, v in params.items()},
            "state": {k: encoder.encode(k, v) for k, v in state.items()},
        }
        path, data = Path(path), _write(content, encoder.arrays)
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        try:
            partial.write_bytes(data)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    @classmethod
    def load(cls: type[Estimator], path: str | Path) -> Estimator:
        """Read an estimator that :meth:`save` wrote.

        Parameters
        ----------
        path : str or Path
            File to read. It is data: reading it runs no code, whoever made it.

        Returns
        -------
        estimator : object
            Predicts (transforms) exactly as the one that was saved.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is not one of ours, of another class, altered, cut short, or
            written by a newer version.
        """
        data = Path(path).read_bytes()
        try:
            content, arrays = _read(data)
            if content["class"] != cls.__name__:
                raise ValueError(f"expected a {cls.__name__}, got {content['class']}")
            decode = _Decoder(cls._saved_classes(), arrays).decode
            params, state = (
                {name: decode(value) for name, value in content[part].items()}
                for part in ("params", "state")
            )
            estimator = cls(**params)
        except Exception as error:
            # The digest is right, but what it covers need not be ours.
            raise ValueError(f"{path}: {error or type(error).__name__}") from error
        vars(estimator).update(state)
        return estimator

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {**state, "_skshake_version": skshake.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        version = state.pop("_skshake_version", "unknown")
        if version != skshake.__version__:
            warn_user(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=f"skshake {skshake.__version__}",
                    original_sklearn_version=f"skshake {version}",
                ),
            )
        vars(self).update(state)
