"""Ways in which neighbouring tools failed their users, one test each.

Each test is named after its kind of fault; its docstring names the public reports
("PyG" is pyg-team/pytorch_geometric) and what their users saw.
"""

import gc
import json
import os
import pickle
import re
import shutil
import signal
import sys
import tomllib
import types
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path

import dask
import igraph
import networkx as nx
import numpy as np
import optuna
import pandas as pd
import pytest
import torch
from joblib import Parallel, delayed
from rdkit import Chem
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import permutation_importance
from sklearn.metrics import r2_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import ThreadpoolController
from torch_geometric.data import (
    Batch,
    Data,
    HeteroData,
    InMemoryDataset,
    TemporalData,
)
from torch_geometric.data.hypergraph_data import HyperGraphData
from torch_geometric.loader import DataLoader

import skshake
from skshake import (
    CategoryWarning,
    GraphCollection,
    HierarchyCollection,
    InvalidGraphError,
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKERegressor,
    SubtreeVectorizer,
    as_graphs,
    check_graphs,
    check_inputs,
    from_edges,
    graphs_from_edgelist,
    sample_forests,
)
from skshake.datasets import load_molecules_csv, load_tu
from skshake.network import SHAKENetwork
from skshake.network._training import Training
from tests._helpers import run_process, run_python

# Graphs here are so small that coarsening may leave them as they are.
pytestmark = pytest.mark.filterwarnings("ignore:coarsening keeps")
SETTINGS = {"hidden_dim": 8, "n_layers": 1, "max_iter": 2, "random_state": 0}


def classifier(**changes):
    return SHAKEClassifier(**{**SETTINGS, **changes})


def triangle():
    return np.ones((3, 3)) - np.eye(3)


def stars_and_rings():
    """Twenty graphs of 6 to 15 nodes, and their labels.

    Of one star and one ring alone, some seeds learn what they do not predict: the
    statistics of the normalisation lag behind.
    """
    pairs = [(nx.star_graph(n), nx.cycle_graph(n + 1)) for n in range(5, 15)]
    return [graph for pair in pairs for graph in pair], np.arange(20) % 2


def rings(n_graphs=20, n_nodes=6):
    """Rings and paths of equally many nodes, and their labels."""
    graphs = [nx.cycle_graph, nx.path_graph] * (n_graphs // 2)
    return [make(n_nodes) for make in graphs], np.arange(n_graphs) % 2


def test_01_nodes_named_by_strings():
    """karateclub #99, #149, #95: a bare assertion about indexing."""
    graph = nx.Graph([("a", "b"), ("b", "c")])
    assert as_graphs([graph])[0].edges.tolist() == [[0, 1], [1, 2]]


def test_02_ids_with_gaps_in_any_order():
    """karateclub #12, #72; PyG #830: features went to the wrong nodes."""
    graph = nx.Graph()
    for node in (4, 2, 6):
        graph.add_node(node, x=float(node))
    graph.add_edges_from([(4, 6), (2, 6)])
    read = as_graphs([graph])[0]
    ends = {frozenset(read.x[edge, 0].tolist()) for edge in read.edges}
    assert ends == {frozenset({4.0, 6.0}), frozenset({2.0, 6.0})}


def test_03_names_mean_nothing_across_graphs():
    """karateclub #47, #87, #98: is node 25 the same in every graph?"""
    graphs, y = rings(10)
    renamed = [nx.relabel_nodes(graph, lambda v: f"node {v}") for graph in graphs]
    model = classifier().fit(graphs, y)
    assert np.array_equal(model.predict_proba(graphs), model.predict_proba(renamed))


def test_04_disconnected_graphs():
    """karateclub #25, #67: two triangles without a link were rejected."""
    two = np.kron(np.eye(2), triangle())
    hierarchies = KFCoarsener(q=1e-6, random_state=0).fit_transform([two, triangle()])
    assert np.diff(hierarchies.levels[0].node_ptr).tolist() == [2, 1]


def test_05_one_row_per_graph_always():
    """PyG #1813, #1824, #2895, #6737, #9311, #10815, #915: rows were missing."""
    graphs = [triangle(), np.zeros((1, 1)), np.zeros((0, 0))]
    model = classifier().fit([*graphs, triangle()], [0, 1, 0, 1])
    for order in ([0, 1, 2], [2, 0, 1], [1, 2]):
        assert len(model.predict_proba([graphs[i] for i in order])) == len(order)


def test_06_edge_features_on_some_graphs_only():
    """PyG #1103: int + NoneType."""
    bare, full = nx.path_graph(3), nx.path_graph(3)
    nx.set_edge_attributes(full, 0.5, "length")
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    with pytest.raises(ValueError, match="Graph 1 has no length, but graph 0 has"):
        model.fit([full, bare], [0, 1])
    model.fit([full, full], [0, 1])
    with pytest.raises(ValueError, match=r"edge features were fitted as .*'length'"):
        model.predict([bare])


def test_07_attributes_on_some_nodes_or_edges_only():
    """ProGraML #196: refused the graph without saying which node."""
    graph = nx.path_graph(4)
    nx.set_edge_attributes(graph, {(0, 1): 2.0, (1, 2): 3.0}, "weight")
    with pytest.raises(ValueError, match=r"edge \(2, 3\) has no attribute 'weight'"):
        as_graphs([graph])
    assert as_graphs([graph], defaults={"weight": 1.0})[0].edge_weight.tolist() == [
        2.0,
        3.0,
        1.0,
    ]


def test_08_other_widths_and_transposed_edges():
    """PyG #1713, #734: a tensor concatenation failed."""
    with pytest.raises(ValueError, match="Graph 1 has 4 columns of x, but"):
        as_graphs([(triangle(), np.ones((3, 3))), (triangle(), np.ones((3, 4)))])
    edges = np.array([[0, 1], [1, 2], [0, 2]])
    with pytest.raises(ValueError, match=r"Graph 0: edge_index: .*transpose it"):
        as_graphs([{"edge_index": edges, "num_nodes": 3}])


def test_09_types_of_features():
    """PyG #1134, #1446; dgl #3052: float64, integers and flat arrays crashed."""
    flat = as_graphs([(triangle(), np.array([0.5, 1.5, 2.5]))])
    assert flat.node_features.numeric.shape == (3, 1)
    assert flat.node_features.numeric.dtype == np.float32
    codes = as_graphs([(triangle(), np.array([3, 1, 2]))])
    assert codes.node_features.widths == (0, 1)
    numbers = as_graphs([(triangle(), np.array([3, 1, 2]))], categorical_features=False)
    assert numbers.node_features.widths == (1, 0)


def test_10_one_way_edges_repeats_and_loops():
    """PyG #914, #789: attributes no longer matched their edges."""
    arcs = np.array([[0, 1, 0, 2, 1], [1, 0, 1, 2, 2]])
    attributes = np.array([[1.0], [4.0], [3.0], [9.0], [5.0]])
    expected = None
    for order in (np.arange(5), np.array([3, 4, 2, 1, 0])):
        graph = {
            "edge_index": arcs[:, order],
            "num_nodes": 3,
            "edge_feat": attributes[order],
            "edge_weight": np.ones(5),
        }
        read = as_graphs([graph])[0]
        found = read.edges.tolist(), read.edge_attr.ravel().tolist()
        # 0->1 twice averages to 2, with 1->0 to 3; the loop at 2 is gone.
        assert found == ([[0, 1], [1, 2]], [3.0, 5.0])
        assert expected in (None, read.edge_weight.tolist())
        expected = read.edge_weight.tolist()
    # Two rows of weight 1 one way and one the other: (2 + 1) / 2.
    assert expected == [1.5, 1.0]


def test_11_asymmetric_adjacency():
    """PyG #3222, #1721; pymetis #17: the process crashed inside METIS."""
    one_way = np.triu(triangle())
    both = KFCoarsener(q=1.0, random_state=0).fit_transform([one_way, triangle()])
    blocks = both.levels[0].block
    assert blocks[:3].tolist() == blocks[3:].tolist()


def test_12_a_lone_graph_and_a_generator():
    """GraKeL #21, #95: 'int' has no attribute 'nodes'."""
    for lone in (nx.path_graph(3), sparse.csr_array(triangle())):
        with pytest.raises(TypeError, match=r"one graph .*wrap it in a list"):
            classifier().fit(lone, [0])
    graphs, y = rings(10)
    predictions = [
        classifier().fit(X, y).predict_proba(graphs)
        for X in (graphs, (graph for graph in graphs))
    ]
    assert np.array_equal(*predictions)


def test_13_graphs_without_features():
    """GraKeL #106, #50: shapes (196,) and (0,)."""
    graphs, y = stars_and_rings()
    model = SHAKEClassifier(random_state=0).fit(graphs, y)
    # Log-odds end at six and more, whatever the seed.
    assert model.score(graphs, y) == 1.0


def test_14_categories_that_fit_never_saw():
    """GraKeL #2; ogb #479: KeyError, or an index out of range."""
    graphs = [nx.path_graph(3) for _ in range(4)]
    for k, graph in enumerate(graphs):
        nx.set_node_attributes(graph, "ab"[k % 2], "element")
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    model.fit(graphs, [0, 1, 0, 1])
    nx.set_node_attributes(graphs[0], "Z", "element")
    assert np.isfinite(model.predict_proba(graphs)).all()


def test_15_invalid_molecules():
    """chemprop #350, #1122; chemap #5: rows no longer matched the input."""
    smiles = ["CCO", "not a molecule", "CCN"]
    with pytest.raises(ValueError, match="Graph 1"):
        MoleculeFeaturizer().fit_transform(smiles)
    model = make_pipeline(MoleculeFeaturizer(on_invalid="empty"), classifier())
    with pytest.warns(UserWarning, match="1 of 3 molecules are invalid"):
        assert len(model.fit(smiles, [0, 1, 0]).predict(smiles)) == 3


def test_16_lists_of_objects_in_scikit_learn():
    """scikit-learn #16130, #13473; skorch #212, #605, #443: coerced to arrays."""

    class Dataset(InMemoryDataset):
        def __init__(self, items):
            super().__init__()
            self.data, self.slices = self.collate(items)

    adjacency = triangle()
    matrices = [adjacency * w for w in np.linspace(1, 2, 20)]
    array = np.empty(20, object)
    array[:] = matrices
    ends = torch.tensor([[0, 1], [1, 0]])
    dataset = Dataset(
        [Data(edge_index=ends, x=torch.full((2, 1), float(k))) for k in range(20)]
    )
    y = np.arange(20) % 2
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    for X in (matrices, array, list(dataset[:20])):
        assert len(cross_val_score(model, X, y, cv=2, error_score="raise")) == 2
        train, test, y_train, _ = train_test_split(X, y, random_state=0)
        assert len(model.fit(train, y_train).predict(test)) == 5
    grid = {"shakeclassifier__n_layers": [0, 1]}
    GridSearchCV(model, grid, cv=2, error_score="raise").fit(matrices, y)
    model.fit(dataset, y)


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [-1, 1], [10, 20], [False, True]], ids=str
)
def test_17_labels_of_any_kind(labels):
    """gam #389; DeepTab #434; skorch: crash, or silently an accuracy of 0."""
    graphs, codes = stars_and_rings()
    y = np.array(labels)[codes]
    model = SHAKEClassifier(random_state=0).fit(graphs, y)
    assert model.classes_.tolist() == labels
    assert model.predict(graphs).dtype == y.dtype
    assert model.score(graphs, y) == 1.0
    chosen = model.predict_proba(graphs).argmax(axis=1)
    assert np.array_equal(model.classes_[chosen], model.predict(graphs))


def test_18_rare_classes():
    """morphoclass #22; octopus-automl #406; scikit-learn #28609: impossible splits."""
    graphs, _ = rings(10)
    y = np.array([*"aaaaaaaaab"])
    with pytest.warns(UserWarning, match="stratif"):
        model = classifier(early_stopping=True).fit(graphs, y)
    assert model.predict_proba(graphs).shape == (10, 2)
    with pytest.warns(ConvergenceWarning, match="y holds 'a' alone"):
        alone = classifier().fit(graphs[:9], y[:9])
    assert set(alone.predict(graphs)) == {"a"}


