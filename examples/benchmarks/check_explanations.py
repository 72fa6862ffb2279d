"""Do explanations point at what decides? Measured on held-out graphs.

For MUTAG, for molecules of a CSV file (such as BBBP), and for generated graphs in which
the class is a planted clique: how far the probability of the predicted class falls when
the tenth of the nodes with the largest contributions to it is removed, beside random
tenths; and how well contributions tell the nodes of a known motif (nitro groups, the
clique) from others, as ROC-AUC over the nodes of a graph. The same is done for models
trained on shuffled labels: what they point at has nothing to do with the motif.

    python examples/benchmarks/check_explanations.py --molecules bbbp.csv.gz
"""

import argparse
import json
from pathlib import Path

import networkx as nx
import numpy as np
from _bench import Table
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from skshake import GraphCollection, KFCoarsener, SHAKEClassifier, as_graphs, explain
from skshake.datasets import load_molecules_csv, load_mutag
from skshake.graphs import offsets, owner_of

TENTH, DRAWS = 0.1, 10


def find_nitro(graphs):
    """Whether each node of MUTAG is in a nitro group: a nitrogen with two oxygens."""
    element = graphs.node_features.categories[:, 0]
    nitrogen, oxygen = element == 1, element == 2
    u, v = graphs.numbered_ends.T
    found = np.zeros(graphs.n_nodes, bool)
    for one, other in ((u, v), (v, u)):
        is_bond = nitrogen[one] & oxygen[other]
        n_oxygens = np.bincount(one[is_bond], minlength=graphs.n_nodes)
        found |= n_oxygens > 1
    in_group = found.copy()
    for one, other in ((u, v), (v, u)):
        in_group[other[found[one] & oxygen[other]]] = True
    return in_group


def plant(n_graphs, seed=0):
    """Trees with a clique of four nodes, or as many edges anywhere; where it is."""
    rng = np.random.default_rng(seed)
    graphs, is_motif, y = [], [], np.arange(n_graphs) % 2
    for label in y:
        n = int(rng.integers(20, 40))
        graph = nx.random_labeled_tree(n, seed=int(rng.integers(2**31)))
        chosen = rng.choice(n, 4, replace=False).tolist()
        clique = set(nx.complete_graph(chosen).edges)
        n_more = graph.number_of_edges()
        if label:
            graph.add_edges_from(clique)
        else:
            while graph.number_of_edges() < n_more + len(clique):
                graph.add_edge(*rng.choice(n, 2, replace=False).tolist())
        graphs.append(nx.relabel_nodes(graph, {}, copy=True))
        is_motif.append(np.isin(list(graph), chosen) & bool(label))
    return as_graphs(graphs), y, np.concatenate(is_motif)


def without(graphs, is_removed):
    """The graphs without some nodes and their edges."""
    kept = ~is_removed
    u, v = graphs.numbered_ends.T
    stays = kept[u] & kept[v]
    owner = owner_of(graphs.node_ptr)
    node_ptr = offsets(np.bincount(owner[kept], minlength=len(graphs)))
    number = np.cumsum(kept) - 1 - node_ptr[owner]
    edges = np.column_stack([number[u], number[v]])[stays].astype(np.int32)
    n_edges = np.bincount(owner[u[stays]], minlength=len(graphs))
    weight = graphs.edge_weight
    return GraphCollection(
        node_ptr,
        offsets(n_edges),
        edges,
        graphs.node_features.take(np.flatnonzero(kept)),
        graphs.edge_features.take(np.flatnonzero(stays)),
        None if weight is None else weight[stays],
    )


def mark_top(graphs, scores):
    """A tenth of each graph's nodes, but one at least: those of the largest scores."""
    is_top = np.zeros(graphs.n_nodes, bool)
    for start, stop in zip(graphs.node_ptr[:-1], graphs.node_ptr[1:], strict=True):
        n_top = max(1, round(TENTH * (stop - start)))
        is_top[start + np.argsort(-scores[start:stop])[:n_top]] = True
    return is_top


