"""Fixtures: seeds to sweep, small named graphs, real data where it is present."""

import os
from pathlib import Path

# Before torch is imported: its threads give the core to others while they wait. If they
# spin, tests take ten times as long where other work keeps the cores busy.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import matplotlib as mpl
import numpy as np
import pytest
import torch
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from skshake import KFCoarsener, as_graphs
from skshake.datasets import load_mutag

if torch.cuda.is_available():
    # What cuBLAS needs to give equal bits, before it is first used.
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
else:
    # Before Triton is imported.
    os.environ["TRITON_INTERPRET"] = "1"

# How quickly examples are thought of says nothing: other work may keep the cores busy.
settings.register_profile(
    "skshake", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("skshake")

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """No doctests of test files: they import them first, and hide why that failed."""
    return [file for file in (yield) if not isinstance(file, DoctestModule)]


def pytest_generate_tests(metafunc):
    """Run seeded tests with one seed, or with those that SKSHAKE_SEEDS names."""
    if "global_random_seed" in metafunc.fixturenames:
        seeds = os.environ.get("SKSHAKE_SEEDS", "42")
        values = range(100) if seeds == "all" else [int(s) for s in seeds.split(",")]
        metafunc.parametrize("global_random_seed", values)


def adjacency_of(n_nodes, edges, weights=None):
    """Dense symmetric adjacency."""
    adjacency = np.zeros((n_nodes, n_nodes))
    for k, (i, j) in enumerate(edges):
        adjacency[i, j] = adjacency[j, i] = 1.0 if weights is None else weights[k]
    return adjacency


@pytest.fixture
def triangle_with_tail():
    """A triangle, a pendant node and an isolated node: the smallest graph with a cycle
    to erase, unequal degrees and two components."""
    return adjacency_of(5, [(0, 1), (1, 2), (0, 2), (2, 3)])


@pytest.fixture
def weighted_tail():
    """The same with weights over three orders of magnitude."""
    edges = [(0, 1), (1, 2), (0, 2), (2, 3)]
    return adjacency_of(5, edges, weights=[0.05, 2.0, 0.7, 30.0])


@pytest.fixture
def random_graphs():
    """Twelve sparse random graphs with numeric and categorical features and weights,
    some of them disconnected."""
    rng = np.random.default_rng(3)
    graphs = []
    for _ in range(12):
        n = int(rng.integers(5, 14))
        upper = np.triu(rng.random((n, n)) < 0.3, 1)
        upper[0, 1] = True
        weights = upper * rng.uniform(0.5, 2.0, (n, n))
        n_edges = int(upper.sum())
        graphs.append(
            (
                weights + weights.T,
                rng.normal(size=(n, 2)),
                rng.normal(size=(n_edges, 3)),
            )
        )
    return graphs


@pytest.fixture
def awkward_graphs():
    """No nodes, one node, no edges, two components."""
    return [
        np.zeros((0, 0)),
        np.zeros((1, 1)),
        np.zeros((3, 3)),
        adjacency_of(4, [(0, 1), (2, 3)]),
    ]


@pytest.fixture(scope="session")
def mutag():
    """(graphs, labels) of 188 molecules; no test may change them."""
    return _read_only(*load_mutag(return_X_y=True))


@pytest.fixture(scope="session")
def small_mutag(mutag):
    """40 molecules, 20 of each class; no test may change them."""
    graphs, y = mutag
    rows = np.concatenate([np.flatnonzero(y == c)[:20] for c in (-1, 1)])
    return _read_only(graphs[rows], y[rows])


def _read_only(graphs, y):
    y.flags.writeable = False
    return graphs, y


@pytest.fixture(scope="session")
def two_levels(small_mutag):
    """The 40 molecules as they are and coarse, two forests; no test may change them."""
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=2, random_state=0)
    return coarsener.fit_transform(small_mutag[0])


@pytest.fixture
def shared_data():
    """Folder of the real data sets; tests that need it are skipped without it."""
    if not SHARED_DATA.exists():
        pytest.skip("the shared data sets are not beside this checkout")
    return SHARED_DATA


@pytest.fixture
def one_graph(triangle_with_tail):
    """Collection of the triangle with a tail alone."""
    return as_graphs([triangle_with_tail])


@pytest.fixture
def pyplot():
    """Figures without a screen, closed after the test."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