def test_19_nothing_is_held_out_of_small_folds():
    """skorch #599: the validation split on top of the search's halved the data."""
    graphs, y = rings(30)
    search = GridSearchCV(classifier(), {"n_layers": [1]}, cv=3).fit(graphs, y)
    assert search.best_estimator_.validation_scores_ is None
    model = classifier(early_stopping=True)
    model.fit(graphs[:20], y[:20], X_val=graphs[20:], y_val=y[20:])
    assert len(model.validation_scores_) == model.n_iter_


def test_20_constructors_keep_their_arguments():
    """molfeat PR #3; scikit-lego #269: clone and grid search broke."""
    qs = [2.0, np.inf, 0.5]
    coarsener = KFCoarsener(q=qs, random_state=0)
    assert coarsener.get_params()["q"] is qs
    coarsener.fit([triangle()] * 2)
    assert coarsener.q is qs
    assert clone(coarsener).q == qs


def test_21_no_cuda_before_fit_and_searches_in_processes():
    """skorch #714, #93, #95: workers were killed, or could not start."""
    code = (
        "import sys, skshake; skshake.SHAKEClassifier(device='cuda');"
        "print('torch' in sys.modules)"
    )
    assert run_python(code).strip() == "False"
    graphs, y = rings(10)
    search = GridSearchCV(classifier(), {"n_layers": [0, 1]}, cv=2, n_jobs=2)
    assert search.fit(graphs, y).best_score_ >= 0


def test_22_fitted_on_a_gpu_read_without_one():
    """skorch #426, #70, #1096: tensors were loaded before the device was known."""
    graphs, y = rings(10)
    model = classifier().fit(graphs, y)
    assert {p.device.type for p in model.module_.parameters()} == {"cpu"}
    again = pickle.loads(pickle.dumps(model)).set_params(device="cuda")
    if not torch.cuda.is_available():
        with pytest.warns(UserWarning, match="predicting on the CPU"):
            assert np.array_equal(again.predict(graphs), model.predict(graphs))


def test_23_pickles_hold_no_objects_of_other_libraries():
    """fairchem #383; pretrain-gnns #67: pickled PyG objects died at an upgrade."""
    data = [Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)] * 4
    coarsener = KFCoarsener(q=1.0, random_state=0)
    for thing in (as_graphs(data), coarsener.fit_transform(data), coarsener):
        assert b"torch" not in pickle.dumps(thing)


def test_24_one_graph_and_none():
    """MolPipeline #109: prediction for a single molecule failed."""
    graphs, y = rings(10)
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier()).fit(
        graphs, y
    )
    assert model.predict(graphs[:1]).shape == (1,)
    assert model.predict_proba(graphs[:1]).shape == (1, 2)
    for ask in (model.predict, model[0].transform):
        with pytest.raises(ValueError, match="at least one graph"):
            ask([])


def test_25_equal_graphs_get_equal_hierarchies():
    """karateclub #130, #144: another embedding at each call."""
    graphs, _ = rings(10)
    one, two = (
        KFCoarsener(q=1.0, random_state=0, n_jobs=n_jobs).fit(graphs)
        for n_jobs in (1, 2)
    )
    drawn = [c.transform(graphs).levels[0].block for c in (one, two, one)]
    assert np.array_equal(drawn[0], drawn[1])
    assert np.array_equal(drawn[0], drawn[2])


def test_26_columns_of_y_are_never_dropped():
    """skorch #420: y of several columns was silently reduced to one."""
    graphs, y = rings(10)
    labels = np.column_stack([y, 1 - y, y, y])
    assert classifier().fit(graphs, labels).predict(graphs).shape == (10, 4)
    with pytest.raises(ValueError, match="0, 1"):
        classifier().fit(graphs, labels + 5)


def test_27_equal_seeds_give_equal_bits():
    """PyG #859, #92, #446, #8866: up to four points apart; on GPUs see test_gpu.py."""
    graphs, y = rings(20)
    outputs = [classifier().fit(graphs, y).decision_function(graphs) for _ in range(2)]
    assert np.array_equal(*outputs)


def test_28_imbalanced_classes_over_seeds():
    """PyG #2049: 0.83 or 0.17, depending on the seed."""
    graphs = [nx.star_graph(5 + k % 10) for k in range(30)]
    graphs += [nx.cycle_graph(6 + k) for k in range(6)]
    y = np.repeat([0, 1], [30, 6])
    for seed in range(10):
        model = SHAKEClassifier(class_weight="balanced", random_state=seed)
        assert model.fit(graphs, y).score(graphs, y) == 1.0
    same = [nx.path_graph(4)] * 20
    with pytest.warns(ConvergenceWarning, match="one class is predicted"):
        classifier().fit(same, np.arange(20) % 2)


def test_29_batches_take_no_python_per_graph(monkeypatch):
    """PyG #802, #572, #811, #1662; dgl #3344: half of the time went into collating."""
    from skshake.network.batches import DeviceHierarchies, _ranges

    # A large batch is copied in a few lanes, a small one in one.
    monkeypatch.setattr(_ranges, "MOST_COPIERS", 1)
    hierarchies = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit_transform(
        [nx.cycle_graph(20)] * 1_000
    )
    data = DeviceHierarchies(hierarchies, torch.device("cpu"))
    calls = []
    for n_graphs in (10, 1_000):
        batch = np.arange(n_graphs)
        data.batch(batch)
        count = 0

        def note(frame, event, argument):
            nonlocal count
            count += 1

        # What others do when garbage is collected does not count.
        gc.disable()
        sys.setprofile(note)
        try:
            data.batch(batch)
        finally:
            sys.setprofile(None)
            gc.enable()
        calls.append(count)
    assert calls[0] == calls[1]


MEMORY = """
import os, psutil, numpy as np
from skshake import KFCoarsener, SHAKEClassifier
from skshake.datasets import load_mutag
graphs, y = load_mutag(return_X_y=True)
hierarchies = KFCoarsener(q=1.0, random_state=0).fit_transform(graphs)
process, found = psutil.Process(), []
for epochs in (3, 3, 30):
    SHAKEClassifier(max_iter=epochs, random_state=0).fit(hierarchies, y)
    found.append((process.memory_info().rss, process.num_fds()))
print(*found[1], *found[2])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="counts file handles as Unix does")
def test_30_memory_and_handles_stay_flat_over_epochs():
    """PyG #3396; pytorch #5902, #11201: workers leaked memory and handles."""
    few, few_handles, many, many_handles = map(int, run_python(MEMORY).split())
    # One array of states kept from each step would add twice as much.
    assert many < 1.02 * few
    assert many_handles == few_handles


def test_31_isolated_coarse_nodes():
    """PyG #3032, #291: a division by a degree of zero gave NaN."""
    graphs = [np.kron(np.eye(3), triangle()), np.zeros((4, 4))] * 4
    hierarchies = KFCoarsener(q=1e-6, random_state=0).fit_transform(graphs)
    assert not len(hierarchies.levels[0].edges)
    model = classifier().fit(hierarchies, [0, 1] * 4)
    assert np.isfinite(model.predict_proba(hierarchies)).all()


LARGE = """
import resource, warnings, numpy as np
from scipy import sparse
from skshake import KFCoarsener, SHAKEClassifier
warnings.simplefilter("ignore")
path = sparse.diags_array([np.ones(19_999)] * 2, offsets=[-1, 1]).tocsr()
graphs = [path, *[np.ones((4, 4)) - np.eye(4)] * 9]
small = KFCoarsener(random_state=0).fit_transform(graphs[1:])
SHAKEClassifier(max_iter=1, hidden_dim=8).fit(small, [0] + [1] * 8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
hierarchies = KFCoarsener(random_state=0, n_forests=1).fit_transform(graphs)
SHAKEClassifier(max_iter=1, hidden_dim=8).fit(hierarchies, [0] + [1] * 9)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_32_a_large_graph_among_small_ones():
    """PyG #7364, #9118, #244: n x n per graph; here that would be 3,200 MB."""
    # It is 15 MB.
    assert float(run_python(LARGE)) < 300


def test_33_compiling_is_not_on_by_itself():
    """PyG #8779; pytorch #188150, #94640: slower, and recorded for every shape."""
    assert not SHAKEClassifier().compile


def test_34_no_network_and_no_ogb_at_import():
    """ogb #497; outdated #18: loading failed, and asked the network at import."""
    code = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise OSError('network')\n"
        "socket.socket.connect = refuse\n"
        "import skshake, skshake.datasets, skshake.graphs\n"
        "graphs = skshake.datasets.load_mutag().data\n"
        "skshake.KFCoarsener(q=1.0, random_state=0).fit(graphs)\n"
        "print(sorted({'ogb', 'outdated', 'torch'} & set(sys.modules)))"
    )
    assert run_python(code).strip() == "[]"


def test_35_versions_are_not_pinned():
    """GraKeL #115, #121; karateclub #133; PyG #4378: hard pins blocked installs."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)["project"]
    assert all("<" not in d and "==" not in d for d in project["dependencies"])


def test_36_auc_loss_of_odd_batches():
    """LibAUC #36, #10: zero for a batch of one, negative for a wrong ratio."""
    from skshake.network import find_loss

    loss = find_loss("auc_margin").make("labels", 1)
    scores = torch.zeros(4, 1, requires_grad=True)
    one_class = loss(scores, torch.zeros(4, 1), torch.ones(4))
    assert one_class.item() == 0.0
    graphs = [nx.star_graph(6)] * 96 + [nx.cycle_graph(7)] * 3
    y = np.repeat([0, 1], [96, 3])
    model = classifier(loss="auc_margin", batch_size=32, max_iter=20).fit(graphs, y)
    proba = model.predict_proba(graphs)[:, 1]
    assert proba[-1] > proba[0]


def test_37_missing_labels_are_counted():
    """ogb #4: NaN means not labelled, which surprised users."""
    graphs, y = rings(10)
    missing = np.where(np.arange(10) < 3, np.nan, y)
    with pytest.raises(ValueError, match="3 labels are missing, the first at graph 0"):
        classifier().fit(graphs, missing)


def test_38_storage_is_flat_and_narrow():
    """graphium #262; PyG #10356: memory grew with many graph objects."""
    graphs = as_graphs([nx.cycle_graph(20)] * 500)
    assert graphs.edges.dtype == np.int32
    n_bytes = graphs.edges.nbytes + graphs.node_ptr.nbytes + graphs.edge_ptr.nbytes
    assert n_bytes < 500 * (20 * 8 + 20)
    assert len(pickle.dumps(graphs)) < 1.2 * n_bytes + 2_000


def networks():
    """Estimators whose training draws in all the ways that there are."""
    from torch_geometric.nn import GATConv

    return {
        "plain": classifier(),
        "dropout": classifier(dropout=0.5),
        "layers of torch_geometric": classifier(conv="gcn", dropout=0.5),
        "layers that draw": classifier(conv=lambda n: GATConv(n, n, dropout=0.5)),
        "held out": classifier(early_stopping=True, dropout=0.5),
        "regressor": SHAKERegressor(**SETTINGS, dropout=0.5),
    }


def fitted_weights(model, graphs, y):
    """Bits of all weights that a fit finds."""
    state = clone(model).fit(graphs, y).module_.state_dict()
    return b"".join(value.numpy().tobytes() for value in state.values())


@pytest.mark.parametrize("kind", networks())
def test_39_fits_side_by_side(kind):
    """optuna #4412; threadpoolctl #205: seeded through one global stream."""
    model, (graphs, y) = networks()[kind], rings(20)
    torch_state, numpy_state = torch.get_rng_state(), np.random.get_state()
    alone = fitted_weights(model, graphs, y)

    def fit(_=None):
        return fitted_weights(model, graphs, y)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fit, range(8)))
    found += Parallel(4, backend="threading")(delayed(fit)() for _ in range(4))
    found += dask.compute(*[dask.delayed(fit)() for _ in range(4)], scheduler="threads")
    assert [weights == alone for weights in found] == [True] * 16
    assert torch.equal(torch.get_rng_state(), torch_state)
    assert str(np.random.get_state()) == str(numpy_state)


