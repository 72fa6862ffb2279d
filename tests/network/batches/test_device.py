"""Batches gathered by index arithmetic against levels of the same graphs alone."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.network import _threads
from skshake.network.batches import DeviceHierarchies, _features, weigh_messages
from tests._helpers.tensors import tensors_of


@pytest.mark.parametrize("lane_rows", [4, 2_048])
@pytest.mark.parametrize("forest", [0, 1])
def test_a_batch_is_the_whole_of_its_graphs(
    forest, lane_rows, hierarchies, monkeypatch
):
    # The table of distinct edges is that of the collection, rows are those of a batch.
    monkeypatch.setattr(_features, "MOST_UNIQUE", 0)
    monkeypatch.setattr(_threads, "LANE_ROWS", lane_rows)
    cpu = torch.device("cpu")
    graphs = np.array([5, 0, 39, 5])
    batch = DeviceHierarchies(hierarchies, cpu).batch(graphs, forest)
    alone = DeviceHierarchies(hierarchies[graphs], cpu)
    expected = alone.batch(np.arange(len(graphs)), forest)
    pairs = list(zip(tensors_of(batch), tensors_of(expected), strict=True))
    assert len(pairs) > 30
    for one, other in pairs:
        assert torch.equal(one, other)


def test_a_batch_holds_its_levels(hierarchies, monkeypatch):
    monkeypatch.setattr(_features, "MOST_UNIQUE", 0)
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.array([4, 9]))
    chosen = hierarchies[[4, 9]]
    for level, tensors in zip(chosen.levels, batch, strict=True):
        assert tensors.node_ptr.tolist() == level.node_ptr.tolist()
        slots = tensors.x.slots
        # Two slots follow those of categories: log of the block's size, and 1.
        is_category = slots.col < level.x.n_slots
        assert slots.col[is_category].tolist() == level.x.slots.tolist()
        n_input = slots.value[slots.col == level.x.n_slots].exp()
        assert n_input.sum() == pytest.approx(len(level.block))
        assert (slots.value[slots.col == level.x.n_slots + 1] == 1).all()
        weights = weigh_messages(level, level.block_sizes(chosen.node_ptr))
        assert tensors.arcs.weight.sum() == pytest.approx(2 * weights.sum())
        first = np.repeat(level.node_ptr[:-1], np.diff(level.edge_ptr))
        edges = {frozenset(e) for e in (level.edges + first[:, None]).tolist()}
        source = torch.repeat_interleave(tensors.arcs.rowptr.diff()).tolist()
        arcs = zip(source, tensors.arcs.col.tolist(), strict=True)
        assert {frozenset(arc) for arc in arcs} == edges


def test_rows_sent_down_are_the_overlap_with_rows_summing_to_one(hierarchies):
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.array([3]))
    for fine in (0, 1):
        rows = batch[fine].from_coarser
        overlap = hierarchies[3].overlap(fine, fine + 1).toarray()
        dense = np.zeros_like(overlap)
        owner = torch.repeat_interleave(rows.rowptr.diff()).numpy()
        dense[owner, rows.col.numpy()] = rows.value.numpy()
        expected = overlap / overlap.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(dense, expected, rtol=1e-6)
    assert batch[2].from_coarser is None


def test_unique_rows_hold_what_each_node_has(hierarchies, monkeypatch):
    graphs, cpu = np.array([7, 30]), torch.device("cpu")
    kinds = DeviceHierarchies(hierarchies, cpu).batch(graphs)
    monkeypatch.setattr(_features, "MOST_UNIQUE", 0)
    rows = DeviceHierarchies(hierarchies, cpu).batch(graphs)
    for few, many in zip(kinds, rows, strict=True):
        assert many.row_of_node is None
        assert len(few.row_of_node.col) == len(many.x.numeric)
        for node, unique in enumerate(few.row_of_node.col.tolist()):
            for slots, row in ((few.x.slots, unique), (many.x.slots, node)):
                part = slice(*slots.rowptr[row : row + 2].tolist())
                entries = list(zip(slots.col[part], slots.value[part], strict=True))
                if slots is few.x.slots:
                    expected = entries
            assert entries == expected


@pytest.mark.parametrize("most_unique", [0, 10_000])
def test_each_arc_finds_the_features_of_its_edge(most_unique, small_mutag, monkeypatch):
    # Once from a table of distinct edges, once from one row per edge.
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    hierarchies = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit_transform(
        small_mutag[0]
    )
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    (batch,) = data.batch(np.array([3, 17]))
    assert batch.shares_edges == (most_unique > 0)
    table, arcs = batch.edge_attr.slots, batch.arcs
    chosen = hierarchies[[3, 17]]
    (level,) = chosen.levels
    weights = weigh_messages(level, level.block_sizes(chosen.node_ptr))
    first = np.repeat(level.node_ptr[:-1], np.diff(level.edge_ptr))
    expected = {}
    for e, edge in enumerate((level.edges + first[:, None]).tolist()):
        part = slice(level.edge_attr.indptr[e], level.edge_attr.indptr[e + 1])
        slots, shares = level.edge_attr.slots[part], level.edge_attr.shares[part]
        entries = dict(zip(slots.tolist(), shares.tolist(), strict=True))
        expected[frozenset(edge)] = (entries, weights[e])
    for k, (source, target) in enumerate(
        zip(arcs.targets().tolist(), arcs.col.tolist(), strict=True)
    ):
        row = slice(*table.rowptr[arcs.edge[k] : arcs.edge[k] + 2].tolist())
        slots, shares = table.col[row].tolist(), table.value[row].tolist()
        entries, weight = expected[frozenset((source, target))]
        assert dict(zip(slots, shares, strict=True)) == entries
        assert arcs.weight[k] == weight
