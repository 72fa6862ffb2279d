"""Worked examples: each seam takes something new from outside the package.

One example per seam, as short as it can be, in a user's words: what is defined here
uses public names alone, and no file of the package changes for it. Append yours.
"""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from joblib import Parallel, delayed
from sklearn.base import clone
from torch import nn

import skshake
from skshake import (
    Aggregation,
    InvalidGraphError,
    KFCoarsener,
    SHAKEClassifier,
    SHAKERegressor,
    as_graphs,
    check_graphs,
    register_reader,
)
from skshake.graphs import with_degree_feature
from skshake.network import Engine, Loss, ReadOut
from skshake.network._engine import ENGINES
from skshake.network._readouts import READOUTS
from skshake.plotting import QSelectionDisplay
from skshake.resolution import (
    SPECTRAL_LOSSES,
    SpectralLoss,
    measure_objective,
    select_resolution,
)
from tests._helpers import assert_same_hierarchies

# A pooling: what sums over a block are divided by, given the sizes of all blocks.
ROOT = Aggregation("root", np.sqrt)


def test_a_pooling(random_graphs):
    given, total, mean = (
        KFCoarsener(q=1.0, n_forests=1, node_pooling=pooling, random_state=0)
        for pooling in (ROOT, "sum", "mean")
    )
    level, of_sums, of_means = (
        coarsener.fit_transform(random_graphs).levels[0]
        for coarsener in (given, total, mean)
    )
    # x / sqrt(n) is the geometric mean of x and x / n.
    expected = np.sign(of_sums.x.numeric) * np.sqrt(
        of_sums.x.numeric * of_means.x.numeric
    )
    np.testing.assert_allclose(level.x.numeric, expected, rtol=1e-5, atol=1e-6)


def test_a_pooling_of_categories(triangle_with_tail):
    graphs = [(triangle_with_tail, np.array([[7], [7], [7], [7], [5]]))]
    coarsener = KFCoarsener(q=1e-6, n_forests=1, node_pooling=ROOT, walk_length=0)
    level = coarsener.fit_transform(graphs)[0].levels[0]
    # Slots: unseen, 5, 7. The component of four nodes is one block.
    assert level.x.toarray().tolist() == [[0, 0, 2.0], [0, 1.0, 0]]


def _fit_and_transform(coarsener, graphs):
    return coarsener.fit_transform(graphs)


def test_a_pooling_survives_clones_pickles_and_processes(random_graphs):
    coarsener = KFCoarsener(
        q=1.0, n_forests=2, node_pooling=ROOT, edge_pooling=ROOT, random_state=0
    )
    expected = coarsener.fit_transform(random_graphs)
    again = pickle.loads(pickle.dumps(coarsener))
    assert_same_hierarchies(again.transform(random_graphs), expected)
    assert clone(coarsener).node_pooling == ROOT
    assert_same_hierarchies(clone(coarsener).fit_transform(random_graphs), expected)
    (found,) = Parallel(n_jobs=2, backend="loky")(
        [delayed(_fit_and_transform)(coarsener, random_graphs)]
    )
    assert_same_hierarchies(found, expected)


def test_a_pooling_and_a_loss_are_kept_in_files(tmp_path):
    # A function of numpy needs no word; ours do.
    skshake.save(KFCoarsener(node_pooling=ROOT), tmp_path / "model")
    assert skshake.load(tmp_path / "model").node_pooling == ROOT
    skshake.save(SHAKERegressor(loss=ABSOLUTE), tmp_path / "model")
    with pytest.raises(TypeError, match=r"AbsoluteError.*make_batches.*does not know"):
        skshake.load(tmp_path / "model")
    again = skshake.load(tmp_path / "model", trusted=[AbsoluteError, make_batches])
    assert again.loss == ABSOLUTE


def test_a_pooling_has_features_of_its_own(small_mutag):
    graphs, y = small_mutag
    coarsener = KFCoarsener(q=1.0, node_pooling=ROOT, random_state=0)
    hierarchies = coarsener.fit_transform(graphs)
    model = SHAKEClassifier(max_iter=1, hidden_dim=8, random_state=0)
    model.fit(hierarchies, y).predict(coarsener.transform(graphs))
    other = KFCoarsener(q=1.0, random_state=0).fit_transform(graphs)
    with pytest.raises(ValueError, match="another coarsener"):
        model.predict(other)


def test_a_pooling_that_is_wrong_is_refused(random_graphs):
    for divisor in (np.zeros_like, lambda sizes: np.ones(3), lambda sizes: -sizes):
        wrong = Aggregation("wrong", divisor)
        with pytest.raises(ValueError, match="'wrong': expected positive numbers"):
            KFCoarsener(q=1.0, node_pooling=wrong).fit(random_graphs)
    with pytest.raises(ValueError, match="called 'mean' already"):
        KFCoarsener(q=1.0, node_pooling=Aggregation("mean", np.sqrt)).fit(random_graphs)


