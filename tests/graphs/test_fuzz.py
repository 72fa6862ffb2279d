"""Anything at all as graphs: read with one row each, or refused by name.

The random lists are those of examples/benchmarks/fuzz_graphs.py, which runs more.
"""

import importlib.util
import sys
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from skshake import InvalidGraphError, as_graphs

BENCHMARKS = Path(__file__).parents[2] / "examples" / "benchmarks"


@pytest.fixture(scope="module")
def fuzz():
    """The fuzzer's module."""
    path = BENCHMARKS / "fuzz_graphs.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


def test_a_thousand_random_lists(fuzz):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [fuzz.try_list(seed) for seed in range(1_000)]
    assert not [outcome for outcome in outcomes if outcome.startswith("fault")]
    assert {"read", "refused", "coarsened", "classified"} <= set(outcomes)


def test_random_tables(fuzz):
    outcomes = [fuzz.try_tables(seed) for seed in range(150)]
    assert not [outcome for outcome in outcomes if outcome.startswith("fault")]
    assert {"read", "refused"} <= set(outcomes)


def test_edges_on_other_nodes_would_be_seen(fuzz, monkeypatch):
    read = fuzz.graphs_from_edgelist

    def turned(frame, **options):
        return read(frame.assign(source=frame["target"].to_numpy()[::-1]), **options)

    monkeypatch.setattr(fuzz, "graphs_from_edgelist", turned)
    assert any(fuzz.try_tables(seed).startswith("fault") for seed in range(20))


def test_a_fault_would_be_seen(fuzz, monkeypatch):
    monkeypatch.setattr(fuzz, "as_graphs", lambda graphs: [])
    assert any(fuzz.try_list(seed).startswith("fault") for seed in range(20))


def test_features_on_other_edges_would_be_seen(fuzz, monkeypatch):
    def turned(graphs, **options):
        read = as_graphs(graphs, **options)
        rows = np.arange(read.n_edges)
        for start, stop in pairwise(read.edge_ptr.tolist()):
            rows[start:stop] = rows[start:stop][::-1]
        return replace(read, edge_features=read.edge_features.take(rows))

    monkeypatch.setattr(fuzz, "as_graphs", turned)
    outcomes = [fuzz.try_list(seed) for seed in range(60)]
    assert any(
        outcome.startswith("fault") and "edge_attr" in outcome for outcome in outcomes
    )


numbers = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4).flatmap(
    lambda shape: arrays.arrays(
        st.one_of(
            arrays.integer_dtypes(),
            arrays.unsigned_integer_dtypes(),
            arrays.floating_dtypes(),
            arrays.boolean_dtypes(),
            arrays.unicode_string_dtypes(max_len=3),
            arrays.complex_number_dtypes(),
            arrays.datetime64_dtypes(),
        ),
        shape,
    )
)
anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), numbers
)
ogb = st.fixed_dictionaries(
    {"num_nodes": st.integers(-1, 4), "edge_index": numbers},
    optional=dict.fromkeys(("node_feat", "edge_feat", "edge_weight"), anything),
)
graphs = st.one_of(
    anything,
    ogb,
    st.tuples(numbers, anything),
    st.tuples(numbers, anything, anything),
    st.lists(anything, max_size=2),
    st.dictionaries(st.text(max_size=3), anything, max_size=2),
)


@given(st.one_of(anything, st.lists(graphs, max_size=3)))
@settings(max_examples=300, deadline=None)
def test_whatever_hypothesis_thinks_of(value):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            read = as_graphs(value)
        except InvalidGraphError:
            return
        assert len(read) == len(value)
