"""explain: contributions of nodes and edges of whole models, with names and sums."""

import networkx as nx
import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skshake import (
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SHAKERegressor,
    SubtreeVectorizer,
    as_graphs,
    explain,
)

SMILES = ["CCO", "c1ccccc1", "CCN", "CC(=O)O.[Na]"] * 5


@pytest.fixture(scope="module")
def marked():
    """Cycles of which one class has an edge of category 1 among zeros; which edge."""
    rng = np.random.default_rng(0)
    graphs, labels, marks = [], [], []
    for i in range(60):
        n = int(rng.integers(6, 12))
        edge_attr, mark = np.zeros((n, 1), np.int64), int(rng.integers(n))
        edge_attr[mark] = i % 2
        graphs.append((nx.to_numpy_array(nx.cycle_graph(n)), None, edge_attr))
        labels.append("yes" if i % 2 else "no")
        marks.append(mark)
    return as_graphs(graphs), np.array(labels), np.array(marks)


@pytest.fixture(scope="module")
def pipeline(marked):
    graphs, y, _ = marked
    return make_pipeline(
        KFCoarsener(q=[np.inf, 1.0], n_forests=1, random_state=0),
        SHAKEClassifier(n_layers=1, max_iter=10, random_state=0),
    ).fit(graphs, y)


def sums_of(explanation, target=0):
    """Baseline, nodes and edges of each graph together."""
    graphs = explanation.graphs
    total = explanation.baselines[target].copy()
    for values, ptr in (
        (explanation.nodes[target], graphs.node_ptr),
        (explanation.edges[target], graphs.edge_ptr),
    ):
        owner = np.repeat(np.arange(len(graphs)), np.diff(ptr))
        total += np.bincount(owner, values, minlength=len(graphs))
    return total


def assert_adds_up(explanation, output):
    """What a model says is what the parts say, but for the error of the integral."""
    for target, expected in enumerate(output):
        np.testing.assert_allclose(explanation.outputs[target], expected, atol=1e-4)
        # At most 0.05 over seeds and layers: what a sum in place of an integral leaves.
        rest = sums_of(explanation, target) - expected
        size = np.abs(explanation.nodes[target]).sum() / len(explanation)
        size += np.abs(explanation.edges[target]).sum() / len(explanation)
        assert np.abs(rest).max() < 0.15 * size


@pytest.mark.parametrize("conv", ["gine", "gin", "gat"])
def test_nodes_edges_and_baseline_add_up_to_the_log_odds(conv, marked):
    graphs, y, _ = marked
    model = make_pipeline(
        KFCoarsener(q=[np.inf, 1.0], n_forests=2, random_state=0),
        SHAKEClassifier(conv=conv, n_layers=2, max_iter=10, random_state=0),
    ).fit(graphs, y)
    graphs = graphs[:6]
    explanation = explain(model, graphs)
    assert_adds_up(explanation, [model.decision_function(graphs)])
    by_level = [explain(model, graphs, level=level) for level in (0, 1)]
    for name in ("nodes", "edges"):
        whole = getattr(explanation, name)
        parts = sum(getattr(each, name) for each in by_level)
        np.testing.assert_allclose(parts, whole, rtol=1e-4, atol=1e-5)


def test_the_baseline_has_no_edges_and_average_nodes(marked):
    graphs, y, _ = marked
    model = SHAKEClassifier(n_layers=1, max_iter=2, random_state=0).fit(graphs, y)
    explanation = explain(model, graphs)
    n_nodes = np.diff(graphs.node_ptr)
    for n in np.unique(n_nodes):
        assert np.ptp(explanation.baselines[0][n_nodes == n]) < 1e-4


def test_the_edge_that_decides_contributes_most(marked):
    graphs, y, marks = marked
    model = SHAKEClassifier(n_layers=2, max_iter=60, random_state=0).fit(graphs, y)
    # All of them, over seeds.
    assert (model.predict(graphs) == y).mean() > 0.9
    explanation = explain(model, graphs)
    found = [int(np.argmax(explanation[k].edges[0])) for k in range(len(graphs))]
    is_marked = y == "yes"
    assert np.mean(np.array(found)[is_marked] == marks[is_marked]) > 0.9