def test_39_studies_of_several_jobs():
    """optuna #4412: a study with n_jobs=4 found other scores than one by one."""
    graphs, y = rings(20)
    optuna.logging.disable_default_handler()

    def objective(trial):
        rate = trial.suggest_categorical("dropout", [0.0, 0.25, 0.5, 0.75])
        model = classifier(dropout=rate).fit(graphs, y)
        return float(model.decision_function(graphs).sum())

    values = []
    for n_jobs in (1, 4):
        grid = {"dropout": [0.0, 0.25, 0.5, 0.75]}
        study = optuna.create_study(sampler=optuna.samplers.GridSampler(grid, seed=0))
        study.optimize(objective, n_trials=4, n_jobs=n_jobs)
        values.append({t.params["dropout"]: t.value for t in study.trials})
    assert values[0] == values[1]


def test_40_limits_on_threads_are_given_back():
    """threadpoolctl #205, #176: overlapping calls left BLAS with one thread."""
    graphs, y = rings(20)
    model = make_pipeline(KFCoarsener(random_state=0), classifier()).fit(graphs, y)

    def count():
        found = ThreadpoolController().select(user_api="blas").lib_controllers
        return torch.get_num_threads(), [each.get_num_threads() for each in found]

    before = count()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: model.predict_proba(graphs), range(20)))
        list(pool.map(lambda _: clone(model).fit(graphs, y), range(8)))
    assert count() == before
    assert gc.isenabled()


ENDS = [[0, 1, 1, 2], [1, 0, 2, 1]]


def data(**fields):
    """A path of three nodes for torch_geometric, both directions of its edges."""
    return Data(edge_index=torch.tensor(ENDS), **fields)


def fields_of(features):
    """Name, kind and width of each field."""
    return [(f.name, f.is_categorical, f.width) for f in features.fields]


def test_41_structured_arrays():
    """numpy #4341, #11039: records were read as raw memory, 1.07e9 among them."""
    table = pd.DataFrame({"a": [1, 3, 5], "b": [2.0, 4.0, 6.0]})
    records = table.to_records(index=False)
    swapped = table[["b", "a"]].to_records(index=False)
    named = [("a", True, 1), ("b", False, 1)]
    for x in (np.array(records), records, swapped, table, table[["b", "a"]]):
        graphs = as_graphs([(triangle(), x, records), (triangle(), records, x)])
        for features in (graphs.node_features, graphs.edge_features):
            assert fields_of(features) == named
            assert features.categories[:, 0].tolist() == [1, 3, 5] * 2
            assert features.numeric[:, 0].tolist() == [2, 4, 6] * 2
    flat = from_edges([[0, 1], [1, 2]], [2], [3], x=swapped, edge_attr=records[:2])
    assert fields_of(flat.node_features) == fields_of(flat.edge_features) == named
    # Attributes of networkx and igraph, whatever the order of their fields.
    ours, theirs = nx.path_graph(3), igraph.Graph(3, [(0, 1), (1, 2)])
    for i in range(3):
        ours.nodes[i]["r"] = records[i]
    theirs.vs["r"] = list(swapped)
    read = as_graphs([ours, theirs]).node_features
    assert fields_of(read) == [("r.a", True, 1), ("r.b", False, 1)]
    assert read.numeric.ravel().tolist() == [2, 4, 6] * 2
    # Records and vectors within records.
    nested = np.zeros(3, [("p", [("u", "f4"), ("v", "U2")]), ("w", "f8", 2)])
    nested["p"]["u"], nested["w"][:, 1] = [1, 2, 3], [4, 5, 6]
    read = as_graphs([(triangle(), nested)]).node_features
    assert fields_of(read) == [("p.u", False, 1), ("p.v", True, 1), ("w", False, 2)]
    assert read.numeric.tolist() == [[1, 0, 4], [2, 0, 5], [3, 0, 6]]
    # Where a record makes no sense, and other bytes that are no numbers.
    path = {"edge_index": ENDS, "num_nodes": 3}
    for bad, message in (
        ({**path, "edge_weight": np.zeros(4, [("w", "f8")])}, "edge weight: expected"),
        (
            {**path, "edge_index": np.zeros((2, 4), [("n", "i8")])},
            "edge_index: expected",
        ),
        (np.zeros((3, 3), [("w", "i8")]), "is of type ndarray.*dtype"),
        ((triangle(), np.zeros((3, 1), "V4")), r"x holds \|V4 values"),
        (
            nx.Graph([(0, 1, {"weight": records[0]})]),
            "edge weight .weight.: expected.*records",
        ),
    ):
        with pytest.raises(InvalidGraphError, match=f"Graph 0:? {message}"):
            as_graphs([bad])
    one, other = nx.path_graph(3), nx.path_graph(3)
    nx.set_node_attributes(one, {i: records[i] for i in range(3)}, "r")
    nx.set_node_attributes(other, {i: nested[["w"]][i] for i in range(3)}, "r")
    with pytest.raises(InvalidGraphError, match=r"Graph 1 has no r\.a, but graph 0"):
        as_graphs([one, other])
    # A mask says that values are missing; a table may say so too.
    for x, message in (
        (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), "1 are masked"),
        ([np.ma.array([1.0], mask=[1])] * 3, "masked"),
        (np.ma.array(records, mask=[(0, 1)] * 3), "3 are masked"),
        (table.assign(a=pd.array([1, None, 3], "Int64")), "a holds nan"),
        (table.astype({"a": object}).replace(3, None), "a holds objects"),
    ):
        with pytest.raises(InvalidGraphError, match=f"Graph 0: .*{message}"):
            as_graphs([(triangle(), x)])
    masked = np.ma.array(triangle(), mask=triangle() > 0)
    with pytest.raises(InvalidGraphError, match=r"adjacency: .*6 are masked"):
        as_graphs([masked])


def test_42_keys_of_dictionaries():
    """Hugging Face's graph data sets; Graphormer #133: edge features were dropped."""
    graph = {
        "edge_index": ENDS,
        "num_nodes": 3,
        "node_feat": [[1.0], [2.0], [3.0]],
        "edge_attr": [[5.0], [5.0], [7.0], [7.0]],
        "y": [1],
    }
    renamed = {
        {"node_feat": "x", "edge_attr": "edge_feat"}.get(k, k): graph[k] for k in graph
    }
    del renamed["num_nodes"]
    for read in as_graphs([graph, renamed, {**graph, "id": 7, "smiles": "CCO"}]):
        assert read.x.ravel().tolist() == [1, 2, 3]
        assert read.edge_attr.ravel().tolist() == [5, 7]
    for key in ("node_feature", "pos", "edge_atr", "weight"):
        with pytest.raises(
            InvalidGraphError,
            match=rf"Graph 1: .*unknown key '{key}'; expected .*'node_feat'",
        ) as info:
            as_graphs([graph, {**graph, key: [0, 0, 0]}])
        assert (info.value.graph, info.value.field) == (1, key)
    with pytest.raises(InvalidGraphError, match="Graph 0: x: given twice"):
        as_graphs([{**graph, "x": graph["node_feat"]}])
    chosen = {**graph, "pos": np.ones((3, 2))}
    read = as_graphs([chosen], node_attrs=["node_feat", "pos"], edge_attrs=[])
    assert fields_of(read.node_features) == [("pos", False, 2), ("x", False, 1)]
    assert not read.edge_features.n_columns
    # Rows of a parquet file come as arrays of arrays.
    nested = {
        key: np.array([*map(np.array, graph[key]), None], object)[:-1]
        for key in ("edge_index", "node_feat", "edge_attr")
    }
    read = as_graphs([{**graph, **nested}, graph])
    assert read[0].edges.tolist() == read[1].edges.tolist()
    assert read[0].edge_attr.tolist() == read[1].edge_attr.tolist()
    with pytest.raises(InvalidGraphError, match=r"edge weight: expected 4 .*\(2, 2\)"):
        as_graphs([{**graph, "edge_weight": np.ones((2, 2))}])
    # Strings beside numbers in a nested list stay what they are.
    mixed = as_graphs([{**graph, "node_feat": [["C", 0.5], ["N", 1.5], ["C", 2.5]]}])
    assert fields_of(mixed.node_features) == [("x[0]", True, 1), ("x[1]", False, 1)]


def test_43_mini_batches():
    """PyG #960; GraphDTA #10: a batch became one graph, and rows were missing."""
    items = [data(x=torch.full((3, 1), float(k))) for k in range(6)]
    batch = Batch.from_data_list(items)
    read = as_graphs(batch)
    assert [graph.x[0, 0] for graph in read] == list(range(6))
    y = np.arange(6) % 2
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    expected = model.fit(items, y).predict_proba(items)
    assert np.array_equal(model.predict_proba(batch), expected)
    assert np.array_equal(model.fit(batch, y).predict_proba(items), expected)
    by_hand = {"x": torch.ones(4, 1), "edge_index": torch.tensor([[0, 2], [1, 3]])}
    groups = torch.tensor([0, 0, 1, 1])
    for graphs, position in (
        ([batch], 0),
        ([items[0], batch], 1),
        ([Batch.from_data_list(items[:1])], 0),
        (DataLoader(items, batch_size=3), 0),
        ([items[0], Data(**by_hand, batch=groups)], 1),
        ([Data(**by_hand, ptr=torch.tensor([0, 2, 4]))], 0),
    ):
        for ask in (as_graphs, model.predict):
            with pytest.raises(
                InvalidGraphError,
                match=f"Graph {position} is a mini-batch .*to_data_list",
            ):
                ask(graphs)
    with pytest.raises(InvalidGraphError, match=r"a mini-batch .*give a list of Data"):
        as_graphs(Batch(**by_hand, batch=groups))
    # One graph may say that it is one.
    alone = Data(**by_hand, batch=torch.zeros(4, dtype=torch.long))
    assert len(as_graphs([alone])) == 1


def column_of(items):
    """An array of objects of shape (n, 1)."""
    column = np.empty((len(items), 1), object)
    column[:, 0] = items
    return column


LARGE_IDS = [2**63, 2**63 + 1, 5]


@pytest.mark.parametrize(
    "make",
    [
        lambda ids: np.array(ids, np.uint64),
        lambda ids: pd.array(np.array(ids, np.uint64)),
        lambda ids: np.array(ids, object),
        lambda ids: np.array([Decimal(v) for v in ids], object),
        lambda ids: np.array([v - 2**63 for v in ids], np.int64),
    ],
    ids=["uint64", "UInt64", "object", "Decimal", "int64"],
)
def test_44_large_ids_are_told_apart(make):
    """pandas #34356, #56367: 64-bit ids that differ were one float."""
    source = make(LARGE_IDS)
    edges = pd.DataFrame({"graph": 0, "source": source, "target": [7, 7, 7]})
    assert np.diff(graphs_from_edgelist(edges).node_ptr).tolist() == [4]
    of_graphs = pd.DataFrame({"graph": source, "source": 1, "target": 2})
    wanted = [*source[:2].tolist(), 7]
    graphs = graphs_from_edgelist(of_graphs, graph_ids=wanted)
    assert np.diff(graphs.node_ptr).tolist() == [2, 2, 0]
    nodes = pd.DataFrame({"graph": 0, "node": [*source, 7], "size": np.arange(4.0)})
    graphs = graphs_from_edgelist(edges, nodes=nodes, node_attrs=["size"])
    assert graphs[0].x[:, 0].tolist() == [0, 1, 2, 3]


def test_44_what_floats_cannot_tell_apart_is_refused():
    edges = pd.DataFrame({"graph": 0, "source": [2.0**53, 1.0], "target": [3, 4]})
    with pytest.raises(ValueError, match=r"9007199254740992\.0 is a float"):
        graphs_from_edgelist(edges)
    whole = edges.assign(source=[2.0, 4.0])
    assert np.diff(graphs_from_edgelist(whole).node_ptr).tolist() == [3]
    # Signed and unsigned features are categories still, as each is alone.
    pair = [(triangle(), np.array([1, 2, 3], t)) for t in (np.int64, np.uint64)]
    assert as_graphs(pair).node_features.widths == (0, 1)


