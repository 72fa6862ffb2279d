"""Ways in which neighbouring tools failed their users, one test each.

Each test is named after its kind of fault; its docstring names the public reports
("PyG" is pyg-team/pytorch_geometric) and what their users saw.
"""

import os
import pickle
import subprocess
import sys
import tomllib
from decimal import Decimal
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from rdkit import Chem
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
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
from torch_geometric.data import Data, InMemoryDataset

from skshake import (
    CategoryWarning,
    GraphCollection,
    HierarchyCollection,
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKERegressor,
    as_graphs,
    graphs_from_edgelist,
    sample_forests,
)
from skshake.datasets import load_molecules_csv, load_tu

# Graphs here are so small that coarsening may leave them as they are.
pytestmark = pytest.mark.filterwarnings("ignore:coarsening keeps")
SETTINGS = {"hidden_dim": 8, "n_layers": 1, "max_iter": 2, "random_state": 0}


def classifier(**changes):
    return SHAKEClassifier(**{**SETTINGS, **changes})


def triangle():
    return np.ones((3, 3)) - np.eye(3)


def rings(n_graphs=20, n_nodes=6):
    """Rings and paths of equally many nodes, and their labels."""
    graphs = [nx.cycle_graph, nx.path_graph] * (n_graphs // 2)
    return [make(n_nodes) for make in graphs], np.arange(n_graphs) % 2


def run_python(code, **environment):
    """Output of some code in a process of its own."""
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not out.returncode, out.stderr
    return out.stdout


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
    assert codes.node_features.kind == (0, 1)
    numbers = as_graphs([(triangle(), np.array([3, 1, 2]))], categorical_features=False)
    assert numbers.node_features.kind == (1, 0)


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
    graphs = [nx.star_graph(6), nx.cycle_graph(7)] * 10
    model = SHAKEClassifier(random_state=0).fit(graphs, np.arange(20) % 2)
    assert model.score(graphs, np.arange(20) % 2) == 1.0


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
    graphs = [nx.star_graph(6), nx.cycle_graph(7)] * 10
    y = np.array(labels)[np.arange(20) % 2]
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
    graphs = [nx.star_graph(6)] * 30 + [nx.cycle_graph(7)] * 6
    y = np.repeat([0, 1], [30, 6])
    for seed in range(10):
        model = SHAKEClassifier(class_weight="balanced", random_state=seed)
        assert model.fit(graphs, y).score(graphs, y) == 1.0
    same = [nx.path_graph(4)] * 20
    with pytest.warns(ConvergenceWarning, match="one class is predicted"):
        classifier().fit(same, np.arange(20) % 2)


def test_29_batches_take_no_python_per_graph(monkeypatch):
    """PyG #802, #572, #811, #1662; dgl #3344: half of the time went into collating."""
    from skshake.network import _batches
    from skshake.network._batches import DeviceHierarchies

    # A large batch is copied in a few lanes, a small one in one.
    monkeypatch.setattr(_batches, "MOST_COPIERS", 1)
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

        sys.setprofile(note)
        try:
            data.batch(batch)
        finally:
            sys.setprofile(None)
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
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    assert all("<" not in d and "==" not in d for d in project["dependencies"])


def test_36_auc_loss_of_odd_batches():
    """LibAUC #36, #10: zero for a batch of one, negative for a wrong ratio."""
    from skshake.network._losses import make_loss

    loss = make_loss("auc_margin", 1)
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
    assert as_graphs(pair).node_features.kind == (0, 1)


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
    model[0].save(tmp_path / "file")
    again = KFCoarsener.load(tmp_path / "file").transform(far)
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
    with pytest.warns(CategoryWarning, match=r"^amount: \d+% of the values .*fit has"):
        model.predict(graphs[20:])
    numbers = as_graphs(graphs, categorical_features=["kind"])
    model.fit(numbers[:20], y[:20]).predict(numbers[20:])
    texts = [nx.relabel_nodes(graph, str) for graph in graphs]
    for k, graph in enumerate(texts):
        nx.set_node_attributes(graph, {v: f"id {k}-{v}" for v in graph}, "amount")
    with pytest.warns(CategoryWarning, match="leave identifiers out"):
        KFCoarsener(q=1.0, random_state=0).fit(texts)


def test_46_categories_do_not_warn(mutag):
    graphs, _ = mutag
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0)
    for some in (graphs[:5], graphs):
        coarsener.fit(some).transform(graphs)
    # Degrees are categories of ours.
    coarsener.fit([nx.star_graph(n) for n in range(3, 60)])


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
                ValueError, match=f"expected one column of graphs.*{came}"
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
    model.save(tmp_path / "file")
    again = SHAKEClassifier.load(tmp_path / "file")
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


def test_70_invalid_molecules_are_not_predicted():
    """Empty graphs were predicted like any other: class 1, p = 0.516."""
    smiles, y = ["CCO", "no molecule", "CCN", "c1ccccc1"] * 4, [0, 1, 0, 1] * 4
    featurizer = MoleculeFeaturizer(on_invalid="empty")
    assert list(featurizer.find_invalid(smiles)) == [1, 5, 9, 13]
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