def test_edges_of_a_coarse_edge_share_by_weight_and_those_inside_get_nothing(marked):
    graphs, y, _ = marked
    weights = np.random.default_rng(0).uniform(0.5, 2.0, graphs.n_edges)
    triples = [
        (
            nx.to_numpy_array(nx.cycle_graph(graph.n_nodes)),
            None,
            np.zeros((len(graph.edges), 1), np.int64),
        )
        for graph in graphs
    ]
    for k, (adjacency, _, _) in enumerate(triples):
        u, v = graphs[k].edges.T
        adjacency[u, v] = adjacency[v, u] = weights[: len(u)]
    model = make_pipeline(
        KFCoarsener(q=0.5, n_forests=1, random_state=0),
        SHAKEClassifier(n_layers=1, max_iter=3, random_state=0),
    ).fit(triples, y)
    explanation = explain(model, triples)
    for k, hierarchy in enumerate(model[0].transform(triples)):
        one, block = explanation[k], hierarchy.levels[0].block
        ends = np.sort(block[one.graphs.edges], axis=1)
        is_inside = ends[:, 0] == ends[:, 1]
        assert (one.edges[0][is_inside] == 0).all()
        per_weight = one.edges[0] / one.graphs.edge_weight
        for pair in np.unique(ends[~is_inside], axis=0):
            assert np.ptp(per_weight[(ends == pair).all(axis=1)]) < 1e-6


def test_the_table_names_all_parts_and_adds_up(pipeline, marked):
    graphs = marked[0]
    explanation = explain(pipeline, graphs[:4], target=["no", "yes"])
    assert_adds_up(
        explanation, [s * pipeline.decision_function(graphs[:4]) for s in (-1, 1)]
    )
    table = explanation.to_frame()
    assert list(table) == [
        "graph",
        "label",
        "part",
        "source",
        "target",
        "contribution",
    ]
    total = table.groupby(["label", "graph"])["contribution"].sum()
    for target, label in enumerate(["no", "yes"]):
        np.testing.assert_allclose(total[label], sums_of(explanation, target))
    edges = table[(table["part"] == "edge") & (table["label"] == "yes")]
    given = np.concatenate([graph.edges for graph in graphs[:4]])
    assert (edges[["source", "target"]].to_numpy(int) == given).all()
    assert table.loc[table["part"] == "node", "target"].isna().all()


def test_molecules_come_as_smiles_and_atoms_have_names():
    y = [0, 1] * 10
    model = make_pipeline(
        MoleculeFeaturizer(fragments="largest"),
        KFCoarsener(q=1.0, n_forests=1, random_state=0),
        SHAKEClassifier(n_layers=1, max_iter=2, random_state=0),
    ).fit(SMILES, y)
    explanation = explain(model, iter(SMILES[:4]))
    table = explanation.to_frame()
    atoms = table[(table["graph"] == 3) & (table["part"] == "node")]
    assert atoms["source"].tolist() == ["C0", "C1", "O2", "O3"]
    bonds = table[(table["graph"] == 0) & (table["part"] == "edge")]
    assert bonds[["source", "target"]].to_numpy().tolist() == [
        ["C0", "C1"],
        ["C1", "O2"],
    ]
    # A model of graphs reads SMILES too.
    graphs = model[0].transform(SMILES)
    alone = SHAKEClassifier(n_layers=1, max_iter=2, random_state=0).fit(graphs, y)
    of_smiles, of_graphs = explain(alone, SMILES[:3]), explain(alone, graphs[:3])
    assert np.array_equal(of_smiles.nodes, of_graphs.nodes)
    assert of_smiles.molecules[1].GetNumAtoms() == 6
    assert of_graphs.molecules is None
    with pytest.raises(ValueError, match="Graph 1: 'C1CC' is not a SMILES"):
        explain(alone, ["CCO", "C1CC"])


