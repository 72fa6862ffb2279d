"""Batches gathered by index arithmetic against levels of the same graphs alone."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.network import _batches, _parallel
from skshake.network._batches import DeviceHierarchies
from skshake.network._runs import Run


@pytest.fixture
def hierarchies(small_mutag):
    coarsener = KFCoarsener(q=[np.inf, 1.0, 0.2], n_forests=2, random_state=0)
    return coarsener.fit_transform(small_mutag[0])


def _tensors(value):
    """All tensors of nested named tuples."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)


@pytest.mark.parametrize("lane_rows", [4, 2_048])
@pytest.mark.parametrize("forest", [0, 1])
def test_a_batch_is_the_whole_of_its_graphs(
    forest, lane_rows, hierarchies, monkeypatch
):
    # The table of distinct edges is that of the collection, rows are those of a batch.
    monkeypatch.setattr(_batches, "MOST_KINDS", 0)
    monkeypatch.setattr(_parallel, "LANE_ROWS", lane_rows)
    cpu = torch.device("cpu")
    graphs = np.array([5, 0, 39, 5])
    batch = DeviceHierarchies(hierarchies, cpu).batch(graphs, forest)
    alone = DeviceHierarchies(hierarchies[graphs], cpu)
    expected = alone.batch(np.arange(len(graphs)), forest)
    pairs = list(zip(_tensors(batch), _tensors(expected), strict=True))
    assert len(pairs) > 30
    for one, other in pairs:
        assert torch.equal(one, other)


@pytest.mark.parametrize("most_kinds", [0, 10_000])
def test_batches_of_a_run_are_those_made_alone(most_kinds, hierarchies, monkeypatch):
    monkeypatch.setattr(_batches, "MOST_KINDS", most_kinds)
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batches = [np.array([7]), np.array([3, 0, 39]), np.array([5, 5])]
    run = Run(data, batches, 1, with_rows=False)
    for b, graphs in enumerate(batches):
        assert run.graphs_of(b).tolist() == graphs.tolist()
        pairs = zip(
            _tensors(run.batch(b)), _tensors(data.batch(graphs, 1)), strict=True
        )
        for one, other in pairs:
            assert torch.equal(one, other)


def test_a_batch_holds_its_levels(hierarchies, monkeypatch):
    monkeypatch.setattr(_batches, "MOST_KINDS", 0)
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.array([4, 9]))
    for level, tensors in zip(hierarchies[[4, 9]].levels, batch, strict=True):
        assert tensors.node_ptr.tolist() == level.node_ptr.tolist()
        bags = tensors.x.slots
        # Two slots follow those of categories: log of the block's size, and 1.
        is_category = bags.rows < level.x.n_slots
        assert bags.rows[is_category].tolist() == level.x.slots.tolist()
        n_input = bags.values[bags.rows == level.x.n_slots].exp()
        assert n_input.sum() == pytest.approx(len(level.block))
        assert (bags.values[bags.rows == level.x.n_slots + 1] == 1).all()
        assert tensors.arcs.weight.sum() == pytest.approx(2 * level.edge_weight.sum())
        first = np.repeat(level.node_ptr[:-1], np.diff(level.edge_ptr))
        edges = {frozenset(e) for e in (level.edges + first[:, None]).tolist()}
        source = torch.repeat_interleave(tensors.arcs.indptr.diff()).tolist()
        arcs = zip(source, tensors.arcs.neighbour.tolist(), strict=True)
        assert {frozenset(arc) for arc in arcs} == edges


def test_rows_sent_down_are_the_overlap_with_rows_summing_to_one(hierarchies):
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.array([3]))
    for fine in (0, 1):
        rows = batch[fine].to_coarser
        overlap = hierarchies[3].overlap(fine, fine + 1).toarray()
        dense = np.zeros_like(overlap)
        owner = torch.repeat_interleave(rows.offsets.diff()).numpy()
        dense[owner, rows.rows.numpy()] = rows.values.numpy()
        expected = overlap / overlap.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(dense, expected, rtol=1e-6)
    assert batch[2].to_coarser is None


def test_kinds_of_nodes_hold_what_each_node_has(hierarchies, monkeypatch):
    graphs, cpu = np.array([7, 30]), torch.device("cpu")
    kinds = DeviceHierarchies(hierarchies, cpu).batch(graphs)
    monkeypatch.setattr(_batches, "MOST_KINDS", 0)
    rows = DeviceHierarchies(hierarchies, cpu).batch(graphs)
    for few, many in zip(kinds, rows, strict=True):
        assert many.node_kind is None
        assert len(few.node_kind.rows) == len(many.x.numeric)
        for node, kind in enumerate(few.node_kind.rows.tolist()):
            for bags, row in ((few.x.slots, kind), (many.x.slots, node)):
                part = slice(*bags.offsets[row : row + 2].tolist())
                entries = list(zip(bags.rows[part], bags.values[part], strict=True))
                if bags is few.x.slots:
                    expected = entries
            assert entries == expected


@pytest.mark.parametrize("most_kinds", [0, 10_000])
def test_each_arc_finds_the_features_of_its_edge(most_kinds, small_mutag, monkeypatch):
    # Once from a table of distinct edges, once from one row per edge.
    monkeypatch.setattr(_batches, "MOST_KINDS", most_kinds)
    hierarchies = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit_transform(
        small_mutag[0]
    )
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    (batch,) = data.batch(np.array([3, 17]))
    assert batch.shares_edges == (most_kinds > 0)
    bags, arcs = batch.edge_attr.slots, batch.arcs
    level = hierarchies[[3, 17]].levels[0]
    first = np.repeat(level.node_ptr[:-1], np.diff(level.edge_ptr))
    expected = {}
    for e, edge in enumerate((level.edges + first[:, None]).tolist()):
        part = slice(level.edge_attr.indptr[e], level.edge_attr.indptr[e + 1])
        slots, shares = level.edge_attr.slots[part], level.edge_attr.shares[part]
        entries = dict(zip(slots.tolist(), shares.tolist(), strict=True))
        expected[frozenset(edge)] = (entries, level.edge_weight[e])
    for k, (source, target) in enumerate(
        zip(arcs.targets().tolist(), arcs.neighbour.tolist(), strict=True)
    ):
        row = slice(*bags.offsets[arcs.edge[k] : arcs.edge[k] + 2].tolist())
        slots, shares = bags.rows[row].tolist(), bags.values[row].tolist()
        entries, weight = expected[frozenset((source, target))]
        assert dict(zip(slots, shares, strict=True)) == entries
        assert arcs.weight[k] == weight