def test_44_large_numbers_in_files(tmp_path):
    """Labels of 64 bits, and numbers of more, in text."""
    path = tmp_path / "a.csv"
    path.write_text(f"smiles,id,n\nCCO,{2**53 + 1},1\nCCN,{2**53},{2**63}\n")
    y = load_molecules_csv(path, return_X_y=True)[1]
    assert y.tolist() == [[2**53 + 1, 1], [2**53, 2**63]]
    for name, text in {
        "A": "1, 2\n2, 1\n",
        "graph_indicator": "1\n1\n",
        "graph_labels": f"{2**53 + 1}\n",
        "node_labels": f"1\n{2**40}\n",
    }.items():
        (tmp_path / f"S_{name}.txt").write_text(text)
    with pytest.raises(
        ValueError, match=f"line 2 of nodes: x: .* 32 bits, got {2**40}"
    ):
        load_tu(tmp_path)
    (tmp_path / "S_node_labels.txt").write_text(f"1\n{2**70}\n")
    with pytest.raises(ValueError, match=r"S_node_labels\.txt: "):
        load_tu(tmp_path)
    (tmp_path / "S_node_labels.txt").unlink()
    assert load_tu(tmp_path, return_X_y=True)[1].tolist() == [2**53 + 1]


def timed_graphs(offset, field="time", n_graphs=60):
    """Paths whose class is whether numbers rise by 30 or by 60 along them."""
    rng, graphs, y = np.random.default_rng(0), [], np.arange(n_graphs) % 2
    for step in (30, 60) * (n_graphs // 2):
        graph = nx.path_graph(6)
        start = offset + float(rng.integers(0, 60))
        for k, v in enumerate(graph):
            graph.nodes[v]["time"] = start + step * (k % 2)
        for k, edge in enumerate(graph.edges):
            graph.edges[edge]["time"] = start + step * (k % 2)
        if field == "edge":
            nx.set_node_attributes(graph, 0.0, "time")
        graphs.append(graph)
    return graphs, y


@pytest.mark.parametrize("field", ["node", "edge"])
def test_45_large_offsets_keep_their_digits(field, tmp_path):
    """mmdetection3d #296: time stamps and coordinates lost their differences."""
    near, y = timed_graphs(0.0, field)
    far, _ = timed_graphs(1.7e9, field)
    levels = [
        KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0)
        .fit_transform(X)
        .levels
        for X in (near, far)
    ]
    side = {"node": "x", "edge": "edge_attr"}[field]
    one, other = (getattr(level[0], side).numeric[:, 0] for level in levels)
    np.testing.assert_allclose(np.diff(other), np.diff(one), atol=1e-5)
    model = make_pipeline(
        KFCoarsener(q=np.inf, random_state=0),
        SHAKEClassifier(max_iter=40, random_state=0),
    )
    for X in (far, as_graphs(far), list(as_graphs(far))):
        model.fit(X[:40], y[:40])
        assert model.score(X[40:], y[40:]) == 1.0
    # Nothing depends on companions, however small their numbers are.
    mixed = model[0].transform([near[0], far[0]])
    for graph, place in ((near[0], 0), (far[0], 1)):
        alone = model[0].transform([graph])
        numeric = mixed.levels[0].x.numeric[6 * place : 6 * place + 6]
        assert np.array_equal(alone.levels[0].x.numeric, numeric)
    both = as_graphs([near[0], far[0]])
    assert both.fingerprints[0] == as_graphs(near[:1]).fingerprints[0]
    skshake.save(model[0], tmp_path / "file")
    again = skshake.load(tmp_path / "file").transform(far)
    assert again.signature == model[0].transform(far).signature
    assert np.array_equal(
        again.levels[0].x.numeric, model[0].transform(far).levels[0].x.numeric
    )


def test_45_digits_that_are_lost_are_said():
    for values, message in (
        (np.array([1.0, 1.0 + 1e-9, 1.0]), "Graph 1: x holds different numbers"),
        (np.array([2**60, 2**60 + 1, 0]), "Graph 1: x holds different integers"),
    ):
        pair = [(triangle(), values[[0, 0, 0]]), (triangle(), values)]
        with pytest.warns(UserWarning, match=message):
            as_graphs(pair, categorical_features=False)


def test_45_numbers_of_too_large_a_range():
    """mmdetection3d #296: what float32 cannot hold beside a mean is said."""
    stamps = 1.7e12 + np.array([0.0, 300.0, 600.0, -2e10, 300.0 - 2e10, 600.0 - 2e10])
    graph = (np.ones((6, 6)) - np.eye(6), stamps[:, None])
    with pytest.warns(UserWarning, match="x: different numbers are one in float32"):
        KFCoarsener(q=1.0).fit([graph] * 2)
    close = (graph[0], 60_000 + np.arange(6)[:, None] / 1_000)
    with pytest.warns(UserWarning, match="Graph 0: x holds different numbers"):
        as_graphs([close])
    # What rounding alone made differ is no loss, nor is a column of many numbers.
    noise = (graph[0], np.array([[0.1 + 0.2], [0.3]] * 3))
    many = (np.eye(500), np.linspace(0, 1, 500)[:, None] ** 3)
    as_graphs([noise, many])


def test_46_numbers_taken_for_categories():
    """LightGBM #227: integer amounts were learnt by heart, without a word."""
    rng, (graphs, y) = np.random.default_rng(0), rings(40)
    for graph in graphs:
        amounts = rng.integers(20_000, size=len(graph)).tolist()
        nx.set_node_attributes(graph, dict(enumerate(amounts)), "amount")
        nx.set_edge_attributes(graph, int(rng.integers(2)), "kind")
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    with pytest.warns(
        CategoryWarning, match=r"^amount: 120 rows hold 1\d\d categories"
    ):
        model.fit(graphs[:20], y[:20])
    # Fewer categories than rows, but each of them rare.
    some = [(np.ones((20, 20)), rng.integers(1_000, size=20)) for _ in range(40)]
    with pytest.warns(CategoryWarning, match="^x: 800 rows hold"):
        KFCoarsener(q=1.0, random_state=0).fit(some)
    with pytest.warns(CategoryWarning, match=r"^amount: \d+% of the values .*fit has"):
        model.predict(graphs[20:])
    # Taking the advice of the warning, by the estimator or before.
    match = r"categorical_features=\['kind'\] says so"
    with pytest.warns(CategoryWarning, match=match):
        KFCoarsener(q=1.0, random_state=0).fit(graphs)
    advised = KFCoarsener(q=1.0, categorical_features=["kind"], random_state=0)
    advised.fit(graphs[:20]).transform(graphs[20:])
    numbers = as_graphs(graphs, categorical_features=["kind"])
    model.fit(numbers[:20], y[:20]).predict(numbers[20:])
    texts = [nx.relabel_nodes(graph, str) for graph in graphs]
    for k, graph in enumerate(texts):
        nx.set_node_attributes(graph, {v: f"id {k}-{v}" for v in graph}, "amount")
    with pytest.warns(CategoryWarning, match="leave identifiers out"):
        KFCoarsener(q=1.0, random_state=0).fit(texts)


@pytest.mark.parametrize("estimator", [KFCoarsener(q=1.0), SubtreeVectorizer()])
def test_46_integers_that_are_spread_as_numbers(estimator, global_random_seed):
    """LightGBM #227, once more: ages come again, and are numbers all the same."""
    rng = np.random.default_rng(global_random_seed)
    ring = np.eye(20, k=1) + np.eye(20, k=-1)
    ages = rng.normal(45, 15, (100, 20)).clip(0, 100).astype(int)
    graphs = [(ring, each) for each in ages]
    match = r"^x: 2000 rows hold \d+ integers .*categorical_features=False says so"
    with pytest.warns(CategoryWarning, match=match):
        estimator.fit(graphs)
    for rule in (False, True):
        clone(estimator).set_params(categorical_features=rule).fit(graphs)
    # The degree is a category too, but none of the user's attributes.
    on_edges = [(ring, None, each[1:]) for each in ages]
    with pytest.warns(CategoryWarning, match="categorical_features=False says so"):
        estimator.fit(on_edges)


def test_46_categories_do_not_warn(mutag):
    graphs, _ = mutag
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0)
    for some in (graphs[:5], graphs):
        coarsener.fit(some).transform(graphs)
    # Degrees are categories of ours.
    coarsener.fit([nx.star_graph(n) for n in range(3, 60)])


