"""Batches gathered by index arithmetic against levels of the same graphs alone."""

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.network._batches import DeviceHierarchies


@pytest.fixture
def hierarchies(small_mutag):
    coarsener = KFCoarsener(q=[np.inf, 1.0, 0.2], n_forests=2, random_state=0)
    return coarsener.fit_transform(small_mutag[0])


def _tensors(value):
    """All tensors of nested named tuples."""
    if isinstance(value, torch.Tensor):
        yield value
    elif value is not None:
        for item in value:
            yield from _tensors(item)


@pytest.mark.parametrize("forest", [0, 1])
def test_a_batch_is_the_whole_of_its_graphs(forest, hierarchies):
    cpu = torch.device("cpu")
    graphs = np.array([5, 0, 39, 5])
    batch = DeviceHierarchies(hierarchies, cpu).batch(graphs, forest)
    alone = DeviceHierarchies(hierarchies[graphs], cpu)
    expected = alone.batch(np.arange(len(graphs)), forest)
    pairs = list(zip(_tensors(batch), _tensors(expected), strict=True))
    assert len(pairs) > 30
    for one, other in pairs:
        assert torch.equal(one, other)


def test_a_batch_holds_its_levels(hierarchies):
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batch = data.batch(np.array([4, 9]))
    for level, tensors in zip(hierarchies[[4, 9]].levels, batch, strict=True):
        assert tensors.node_ptr.tolist() == level.node_ptr.tolist()
        assert tensors.x.slots.tolist() == level.x.slots.tolist()
        assert tensors.arcs.weight.tolist() == level.edge_weight.tolist()
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
        dense[owner, rows.columns.numpy()] = rows.values.numpy()
        expected = overlap / overlap.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(dense, expected, rtol=1e-6)
    assert batch[2].to_coarser is None


def test_block_sizes_count_input_nodes(hierarchies):
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    for level in data.batch(np.array([3, 1])):
        n_input = sum(len(hierarchies[i].levels[0].block) for i in (3, 1))
        assert level.size.sum() == n_input
