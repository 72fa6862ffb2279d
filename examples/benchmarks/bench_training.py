"""Training beside a torch_geometric loop of the same model, in turn in one process.

Both train a six-layer GINE of width 64 with equal weights, batches of 256 graphs and
AdamW on the training split of molhiv. Prints one table and writes it as JSON.

    python examples/benchmarks/bench_training.py --data DATA --json training.json

DATA holds ``molecules/molhiv.csv.gz`` and ``molhiv_scaffold.npz``; without it the
bundled molecules are used. ``--quick`` takes a hundredth of the graphs and one repeat;
``--device cuda`` trains on a GPU, ``--workers`` processes feed torch_geometric's loop;
``--n-linear 1`` is the paper's setting for molhiv: one linear layer per layer.
"""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch
from _bench import Benchmark, interleave, measure_peak, say
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    GINEConv,
    global_add_pool,
    global_max_pool,
    global_mean_pool,
)
from torch_geometric.utils import degree

from skshake import GraphCollection, KFCoarsener, SHAKEClassifier
from skshake._allocator import freed_memory_kept
from skshake._targets import ClassTarget
from skshake.datasets import load_bace, load_molecules_csv
from skshake.graphs import garbage_collection_paused
from skshake.network import find_loss
from skshake.network._engine import choose_engine
from skshake.network._fitting import build_network
from skshake.network._steps import Targets
from skshake.network._threads import lanes_in_threads
from skshake.network._training import Training
from skshake.network.batches import DeviceHierarchies, Window

BATCH_SIZE, N_EPOCHS, N_STEPS = 256, 20, 50
CPU = torch.device("cpu")


class Twin(nn.Module):
    """The same network in torch_geometric, with the weights of ours."""

    def __init__(self, network: nn.Module, slots_before: list[list[int]]) -> None:
        super().__init__()
        self.slots_before = slots_before
        self.nodes, self.edges = (
            nn.ModuleList(
                nn.Embedding(len(part), part.shape[1])
                for part in torch.tensor_split(encoder.embedding, before)
            )
            for encoder, before in zip(
                (network.node_encoder, network.edge_encoder), slots_before, strict=True
            )
        )
        self.bias = nn.Parameter(torch.empty(network.shape.hidden_dim))
        self.convs = nn.ModuleList()
        for layer in network.levels[0]:
            mlp: list[nn.Module] = []
            for linear in layer.linears:
                width = linear.in_features
                mlp += [nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU()]
            self.convs.append(GINEConv(nn.Sequential(*mlp), train_eps=True))
        first = network.readout[0]
        self.readout = nn.Sequential(
            nn.Linear(first.in_features, first.out_features), nn.ReLU()
        )
        self.head = nn.Linear(network.head.in_features, network.head.out_features)
        self.copy_weights(network)

    @torch.no_grad()
    def copy_weights(self, network: nn.Module) -> None:
        """Take the weights and statistics of ours."""
        for tables, encoder, before in zip(
            (self.nodes, self.edges),
            (network.node_encoder, network.edge_encoder),
            self.slots_before,
            strict=True,
        ):
            parts = torch.tensor_split(encoder.embedding, before)
            for table, part in zip(tables, parts, strict=True):
                table.weight.copy_(part)
        self.bias.copy_(network.size_encoder.bias)
        for conv, layer in zip(self.convs, network.levels[0], strict=True):
            conv.eps.copy_(layer.epsilon)
            for copied, own in zip(conv.nn[::3], layer.linears, strict=True):
                copied.load_state_dict(own.state_dict())
            for copied, own in zip(conv.nn[1::3], layer.norms, strict=True):
                copied.load_state_dict(own.state_dict())
        self.readout[0].load_state_dict(network.readout[0].state_dict())
        self.head.load_state_dict(network.head.state_dict())

    def forward(self, batch: Data) -> torch.Tensor:
        """Outputs of each graph."""
        h = self.bias + sum(
            table(column) for table, column in zip(self.nodes, batch.x.T, strict=True)
        )
        e = sum(
            table(column)
            for table, column in zip(self.edges, batch.edge_attr.T, strict=True)
        )
        states = [h]
        for conv in self.convs:
            h = conv(h, batch.edge_index, e)
            states.append(h)
        root = degree(batch.batch, batch.num_graphs).sqrt()[:, None]
        pooled = [
            part
            for state in states
            for part in (
                global_mean_pool(state, batch.batch),
                global_max_pool(state, batch.batch),
                global_add_pool(state, batch.batch) / root,
            )
        ]
        return self.head(self.readout(torch.cat(pooled, dim=1)))


