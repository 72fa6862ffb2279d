"""check_inputs: which inputs a whole model cannot read, and why, before it predicts.

In: a model and inputs as it takes them. Out: one record per input that it would refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from skshake._graph_input import GraphInputMixin
from skshake._parts import Parts, take_apart
from skshake.graphs import GraphProblem, as_list


def check_inputs(model: Any, X: Any) -> list[GraphProblem]:
    """Find all inputs that a model cannot read, and why, in one call.

    Each step that reads is asked, with what it would get of the inputs that the steps
    before it could read.

    Parameters
    ----------
    model : estimator
        A pipeline, a search, an ensemble, a calibration or a lone estimator, as for
        :func:`skshake.explain`. Once fitted, inputs that differ from those of ``fit``
        are refused too.
    X : list of graphs, SMILES or whatever the model takes
        Inputs, as for ``predict``.

    Returns
    -------
    problems : list of GraphProblem
        One ``(graph, field, message)`` per input that cannot be read, ordered by
        position in X; empty if all can. The other inputs can be predicted.

    Raises
    ------
    InvalidGraphError
        If no list comes.

    See Also
    --------
    check_graphs : Compare graphs with each other, without a model.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
    >>> from skshake import check_inputs
    >>> model = make_pipeline(MoleculeFeaturizer(), KFCoarsener(), SHAKEClassifier())
    >>> for problem in check_inputs(model, ["CCO", "C1CC", None]):
    ...     print(problem.graph, problem.message)
    1 Graph 1: 'C1CC' is not a SMILES that rdkit can parse
    2 Graph 2: expected a SMILES, got None
    """
    return _check_parts(take_apart(model)[0], X)


def _check_parts(parts: Parts, X: Any) -> list[GraphProblem]:
    """Problems of the steps one after the other."""
    problems: list[GraphProblem] = []
    # Positions in X of what is left, once something is left out.
    positions: list[int] | None = None
    is_asked = False
    if isinstance(X, Iterator):
        X = list(X)
    for step in (*parts.steps, parts.estimator):
        found = step.check(X) if hasattr(step, "check") else []
        is_asked |= hasattr(step, "check")
        if found:
            items = _as_items(X)
            positions = [*range(len(items))] if positions is None else positions
            problems += [_at(positions[problem.graph], problem) for problem in found]
            wrong = {problem.graph for problem in found}
            kept = [i for i in range(len(items)) if i not in wrong]
            X, positions = [items[i] for i in kept], [positions[i] for i in kept]
        # What comes after has been made by ours.
        reads_last = isinstance(step, GraphInputMixin) or step is parts.estimator
        if reads_last or positions == []:
            break
        X = step.transform(X)
    if not is_asked:
        raise TypeError(
            "model: expected one that reads graphs or molecules, got one that ends in "
            f"{type(parts.estimator).__name__}"
        )
    return sorted(problems)


def _as_items(X: Any) -> Any:
    """Inputs that can be chosen from: a collection, or a list."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    return as_list(X)


def _at(position: int, problem: GraphProblem) -> GraphProblem:
    """The same problem, by the position that the input came at."""
    message = problem.message.replace(f"Graph {problem.graph}", f"Graph {position}", 1)
    return GraphProblem(position, problem.field, message)