def motif_auc(graphs, scores, is_motif, chosen):
    """Mean over graphs that hold both kinds of nodes."""
    found = []
    for k in np.flatnonzero(chosen):
        nodes = slice(graphs.node_ptr[k], graphs.node_ptr[k + 1])
        if 0 < is_motif[nodes].sum() < nodes.stop - nodes.start:
            found.append(roc_auc_score(is_motif[nodes], scores[nodes]))
    return float(np.mean(found)) if found else float("nan")


def measure(graphs, y, is_motif, seed, is_shuffled, max_iter):
    """Falls of probability, and ROC-AUC of the motif, on a held-out quarter."""
    rows = np.arange(len(graphs))
    train, test = train_test_split(rows, test_size=0.25, stratify=y, random_state=seed)
    rng = np.random.default_rng(seed)
    labels = rng.permutation(y[train]) if is_shuffled else y[train]
    model = make_pipeline(
        KFCoarsener(random_state=seed),
        SHAKEClassifier(max_iter=max_iter, temperature=1.0, random_state=seed),
    ).fit(graphs[train], labels)
    held_out = graphs[test]
    explanation = explain(model, held_out)
    probability = model.predict_proba(held_out)
    predicted = probability.argmax(axis=1)
    # Contributions are to the log-odds of the second class.
    sign = np.where(predicted == 1, 1.0, -1.0)
    owner = owner_of(held_out.node_ptr)
    variants = {
        "nodes": explanation.nodes[0],
        "nodes and edges": explanation.nodes_with_edges[0],
    }

    def fall(is_removed):
        after = model.predict_proba(without(held_out, is_removed))
        picked = np.arange(len(test)), predicted
        return float(np.mean(probability[picked] - after[picked]))

    draws = [fall(mark_top(held_out, rng.random(len(owner)))) for _ in range(DRAWS)]
    result = {
        "accuracy": float(np.mean(model.classes_[predicted] == y[test])),
        "random": float(np.mean(draws)),
    }
    for name, scores in variants.items():
        result[name] = fall(mark_top(held_out, scores * sign[owner]))
        if is_motif is not None:
            of_test = np.concatenate(
                [is_motif[graphs.node_ptr[k] : graphs.node_ptr[k + 1]] for k in test]
            )
            has_class = y[test] == np.max(y)
            result[f"motif by {name}"] = motif_auc(held_out, scores, of_test, has_class)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--molecules", type=Path, help="CSV file, such as bbbp.csv.gz")
    parser.add_argument("--sets", nargs="*", default=["MUTAG", "planted", "molecules"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--max-iter", type=int, default=60)
    parser.add_argument("--planted", type=int, default=400, help="generated graphs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sets = {}
    if "MUTAG" in options.sets:
        graphs, y = load_mutag(return_X_y=True)
        sets["MUTAG"] = graphs, y, find_nitro(graphs)
    if "planted" in options.sets:
        sets["planted"] = plant(options.planted)
    if "molecules" in options.sets and options.molecules:
        graphs, y = load_molecules_csv(options.molecules, return_X_y=True)
        sets[options.molecules.name.partition(".")[0]] = graphs, y, None
    rows = {}
    table = Table("set", "what", "mean over seeds", "deviation")
    for name, (graphs, y, is_motif) in sets.items():
        for is_shuffled in (False, True):
            found = [
                measure(graphs, y, is_motif, seed, is_shuffled, options.max_iter)
                for seed in range(options.seeds)
            ]
            label = f"{name}, shuffled labels" if is_shuffled else name
            rows[label] = {key: [one[key] for one in found] for key in found[0]}
            for key, values in rows[label].items():
                numbers = (np.mean(values), np.std(values))
                table.add(label, key, *(f"{number:.3f}" for number in numbers))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
