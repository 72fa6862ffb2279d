"""What a user would take instead of SHAKE, as scikit-learn estimators of graphs."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, global_add_pool

from skshake import GraphCollection, as_graphs
from skshake.graphs import owner_of

N_TREES = 500


def as_networkx(graphs: GraphCollection) -> list[nx.Graph]:
    """Graphs with categories, numbers or nothing at their nodes."""
    found = []
    for graph in graphs:
        copy = nx.empty_graph(graph.n_nodes)
        copy.add_edges_from(graph.edges.tolist())
        features = graph.node_features
        for name, columns in (("label", features.categories), ("x", features.numeric)):
            for c, column in enumerate(columns.T.tolist()):
                nx.set_node_attributes(copy, dict(enumerate(column)), f"{name}{c}")
        found.append(copy)
    return found


def node_labels(graphs: GraphCollection) -> np.ndarray:
    """One integer per node: its categories, or its degree where there are none."""
    codes = graphs.node_features.categories
    if not codes.shape[1]:
        return graphs.degrees.astype(np.int64)
    label = np.zeros(len(codes), np.int64)
    for column in codes.T:
        label = label * (int(column.max(initial=0)) + 1) + column
    return label


class Statistics(TransformerMixin, BaseEstimator):
    """Size, histograms of degrees and labels, mean and spread of numeric features."""

    def fit(self, X: Any, y: Any = None) -> Statistics:
        """Learn which labels and degrees there are."""
        graphs = as_graphs(X)
        self.labels_ = np.unique(node_labels(graphs))
        self.most_ = int(min(graphs.degrees.max(initial=0), 50))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row per graph."""
        graphs = as_graphs(X)
        n, owner = len(graphs), owner_of(graphs.node_ptr)
        n_nodes, n_edges = np.diff(graphs.node_ptr), np.diff(graphs.edge_ptr)
        size = np.maximum(n_nodes, 1)[:, None]
        label = np.searchsorted(self.labels_, node_labels(graphs))
        degree = np.minimum(graphs.degrees.astype(int), self.most_)
        columns = [n_nodes[:, None], n_edges[:, None], n_edges[:, None] / size]
        for code, n_codes in ((label, len(self.labels_) + 1), (degree, self.most_ + 1)):
            counts = np.bincount(owner * n_codes + code, minlength=n * n_codes)
            counts = counts.reshape(n, n_codes)
            columns += [counts, counts / size]
        numeric = graphs.node_features.numeric
        mean = np.zeros((n, numeric.shape[1]))
        np.add.at(mean, owner, numeric)
        mean /= size
        spread = np.zeros_like(mean)
        np.add.at(spread, owner, (numeric - mean[owner]) ** 2)
        return np.hstack([*columns, mean, np.sqrt(spread / size)])


class Descriptors(TransformerMixin, BaseEstimator):
    """Descriptors of tabpfn-graph."""

    def fit(self, X: Any, y: Any = None) -> Descriptors:
        """Learn the schema."""
        from tabpfn_graph import GraphFeatureExtractor

        self.extractor_ = GraphFeatureExtractor(allow_approximate=True, n_jobs=1)
        self.extractor_.fit(as_networkx(as_graphs(X)))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """One row per graph."""
        table = self.extractor_.transform(as_networkx(as_graphs(X)))
        return np.nan_to_num(table.to_numpy(np.float64))


