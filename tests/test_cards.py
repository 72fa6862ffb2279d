"""Cards are HTML that escapes what users write, and text of a width."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from skshake._cards import (
    COLORS,
    LINE,
    SIDE,
    Card,
    Fact,
    Figure,
    Section,
    count,
    draw_svg,
    format_number,
    format_range,
)

EVIL = "<script>alert('1')</script> & \"more\""


def test_all_text_is_escaped_and_the_html_is_well_formed():
    svg = draw_svg(np.zeros((1, 2)), np.empty((0, 2), int))
    card = Card(EVIL, [Section(EVIL, (Fact(EVIL, EVIL),))], [Figure(svg, EVIL)], [EVIL])
    page = card.to_html()
    assert "<script" not in page
    root = ET.fromstring(page)
    texts = [text for text in root.itertext() if "script" in text]
    assert texts == [EVIL] * 6
    assert root.find(".//svg") is not None


def test_text_has_a_column_of_names_and_lines_of_a_width():
    values = (Fact("short", "1"), Fact("a longer name", "many words " * 30))
    card = Card("Title", [Section("Part", values)], notices=["look here " * 20])
    lines = card.to_text().splitlines()
    assert lines[0] == "Title"
    assert lines[1].startswith("! look here")
    assert max(map(len, lines)) <= LINE
    first = lines.index("Part") + 1
    assert lines[first] == "  short          1"
    assert lines[first + 1].startswith("  a longer name  many words")
    assert lines[first + 2].startswith(" " * 17 + "words many")
    assert "<" not in card.to_text()


def test_a_card_without_anything_is_one():
    assert Card("", []).to_text() == ""
    ET.fromstring(Card("", []).to_html())


@pytest.mark.parametrize(
    ("number", "text"),
    [(3.0, "3"), (1234567, "1,234,567"), (0.12345, "0.123"), (12345.6, "12,346")],
)
def test_numbers_are_short(number, text):
    assert format_number(number) == text


def test_ranges_and_counts():
    assert format_range(np.array([])) == "none"
    assert format_range(np.array([2, 2])) == "2"
    assert format_range(np.array([1, 2, 9])) == "1 to 9, median 2"
    assert count(1, "graph") == "1 graph"
    assert count(1200, "graph") == "1,200 graphs"


def test_svg_holds_nodes_edges_colours_and_areas():
    positions = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 2.0]])
    edges = np.array([[0, 1], [1, 2]])
    svg = ET.fromstring(
        draw_svg(positions, edges, np.array([0, 1, 12]), np.array([1.0, 1.0, 4.0]))
    )
    discs = svg.findall("circle")
    assert [disc.get("fill") for disc in discs] == [COLORS[0], COLORS[1], COLORS[2]]
    radii = [float(disc.get("r")) for disc in discs]
    assert radii[2] == pytest.approx(2 * radii[0], rel=0.05)
    places = np.array([[float(d.get("cx")), float(d.get("cy"))] for d in discs])
    assert (places > 0).all()
    assert (places < SIDE).all()
    # What is higher in the drawing is higher on the page.
    assert places[2, 1] < places[1, 1]
    assert svg.find("path").get("d").count("M") == 2


@pytest.mark.parametrize("n_nodes", [0, 1, 3])
def test_svg_of_nodes_at_one_place(n_nodes):
    svg = ET.fromstring(draw_svg(np.zeros((n_nodes, 2)), np.empty((0, 2), int)))
    assert len(svg.findall("circle")) == n_nodes