# A curve of q*: the energy of the features, weighed by the square of the eigenvalue.
CURVATURE = SpectralLoss("curvature", power=2, label="curvature loss")


@pytest.mark.parametrize("solver", ["eigh", "lanczos"])
def test_a_curve_of_q_star(solver, small_mutag, pyplot):
    graphs = small_mutag[0]
    plain = select_resolution(graphs, solver=solver)
    more = select_resolution(
        graphs, solver=solver, losses=(*SPECTRAL_LOSSES, CURVATURE)
    )
    assert set(more.curves.others) == {"node_curvature", "edge_curvature"}
    assert "node_curvature" in more.curves.to_frame()
    if solver == "eigh":
        curve = more.curves.node_reconstruction
        np.testing.assert_allclose(curve, plain.curves.node_reconstruction)
        # Higher eigenvalues lose more, and J is the mean of three losses.
        assert (more.curves["node_curvature"] >= more.curves.node_dirichlet).all()
        losses = [
            more.curves[f"{rows}_{name}"]
            for rows in ("node", "edge")
            for name in ("reconstruction", "dirichlet", "curvature")
        ]
        sizes = more.curves.node_complexity + more.curves.edge_complexity
        np.testing.assert_allclose(more.curves.objective, sum(losses) / 3 + sizes)
    coarsener = KFCoarsener(q=more.q_star, n_forests=1, random_state=0).fit(graphs)
    assert coarsener.q_.tolist() == [more.q_star]
    display = QSelectionDisplay(more.curves, more.q_star).plot(parts=True)
    assert display.lines_["node_curvature"].get_label() == "node curvature loss"


def test_the_curve_by_hand(triangle_with_tail):
    graphs = with_degree_feature(as_graphs([triangle_with_tail]))
    graphs = as_graphs([(triangle_with_tail, graphs.node_features.numeric)])
    found = measure_objective(graphs, 1.0, 1, losses=(CURVATURE,)).per_graph(1.0)
    laplacian = np.diag(triangle_with_tail.sum(axis=1)) - triangle_with_tail
    x = graphs.node_features.numeric.astype(float)
    lost = x - np.linalg.solve(np.eye(5) + laplacian, x)
    by_hand = np.square(laplacian @ lost).sum() / np.square(laplacian @ x).sum()
    assert found["node_curvature"] == pytest.approx(by_hand)
    assert "node_reconstruction" not in found


# A kind of graph: a class of the user's, and how it reads.
@dataclass
class Ring:
    """A cycle with a charge on each node."""

    charges: list


def read_ring(ring):
    ends = [[i, (i + 1) % len(ring.charges)] for i in range(len(ring.charges))]
    return {
        "edge_index": np.transpose(ends),
        "num_nodes": len(ring.charges),
        "x": np.array(ring.charges, float),
    }


@pytest.fixture
def rings(monkeypatch):
    # A user would just register; here nothing may be left for other tests.
    monkeypatch.setattr("skshake.graphs._readers._CONVERTERS", {})
    register_reader(Ring, read_ring)
    return [Ring([1.0, -1.0, 0.5]), Ring([0.0, 2.0, 0.0, 2.0])]


def test_a_kind_of_graph(rings):
    pair = np.ones((2, 2)), np.zeros((2, 1))
    graphs = as_graphs([*rings, pair])
    assert np.diff(graphs.node_ptr).tolist() == [3, 4, 2]
    assert np.diff(graphs.edge_ptr).tolist() == [3, 4, 1]
    assert graphs[0].x.ravel().tolist() == [1.0, -1.0, 0.5]
    with pytest.raises(InvalidGraphError, match="one graph"):
        as_graphs(rings[0])


def test_a_kind_of_graph_that_is_wrong_is_refused(rings):
    class Broken(Ring):
        """Derived, so that its own function must win."""

    register_reader(Broken, lambda ring: [ring.charges])
    problems = check_graphs([rings[0], Broken([1.0])])
    assert [problem.graph for problem in problems] == [1]
    assert "registered function makes a list" in problems[0].message
    with pytest.raises(TypeError, match="a class and a function"):
        register_reader("Ring", read_ring)


# A loss: the absolute error, over batches in the order of the graphs, with a parameter
# of its own, which is maximised.
class AbsoluteError(nn.Module):
    def __init__(self, n_tasks):
        super().__init__()
        self.rise = nn.Parameter(torch.zeros(n_tasks))

    def forward(self, outputs, targets, weights):
        errors = (outputs - targets).abs().mean(dim=1)
        return (errors * weights).mean() - (self.rise - 1).square().sum()


