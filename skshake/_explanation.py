"""Explanation: what nodes and edges add to predictions, as arrays and as a table.

In: contributions, and the graphs that they are of. Out: those of one graph, or a table
with names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skshake.graphs import GraphCollection, names_of_nodes


@dataclass(frozen=True, eq=False)
class Explanation(Sequence):
    """What each node and edge adds to a prediction; see :func:`skshake.explain`.

    A sequence: an integer gives the explanation of one graph.

    Parameters
    ----------
    graphs : GraphCollection
        The graphs as the model read them.
    labels : ndarray of shape (n_targets, n_graphs)
        Class (or column of numbers) that is explained.
    nodes : float64 array of shape (n_targets, n_nodes)
        Contributions of the nodes of all graphs, in the units of the output: log-odds
        with two classes or several labels, else a logit, or those of a number.
    edges : float64 array of shape (n_targets, n_edges)
        Contributions of edges, in the order of ``graphs.edges``.
    baselines : float64 array of shape (n_targets, n_graphs)
        Output for as many average nodes without edges, which contributions add to.
    outputs : float64 array of shape (n_targets, n_graphs)
        What the network says: baseline, nodes and edges together, but for the error
        of the integral (as a rule below a fiftieth of the sum of all sizes).
    molecules : tuple of rdkit Mol or None
        The molecules that the graphs are, where they came as such.
    """

    graphs: GraphCollection
    labels: np.ndarray
    nodes: np.ndarray
    edges: np.ndarray
    baselines: np.ndarray
    outputs: np.ndarray
    molecules: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, (int, np.integer)):
            raise TypeError(f"expected the number of a graph, got {key!r}")
        k = range(len(self))[key]
        one = slice(k, k + 1)
        nodes = slice(self.graphs.node_ptr[k], self.graphs.node_ptr[k + 1])
        edges = slice(self.graphs.edge_ptr[k], self.graphs.edge_ptr[k + 1])
        return Explanation(
            self.graphs[one],
            self.labels[:, one],
            self.nodes[:, nodes],
            self.edges[:, edges],
            self.baselines[:, one],
            self.outputs[:, one],
            None if self.molecules is None else self.molecules[one],
        )

    def __repr__(self) -> str:
        return f"<Explanation of {len(self)} graphs, {len(self.labels)} targets>"

    @property
    def nodes_with_edges(self) -> np.ndarray:
        """Contribution of each node and half of each of its edges', as ``nodes``.

        It ranks nodes best: without a node its edges are gone too.
        """
        n_nodes, ends = self.graphs.n_nodes, self.graphs.numbered_ends
        halves = [
            np.bincount(ends.ravel(), np.repeat(of_target / 2, 2), minlength=n_nodes)
            for of_target in self.edges
        ]
        return self.nodes + np.stack(halves)

    def to_frame(self) -> Any:
        """All contributions as a pandas DataFrame, one row each.

        Returns
        -------
        table : DataFrame
            ``graph`` (its name, or its position), ``label`` (the class or column that
            is explained), ``part`` ("baseline", "node" or "edge"), ``source`` and
            ``target`` (names or numbers of nodes; a node is a source without target,
            and atoms are called by symbol and number), ``contribution``. The
            contributions of a graph and label add up to its output, see ``outputs``.
        """
        import pandas as pd

        graphs = self.graphs
        n_graphs, n_nodes, n_edges = len(graphs), graphs.n_nodes, graphs.n_edges
        graph_names, node_names = names_of(graphs, self.molecules)
        ends = node_names[graphs.numbered_ends]
        of_node = np.repeat(np.arange(n_graphs), np.diff(graphs.node_ptr))
        of_edge = np.repeat(np.arange(n_graphs), np.diff(graphs.edge_ptr))
        owner = np.concatenate([np.arange(n_graphs), of_node, of_edge])
        nothing = np.full(n_graphs, None, object)
        source = np.concatenate([nothing, node_names, ends[:, 0]])
        no_target = np.full(n_graphs + n_nodes, None, object)
        target = np.concatenate([no_target, ends[:, 1]])
        part = np.repeat(["baseline", "node", "edge"], [n_graphs, n_nodes, n_edges])
        values = np.hstack([self.baselines, self.nodes, self.edges])
        n_targets = len(values)
        return pd.DataFrame(
            {
                "graph": np.tile(graph_names[owner], n_targets),
                "label": self.labels[:, owner].ravel(),
                "part": np.tile(part, n_targets),
                "source": np.tile(source, n_targets),
                "target": np.tile(target, n_targets),
                "contribution": values.ravel(),
            }
        )


def names_of(
    graphs: GraphCollection, molecules: tuple[Any, ...] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Names of graphs, and of the nodes of all graphs; positions where there are none.

    Atoms are called by symbol and number.

    Returns
    -------
    graph_names : ndarray of shape (n_graphs,)
    node_names : ndarray of objects of shape (n_nodes,)
    """
    node_names = names_of_nodes(graphs.given_names, graphs.node_ptr).astype(object)
    for first, molecule in zip(graphs.node_ptr, molecules or (), strict=False):
        if molecule is not None:
            atoms = molecule.GetAtoms()
            found = [f"{atom.GetSymbol()}{atom.GetIdx()}" for atom in atoms]
            node_names[first : first + len(found)] = found
    return graphs.names, node_names