def test_47_edge_features_beside_sparse_matrices():
    """spektral #258: features landed on other edges unless given in CSR order."""
    ends = np.array([[2, 0, 1, 3, 2, 1, 0, 3], [1, 3, 2, 2, 3, 0, 1, 0]])
    value = {
        frozenset(pair): 10.0 * k
        for k, pair in enumerate([(0, 1), (1, 2), (2, 3), (0, 3)])
    }
    rows = np.array([[value[frozenset(pair)]] for pair in ends.T.tolist()])
    weights = np.ones(8)
    given = as_graphs([{"edge_index": ends, "num_nodes": 4, "edge_feat": rows}])[0]
    coo = sparse.coo_array((weights, ends), (4, 4))
    upper = ends[0] < ends[1]
    unsorted = sparse.csr_array(
        (weights, [3, 1, 0, 2, 3, 1, 2, 0], [0, 2, 4, 6, 8]), (4, 4)
    )
    of_unsorted = [
        [value[frozenset((k // 2, j))]] for k, j in enumerate(unsorted.indices.tolist())
    ]
    order = np.lexsort(ends[::-1])
    one_way = sparse.coo_array((weights[upper], ends[:, upper]), (4, 4))
    for adjacency, edge_attr in (
        (coo, rows),
        (sparse.coo_matrix(coo), rows),
        (coo, rows[upper]),
        (one_way, rows[upper]),
        (coo.tocsr(), rows[order]),
        (coo.toarray(), rows[order]),
        (coo.tocsr(), rows[order][(ends[0] < ends[1])[order]]),
        (unsorted, np.array(of_unsorted)),
    ):
        read = as_graphs([(adjacency, None, edge_attr)])[0]
        assert read.edges.tolist() == given.edges.tolist()
        assert read.edge_attr.tolist() == given.edge_attr.tolist()
        assert read.edge_weight.tolist() == given.edge_weight.tolist()
    for form in ("csc", "lil", "dok", "bsr", "dia"):
        adjacency = coo.tocsr().asformat(form)
        for edge_attr in (rows, rows[upper]):
            with pytest.raises(
                InvalidGraphError, match=f"edge_attr: .* format '{form}'"
            ):
                as_graphs([(adjacency, None, edge_attr)])
        # Without edge features nothing hangs on the order.
        assert as_graphs([adjacency]).edges.tolist() == given.edges.tolist()
    # Blocks hold zeros that are no edges, and stay as they are.
    blocks = coo.tocsr().tobsr((2, 2))
    n_stored = blocks.data.size
    assert n_stored > 8
    assert as_graphs([blocks]).edges.tolist() == given.edges.tolist()
    assert blocks.data.size == n_stored
    # Repeats of one direction: features are averaged, weights add up.
    repeated = sparse.coo_array(([1.0, 1, 2], ([0, 0, 1], [1, 1, 0])), (2, 2))
    read = as_graphs([(repeated, None, np.array([1.0, 3.0, 6.0]))])[0]
    assert (read.edge_attr.tolist(), read.edge_weight.tolist()) == ([[4]], [2])
    # A stored zero is an edge without a weight, not the absence of an edge.
    zero = sparse.coo_array(([1.0, 0], ([0, 1], [1, 0])), (2, 2))
    with pytest.raises(InvalidGraphError, match=r"Graph 0: edge weight 0.0"):
        as_graphs([(zero, None, np.ones(2))])
    asymmetric = np.array([[0, 1.0, 1], [2, 0, 0], [0, 0, 0]])
    with pytest.raises(InvalidGraphError, match=r"edge_attr: .*symmetric"):
        as_graphs([(asymmetric, None, np.ones(2))])
    read = as_graphs([(asymmetric, None, np.array([1.0, 2.0, 5.0]))])[0]
    assert read.edge_attr.ravel().tolist() == [3, 2]


def test_48_point_clouds():
    """PyG #1065: positions and atomic numbers were not read, without a word."""
    clouds = [
        data(pos=torch.rand(3, 3), z=torch.tensor([8, 1, 1]), y=torch.rand(1))
        for _ in range(3)
    ]
    with pytest.warns(
        UserWarning, match=r"not read: 'pos', 'z' .*node_attrs"
    ) as caught:
        assert not as_graphs(clouds).node_features.n_columns
    assert len(caught) == 1
    read = as_graphs(clouds, node_attrs=["pos", "z"])
    assert fields_of(read.node_features) == [("pos", False, 3), ("z", True, 1)]
    assert np.array_equal(read[1].node_features.numeric, clouds[1].pos.numpy())
    assert not as_graphs(clouds, node_attrs=[]).node_features.n_columns
    # Nodes without edges are counted by what is there.
    lone = Data(z=torch.tensor([1, 6, 8, 8]), edge_index=torch.tensor([[0], [1]]))
    assert as_graphs([lone], node_attrs=["z"]).n_nodes == 4
    typed = data(x=torch.ones(3, 1), edge_type=torch.tensor([0, 0, 1, 1]))
    with pytest.warns(UserWarning, match="'edge_type' may be features of edges"):
        as_graphs([typed])
    read = as_graphs([typed], edge_attrs=["edge_type"])
    assert fields_of(read.edge_features) == [("edge_type", True, 1)]
    assert fields_of(read.node_features) == [("x", False, 1)]
    for names, message in (
        ({"node_attrs": ["poss"]}, "Graph 0 has no node attribute 'poss'"),
        ({"edge_attrs": ["bond"]}, "Graph 0 has no edge attribute 'bond'"),
        ({"node_attrs": ["q"], "defaults": {"q": 0.0}}, None),
    ):
        if message:
            with pytest.raises(InvalidGraphError, match=message):
                as_graphs(clouds, **names)
    with pytest.raises(InvalidGraphError, match="no graph has an attribute 'q'"):
        as_graphs(clouds, node_attrs=["z", "q"], defaults={"q": 0.0})
    for field in ("edge_attr", "edge_weight"):
        with pytest.raises(InvalidGraphError, match=f"edge_index: .*as {field} has 4"):
            as_graphs([Data(x=torch.ones(3, 1), **{field: torch.ones(4)})])
    # Labels, masks and what belongs to the graph as a whole are no features.
    quiet = data(
        x=torch.ones(3, 1),
        y=torch.ones(3),
        train_mask=torch.ones(3).bool(),
        name="path",
        u=torch.ones(1, 5),
        smiles="CCC",
    )
    assert as_graphs([quiet]).node_features.widths == (1, 0)
    # The same names pick from every kind of graph.
    other = nx.path_graph(3)
    nx.set_node_attributes(other, 1, "z")
    tables = (triangle(), pd.DataFrame({"z": [1, 2, 3], "w": [1.0, 1.0, 1.0]}))
    dictionary = {"edge_index": ENDS, "num_nodes": 3, "z": [1, 2, 3]}
    read = as_graphs([clouds[0], other, tables, dictionary], node_attrs=["z"])
    assert fields_of(read.node_features) == [("z", True, 1)]
    chosen = as_graphs(as_graphs(clouds, node_attrs=["pos", "z"]), node_attrs=["pos"])
    assert fields_of(chosen.node_features) == [("pos", False, 3)]
    for graphs in ([(triangle(), np.ones(3))], chosen, list(chosen)):
        with pytest.raises(
            InvalidGraphError, match="Graph 0 has no node attribute 'v'"
        ):
            as_graphs(graphs, node_attrs=["v"])


def test_49_features_of_zero_width():
    """PyG #5845: cannot reshape an array of size 0."""
    none = as_graphs([triangle()] * 2)
    path = {"edge_index": ENDS, "num_nodes": 3}
    for graphs in (
        [(triangle(), np.empty((3, 0))), triangle()],
        [(triangle(), np.empty((3, 0)), np.empty((3, 0))), (triangle(), None)],
        [data(x=torch.empty(3, 0), edge_attr=torch.empty(4, 0)), data(num_nodes=3)],
        [{**path, "node_feat": [[], [], []]}, {**path, "edge_feat": np.empty((4, 0))}],
        [(triangle(), pd.DataFrame(index=range(3))), (triangle(), np.zeros(3, []))],
        from_edges(
            [[0, 1]] * 2, [1, 1], [3, 3], x=np.empty((6, 0)), edge_attr=np.empty((2, 0))
        ),
    ):
        read = as_graphs(graphs)
        assert len(read) == len(none)
        assert (read.node_features.widths, read.edge_features.widths) == (
            (0, 0),
            (0, 0),
        )
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    graphs = [data(x=torch.empty(3, 0)), (triangle(), np.empty((3, 0)))] * 4
    assert len(model.fit(graphs, [0, 1] * 4).predict(graphs)) == 8
    with pytest.raises(InvalidGraphError, match="Graph 0 has no x, but graph 1 has"):
        as_graphs([(triangle(), np.empty((3, 0))), (triangle(), np.ones((3, 2)))])
    with pytest.raises(InvalidGraphError, match=r"x: expected shape \(3, n_feat"):
        as_graphs([(triangle(), np.empty((4, 0)))])


@pytest.mark.filterwarnings("ignore:.*(quantized|Sparse|ComplexHalf|PyTorch|nested)")
def test_50_types_of_tensors():
    """pytorch #110285; PyG #5053: raw errors of torch for bfloat16 and sparse."""
    values = torch.tensor([[1.0, 0.5], [2.0, -4.0], [0.0, 8.0]])
    tensors = {
        "bfloat16": values.bfloat16(),
        "half": values.half(),
        "float8": values.to(torch.float8_e5m2),
        "gradient": values.clone().requires_grad_(),
        "negated view": torch.complex(values, -values).conj().imag,
        "transposed": values.T.contiguous().T,
        "double": values.double(),
        "quantized": torch.quantize_per_tensor(values, 0.5, 8, torch.quint8),
    }
    for name, x in tensors.items():
        for graphs in ([data(x=x)], [data(x=values), data(x=x)]):
            assert np.array_equal(as_graphs(graphs)[-1].x, values.numpy())
        # Not every torch takes rows of eight bits.
        rows = (values if name == "float8" else x)[[0, 0, 1, 1]].to(x.dtype)
        weighted = data(num_nodes=3, edge_weight=rows[:, 0], edge_attr=rows)
        graph = as_graphs([weighted])[0]
        assert graph.edge_weight.tolist() == [1.0, 2.0]
        assert graph.edge_attr.tolist() == values[:2].tolist()
        for given in (x, list(x)):
            read = as_graphs([(triangle(), given)])[0]
            assert np.array_equal(read.x, values.numpy())
    refused = {
        "use to_dense": values.to_sparse(),
        "layout torch.sparse_csr": values.to_sparse_csr(),
        "meta": values.to("meta"),
        "complex64": values.to(torch.complex64),
        "complex32": values.to(torch.complex32),
    }
    good = {"x": values, "edge_attr": torch.ones(4, 1), "edge_weight": torch.ones(4)}
    ragged = torch.nested.nested_tensor([values[0], values[1, :1]])
    with pytest.raises(InvalidGraphError, match="Graph 0: x: "):
        as_graphs([{"edge_index": ENDS, "num_nodes": 3, "x": ragged}])
    for message, tensor in refused.items():
        for field in ("x", "edge_attr", "edge_weight", "edge_index"):
            graph = data(**good)
            graph[field] = (
                torch.ones(good[field].shape).to(tensor.dtype)
                if field in good
                else torch.ones(2, 4)
            )
            graph[field] = (
                graph[field].to_sparse()
                if tensor.layout == torch.sparse_coo
                else graph[field].to_sparse_csr()
                if tensor.layout == torch.sparse_csr and graph[field].ndim == 2
                else graph[field].to(tensor.device, tensor.dtype)
            )
            if field == "edge_weight" and tensor.layout == torch.sparse_csr:
                continue
            with pytest.raises(
                InvalidGraphError,
                match=f"Graph 1: {field.replace('_w', '.w')}.*{message}",
            ):
                as_graphs([data(**good), graph])
    for bad, message in (
        (torch.tensor(ENDS).bfloat16(), "expected integers, got dtype float32"),
        (torch.tensor(ENDS).bool(), "expected integers, got dtype bool"),
        (np.array(ENDS, np.uint64) + np.uint64(2**63), "numbers of nodes, got 9223"),
    ):
        with pytest.raises(
            InvalidGraphError, match=f"Graph 0: edge_index: .*{message}"
        ):
            as_graphs([{"edge_index": bad, "num_nodes": 3}])
    # Integers of 64 bits, signed and not, have no common type but floats.
    codes = [(triangle(), np.array([1, 2, 3], kind)) for kind in ("i8", "u8")]
    assert as_graphs(codes).node_features.widths == (0, 1)


def test_51_heterogeneous_graphs(monkeypatch):
    """gli #267: NotImplementedError with an empty message."""
    hetero = HeteroData()
    hetero["a"].x, hetero["b"].x = torch.ones(2, 1), torch.ones(3, 1)
    hetero["a", "to", "b"].edge_index = torch.tensor([[0, 1], [0, 2]])
    events = TemporalData(
        src=torch.tensor([0]), dst=torch.tensor([1]), t=torch.tensor([3])
    )
    hyper = HyperGraphData(
        x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1], [0, 0]])
    )
    batch = Batch.from_data_list([hetero, hetero])
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    model.fit([data(x=torch.ones(3, 1))] * 4, [0, 1] * 2)
    asked = (
        as_graphs,
        model.predict,
        KFCoarsener().fit,
        lambda graphs: classifier().fit(graphs, [0, 1]),
    )
    for ask in asked:
        for graphs in (hetero, [hetero], [hetero, hetero], batch, [batch]):
            with pytest.raises(InvalidGraphError, match=r"to_homogeneous\(\)"):
                ask(graphs)
        for graphs in (events, [events]):
            with pytest.raises(InvalidGraphError, match=r"TemporalData.*edge_index"):
                ask(graphs)
        for graphs in (hyper, [hyper]):
            with pytest.raises(InvalidGraphError, match="HyperGraphData"):
                ask(graphs)
    read = as_graphs(
        [hetero.to_homogeneous()],
        node_attrs=["x", "node_type"],
        edge_attrs=["edge_type"],
    )
    assert read.n_nodes == 5
    assert fields_of(read.node_features) == [("node_type", True, 1), ("x", False, 1)]
    # Graphs of dgl are no kind that is read; the way to one is said.
    monkeypatch.setitem(sys.modules, "dgl", types.SimpleNamespace(DGLGraph=Path))
    with pytest.raises(
        InvalidGraphError, match=r"Graph 0 is of type .*from_dgl.*unbatch"
    ):
        as_graphs([Path()])


def test_52_molecules_that_were_not_sanitised():
    """rdkit #1596: a dump of C++, and on_invalid did not help."""
    smiles = ["CCO", "c1ccccc1C(=O)[O-]", "C[N+](C)(C)C"]
    raw = [Chem.MolFromSmiles(text, sanitize=False) for text in smiles]
    before = [molecule.ToBinary() for molecule in raw]
    expected = MoleculeFeaturizer().transform(smiles)
    for _ in range(2):
        for read in (MoleculeFeaturizer().transform, as_graphs):
            found = read(raw)
            for side in ("node_features", "edge_features"):
                codes = [
                    getattr(graphs, side).categories for graphs in (expected, found)
                ]
                assert np.array_equal(*codes)
        assert [molecule.ToBinary() for molecule in raw] == before
        # The same with valences known and nothing else.
        for molecule in raw:
            molecule.UpdatePropertyCache(strict=False)
        before = [molecule.ToBinary() for molecule in raw]
    pattern = Chem.MolFromSmarts("[C,N]CO")
    open_ring = Chem.MolFromSmiles("c1cccc1", sanitize=False)
    for bad, reason in ((pattern, "query"), (open_ring, "cannot be sanitised")):
        with pytest.raises(ValueError, match=f"Graph 1: .*{reason}"):
            as_graphs([raw[0], bad])
        with pytest.warns(UserWarning, match="1 of 2 molecules are invalid"):
            graphs = MoleculeFeaturizer(on_invalid="empty").transform([raw[0], bad])
        assert np.diff(graphs.node_ptr).tolist() == [3, 0]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, "", " "], ids=str)
def test_53_missing_smiles(missing):
    """autogluon PR #5845: "boolean value of NA is ambiguous"."""
    column = ["CCO", missing, np.str_("CCN"), b"CO"]
    with pytest.raises(ValueError, match="Graph 1: expected a SMILES, got"):
        MoleculeFeaturizer().transform(column)
    with pytest.warns(UserWarning, match="1 of 4 molecules are invalid .*: 1 "):
        graphs = MoleculeFeaturizer(on_invalid="empty").transform(column)
    assert np.diff(graphs.node_ptr).tolist() == [3, 0, 3, 2]


