"""The GPU's layers against plain torch: on a GPU, else in Triton's interpreter."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import torch

from skshake import KFCoarsener
from skshake.network._csr import CSR, transpose
from skshake.network._fitting import build_network
from skshake.network._norm import MEAN, SCALE
from skshake.network._torch_engine import PLAIN
from skshake.network.batches import DeviceHierarchies, Window, _features
from tests.network.reference import assert_found, differentiate, draw_parameters

pytest.importorskip("triton", reason="needs Triton, which comes with torch for GPUs")
_launch = pytest.importorskip("skshake.network.cuda._launch")
_graphs = pytest.importorskip("skshake.network.cuda._graphs")
CUDAEngine = pytest.importorskip("skshake.network.cuda._engine").CUDAEngine

HAS_GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda" if HAS_GPU else "cpu")
if not HAS_GPU:
    # The interpreter runs one program after the other.
    _launch.N_SHARES = _graphs.N_COPIERS = 4
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
BATCHES = [np.array([3, 0, 5]), np.array([7, 2, 11, 4])]


@pytest.fixture
def hierarchies(small_mutag):
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
    return coarsener.fit_transform(small_mutag[0][:12])


def tensors_of(value):
    """All tensors of nested named tuples, and what lies between them."""
    if isinstance(value, tuple):
        for item in value:
            yield from tensors_of(item)
    elif value is not None:
        yield value


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
    hierarchies,
    monkeypatch,
    make_shape,
    global_random_seed,
):
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    shape = make_shape(hierarchies, n_linear=n_linear, conv=conv, dropout=0.25)
    data = DeviceHierarchies(hierarchies, DEVICE)
    window = Window(data, BATCHES, 0)
    levels = window.batch(1)
    network = build_network(hierarchies, shape).to(DEVICE)
    network = network.on(CUDAEngine(fuses=True)).train()
    network, expected = draw_parameters(network, levels, global_random_seed)
    if is_padded:
        static = _graphs.StaticBatch(
            window, _graphs.find_capacities(data, len(BATCHES[1]))
        )
        static.take(window, 1)
        static.fill()
        levels = static.levels
    assert_found(differentiate(network, levels), expected)


@pytest.mark.parametrize("most_unique", [0, 10_000])
@pytest.mark.parametrize("b", [0, 1])
def test_slices_are_the_batches(b, most_unique, hierarchies, monkeypatch):
    monkeypatch.setattr(_features, "MOST_UNIQUE", most_unique)
    data = DeviceHierarchies(hierarchies, DEVICE)
    window = Window(data, BATCHES, 0)
    assert window.graphs_of(b).tolist() == BATCHES[b].tolist()
    for level, expected in zip(window.batch(b), data.batch(BATCHES[b]), strict=True):
        arrays = [
            (level.node_ptr, expected.node_ptr),
            (level.x.numeric, expected.x.numeric),
            *zip(level.arcs[:4], expected.arcs[:4], strict=True),
            *zip(level.x.slots[:3], expected.x.slots[:3], strict=True),
        ]
        for name in ("row_of_node", "from_coarser"):
            csr = getattr(level, name)
            if csr is not None:
                arrays += zip(csr[:3], getattr(expected, name)[:3], strict=True)
        for one, other in arrays:
            assert torch.equal(one, other)


def test_static_batch_holds_the_slice_and_repeats_its_end(hierarchies):
    data = DeviceHierarchies(hierarchies, DEVICE)
    window = Window(data, BATCHES, 0)
    static = _graphs.StaticBatch(window, _graphs.find_capacities(data, 4))
    assert static.fits(window, 1)
    static.take(window, 1)
    static.fill()
    for held, expected in zip(static.levels, window.batch(1), strict=True):
        for one, other in zip(tensors_of(held), tensors_of(expected), strict=True):
            if isinstance(other, torch.Tensor) and len(other):
                assert torch.equal(one[: len(other)], other)
                assert (one[len(other) :] == other[-1]).all()
    assert not _graphs.StaticBatch(window, _graphs.find_capacities(data, 1)).fits(
        window, 1
    )


@pytest.mark.parametrize("n_rows", [3, 40])
def test_sums_of_rows(n_rows):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 30, 25)
    tensor = partial(torch.as_tensor, device=DEVICE)
    csr = CSR(
        tensor(np.concatenate([[0], counts.cumsum()])),
        tensor(rng.integers(0, n_rows, counts.sum())),
        tensor(rng.normal(size=counts.sum()), dtype=torch.float32),
    )
    csr = csr._replace(transpose=transpose(csr, n_rows))
    results = []
    for engine in (CUDAEngine(), PLAIN):
        table = torch.linspace(-1, 1, 20 * n_rows, device=DEVICE).view(n_rows, 20)
        table.requires_grad_()
        out = engine.sum_rows(csr, table)
        (out**2).sum().backward()
        results.append((out, table.grad))
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_fewer_than_two_rows_leave_the_statistics_as_they_are(n_rows):
    width = 4
    tensor = partial(torch.as_tensor, device=DEVICE)
    norm = torch.nn.BatchNorm1d(width).to(DEVICE)
    norm.running_mean += torch.arange(width, device=DEVICE)
    norm.running_var += 1.0
    z = torch.linspace(-1, 1, 3 * width, device=DEVICE).view(3, width)
    rows = object.__new__(_launch.Rows)
    rows.capacity, rows.width, rows.n_rows = 3, width, tensor([n_rows])
    rows.wide, rows.blocks = {"width": width, "WIDTH": 4}, (1,)
    norm_rows = rows.find_norm(z, norm, norm.weight.detach(), norm.bias.detach())
    assert norm.running_mean.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert norm.running_var.tolist() == [2.0] * width
    assert norm_rows[MEAN].tolist() == norm.running_mean.tolist()
    grad, out = torch.ones(3, width, device=DEVICE), torch.ones_like(z)
    rows.through_sublayer(out, grad, z, norm_rows, 1.0)
    # Known statistics have no gradient: only the scale is left.
    expected = norm_rows[SCALE].expand(3, width) * (tensor([[0], [1], [2]]) < n_rows)
    torch.testing.assert_close(grad, expected)