def as_data(graphs: GraphCollection, y: np.ndarray) -> tuple[list, list[list[int]]]:
    """Data with codes numbered per column, and where each column's slots begin."""
    features, before = [], []
    for part in (graphs.node_features, graphs.edge_features):
        columns = [np.unique(c, return_inverse=True) for c in part.categories.T]
        # The first slot of each column is for categories that are not known.
        sizes = [len(known) + 1 for known, _ in columns]
        before.append(np.cumsum(sizes)[:-1].tolist())
        features.append(np.column_stack([codes + 1 for _, codes in columns]))
    items = []
    for i, graph in enumerate(graphs):
        ends = torch.from_numpy(graph.edges.astype(np.int64)).T
        nodes = slice(graphs.node_ptr[i], graphs.node_ptr[i + 1])
        edges = slice(graphs.edge_ptr[i], graphs.edge_ptr[i + 1])
        items.append(
            Data(
                x=torch.from_numpy(features[0][nodes]),
                edge_index=torch.cat([ends, ends.flip(0)], dim=1),
                edge_attr=torch.from_numpy(features[1][edges]).repeat(2, 1),
                y=int(y[i]),
            )
        )
    return items, before


def make_training(
    graphs: GraphCollection,
    y: np.ndarray,
    n_layers: int,
    q: float,
    device: torch.device = CPU,
    n_linear: int = 2,
) -> tuple[Training, float]:
    """Our training at one resolution, and the seconds that coarsening took."""
    start = time.perf_counter()
    # The twin knows no return probabilities.
    coarsener = KFCoarsener(q=q, walk_length=0, n_forests=1, n_jobs=-1, random_state=0)
    hierarchies = coarsener.fit_transform(graphs)
    seconds = time.perf_counter() - start
    model = SHAKEClassifier(
        n_layers=n_layers,
        n_linear=n_linear,
        n_networks=1,
        # The twin drops nothing.
        dropout=0.0,
        batch_size=BATCH_SIZE,
        max_iter=1_000,
        schedule="constant",
        weight_averaging=False,
    )
    target = ClassTarget(y, len(y))
    shape = model._shape(hierarchies, target.n_outputs)
    loss = find_loss("cross_entropy")
    plan = model._plan(len(y), False, loss, target.form, seed=0)
    network = build_network(hierarchies, shape).to(device)
    network = network.on(choose_engine(shape, device))
    codes = torch.from_numpy(y.astype(np.int64)).to(device)
    targets = Targets(codes, torch.ones(len(y), device=device))
    data = DeviceHierarchies(hierarchies, device)
    return Training(network, data, targets, plan), seconds


def make_optimizer(twin: Twin) -> torch.optim.Optimizer:
    """AdamW as ours."""
    return torch.optim.AdamW(twin.parameters(), lr=1e-3, weight_decay=1e-5, fused=True)


def train_twin(
    twin: Twin, optimizer: torch.optim.Optimizer, batches: DataLoader
) -> list[float]:
    """The usual loop; loss of each step."""
    twin.train()
    losses = []
    device = next(twin.parameters()).device
    for batch in batches:
        batch = batch.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(twin(batch), batch.y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).tolist()


def bench_losses(
    graphs: GraphCollection, y: np.ndarray, items: list, before: list[list[int]]
) -> dict[str, float]:
    """Largest difference of the losses of both over 50 steps of ours.

    The twin takes our weights before each step: left alone the two part ways, as
    torch_geometric does from itself on another number of threads, because AdamW turns a
    gradient that is nothing but rounding into a full step.
    """
    training, _ = make_training(graphs, y, 6, np.inf)
    twin = Twin(training.network, before)
    rng, largest = np.random.default_rng(0), 0.0
    training.network.train()
    twin.train()
    for _ in range(N_STEPS):
        chosen = rng.choice(len(y), BATCH_SIZE, replace=False)
        (batch,) = DataLoader([items[i] for i in chosen], BATCH_SIZE)
        twin.copy_weights(training.network)
        with torch.no_grad():
            theirs = nn.functional.cross_entropy(twin(batch), batch.y)
        with lanes_in_threads():
            window = Window(training.data.sample, [chosen], 0, with_transposes=False)
            ours = training.steps.step(window, 0)
        largest = max(largest, abs(float(ours - theirs)))
    return {f"largest difference of losses over {N_STEPS} steps": largest}


