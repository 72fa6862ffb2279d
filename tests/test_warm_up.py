"""Every kernel is compiled before it is needed."""

import re
import sys
import warnings

import numpy as np
import pytest

from skshake import warm_up
from skshake.network.batches._features import MOST_UNIQUE
from skshake.resolution._columns import EXACT_ROWS
from skshake.resolution._solvers import MOST_DENSE_ROWS
from skshake.warm_up import _collections
from tests._helpers import run_process


@pytest.mark.slow
def test_a_warm_machine_compiles_nothing(tmp_path):
    run = [sys.executable, "-W", "ignore", "-m", "skshake.warm_up"]
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    code = """if True:
        import warnings
        import networkx as nx, numpy as np
        from sklearn.pipeline import make_pipeline
        from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
        from skshake import SHAKERegressor, SubtreeVectorizer
        from skshake import from_edges, sample_forests
        warnings.simplefilter("ignore")
        smiles = ["CCO", "c1ccccc1", "CC(=O)O", "CCN"] * 3
        model = make_pipeline(
            MoleculeFeaturizer(), KFCoarsener(), SHAKEClassifier(max_iter=1)
        )
        model.fit(smiles, [0, 1] * 6).predict_proba(smiles)
        graphs = [nx.gnp_random_graph(n, 5 / n, seed=n) for n in (5, 60, 600)] * 2
        for k, graph in enumerate(graphs):
            nx.set_node_attributes(graph, {v: (v * 7 % 5) / 5 for v in graph}, "x")
            nx.set_node_attributes(graph, {v: "ab"[v % 2] for v in graph}, "s")
            nx.set_edge_attributes(graph, 1.0 + k, "weight")
        coarsener = KFCoarsener(n_levels=3, include_original=True, node_pooling="sum")
        hierarchies = coarsener.fit_transform(graphs)
        for options in ({"conv": "gin"}, {"conv": "gcn"}, {"dropout": 0.2}):
            model = SHAKERegressor(n_networks=1, max_iter=1, **options)
            model.fit(hierarchies, range(6)).explain(hierarchies)
        sample_forests(graphs, [1e-5, 2.0])
        SubtreeVectorizer().fit_transform(graphs)
        edges = from_edges([[0, 1], [1, 2]], [2], [3], edge_weight=[1e9, 1.0])
        SHAKEClassifier(max_iter=1).fit([edges[0]] * 4, [0, 1, 0, 1])
    """
    commands = run, [sys.executable, "-c", code]
    said = [run_process(*command, **environment).stderr for command in commands]
    assert said == ["compiling kernels, once per installation\n", ""]


def test_graphs_of_every_kind_are_made():
    collections = list(_collections())
    kinds = {
        (
            graphs.node_features.widths[0] > 0,
            graphs.node_features.widths[1] > 0,
            graphs.edge_weight is not None,
        )
        for graphs in collections
    }
    # Categories alone, nothing, numbers with weights, categories with weights.
    assert kinds == {
        (False, True, False),
        (False, False, False),
        (True, False, True),
        (False, True, True),
    }
    nodes = [graphs.node_features.numeric for graphs in collections]
    sizes = [int(np.diff(graphs.node_ptr).max()) for graphs in collections]
    # For both solvers of spectra, and both ways to draw probes.
    assert min(sizes) < EXACT_ROWS < MOST_DENSE_ROWS < max(sizes)
    # For features of nodes that are encoded once each, and one by one.
    assert min(map(len, nodes)) < MOST_UNIQUE < max(map(len, nodes))
    for graphs, again in zip(collections, _collections(), strict=True):
        assert (graphs.fingerprints == again.fingerprints).all()


def test_it_says_when_it_is_done_and_hides_warnings(monkeypatch, capsys):
    def warn():
        warnings.warn("small graphs", UserWarning, stacklevel=2)

    monkeypatch.setattr(warm_up, "warm_up", warn)
    warm_up.main()
    out, err = capsys.readouterr()
    assert re.fullmatch(r"all kernels are compiled \(\d+ s\)\n", out)
    assert err == ""
