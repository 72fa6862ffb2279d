"""Times become numbers since the first event, or since a date."""

import numpy as np
import pandas as pd
import pytest

from skshake import graphs_from_edgelist

EDGES = pd.DataFrame(
    {
        "graph": ["a", "a", "b"],
        "source": [1, 2, 1],
        "target": [2, 3, 2],
        "paid": pd.to_datetime(
            ["2026-01-02 06:00", "2026-01-01 00:00", "2026-05-05 12:00"]
        ),
    }
)
NODES = pd.DataFrame(
    {
        "graph": list("aaabb"),
        "node": [1, 2, 3, 1, 2],
        "opened": pd.to_datetime(["2025-12-31"] * 3 + ["2026-05-05"] * 2),
    }
)


def hours(edges=EDGES, **options):
    """The column of times of the edges."""
    graphs = graphs_from_edgelist(edges, edge_attrs=["paid"], **options)
    return graphs.edge_features.numeric.ravel().tolist()


def test_hours_since_the_first_event_of_each_graph():
    assert hours() == [30, 0, 0]
    assert hours(graph_ids=["b", "a"]) == [0, 30, 0]
    assert hours(time_unit="D") == [1.25, 0, 0]
    assert hours(time_unit="min") == [1800, 0, 0]
    assert hours(time_unit="s") == [108_000, 0, 0]


def test_an_origin_of_ones_own():
    expected = [30, 0, 2988]
    assert hours(time_origin="2026-01-01") == expected
    assert (
        hours(time_origin=pd.Timestamp("2026-01-01 02:00", tz="Etc/GMT-2")) == expected
    )
    for bad in ("the day", [1]):
        with pytest.raises(ValueError, match="time_origin: expected 'first' or a date"):
            hours(time_origin=bad)
    for bad in ("weeks", None):
        with pytest.raises(ValueError, match="time_unit: expected one of"):
            hours(time_unit=bad)


def test_nodes_count_from_the_first_event_of_edges():
    options = {"nodes": NODES, "node_attrs": ["opened"]}
    graphs = graphs_from_edgelist(EDGES, edge_attrs=["paid"], **options)
    assert graphs.node_features.numeric.ravel().tolist() == [-24] * 3 + [-12] * 2
    # Without times of edges, or without edges, from their own first.
    graphs = graphs_from_edgelist(EDGES, **options)
    assert not graphs.node_features.numeric.any()
    graphs = graphs_from_edgelist(EDGES[:2], edge_attrs=["paid"], **options)
    assert graphs.node_features.numeric.ravel().tolist() == [-24] * 3 + [0] * 2


@pytest.mark.parametrize(
    "paid",
    [
        EDGES["paid"].astype("M8[ms]"),
        EDGES["paid"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        np.array(EDGES["paid"].dt.to_pydatetime(), object),
        EDGES["paid"] - pd.Timestamp("2026-01-01"),
    ],
    ids=["ms", "time zone", "objects", "durations"],
)
def test_types_of_times(paid):
    found = hours(EDGES.assign(paid=paid))
    assert found[:2] == [30, 0]


def test_a_missing_time_has_a_place():
    paid = EDGES["paid"].where(EDGES["graph"] != "b")
    with pytest.raises(ValueError, match=r"'paid' is missing in row 2.*graph 'b', so"):
        hours(EDGES.assign(paid=paid))