def time_phases(training: Training) -> dict[str, float]:
    """Share of an epoch spent outside forward, backward and step."""
    inside = 0.0

    def timed(function):
        def call(*arguments, **options):
            nonlocal inside
            start = time.perf_counter()
            result = function(*arguments, **options)
            inside += time.perf_counter() - start
            return result

        return call

    steps = training.steps
    steps._networks = [timed(network) for network in steps._networks]
    (loss,) = steps.losses
    loss.forward = timed(loss.forward)
    steps.optimizer.step = timed(steps.optimizer.step)
    backward = torch.Tensor.backward
    torch.Tensor.backward = timed(backward)
    try:
        start = time.perf_counter()
        training.run_epoch()
        whole = time.perf_counter() - start
    finally:
        torch.Tensor.backward = backward
    return {"share of an epoch outside forward, backward, step": 1 - inside / whole}


def main() -> None:
    """Run the benchmark."""
    benchmark = Benchmark(__doc__, device="cpu", workers=0, n_linear=2)
    device = torch.device(benchmark.arguments.device)
    folder = benchmark.arguments.data
    if folder is None:
        say("left out: molhiv (no --data); the bundled molecules instead")
        graphs, y = load_bace(return_X_y=True)
    else:
        bunch = load_molecules_csv(folder / "molecules" / "molhiv.csv.gz")
        graphs, y = bunch.data[bunch.train], np.asarray(bunch.target)[bunch.train]
    graphs, y = graphs[:: benchmark.scale], y[:: benchmark.scale]
    y = np.unique(y, return_inverse=True)[1]
    items, before = as_data(graphs, y)
    report, n = benchmark.report, len(y)
    report({"training graphs": n})
    if n >= BATCH_SIZE:
        report(bench_losses(graphs, y, items, before))
    n_linear = benchmark.arguments.n_linear
    # Compiled code is loaded, or compiled once, before anything is timed.
    make_training(graphs[::16], y[::16], 1, "auto")
    training, _ = make_training(graphs, y, 6, np.inf, device, n_linear)
    coarse, seconds = make_training(graphs, y, 4, "auto", device, n_linear)
    twin = Twin(training.network, before).to(device)
    optimizer = make_optimizer(twin)
    workers = benchmark.arguments.workers
    loader = DataLoader(
        items,
        BATCH_SIZE,
        shuffle=True,
        num_workers=workers,
        persistent_workers=workers > 0,
        pin_memory=device.type == "cuda",
    )

    def ours(run: Training) -> None:
        with lanes_in_threads(), freed_memory_kept(), garbage_collection_paused():
            run.run_epoch()

    repeats = 1 if benchmark.scale > 1 else min(benchmark.repeats, 3)
    pyg, six, four = interleave(
        lambda: train_twin(twin, optimizer, loader),
        lambda: ours(training),
        lambda: ours(coarse),
        repeats=repeats,
    )
    whole = four + seconds / N_EPOCHS
    report(
        {
            "torch_geometric loop, six layers, graphs/s": n / pyg,
            "ours, the same, graphs/s": n / six,
            "ours / torch_geometric": pyg / six,
            "coarsening with q*, s": seconds,
            "ours, q* and four layers, coarsening over 20 epochs, graphs/s": n / whole,
            "ours coarsened / torch_geometric": pyg / whole,
        }
    )
    if device == CPU:
        n_threads = torch.get_num_threads()

        def in_threads(n: int) -> None:
            torch.set_num_threads(n)
            ours(training)
            torch.set_num_threads(n_threads)

        one, two = interleave(
            lambda: in_threads(1), lambda: in_threads(2), repeats=repeats
        )
        report({"six layers: one thread / two threads": one / two})
        with lanes_in_threads(), freed_memory_kept():
            report(time_phases(training))
    report({"peak memory above the input / input": bench_memory(graphs, y)})
    benchmark.write()


def grow(graphs: GraphCollection, y: np.ndarray) -> int:
    """Bytes that a process grows by while it coarsens, sends and trains an epoch."""

    def run(step: int) -> None:
        codes = np.unique(y[::step], return_inverse=True)[1]
        training, _ = make_training(graphs[::step], codes, 4, 1.9)
        with lanes_in_threads(), freed_memory_kept():
            training.run_epoch()

    # Compiled code and thread pools are not data.
    run(16)
    return measure_peak(lambda: run(1))


def bench_memory(graphs: GraphCollection, y: np.ndarray) -> float:
    """Growth over the bytes of the input, in a process that has not grown before."""
    arrays = [graphs.node_ptr, graphs.edge_ptr, graphs.edges]
    for part in (graphs.node_features, graphs.edge_features):
        arrays += [part.numeric, part.categories]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as fresh:
        grown = fresh.submit(grow, graphs, y).result()
    return grown / sum(array.nbytes for array in arrays)


if __name__ == "__main__":
    main()
