"""Slices of a window against batches that are gathered by themselves."""

import numpy as np
import pytest
import torch

from skshake.network._csr import CSR, transpose
from skshake.network.batches import DeviceHierarchies, Window, _features
from tests._helpers.tensors import tensors_of


@pytest.mark.parametrize("most_unique", [0, 10_000])
def test_batches_of_a_window_are_those_made_alone(
    most_unique, hierarchies, monkeypatch
):
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batches = [np.array([7]), np.array([3, 0, 39]), np.array([5, 5])]
    window = Window(data, batches, 1, with_transposes=False)
    for b, graphs in enumerate(batches):
        assert window.graphs_of(b).tolist() == graphs.tolist()
        pairs = zip(
            tensors_of(window.batch(b)), tensors_of(data.batch(graphs, 1)), strict=True
        )
        for one, other in pairs:
            assert torch.equal(one, other)


@pytest.mark.parametrize("most_unique", [0, 10_000])
def test_transposes_of_a_batch_are_those_of_its_matrices(
    most_unique, hierarchies, monkeypatch
):
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    batches = [np.array([7]), np.array([3, 0, 39])]
    window = Window(data, batches, 0, with_transposes=True)
    n_matrices = 0
    for b in range(2):
        levels = window.batch(b)
        for level, coarser in zip(levels, [*levels[1:], None], strict=True):
            found = [(level.row_of_node, len(level.x.slots.rowptr) - 1)]
            if level.row_of_node is None:
                found = [(level.x.slots, level.x.n_slots)]
            if coarser is not None:
                found.append((level.from_coarser, int(coarser.node_ptr[-1])))
            arcs = level.arcs
            edges = CSR(arcs.rowptr, arcs.edge, arcs.weight, arcs.by_edge)
            found.append((edges, len(level.edge_attr.slots.rowptr) - 1))
            for csr, n_cols in found:
                expected = transpose(csr, n_cols)
                n_matrices += 1
                for one, other in zip(csr.transpose, expected, strict=True):
                    assert torch.equal(one, other)
    assert n_matrices == 2 * (3 + 3 + 2)