def test_graphs_that_are_no_molecules_keep_empty_explanations():
    model = make_pipeline(
        MoleculeFeaturizer(on_invalid="empty"),
        KFCoarsener(q=1.0, n_forests=1, random_state=0),
        SHAKEClassifier(n_layers=1, max_iter=2, random_state=0),
    ).fit(SMILES, [0, 1] * 10)
    with pytest.warns(UserWarning, match="1 of 2 molecules"):
        explanation = explain(model, [None, "CC"])
    assert len(explanation[0].nodes[0]) == 0
    assert explanation[0].outputs == explanation[0].baselines
    assert len(explanation.to_frame()) == 2 + 2 + 1


def test_searches_calibrations_and_frozen_models_are_looked_into(pipeline, marked):
    graphs, y, _ = marked
    expected = explain(pipeline, graphs[:3])
    frozen = make_pipeline(FrozenEstimator(pipeline))
    assert np.array_equal(explain(frozen, graphs[:3]).edges, expected.edges)
    search = GridSearchCV(
        make_pipeline(
            KFCoarsener(q=1.0, n_forests=1, random_state=0),
            SHAKEClassifier(n_layers=1, random_state=0),
        ),
        {"shakeclassifier__max_iter": [1, 2]},
        cv=2,
    ).fit(graphs, y)
    found = explain(search, graphs[:3])
    assert np.array_equal(
        found.nodes, explain(search.best_estimator_, graphs[:3]).nodes
    )
    calibrated = CalibratedClassifierCV(search.best_estimator_, cv=2).fit(graphs, y)
    models = [each.estimator for each in calibrated.calibrated_classifiers_]
    mean = np.mean([model.decision_function(graphs[:3]) for model in models], axis=0)
    assert_adds_up(explain(calibrated, graphs[:3]), [mean])


def test_the_network_of_an_ensemble_is_explained(marked):
    graphs, y, _ = marked
    ensemble = SHAKEEnsembleClassifier(random_state=0).set_params(
        shake__coarsen__q=1.0,
        shake__coarsen__n_forests=1,
        shake__clf__max_iter=2,
        shake__clf__n_layers=1,
        trees__forests__random__n_estimators=5,
        trees__forests__extra__n_estimators=5,
    )
    ensemble.fit(graphs, y)
    found = explain(ensemble, graphs[:3])
    network = ensemble.named_estimators_["shake"]
    assert_adds_up(found, [network.decision_function(graphs[:3])])


def test_classes_labels_and_numbers_are_explained(marked):
    graphs, _, _ = marked
    n_nodes = np.diff(graphs.node_ptr)
    options = {"n_layers": 1, "max_iter": 5, "random_state": 0}
    three = SHAKEClassifier(**options).fit(graphs, n_nodes % 3)
    some = graphs[:10]
    found = explain(three, some, target=three.classes_)
    assert_adds_up(found, three.decision_function(some).T)
    assert explain(three, some).labels[0].tolist() == three.predict(some).tolist()
    labels = np.column_stack([n_nodes > 8, n_nodes % 2]).astype(float)
    several = SHAKEClassifier(**options).fit(graphs, labels)
    found = explain(several, some, target=[0, 1])
    assert_adds_up(found, several.decision_function(some).T)
    numbers = np.column_stack([100.0 * n_nodes, -n_nodes])
    regressor = SHAKERegressor(**options).fit(graphs, numbers)
    found = explain(regressor, some, target=[0, 1])
    expected = regressor.predict(some).T
    np.testing.assert_allclose(found.outputs, expected, rtol=1e-4, atol=1e-3)
    assert explain(regressor, graphs[:2]).labels.tolist() == [[0, 0]]


def test_what_cannot_be_explained_is_refused(pipeline, marked):
    graphs, y, _ = marked
    trees = make_pipeline(SubtreeVectorizer(), RandomForestClassifier(5))
    with pytest.raises(TypeError, match="ends in RandomForestClassifier"):
        explain(trees.fit(graphs, y), graphs)
    hierarchies = pipeline[0].transform(graphs[:2])
    with pytest.raises(TypeError, match="expected graphs, got hierarchies"):
        explain(pipeline[1], hierarchies)
    with pytest.raises(ValueError, match="target: expected one of"):
        explain(pipeline, graphs[:2], target="maybe")
    with pytest.raises(ValueError, match="level: expected None or a level below 2"):
        explain(pipeline, graphs[:2], level=2)
