"""Card: facts in sections, and drawings, as HTML for notebooks and as plain text.

In: names and values, all of them text. Out: HTML that takes its colours from the page
around it, light or dark, or lines for a terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

# Characters of a line of text.
LINE = 88
STYLE = """
.skshake-card{max-width:60em;line-height:1.4;font-size:.95em}
.skshake-card .skshake-title{font-weight:600;font-size:1.1em;margin:0 0 .4em}
.skshake-card table.skshake-facts{border-collapse:collapse;margin:0 0 .6em;
border:0;background:none;color:inherit;width:auto;table-layout:auto;font-size:1em}
.skshake-card table.skshake-facts tr{background:none!important;border:0}
.skshake-card table.skshake-facts caption{text-align:left;font-weight:600;
padding:.2em 0;color:inherit;caption-side:top;white-space:nowrap}
.skshake-card table.skshake-facts th,.skshake-card table.skshake-facts td{
text-align:left;vertical-align:top;padding:.1em 1.2em .1em 0;
border:0;background:none;color:inherit;
font-size:1em;white-space:normal;max-width:none}
.skshake-card table.skshake-facts th{font-weight:400;opacity:.7;
white-space:nowrap;min-width:8em}
.skshake-card ul.skshake-notices{margin:.2em 0 .8em;padding:.4em .8em .4em 2em;
border-left:3px solid #d98e04;background:rgba(217,142,4,.1)}
.skshake-card .skshake-drawings{display:flex;flex-wrap:wrap;gap:1.2em}
.skshake-card figure{margin:0;text-align:center}
.skshake-card figcaption{opacity:.7;font-size:.85em}
.skshake-card svg{color:inherit}
"""
# Middle tones, which stand out from light and dark pages.
COLORS = (
    *("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1"),
    *("#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#8a8a8a"),
)
# Pixels: of a drawing and its margin; radii of nodes.
SIDE, MARGIN, RADII = 120, 9, (2.0, 6.0)


class Fact(NamedTuple):
    """What something is called, and what is known of it."""

    name: str
    value: str


class Section(NamedTuple):
    """Facts under a title."""

    title: str
    facts: tuple[Fact, ...]


class Figure(NamedTuple):
    """A drawing as SVG, and what is said below it."""

    svg: str
    caption: str


class Card(NamedTuple):
    """A page: title, what a reader should look at first, sections and drawings."""

    title: str
    sections: Sequence[Section]
    figures: Sequence[Figure] = ()
    notices: Sequence[str] = ()

    def to_html(self) -> str:
        """HTML without scripts; all text is escaped."""
        parts = [f'<p class="skshake-title">{escape(self.title)}</p>']
        if self.notices:
            items = "".join(f"<li>{escape(notice)}</li>" for notice in self.notices)
            parts.append(f'<ul class="skshake-notices">{items}</ul>')
        parts += map(_table, self.sections)
        if self.figures:
            drawings = "".join(
                f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
                for svg, caption in self.figures
            )
            parts.append(f'<div class="skshake-drawings">{drawings}</div>')
        return f'<div class="skshake-card"><style>{STYLE}</style>{"".join(parts)}</div>'

    def to_text(self) -> str:
        """Lines of at most 88 characters, but for words that are longer."""
        names = [name for section in self.sections for name, _ in section.facts]
        width = max(map(len, names), default=0) + 4
        lines = [self.title]
        for notice in self.notices:
            lines += _wrap(notice, "! ", "  ")
        for title, facts in self.sections:
            lines += ["", title]
            for name, value in facts:
                lines += _wrap(value, f"  {name:<{width - 2}}", " " * width)
        return "\n".join(lines)


def _wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        LINE,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def _table(section: Section) -> str:
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in section.facts
    )
    caption = f"<caption>{escape(section.title)}</caption>" if section.title else ""
    return f'<table class="skshake-facts">{caption}<tbody>{rows}</tbody></table>'


def format_range(values: np.ndarray) -> str:
    """Smallest, median and largest of some numbers, in words."""
    if not len(values):
        return "none"
    low, middle, high = np.quantile(values, [0.0, 0.5, 1.0]).tolist()
    if low == high:
        return format_number(low)
    return (
        f"{format_number(low)} to {format_number(high)}, median {format_number(middle)}"
    )


def count(number: int, what: str) -> str:
    """A number of things: "1 graph", "1,200 graphs"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def format_number(value: float) -> str:
    """Whole numbers in full, others to three digits."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.3g}"


def draw_svg(
    positions: np.ndarray,
    edges: np.ndarray,
    numbers: np.ndarray | None = None,
    areas: np.ndarray | None = None,
) -> str:
    """Draw nodes and edges, in the colours of the text and of COLORS.

    Parameters
    ----------
    positions : float array of shape (n_nodes, 2)
    edges : int array of shape (n_edges, 2)
    numbers : int array of shape (n_nodes,), default=None
        Number of each node's colour; None colours all alike.
    areas : float array of shape (n_nodes,), default=None
        Relative to the smallest; None draws all alike.
    """
    span = np.ptp(positions, axis=0).max() if len(positions) else 0.0
    room = SIDE - 2 * MARGIN
    places = np.full((len(positions), 2), SIDE / 2)
    if span > 0:
        middle = (positions.min(axis=0) + positions.max(axis=0)) / 2
        places += (positions - middle) * (room / span)
    # Pages begin at the top.
    places[:, 1] = SIDE - places[:, 1]
    radius = np.clip(room / (6 * np.sqrt(max(len(places), 1))), *RADII)
    radii = np.full(len(places), radius)
    if areas is not None and len(areas):
        radii *= np.minimum(np.sqrt(areas / areas.min()), 3.0)
    if numbers is None:
        numbers = np.zeros(len(places), int)
    strength = min(0.6, 1.5 * len(places) / max(len(edges), 1))
    lines = "".join(
        f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
        for (x1, y1), (x2, y2) in places[edges].tolist()
    )
    discs = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" '
        f'fill="{COLORS[number % len(COLORS)]}"/>'
        for (x, y), r, number in zip(
            places.tolist(), radii.tolist(), numbers.tolist(), strict=True
        )
    )
    return (
        f'<svg width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}" role="img">'
        f'<path d="{lines}" fill="none" stroke="currentColor" stroke-width="1" '
        f'stroke-opacity="{strength:.2f}"/>{discs}</svg>'
    )
