"""explain: which nodes and edges a whole model's predictions come from.

In: a fitted model and inputs as it takes them. Out: an Explanation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skshake._base import BaseSHAKE, check_level
from skshake._coarsener import KFCoarsener
from skshake._explanation import Explanation
from skshake._featurizer import MoleculeFeaturizer
from skshake._parts import Parts, take_apart
from skshake.graphs import GraphCollection, as_list, read_smiles_among
from skshake.hierarchy import HierarchyCollection, as_hierarchies


def explain(
    model: Any, X: Any, *, target: Any = None, level: int | None = None
) -> Explanation:
    r"""How much each node and each edge adds to the predictions of a model.

    By integrated gradients along one path, from as many average nodes without edges
    to the graph: node features move from those of the average node to their own while
    weights of edges grow from nothing. So nodes, edges and the output of the baseline
    add up to the output.

    Parameters
    ----------
    model : estimator
        Fitted: SHAKEClassifier or SHAKERegressor, a pipeline that ends in one, a search
        over it (its best pipeline is explained), scikit-learn's CalibratedClassifierCV
        around it (the mean over its models, before calibration), or a
        SHAKEEnsembleClassifier or -Regressor, of which the network is explained and not
        the trees.
    X : list of graphs, SMILES or whatever the model takes
        Inputs, as for ``predict``. SMILES and rdkit molecules are read for models
        without MoleculeFeaturizer too.
    target : label, list of labels or None, default=None
        Class to explain (with several labels, or numbers, the column); None takes the
        class predicted for each graph, with two classes the second, of numbers the
        first column. A list, such as ``classes_``, explains each.
    level : int or None, default=None
        Level of the hierarchy that is asked about, 0 the finest; None adds all levels.

    Returns
    -------
    explanation : Explanation
        ``to_frame()`` gives a table with names; arrays are ``nodes``, ``edges``,
        ``baselines`` and ``outputs``.

    Raises
    ------
    TypeError
        If there is no network in the model, or hierarchies come without their graphs.
    ValueError
        If a target or level is not there; errors of reading name the graph.

    See Also
    --------
    SHAKEClassifier.explain : Nodes alone, with edges as they are in the baseline.
    skshake.plotting.ExplanationDisplay : Draw the explanation of one graph.

    Notes
    -----
    A block's contribution is shared equally by its nodes, that of a coarse edge by its
    edges in proportion to their weights. At a coarse level, an edge whose ends are in
    one block adds nothing by itself: what the model has of it is the block. With layers
    that read no weights ("gat") the states of edges grow instead.

    References
    ----------
    Sundararajan et al. (2017), "Axiomatic Attribution for Deep Networks",
    arXiv:1703.01365.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skshake import KFCoarsener, SHAKEClassifier, explain
    >>> from skshake.datasets import load_mutag
    >>> graphs, y = load_mutag(return_X_y=True)
    >>> model = make_pipeline(
    ...     KFCoarsener(n_forests=2, random_state=0),
    ...     SHAKEClassifier(max_iter=2, random_state=0),
    ... ).fit(graphs, y)
    >>> explanation = explain(model, graphs[:5])
    >>> explanation.nodes.shape, explanation.edges.shape
    ((1, 73), (1, 80))
    """
    if isinstance(X, Iterator):
        X = list(X)
    all_parts = take_apart(model)
    first, chosen = _explain_parts(all_parts[0], X, target, level)
    # Of several models all explain the classes that the first one predicts.
    found = [first] + [
        _explain_parts(parts, X, target, level, chosen)[0] for parts in all_parts[1:]
    ]
    mean = {
        name: np.mean([getattr(each, name) for each in found], axis=0)
        for name in ("nodes", "edges", "baselines", "outputs")
    }
    return Explanation(first.graphs, first.labels, molecules=first.molecules, **mean)


def _explain_parts(
    parts: Parts,
    X: Any,
    target: Any,
    level: int | None,
    chosen: list[np.ndarray] | None = None,
) -> tuple[Explanation, list[np.ndarray]]:
    """Explanation of one network behind its steps, and the outputs that it explains.

    They are those of the target, unless some are chosen already.
    """
    network = parts.estimator
    if not isinstance(network, BaseSHAKE):
        raise TypeError(
            "model: expected a SHAKEClassifier or SHAKERegressor, or a pipeline, "
            "search or ensemble with one, got one that ends in "
            f"{type(network).__name__}"
        )
    check_is_fitted(network)
    graphs, hierarchies, molecules = _read(parts, X)
    check_level(level, len(hierarchies.q))
    if chosen is None:
        is_list = isinstance(target, Iterable) and not isinstance(target, (str, bytes))
        targets = target if is_list else [target]
        chosen = [network._explained_outputs(hierarchies, one) for one in targets]
    found = [network._explain(hierarchies, outputs, graphs) for outputs in chosen]
    labels = np.stack(chosen)
    nodes, edges = (
        np.stack([v.sum(axis=0) if level is None else v[level] for v in values])
        for values in ([each.nodes for each in found], [each.edges for each in found])
    )
    explanation = Explanation(
        graphs,
        network.classes_[labels] if hasattr(network, "classes_") else labels,
        nodes,
        edges,
        np.stack([each.baseline for each in found]),
        np.stack([each.output for each in found]),
        molecules,
    )
    return explanation, chosen


def _read(
    parts: Parts, X: Any
) -> tuple[GraphCollection, HierarchyCollection, tuple[Any, ...] | None]:
    """Graphs as the network's coarsener got them, hierarchies, and molecules."""
    molecules: tuple[Any, ...] | None = None
    graphs: GraphCollection | None = None
    network = parts.estimator
    for step in (*parts.steps, network._coarsener):
        if isinstance(step, MoleculeFeaturizer):
            molecules = tuple(step.read(X))
        if isinstance(step, KFCoarsener) and as_hierarchies(X) is None:
            items = read_smiles_among(as_list(X))
            if molecules is None and not isinstance(items, GraphCollection):
                molecules = _molecules_among(items)
            graphs = step._read(items)
            X = step._transform_read(graphs)
        elif step is not None and not isinstance(step, KFCoarsener):
            X = step.transform(X)
    hierarchies = network._read(X)
    if graphs is None:
        raise TypeError(
            "X: expected graphs, got hierarchies, which do not hold the edges of their "
            "graphs; give the whole pipeline, with the coarsener, and graphs"
        )
    return graphs, hierarchies, molecules


def _molecules_among(items: Iterable[Any]) -> tuple[Any, ...] | None:
    """Items that are molecules, None for the others; None if none is."""
    found = tuple(item if hasattr(item, "GetAtoms") else None for item in items)
    return found if any(item is not None for item in found) else None