class WLSVC(ClassifierMixin, BaseEstimator):
    """GraKeL's Weisfeiler-Lehman kernel; depth and C chosen on the training graphs."""

    depths, penalties = (1, 3, 5), (0.1, 1.0, 10.0, 100.0)

    @staticmethod
    def _read(X: Any) -> list:
        graphs = as_graphs(X)
        labels = np.split(node_labels(graphs), graphs.node_ptr[1:-1])
        items = []
        for graph, of_graph in zip(graphs, labels, strict=True):
            adjacency: dict = {v: {} for v in range(graph.n_nodes)}
            for u, v in graph.edges.tolist():
                adjacency[u][v] = adjacency[v][u] = 1.0
            items.append([adjacency, dict(enumerate(of_graph.tolist()))])
        return items

    def fit(self, X: Any, y: Any) -> WLSVC:
        """Choose and fit."""
        from grakel.kernels import VertexHistogram, WeisfeilerLehman

        items, best = self._read(X), -1.0
        for depth in self.depths:
            kernel = WeisfeilerLehman(
                n_iter=depth, base_graph_kernel=VertexHistogram, normalize=True
            )
            products = kernel.fit_transform(items)
            for penalty in self.penalties:
                machine = SVC(kernel="precomputed", C=penalty)
                score = cross_val_score(machine, products, y, cv=3).mean()
                if score > best:
                    best, self.kernel_ = score, kernel
                    self.machine_ = clone(machine).fit(products, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Classes."""
        return self.machine_.predict(self.kernel_.transform(self._read(X)))


class GIN(nn.Module):
    """The usual GIN: sums of messages, batch normalisation, sum read-out."""

    def __init__(self, n_inputs: int, n_classes: int, n_layers: int, width: int):
        super().__init__()
        self.convs = nn.ModuleList()
        for layer in range(n_layers):
            mlp = nn.Sequential(
                nn.Linear(width if layer else n_inputs, width),
                nn.BatchNorm1d(width),
                nn.ReLU(),
                nn.Linear(width, width),
                nn.ReLU(),
            )
            self.convs.append(GINConv(mlp, train_eps=True))
        self.head = nn.Sequential(nn.Dropout(0.5), nn.Linear(width, n_classes))

    def forward(self, batch: Data) -> torch.Tensor:
        """Logits."""
        h = batch.x
        for conv in self.convs:
            h = conv(h, batch.edge_index)
        return self.head(global_add_pool(h, batch.batch, batch.num_graphs))


class PyGGIN(ClassifierMixin, BaseEstimator):
    """A GIN of torch_geometric; the better of two depths on a held-out tenth."""

    depths, width, n_epochs, batch_size = (2, 4), 64, 60, 32

    def _data(self, X: Any) -> list[Data]:
        graphs = as_graphs(X)
        features = graphs.node_features
        label = np.searchsorted(self.labels_, node_labels(graphs))
        one_hot = np.eye(len(self.labels_) + 1, dtype=np.float32)[label]
        x = torch.from_numpy(np.hstack([one_hot, features.numeric]))
        items = []
        for i, graph in enumerate(graphs):
            ends = torch.from_numpy(graph.edges.astype(np.int64)).T
            rows = slice(graphs.node_ptr[i], graphs.node_ptr[i + 1])
            edges = torch.cat([ends, ends.flip(0)], dim=1)
            items.append(Data(x=x[rows], edge_index=edges))
        return items

    def _train(self, items: list[Data], codes: np.ndarray, depth: int) -> GIN:
        for item, code in zip(items, codes.tolist(), strict=True):
            item.y = code
        torch.manual_seed(0)
        network = GIN(items[0].x.shape[1], len(self.classes_), depth, self.width)
        loader = DataLoader(items, self.batch_size, shuffle=True)
        optimizer = torch.optim.AdamW(network.parameters(), weight_decay=1e-5)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, 1e-3, total_steps=self.n_epochs * len(loader)
        )
        for _ in range(self.n_epochs):
            for batch in loader:
                optimizer.zero_grad()
                # Batch normalisation cannot learn from a single node.
                if batch.num_nodes > 1:
                    nn.functional.cross_entropy(network(batch), batch.y).backward()
                    optimizer.step()
                schedule.step()
        return network.eval()

    @torch.no_grad()
    def _codes(self, network: GIN, items: list[Data]) -> np.ndarray:
        batches = DataLoader(items, 256)
        return torch.cat([network(batch).argmax(1) for batch in batches]).numpy()

    def fit(self, X: Any, y: Any) -> PyGGIN:
        """Choose and fit."""
        graphs = as_graphs(X)
        self.labels_ = np.unique(node_labels(graphs))
        self.classes_, codes = np.unique(y, return_inverse=True)
        items = self._data(graphs)
        train, held = train_test_split(
            np.arange(len(codes)), test_size=0.1, stratify=codes, random_state=0
        )
        right = []
        for depth in self.depths:
            network = self._train([items[i] for i in train], codes[train], depth)
            found = self._codes(network, [items[i] for i in held])
            right.append((found == codes[held]).mean())
        depth = self.depths[int(np.argmax(right))]
        self.network_ = self._train(items, codes, depth)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Classes."""
        return self.classes_[self._codes(self.network_, self._data(X))]


def with_forest(transformer: Any) -> Pipeline:
    """Random forest on the columns that a transformer gives."""
    return make_pipeline(transformer, RandomForestClassifier(N_TREES, random_state=0))
