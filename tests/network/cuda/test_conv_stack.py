"""The GPU's layers against plain torch: on a GPU, else in Triton's interpreter."""

from itertools import product

import pytest

from skshake.network._fitting import build_network
from skshake.network.batches import DeviceHierarchies, Window, _features
from tests._helpers.reference import assert_found, differentiate, draw_parameters

# Ways to compute: linear layers, layer, unique rows of features, rows beyond the batch.
# Any two choices of two ways meet in those that run always.
WAYS = list(product([1, 2], ["gine", "gin"], [0, 10_000], [False, True]))
QUICK = [
    (1, "gine", 0, False),
    (1, "gin", 10_000, True),
    (2, "gine", 10_000, True),
    (2, "gin", 0, True),
    (2, "gin", 10_000, False),
    (1, "gine", 0, True),
]


@pytest.mark.parametrize(
    ("n_linear", "conv", "most_unique", "is_padded"),
    [
        pytest.param(*way, marks=() if way in QUICK else pytest.mark.slow)
        for way in WAYS
    ],
)
def test_equals_plain(
    n_linear,
    conv,
    most_unique,
    is_padded,
    device,
    batches,
    hierarchies,
    monkeypatch,
    make_shape,
    global_random_seed,
):
    from skshake.network.cuda._engine import CUDAEngine
    from skshake.network.cuda._static_batch import StaticBatch, find_capacities

    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    shape = make_shape(hierarchies, n_linear=n_linear, conv=conv, dropout=0.25)
    data = DeviceHierarchies(hierarchies, device)
    window = Window(data, batches, 0)
    levels = window.batch(1)
    network = build_network(hierarchies, shape).to(device)
    network = network.on(CUDAEngine(fuses=True)).train()
    network, expected = draw_parameters(network, levels, global_random_seed)
    if is_padded:
        static = StaticBatch(window, find_capacities(data, len(batches[1])))
        static.take(window, 1)
        static.fill()
        levels = static.levels
    assert_found(differentiate(network, levels), expected)