class PolarsFrame:
    """What of a data frame of polars is used: names of columns, and series of them."""

    def __init__(self, columns):
        self.columns, self._columns = list(columns), columns
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def __getitem__(self, name):
        class Series:
            to_list = staticmethod(lambda: list(self._columns[name]))
            to_numpy = staticmethod(lambda: np.asarray(self._columns[name]))

        return Series()


def test_54_one_column_of_graphs():
    """nilearn #6335: tables failed in terms of their columns' names."""
    graphs, y = rings()
    expected = classifier().fit(graphs, y).predict_proba(graphs)
    for X in (
        column_of(graphs),
        pd.DataFrame({"graph": graphs}, index=np.arange(20)[::-1]),
        pd.Series(graphs, index=np.arange(20)[::-1]),
        {"graph": graphs},
        PolarsFrame({"graph": graphs}),
    ):
        assert np.array_equal(classifier().fit(X, y).predict_proba(X), expected)
        hierarchies = KFCoarsener(q=1.0, random_state=0).fit_transform(X)
        as_column = column_of(list(hierarchies))
        again = classifier().fit(as_column, y).predict(as_column)
        assert np.array_equal(
            again, classifier().fit(hierarchies, y).predict(hierarchies)
        )
    for X in (PolarsFrame({"s": ["CCO"]}), {"s": ["CCO"]}, np.array([["CCO"]])):
        assert len(MoleculeFeaturizer().transform(X)) == 1
    for X, came in (
        (pd.DataFrame(np.zeros((3, 2)), columns=["a", "b"]), r"DataFrame.*'a', 'b'"),
        (pd.DataFrame({"edge_index": [1], "x": [2]}), r"DataFrame.*'edge_index', 'x'"),
        ({"a": graphs, "b": graphs}, r"dictionary.*'a', 'b'"),
        (np.empty((3, 2), object), r"shape \(3, 2\)"),
    ):
        for use in (
            as_graphs,
            KFCoarsener(q=1.0).fit,
            lambda X: classifier().fit(X, y),
        ):
            with pytest.raises(
                ValueError,
                match=f"expected a list of graphs, or one column of them.*{came}",
            ):
                use(X)
    with pytest.raises(TypeError, match="Graph 0 is of type str"):
        as_graphs(pd.DataFrame({"element": ["C", "N"]}))


def test_55_integers_from_databases():
    """Objects beside int64: "expected either text or numbers, got both"."""
    edges = pd.DataFrame(
        {
            "graph": np.array([1, 1], object),
            "source": np.array([10, 11], object),
            "target": np.array([11, 12]),
            "amount": np.array([Decimal("1.5"), Decimal(2)], object),
        }
    )
    graphs = graphs_from_edgelist(edges, weight="amount", edge_attrs=["amount"])
    assert graphs[0].edge_attr.tolist() == [[1.5], [2.0]]
    with pytest.raises(TypeError, match="either text or numbers, got numbers and text"):
        graphs_from_edgelist(edges.assign(target=["a", "b"]))


def test_55_messages_advise_what_helps(tmp_path):
    edges = pd.DataFrame({"graph": [1], "source": [1], "target": [2], "amount": [1]})
    graph = nx.path_graph(3)
    for call in (
        lambda: graphs_from_edgelist(edges, edge_attrs="amount"),
        lambda: as_graphs([graph], edge_attrs="amount"),
        lambda: as_graphs([graph], node_attrs="amount"),
    ):
        with pytest.raises(TypeError, match=r"got 'amount'; give \['amount'\]"):
            call()
    with pytest.raises(TypeError, match="graph_ids: expected a list of ids"):
        graphs_from_edgelist(edges, graph_ids="1")
    with pytest.raises(TypeError, match="defaults: expected a dictionary"):
        as_graphs([graph], defaults="amount")
    with pytest.raises(ValueError, match="categorical_features: expected"):
        graphs_from_edgelist(edges, categorical_features="amount")
    graph.edges[0, 1]["weight"] = 2.0
    with pytest.raises(
        ValueError, match=r"edge \(1, 2\).*weight=None, edge_attrs=\[\]"
    ):
        as_graphs([graph])
    assert as_graphs([graph], weight=None, edge_attrs=[]).edge_weight is None
    (tmp_path / "a.csv").write_text("smiles,label\nCCO,yes\n")
    with pytest.raises(ValueError, match="a numeric column of labels beside 'smiles'"):
        load_molecules_csv(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"expected columns \['SMILES'\], got"):
        load_molecules_csv(tmp_path / "a.csv", target="label", smiles_column="SMILES")


# What others may have set when our code is called: torch's state per thread and for the
# process, and numpy's.
STATES = {
    "float64": lambda: changed(torch.set_default_dtype, torch.float64, torch.float32),
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "device": lambda: torch.device("meta"),
    "default_device": lambda: changed(torch.set_default_device, "meta", None),
    "precision": lambda: changed(
        torch.set_float32_matmul_precision, "medium", "highest"
    ),
    "precision of a backend": lambda: changed(set_precision, "tf32", "ieee"),
    "anomaly": lambda: torch.autograd.set_detect_anomaly(True),
    "deterministic": lambda: changed(torch.use_deterministic_algorithms, True, False),
    "no_hooks": lambda: torch.autograd.graph.disable_saved_tensors_hooks("none here"),
    "numpy": lambda: np.errstate(all="raise"),
}


def set_precision(value):
    """Torch's other way to say how exact products are, which it does not mix."""
    if hasattr(torch.backends.cuda.matmul, "fp32_precision"):
        torch.backends.cuda.matmul.fp32_precision = value


@contextmanager
def changed(change, value, before):
    """A setting of the process, inside."""
    change(value)
    try:
        yield
    finally:
        change(before)


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
@pytest.mark.parametrize("state", STATES)
def test_56_57_state_that_others_set(state, tmp_path):
    """mixle PR #509; captum PR #324: other results, or none, under others' settings."""
    graphs, y = rings(12)
    for graph in graphs:
        nx.set_node_attributes(graph, {v: v / 7 for v in graph}, "x")

    def use():
        results = []
        for options in ({}, {"conv": "gcn", "dropout": 0.5}, {"precision": "bf16"}):
            model = make_pipeline(KFCoarsener(random_state=0), classifier(**options))
            hierarchies = model.fit(graphs, y)[0].transform(graphs)
            skshake.save(model[-1], tmp_path / "model")
            loaded = skshake.load(tmp_path / "model")
            results += [
                model.predict_proba(graphs),
                np.concatenate(model[-1].explain(hierarchies)),
                model[-1].embed(hierarchies),
                loaded.predict_proba(hierarchies),
            ]
        return results

    expected = use()
    with STATES[state]():
        found = use()
        if state == "float64":
            assert torch.get_default_dtype() == torch.float64
        if state == "no_grad":
            assert not torch.is_grad_enabled()
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_58_fork_and_fit():
    """pytorch #17199: a child waited without end for threads that it does not have."""
    code = """if True:
        import os, warnings
        warnings.simplefilter("ignore")
        import networkx as nx, numpy as np, torch
        from skshake import SHAKEClassifier
        torch.set_num_threads(2)
        torch.ones(2000, 2000) @ torch.ones(2000, 2000)
        torch.rand(10**6).sort()
        graphs = [nx.cycle_graph(50), nx.path_graph(50)] * 20
        child = os.fork()
        for conv in ("gcn", "gine") if child == 0 else ():
            model = SHAKEClassifier(conv=conv, max_iter=2, random_state=0)
            model.fit(graphs, np.arange(40) % 2).predict(graphs)
        if child == 0:
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run_python(code).strip() == "7"


def test_59_no_folder_can_be_written(tmp_path):
    """numba #4032, #4908: the import failed in containers, under systemd, in Lambda."""
    package = tmp_path / "skshake"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(skshake.__file__).parent, package, ignore=ignored)
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        # Not even the superuser can make a folder where a file is.
        (folder / "__pycache__").write_text("")
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    code = (
        "import numpy as np, skshake; print(skshake.__file__);"
        "print(skshake.sample_forests([np.ones((3, 3))], 1.0, random_state=0).block)"
    )
    expected = sample_forests([np.ones((3, 3))], 1.0, random_state=0).block
    environment = {
        "PYTHONPATH": str(tmp_path),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": "",
        "HOME": str(nowhere),
        "XDG_CACHE_HOME": str(nowhere),
        "LOCALAPPDATA": str(nowhere),
    }
    out = run_python(code, **environment)
    assert out.splitlines() == [str(package / "__init__.py"), str(expected)]
    environment["NUMBA_CACHE_DIR"] = str(nowhere)
    assert run_python(code, **environment) == out


def test_60_a_word_while_kernels_are_compiled(tmp_path):
    """ranx #64: silent for a minute, in every fresh container."""
    code = "import numpy as np, skshake; skshake.as_graphs([np.ones((3, 3))])"
    words = [
        run_process(sys.executable, "-c", code, NUMBA_CACHE_DIR=str(tmp_path)).stderr
        for _ in range(2)
    ]
    assert words == ["compiling kernels, once per installation\n", ""]


def test_61_without_a_compiler():
    """numba #8812: "intrinsic _add_one is not usable"; no debugger, no coverage."""
    code = """if True:
        import json, warnings
        import networkx as nx, numpy as np
        from skshake import KFCoarsener, SHAKEClassifier, sample_forests
        warnings.filterwarnings("ignore", "one class is predicted|coarsening keeps")
        warnings.filterwarnings("ignore", ".*torch.jit.script")
        graphs = [nx.cycle_graph(6), nx.path_graph(7)] * 4
        for k, graph in enumerate(graphs):
            nx.set_node_attributes(graph, {v: v / 7 for v in graph}, "x")
            nx.set_edge_attributes(graph, 1.0 + k / 4, "weight")
        hierarchies = KFCoarsener(random_state=0).fit_transform(graphs)
        model = SHAKEClassifier(
            hidden_dim=4, n_layers=1, max_iter=2, dropout=0.25, random_state=0
        ).fit(hierarchies, [0, 1] * 4)
        blocks = [level.block.tolist() for f in hierarchies.forests for level in f]
        forests = sample_forests(graphs, [1e-4, 1.0], random_state=0)
        output = model.decision_function(hierarchies).tolist()
        print(json.dumps([blocks, forests.block.tolist(), output]))
    """
    # Arithmetic without a compiler has other orders and fused operations.
    plain, compiled = (
        json.loads(run_python(code, NUMBA_DISABLE_JIT=switch)) for switch in "10"
    )
    assert plain[:2] == compiled[:2]
    assert np.allclose(plain[2], compiled[2], rtol=1e-3, atol=1e-4)


@pytest.fixture
def ctrl_c():
    """Function that does what Ctrl-C does, also where a shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def interrupt_in_epoch(monkeypatch, ctrl_c, n_epochs):
    """Have a user press Ctrl-C after so many epochs."""
    run_epoch = Training.run_epoch

    def interrupted(self):
        if len(self.history) == n_epochs:
            ctrl_c()
        return run_epoch(self)

    monkeypatch.setattr(Training, "run_epoch", interrupted)


def searches():
    """What calls many fits, each as a function of a model, graphs and labels."""

    def study(model, graphs, y):
        def objective(trial):
            return clone(model).fit(graphs, y).score(graphs, y)

        optuna.logging.disable_default_handler()
        optuna.create_study().optimize(objective, n_trials=3)

    grid = {"shakeclassifier__n_layers": [1, 2]}
    return {
        "cross_val_score": lambda *a: cross_val_score(*a, cv=2),
        "GridSearchCV": lambda model, *a: GridSearchCV(model, grid, cv=2).fit(*a),
        "CalibratedClassifierCV": lambda model, *a: CalibratedClassifierCV(
            model, cv=2
        ).fit(*a),
        "optuna": study,
    }


@pytest.mark.parametrize("search", searches())
def test_62_interrupted_search(search, monkeypatch, ctrl_c):
    """skore PR #2462: a fit was cut and scored like the others; the search went on."""
    graphs, y = rings(20)
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier(max_iter=5))
    interrupt_in_epoch(monkeypatch, ctrl_c, 2)
    with pytest.raises(KeyboardInterrupt):
        searches()[search](model, graphs, y)