def make_batches(rng, targets, batch_size):
    n_batches = -(-len(targets) // batch_size)
    return np.array_split(np.arange(len(targets)), n_batches)


ABSOLUTE = Loss({"numbers": AbsoluteError}, make_batches, ascends=("rise",))


def test_a_loss(small_mutag):
    graphs, _ = small_mutag
    y = np.array([float(graph.n_nodes) for graph in graphs])
    # An eighth says something else, which the median does not hear.
    y[::8] += 1_000
    is_rest = np.arange(len(y)) % 8 > 0
    model = SHAKERegressor(loss=ABSOLUTE, max_iter=60, random_state=0, n_layers=1)
    model.fit(graphs, y)
    squared = clone(model).set_params(loss="squared_error").fit(graphs, y)
    errors = [
        np.median(np.abs(m.predict(graphs) - y)[is_rest]) for m in (model, squared)
    ]
    # 2 to 5 nodes and 28 to 42 over seeds.
    assert errors[0] < errors[1]
    with pytest.raises(ValueError, match="expected numbers, got classes in y"):
        SHAKEClassifier(loss=ABSOLUTE).fit(*small_mutag)


def test_a_loss_survives_clones_pickles_and_processes(small_mutag):
    graphs, _ = small_mutag
    y = np.array([float(graph.n_nodes) for graph in graphs])
    model = SHAKERegressor(loss=ABSOLUTE, max_iter=2, random_state=0, hidden_dim=8)
    expected = clone(model).fit(graphs, y).predict(graphs)
    again = pickle.loads(pickle.dumps(model)).fit(graphs, y)
    assert (again.predict(graphs) == expected).all()
    (found,) = Parallel(n_jobs=2, backend="loky")([delayed(model.fit)(graphs, y)])
    assert (found.predict(graphs) == expected).all()


# A layer: any module that torch_geometric could call, made from the width of states.
class MeanOfNeighbours(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, edge_index):
        source, target = edge_index
        total = torch.zeros_like(x).index_add(0, target, x[source])
        degree = torch.zeros(len(x)).index_add(0, target, torch.ones(len(source)))
        return self.linear(total / degree.clamp(min=1)[:, None])


def test_a_layer(small_mutag):
    model = SHAKEClassifier(conv=MeanOfNeighbours, max_iter=8, n_layers=2)
    model.set_params(random_state=0).fit(*small_mutag)
    for network in model.module_.networks:
        assert isinstance(network.levels[0][0].conv, MeanOfNeighbours)
    assert model.loss_curve_[-1] < model.loss_curve_[0]


# A device: an engine that says how it multiplies sparse matrices. Whatever it does not
# say is plain torch.
class DenseEngine(Engine):
    n_calls = 0

    def sum_rows(self, csr, table):
        DenseEngine.n_calls += 1
        rows = torch.repeat_interleave(csr.rowptr.diff())
        matrix = torch.zeros(len(csr.rowptr) - 1, len(table))
        matrix.index_put_((rows, csr.col), csr.value, accumulate=True)
        return matrix @ table


def test_a_device(small_mutag, monkeypatch):
    # A rate of nothing: what is compared are values, not what rounding makes of steps.
    model = SHAKEClassifier(max_iter=1, learning_rate=1e-12, weight_decay=0)
    expected = clone(model.set_params(random_state=0)).fit(*small_mutag)
    # In the package this is a line; "cpu" stands for the new device here.
    monkeypatch.setitem(ENGINES, "cpu", DenseEngine)
    found = model.fit(*small_mutag)
    assert DenseEngine.n_calls > 0
    assert found.loss_curve_ == pytest.approx(expected.loss_curve_, rel=1e-4)
    np.testing.assert_allclose(
        found.predict_proba(small_mutag[0]),
        expected.predict_proba(small_mutag[0]),
        atol=1e-4,
    )


# A read-out: mean and standard deviation of each graph's states.
def mean_and_deviation(h, node_ptr):
    rows = [
        torch.cat([part.mean(dim=0), part.std(dim=0, correction=0)])
        for part in h.tensor_split(node_ptr[1:-1])
    ]
    return torch.stack(rows)


def test_a_read_out(small_mutag, monkeypatch):
    # In the package both are a line: that of the table, and the name of the default.
    monkeypatch.setitem(READOUTS, "deviation", ReadOut(mean_and_deviation, 2))
    make_shape = SHAKEClassifier._shape
    monkeypatch.setattr(
        SHAKEClassifier,
        "_shape",
        lambda *arguments: replace(make_shape(*arguments), readout="deviation"),
    )
    model = SHAKEClassifier(max_iter=8, n_layers=2, random_state=0).fit(*small_mutag)
    for network in model.module_.networks:
        assert network.readout[0].in_features == 64 * 2 * 3
    assert model.loss_curve_[-1] < model.loss_curve_[0]
