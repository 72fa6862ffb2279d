"""Tables as users have them: data frames of any library, dictionaries, and files.

In: a table of edges or of nodes. Out: its columns as plain arrays, one by one, or an
error that names the column and whatever tells the row from others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.util import find_spec
from numbers import Integral, Real
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any

import numpy as np

from skshake._extras import require
from skshake.graphs._errors import InvalidGraphError
from skshake.graphs._ids import integers
from skshake.graphs._names import as_item

SEPARATORS = {".csv": ",", ".tsv": "\t"}
PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, eq=False)
class Table:
    """A table: what it is called in messages, its columns, and those that tell its rows
    apart. ``is_text`` says that it comes from a file without types."""

    what: str
    frame: Any
    keys: tuple[str, ...] = ()
    is_text: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self.frame.columns

    def place(self, row: int) -> str:
        """A row in words: its number, and what tells it from others."""
        told = [
            f"{key} {as_item(self.frame[key].iloc[row])!r}"
            for key in self.keys
            if key in self
            and self.frame[key].ndim == 1
            and not self.frame[key].isna().iloc[row]
        ]
        return f"row {row} of {self.what}" + (f": {', '.join(told)}" if told else "")

    def series(self, name: str) -> Any:
        """A column of the frame, which must be there once, and complete."""
        if name not in self:
            raise InvalidGraphError(
                f"{self.what}: expected a column {name!r}, got "
                f"{list(self.frame.columns)}"
            )
        column = self.frame[name]
        if column.ndim > 1:
            raise InvalidGraphError(f"{self.what}: several columns are called {name!r}")
        is_missing = column.isna().to_numpy()
        if is_missing.any():
            row = int(np.flatnonzero(is_missing)[0])
            raise InvalidGraphError(
                f"{self.what}: {name!r} is missing in row {row}; impute or drop it "
                f"({self.place(row)})",
                field=str(name),
            )
        return column

    def column(self, name: str) -> np.ndarray:
        """Values of a column of ids."""
        values: np.ndarray = self.series(name).to_numpy()
        # Strings and categories of pandas are objects in numpy.
        if values.dtype == object and all(isinstance(value, str) for value in values):
            return values.astype(str)
        return values

    def values(self, name: str) -> np.ndarray:
        """A column of numbers, text or times; numbers of Python as those of numpy.

        Categories that are fractions become text, times such as numpy has them.
        """
        series = self.series(name)
        if hasattr(series, "cat") and series.cat.categories.dtype.kind == "f":
            return series.astype(str).to_numpy().astype(str)
        if getattr(series.dtype, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        values = Table(self.what, series.to_frame(), self.keys).column(name)
        if values.dtype.kind == "U" and self.is_text:
            return _as_times(values)
        if values.dtype != object:
            return values
        listed = values.tolist()
        if all(isinstance(value, (Integral, np.bool_)) for value in listed):
            return integers([int(value) for value in listed])
        if all(isinstance(value, (Real, Decimal)) for value in listed):
            return values.astype(np.float64)
        return _as_times(values) if hasattr(listed[0], "isoformat") else values

    def categories(self, name: str) -> list[Any]:
        """Those of a column: all of a category type, else what occurs, sorted."""
        series = self.series(name)
        if hasattr(series, "cat"):
            return series.cat.categories.tolist()
        try:
            found: list[Any] = np.unique(self.column(name)).tolist()
        except TypeError as error:
            raise InvalidGraphError(
                f"{self.what}: {name!r}: expected either strings or numbers, got both",
                field=str(name),
            ) from error
        return found


def _as_times(values: np.ndarray) -> np.ndarray:
    """Dates as numpy's times, be they text of ISO 8601; anything else as it came."""
    import pandas as pd

    try:
        found = pd.to_datetime(pd.Series(values), format="ISO8601", utc=True)
    except (ValueError, TypeError):
        return values
    return found.dt.tz_localize(None).to_numpy()


def as_table(
    what: str, table: Any, keys: Sequence[str] = (), graph: Sequence[str] = ()
) -> Table:
    """A table of any kind; of one table per graph, all rows with their ``graph``."""
    import pandas as pd

    if isinstance(table, (str, PathLike)):
        return replace(_read_file(what, fspath(table)), keys=tuple(keys))
    if isinstance(table, Mapping) and table and all(map(_is_frame, table.values())):
        parts = []
        for name, part in table.items():
            own = name if isinstance(name, tuple) else (name,)
            if len(own) != len(graph):
                raise InvalidGraphError(
                    f"{what}: expected a table per graph, by {tuple(graph)}, got one "
                    f"by {name!r}"
                )
            columns = dict(zip(graph, own, strict=True))
            parts.append(_as_frame(what, part).assign(**columns))
        return Table(what, pd.concat(parts, ignore_index=True), tuple(keys))
    return Table(what, _as_frame(what, table), tuple(keys))


def _is_frame(table: Any) -> bool:
    return hasattr(table, "columns") and hasattr(table, "__getitem__")


def _as_frame(what: str, table: Any) -> Any:
    """A frame of pandas of one of polars or pyarrow, or of a dictionary of columns."""
    import pandas as pd

    if hasattr(table, "collect") and hasattr(table, "collect_schema"):
        # A LazyFrame of polars.
        table = table.collect()
    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, Mapping):
        return pd.DataFrame(dict(table))
    if not _is_frame(table):
        raise InvalidGraphError(
            f"{what}: expected a data frame, one row per {what[:-1]}, got "
            f"{type(table).__name__}"
        )
    names = getattr(table, "column_names", None) or list(table.columns)
    return pd.DataFrame({name: _as_series(table[name]) for name in names})


def _as_series(column: Any) -> Any:
    """Values of a column of polars or pyarrow."""
    import pandas as pd

    dtype = getattr(column, "dtype", None)
    if str(dtype).startswith(("Categorical", "Enum")):
        # An Enum has declared its categories.
        declared = getattr(dtype, "categories", None) if "Enum" in str(dtype) else None
        known = None if declared is None else declared.to_list()
        return pd.Categorical(column.to_list(), categories=known)
    if hasattr(column, "to_pylist") and "dictionary" in str(column.type):
        return pd.Categorical(column.to_pylist())
    return column.to_numpy()


def _read_file(what: str, path: str) -> Table:
    """A CSV, TSV or parquet file, by the end of its name."""
    import pandas as pd

    suffixes = PurePath(path).suffixes[-2:]
    if suffixes and suffixes[-1] in PARQUET:
        # pandas goes on to fastparquet.
        if find_spec("fastparquet") is None:
            require("pyarrow", "reading parquet files")
        return Table(what, pd.read_parquet(path))
    for suffix in suffixes:
        if suffix in SEPARATORS:
            frame = pd.read_csv(path, sep=SEPARATORS[suffix])
            return Table(what, frame, is_text=True)
    raise InvalidGraphError(
        f"{what}: expected the path of a .csv, .tsv (or .csv.gz and such) or .parquet "
        f"file, got {path!r}"
    )