@pytest.mark.parametrize("estimator", [SHAKEClassifier, SHAKERegressor])
def test_62_interrupted_fit(estimator, monkeypatch, ctrl_c):
    """skore PR #2462: a fit that nothing else called keeps its best weights."""
    graphs, y = rings(20)
    settings = {**SETTINGS, "max_iter": 5}
    interrupt_in_epoch(monkeypatch, ctrl_c, 2)
    alone = estimator(**settings)
    in_pipeline = make_pipeline(
        KFCoarsener(q=1.0, random_state=0), estimator(**settings)
    )
    for model, last in ((alone, alone), (in_pipeline, in_pipeline[-1])):
        with pytest.warns(ConvergenceWarning, match="interrupted in epoch 3"):
            model.fit(graphs, y)
        assert last.n_iter_ == 2
        assert len(model.predict(graphs)) == len(graphs)
    interrupt_in_epoch(monkeypatch, ctrl_c, 0)
    with pytest.raises(KeyboardInterrupt):
        estimator(**settings).fit(graphs, y)


def test_62_interrupted_twice(monkeypatch, ctrl_c):
    """skore PR #2462: a second Ctrl-C stops the fit, which is then as it was before."""
    graphs, y = rings(20)
    interrupt_in_epoch(monkeypatch, ctrl_c, 2)

    monkeypatch.setattr(SHAKENetwork, "learn_baseline", lambda *_: ctrl_c())
    model = classifier(max_iter=5)
    with (
        pytest.warns(ConvergenceWarning, match="interrupted in epoch 3"),
        pytest.raises(KeyboardInterrupt),
    ):
        model.fit(graphs, y)
    assert not hasattr(model, "module_")


def test_63_targets_that_are_partly_known():
    """scikit-learn #29514: fit took NaN, score raised, a grid chose at random."""
    graphs, y = rings(24)
    rng = np.random.default_rng(0)
    targets = np.column_stack([y * 1.0, rng.normal(size=24)])
    targets[::5, 0] = targets[1::4, 1] = np.nan
    model = SHAKERegressor(**SETTINGS).fit(graphs, targets)
    found, weights = model.predict(graphs), rng.uniform(size=24)
    for weight in (None, weights):
        scores = []
        for true, column in zip(targets.T, found.T, strict=True):
            is_known = ~np.isnan(true)
            of_known = None if weight is None else weight[is_known]
            scores.append(
                r2_score(true[is_known], column[is_known], sample_weight=of_known)
            )
        score = model.score(graphs, targets, sample_weight=weight)
        assert score == pytest.approx(np.mean(scores))
    grid = GridSearchCV(model, {"max_iter": [1, 2]}, cv=3, error_score="raise")
    assert np.isfinite(grid.fit(graphs, targets).cv_results_["mean_test_score"]).all()
    labels = np.where(np.isnan(targets), np.nan, targets > 0)
    labels[0] = [0, 1]
    folds = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(
        classifier(), graphs, labels, cv=folds, error_score="raise"
    )
    assert np.isfinite(scores).all()


def test_64_names_in_pipelines():
    """scikit-learn #26460: names of the output could not be had."""
    graphs, y = rings()
    names = [f"shakeclassifier{k}" for k in range(8)]
    model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
    frame = model.set_output(transform="pandas").fit(graphs, y).transform(graphs)
    assert list(frame.columns) == names
    assert model.get_feature_names_out().tolist() == names
    table = pd.DataFrame({"graph": graphs, "age": np.arange(20.0)})
    both = ColumnTransformer(
        [("e", clone(model), ["graph"]), ("a", "passthrough", ["age"])]
    )
    both.set_output(transform="pandas").fit(table, y)
    expected = [*(f"e__{name}" for name in names), "a__age"]
    assert both.get_feature_names_out().tolist() == expected
    union = FeatureUnion([("one", clone(model)), ("two", clone(model))])
    union.set_output(transform="pandas").fit(graphs, y)
    assert len(union.transform(graphs).columns) == 16
    with config_context(transform_output="pandas"):
        model = make_pipeline(KFCoarsener(q=1.0, random_state=0), classifier())
        assert list(model.fit(graphs, y).transform(graphs).columns) == names
        assert isinstance(model[0].transform(graphs), HierarchyCollection)
        assert isinstance(MoleculeFeaturizer().fit_transform(["CCO"]), GraphCollection)


def test_65_ensembles_that_want_two_dimensions():
    """scikit-learn #17333: Bagging and others refuse lists of graphs."""
    graphs, y = rings()
    X = column_of(graphs)
    for model in (classifier(), make_pipeline(KFCoarsener(q=1.0), classifier())):
        bagging = BaggingClassifier(model, n_estimators=2, random_state=0).fit(X, y)
        assert bagging.predict_proba(X).shape == (20, 2)
        model.fit(X, y)
        found = permutation_importance(model, X, y, n_repeats=2, random_state=0)
        assert found.importances.shape == (1, 2)
    boosting = AdaBoostClassifier(classifier(), n_estimators=2, random_state=0)
    assert boosting.fit(X, y).predict(X).shape == (20,)


def test_66_number_of_features():
    """MAPIE 1.6 tries fitted estimators on zeros of shape (1, n_features_in_)."""
    graphs, y = rings(12)
    for k, graph in enumerate(graphs):
        nx.set_node_attributes(graph, "abc"[k % 3], "element")
    coarsener = KFCoarsener(q=1.0, walk_length=4, random_state=0)
    hierarchies = coarsener.fit_transform(graphs)
    assert coarsener.n_features_in_ == 1
    assert classifier().fit(graphs, y).n_features_in_ == 1
    # Three categories and unseen ones, and probabilities to be back after 2, 3, 4.
    assert classifier().fit(hierarchies, y).n_features_in_ == 4 + 3
    model = make_pipeline(coarsener, classifier()).fit(graphs, y)
    for fitted in (model[-1], classifier().fit(graphs, y)):
        with pytest.raises(TypeError, match=r"shape \(1, \d\);.*FunctionTransformer"):
            fitted.predict(np.zeros((1, fitted.n_features_in_)))
    probed = make_pipeline(make_pipeline(FunctionTransformer(as_graphs), model))
    for tried in (probed, probed[-1]):
        assert not hasattr(tried, "n_features_in_")
    assert np.array_equal(probed.predict(graphs), model.predict(graphs))


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["2025-01-01", "2026-01-01"], "datetime64[D]"),
        np.array(["2025-01-01", "2026-01-01"], "datetime64[ns]"),
        np.array([1, 2], "timedelta64[s]"),
        np.array(["a", "b"], object),
        np.array([np.str_("a"), np.str_("b")], object),
        np.array([False, True]),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_67_files_hold_labels_of_any_type(classes, tmp_path):
    graphs, y = rings(10)
    weight = {classes[0]: 1.0, classes[1]: 2.0}
    model = classifier(class_weight=weight).fit(graphs, classes[y])
    skshake.save(model, tmp_path / "file")
    again = skshake.load(tmp_path / "file")
    assert again.classes_.dtype == model.classes_.dtype
    assert np.array_equal(again.predict(graphs), model.predict(graphs))
    assert again.class_weight == weight


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ({0: -1.0, 1: 1.0}, "got -1.0 for class 0"),
        ({1: np.nan}, "got nan for class 1"),
        ({0: 1.0, 1: None}, "got None for class 1"),
        ({"0": 2.0}, "'0' is no class of y"),
    ],
)
def test_67_class_weights_that_are_none(weight, message):
    graphs, y = rings(10)
    with pytest.raises(ValueError, match=f"class_weight: .*{message}"):
        classifier(class_weight=weight).fit(graphs, y)


def test_68_heavy_tails_take_no_longer():
    """hugegraph-computer PR #280: 35 s for 20 graphs; the law: tests/forests."""
    rng, n, graphs = np.random.default_rng(0), 30, []
    for _ in range(20):
        weights = np.triu(rng.random((n, n)) < 0.2, 1) * 10 ** rng.uniform(
            0, 18, (n, n)
        )
        graphs.append(weights + weights.T)
    q_star = KFCoarsener(n_forests=1, random_state=0).fit(graphs).q_star_
    # Walks are left for elimination after as many draws as that would cost.
    budget = 1_000 + 0.125 * n**3 + n
    for q in (1e6, 1e9, q_star):
        assert sample_forests(graphs, q, random_state=0).n_steps < 20 * budget


def test_69_malformed_json():
    """From the README alone: no graph named, long lists, contradictions."""
    good = {"edge_index": ENDS, "num_nodes": 3, "node_feat": [[1.0], [2.0], [3.0]]}
    for changes, field, message in (
        ({"edge_index": [[0, 1], [1]]}, "edge_index", "rows of one length"),
        ({"edge_index": [["0"], ["1"]]}, "edge_index", "expected integers"),
        ({"edge_index": [[0, None], [1, 2]]}, "edge_index", "expected integers"),
        ({"edge_index": {"from": [0]}}, "edge_index", "edge_index: expected"),
        ({"node_feat": [[1.0], [1.0, 2.0], [3.0]]}, "x", "rows of one length"),
        ({"node_feat": [[1.0], [None], [3.0]]}, "x", "x holds objects .NoneType, fl"),
        (
            {"node_feat": [["a"], ["b"], ["c"]]},
            "x",
            "are strings, but graph 0 has numb",
        ),
        ({"node_feat": {"a": 1}}, "x", "x: expected shape"),
        ({"node_feat": None}, "x", "has no x, but graph 0 has"),
        *(
            ({"num_nodes": n}, "num_nodes", "num_nodes: expected an integer")
            for n in ("abc", None, 3.7, 3.0, "3", "17", True, [3, 3], np.float64(3))
        ),
        ({"num_nodes": -1}, "num_nodes", "has -1 nodes; expected 0"),
        ({"num_nodes": 10**30}, "num_nodes", "expected at most"),
        ({"num_nodes": 2}, "x", r"x: expected shape \(2, n_features\)"),
    ):
        with pytest.raises(InvalidGraphError, match=f"^Graph 1:? .*{message}") as info:
            as_graphs([good, {**good, **changes}])
        # Either name of the builtin catches it, as do pickles from other processes.
        assert isinstance(info.value, ValueError)
        assert isinstance(info.value, TypeError)
        again = pickle.loads(pickle.dumps(info.value))
        assert (again.graph, again.field) == (1, field)
        assert str(again) == str(info.value)
    for n in (np.int32(3), np.uint8(3), torch.tensor(3), np.array([3])):
        assert as_graphs([{**good, "num_nodes": n}]).n_nodes == 3
    # What differs from fit is said, not what agrees, and where.
    fitted = [nx.path_graph(3) for _ in range(4)]
    for graph in fitted:
        for k in range(30):
            nx.set_node_attributes(graph, float(k), f"column {k:02}")
    coarsener = KFCoarsener(q=1.0, random_state=0).fit(fitted)
    new = [graph.copy() for graph in fitted]
    for graph in new[1:]:
        for node in graph:
            graph.nodes[node]["Column 07"] = graph.nodes[node].pop("column 07")
    with pytest.raises(
        InvalidGraphError,
        match=r"Graph 0: the node features were fitted as .*missing: 'column 07'; not "
        r"known: 'Column 07'",
    ) as info:
        coarsener.transform(new[1:])
    assert info.value.field == "column 07"
    assert "column 06" not in str(info.value)
    assert len(str(info.value)) < 300
    model = KFCoarsener(q=1.0, random_state=0).fit(
        [{**good, "node_feat": [1, 2, 3]}] * 4
    )
    codes = {**good, "node_feat": [3, 1, 2]}
    for other, message in (
        (good, "as 1 categorical column.* are 1 numeric"),
        ({**good, "node_feat": [*"abc"]}, "as 1 categorical .* are 1 text"),
    ):
        with pytest.raises(InvalidGraphError, match=f"Graph 0: the node.*{message}"):
            model.transform([other])
    # One graph with floats among integers is the one that is named.
    with pytest.raises(
        InvalidGraphError, match="Graph 2: the node features were"
    ) as info:
        model.transform([codes, codes, good, codes])
    assert info.value.graph == 2
    with pytest.raises(
        InvalidGraphError, match=r"Graph 1: the node features .*no feat"
    ):
        model.transform([{"edge_index": [[], []], "num_nodes": 0}, nx.path_graph(2)])
    # Attributes of networkx that are nothing to compute with.
    for value, message in (
        ({1, 2}, "got set at node 0"),
        (pd.NA, "got NAType"),
        (1j, "complex"),
    ):
        graph = nx.path_graph(2)
        nx.set_node_attributes(graph, dict.fromkeys(graph, value), "m")
        with pytest.raises(InvalidGraphError, match=f"Graph 0: .*{message}") as info:
            as_graphs([graph])
        assert info.value.field == "m"


