"""Names of graphs and nodes that are no text and no numbers of one type, as JSON.

In: plain values, dates, bytes, and tuples of them. Out: text, and back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

PLAIN = (type(None), bool, int, float, str)
# How other values are written, and read again.
CODECS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    bytes: (bytes.hex, bytes.fromhex),
    date: (date.isoformat, date.fromisoformat),
    datetime: (datetime.isoformat, datetime.fromisoformat),
    timedelta: (
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: timedelta(*parts),
    ),
}
BY_TAG = {cls.__name__: cls for cls in CODECS}


def to_text(where: str, values: list[Any]) -> str:
    """Values as text.

    Raises
    ------
    TypeError
        If something else is among them; ``where`` it stands is named.
    """
    return json.dumps({"!": "list", "items": [_encode(where, v) for v in values]})


def from_text(text: str) -> list[Any]:
    """The values that :func:`to_text` wrote."""
    return [_decode(value) for value in json.loads(text)["items"]]


def _encode(where: str, value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, tuple):
        return {"!": "tuple", "items": [_encode(where, item) for item in value]}
    if type(value) in CODECS:
        write, _ = CODECS[type(value)]
        return {"!": type(value).__name__, "value": write(value)}
    raise TypeError(
        f"{where}: a file can hold text, numbers, dates, bytes and tuples of them, got "
        f"{value!r}; use joblib.dump for the rest"
    )


def _decode(value: Any) -> Any:
    if isinstance(value, PLAIN):
        return value
    if value["!"] == "tuple":
        return tuple(_decode(item) for item in value["items"])
    _, read = CODECS[BY_TAG[value["!"]]]
    return read(value["value"])