def test_70_invalid_molecules_are_not_predicted():
    """Empty graphs were predicted like any other: class 1, p = 0.516."""
    smiles, y = ["CCO", "no molecule", "CCN", "c1ccccc1"] * 4, [0, 1, 0, 1] * 4
    featurizer = MoleculeFeaturizer(on_invalid="empty")
    assert [problem.graph for problem in featurizer.check(smiles)] == [1, 5, 9, 13]
    model = make_pipeline(
        featurizer, KFCoarsener(q=1.0, random_state=0), classifier(on_empty="nan")
    )
    with pytest.warns(
        UserWarning, match=r"4 of 16 molecules are invalid .*: 1, 5, 9, 13 "
    ):
        model.fit(smiles, y)
    with pytest.warns(UserWarning, match="invalid"):
        is_nan = np.isnan(model.predict_proba(smiles)).all(axis=1)
    assert np.flatnonzero(is_nan).tolist() == [1, 5, 9, 13]
    assert [problem.graph for problem in check_inputs(model, smiles)] == [1, 5, 9, 13]
    valid = np.flatnonzero(~is_nan)
    some = [smiles[i] for i in valid]
    with pytest.warns(UserWarning, match="invalid"):
        score = model.score(smiles, y)
    assert score == model.score(some, np.array(y)[valid])
    grid = GridSearchCV(model, {"shakeclassifier__on_empty": ["nan", "predict"]}, cv=2)
    with pytest.warns(UserWarning, match="invalid"):
        grid.fit(smiles, y)
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    regressor = make_pipeline(featurizer, SHAKERegressor(**SETTINGS, on_empty="nan"))
    with pytest.warns(UserWarning, match="invalid"):
        found = regressor.fit(smiles, np.arange(16.0)).predict(smiles)
    assert np.array_equal(np.isnan(found), is_nan)


def test_71_all_that_is_unreadable_at_once():
    """From the README alone: one bad input stopped a batch, found one at a time."""
    good = {"edge_index": ENDS, "num_nodes": 3, "node_feat": [[1.0], [2.0], [3.0]]}
    whole = {**good, "node_feat": [[1], [2], [3]]}
    graphs = [
        {**good, "node_feat": None},
        good,
        {**good, "num_nodes": "three"},
        whole,
        {**good, "edge_index": [[0, 7], [1, 2]]},
        "CCO",
        {**good, "node_feat": [[1.0, 1], [2, 2], [3, 3]]},
        {"edge_index": [[], []], "num_nodes": 0},
        {**good, "node_feat": [[1.0], [np.nan], [3.0]]},
        {**good, "node_feat": [["a"], ["b"], ["c"]]},
        {**good, "edge_attr": [[1.0]] * 4},
        good,
    ]
    bad = [0, 2, 4, 5, 6, 8, 9, 10]
    fields = ["x", "num_nodes", "edge_index", None, "x", "x", "x", "edge_attr"]
    model = classifier().fit([good] * 4, [0, 1] * 2)
    regressor = SHAKERegressor(**SETTINGS).fit([good] * 4, [0.0, 1.0] * 2)
    coarsener = KFCoarsener(q=1.0, random_state=0).fit([good] * 4)
    checks = [
        check_graphs,
        model.check,
        regressor.check,
        coarsener.check,
        classifier().check,
        KFCoarsener().check,
        partial(check_inputs, make_pipeline(coarsener, model)),
        partial(check_inputs, model),
    ]
    for check in checks:
        problems = check(graphs)
        assert [problem.graph for problem in problems] == bad
        assert [problem.field for problem in problems] == fields
        assert all(re.match(f"Graph {i}[ :]", message) for i, _, message in problems)
        readable = [graph for i, graph in enumerate(graphs) if i not in bad]
        assert check(readable) == check(as_graphs(readable)) == []
        assert check(iter(graphs)) == problems
        with pytest.raises(InvalidGraphError, match="list of graphs"):
            check(nx.path_graph(3))
    assert len(model.predict(readable)) == len(graphs) - len(bad)
    # Most graphs decide before fit, and fit decides after it.
    codes = [{**good, "node_feat": [*"abc"]}] * 3
    assert [p.graph for p in check_graphs([good, *codes])] == [0]
    assert [p.graph for p in check_graphs([good, codes[0]])] == [1]
    assert [p.graph for p in model.check([good, *codes])] == [1, 2, 3]
    # Whole numbers are refused as categories only if they are categories.
    both = {**good, "edge_index": [[0, 1], [1, 0]]}
    floats = {**both, "edge_attr": [[1.5], [2.5]]}
    whole = {**both, "edge_attr": [[1], [2]]}
    assert check_graphs([floats, whole]) == []
    assert [p.graph for p in check_graphs([floats, whole, None])] == [2]
    # What would be refused later is found too, by the ones who refuse it.
    heavy = {**good, "edge_weight": [1e25] * 4}
    assert check_graphs([good, heavy]) == []
    problem = coarsener.check([good, heavy])[0]
    assert (problem.graph, problem.field) == (1, "edge_weight")
    with pytest.raises(InvalidGraphError, match=re.escape(problem.message)):
        coarsener.transform([good, heavy])
    # Names and defaults mean what they mean to as_graphs.
    paths = [nx.path_graph(3) for _ in range(3)]
    nx.set_node_attributes(paths[0], 1.0, "a")
    nx.set_node_attributes(paths[1], {0: 1.0}, "a")
    assert [p.graph for p in check_graphs(paths)] == [1, 2]
    assert check_graphs(paths, defaults={"a": 0.0}) == []
    assert check_graphs(paths, node_attrs=[]) == []
    smiles = ["CCO", None, "CC", 7, "no molecule"]
    for on_invalid in ("raise", "empty"):
        problems = MoleculeFeaturizer(on_invalid=on_invalid).check(smiles)
        assert [problem.graph for problem in problems] == [1, 3, 4]
        assert "'no molecule'" in problems[2].message
    hierarchies = coarsener.transform(readable)
    behind = classifier().fit(hierarchies, [0, 1] * (len(readable) // 2))
    assert behind.check(hierarchies) == []
    with pytest.raises(ValueError, match="fitted on hierarchies"):
        behind.check(readable)


def test_71_checking_takes_one_pass(monkeypatch):
    """All graphs wrong, each in its own way, and still one reading of each."""
    from skshake.graphs import _checking
    from skshake.graphs._collate import collate

    counts, read = [], []
    monkeypatch.setattr(
        _checking,
        "collate",
        lambda records, rule: read.extend(records) or collate(records, rule),
    )
    for n_graphs in (40, 80):
        read.clear()
        graphs = [{"edge_index": [[0], [k]], "num_nodes": k} for k in range(n_graphs)]
        graphs += [
            {"edge_index": [[0], [1]], "num_nodes": 2, "x": np.ones((2, k))}
            for k in range(n_graphs)
        ]
        assert len(check_graphs(graphs)) == 2 * n_graphs - 1
        counts.append(len(read))
    assert counts[1] <= 2 * counts[0] + 2


@pytest.mark.parametrize(
    ("columns", "arguments", "message"),
    [
        (
            {"kind": ["u", "v", "w"]},
            {"edge_attrs": ["kind"]},
            r"Graph 'case 2': .*edge \('acct 9', 'acct 4'\).*of kind",
        ),
        (
            {"paid": [1.0, 0.0, 1.0]},
            {"weight": "paid"},
            "Graph 'case 2': edge weight 0.0 in 'paid'",
        ),
        (
            {"paid": [1.0, np.inf, 1.0]},
            {"edge_attrs": ["paid"]},
            "Graph 'case 2': paid holds inf.*row 1",
        ),
        (
            {"paid": [1.0, 1e300, 1.0]},
            {"edge_attrs": ["paid"]},
            r"Graph 'case 2': paid: 1e\+300 .*row 1",
        ),
        (
            {"paid": [1, 2**40, 1]},
            {"edge_attrs": ["paid"]},
            "Graph 'case 2': paid: .*1099511627776.*row 1",
        ),
        (
            {"paid": [1.0, None, 1.0]},
            {"edge_attrs": ["paid"]},
            "edges: 'paid' is missing in row 1",
        ),
    ],
    ids=str,
)
def test_72_errors_of_tables_name_ids(columns, arguments, message):
    """Positions were named where others name case and accounts."""
    edges = pd.DataFrame(
        {
            "graph": ["case 7", "case 2", "case 2"],
            "source": ["acct 1", "acct 4", "acct 9"],
            "target": ["acct 3", "acct 9", "acct 4"],
            **columns,
        }
    )
    with pytest.raises(ValueError, match=message):
        graphs_from_edgelist(edges, **arguments)
    # An id that is a number is no position.
    renamed = edges.assign(graph=[70, 20, 20])
    with pytest.raises(ValueError, match=message.replace("'case 2'", "20")):
        graphs_from_edgelist(renamed, **arguments)


def test_72_every_graph_of_a_message_has_its_id():
    """Positions were named where others name case and accounts."""
    edges = pd.DataFrame(
        {"graph": ["p", "q\\1"], "source": [0, 0], "target": [1, 1], "paid": [1, "x"]}
    )
    with pytest.raises(ValueError, match=r"^Graph .* but graph") as found:
        graphs_from_edgelist(edges, edge_attrs=["paid"])
    message = str(found.value)
    assert message.startswith(f"Graph {edges['graph'][1]!r}")
    assert "graph 'p'" in message
    with pytest.raises(ValueError, match="graph_ids: id 1 is missing"):
        graphs_from_edgelist(edges, graph_ids=["p", pd.NA])


def test_72_messages_name_the_accounts_of_a_row():
    """Positions were named where others name case and accounts."""
    edges = pd.DataFrame(
        {
            "case": ["c1", "c2"],
            "payer": ["x", "y"],
            "payee": ["y", "z"],
            "paid": [1, -1],
        }
    )
    columns = {"graph": "case", "source": "payer", "target": "payee"}
    place = r"row 1 of edges: case 'c2', payer 'y', payee 'z'"
    for paid, options in (
        (edges["paid"], {"weight": "paid"}),
        ([1.0, np.nan], {"edge_attrs": ["paid"]}),
        ([1.0, np.inf], {"edge_attrs": ["paid"]}),
        ([1.0, 1e300], {"edge_attrs": ["paid"]}),
    ):
        with pytest.raises(InvalidGraphError, match=f"paid.*{place}"):
            graphs_from_edgelist(edges.assign(paid=paid), **columns, **options)


def test_72_payments_that_contradict_each_other_can_be_joined():
    """Two payments of one pair with different categories could not be read at all."""
    edges = pd.DataFrame(
        {
            "graph": 1,
            "source": ["a", "a", "b"],
            "target": ["b", "b", "a"],
            "by": [*"xxy"],
        }
    )
    with pytest.raises(InvalidGraphError, match="aggregate of graphs_from_edgelist"):
        graphs_from_edgelist(edges, edge_attrs=["by"])
    for how in ("most_frequent", "count", ["x", "y"]):
        graphs = graphs_from_edgelist(edges, edge_attrs=["by"], aggregate={"by": how})
        assert graphs.n_edges == 1


def test_73_one_class_and_no_score(capsys):
    graphs, y = rings(10)
    with pytest.warns(ConvergenceWarning, match="y holds 'a' alone") as caught:
        classifier(verbose=1).fit(graphs, ["a"] * 10)
    assert {warning.filename for warning in caught} == {__file__}
    labels = np.column_stack([y, 0 * y])
    with pytest.warns(ConvergenceWarning, match="column 1 of y holds 0 alone"):
        classifier().fit(graphs, labels)
    shown = capsys.readouterr().err
    assert "loss=" in shown
    assert "None" not in shown
