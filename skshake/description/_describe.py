"""describe: one page about graphs and targets, to be read before training.

In: graphs as a user has them, maybe with targets and graphs that are held out. Out: a
Description, which is HTML in notebooks and text elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from skshake._cards import Card, Fact, Figure, Section, count, format_range
from skshake.description._equal import find_equal
from skshake.description._features import (
    feature_facts,
    feature_notices,
    weight_facts,
    weight_notices,
)
from skshake.description._target import (
    conflict_notices,
    target_facts,
    target_notices,
    view_target,
)
from skshake.description._trial import Trial, run_trial
from skshake.graphs import (
    CategoricalRule,
    GraphCollection,
    GraphsLike,
    as_graphs,
    as_list,
    concatenate_graphs,
    drawings_of,
    offsets,
    read_smiles_among,
    size_facts,
)

# Classes of equal graphs that are named.
N_SHOWN = 3
# Nodes in a graph that is hardly coarsened.
FEW_NODES = 3


@dataclass(frozen=True, eq=False)
class Description:
    """A page about graphs; see :func:`skshake.describe`.

    Notebooks show it as HTML, ``print`` as text.

    Parameters
    ----------
    sections : tuple of Section
        Facts, each a name and a value, under titles.
    notices : tuple of str
        What to look at before training.
    equal_graphs : int32 array of shape (n_graphs,)
        Graphs with the same number are equal. As ``groups`` of scikit-learn's
        ``GroupKFold`` they keep equal graphs in one fold.
    q_star : float or None
        The resolution that ``KFCoarsener`` learns; None without a trial.
    fit_seconds : float or None
        Estimate for a fit of coarsener and classifier with default parameters on this
        machine; None without a trial.
    figures : tuple of Figure
        Some graphs, as SVG.
    """

    sections: tuple[Section, ...]
    notices: tuple[str, ...]
    equal_graphs: np.ndarray
    q_star: float | None
    fit_seconds: float | None
    figures: tuple[Figure, ...]

    @property
    def _card(self) -> Card:
        return Card(
            f"{count(len(self.equal_graphs), 'graph')}",
            self.sections,
            self.figures,
            self.notices,
        )

    def __str__(self) -> str:
        return self._card.to_text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self._card.to_html()


def describe(
    graphs: GraphsLike,
    y: Any = None,
    *,
    test: GraphsLike | None = None,
    groups: Any = None,
    categorical_features: CategoricalRule = "from_dtype",
    time_fit: bool = True,
    random_state: int = 0,
) -> Description:
    r"""Tell what graphs and targets are like, before anything is trained.

    One page: sizes, density and components; features, with their kinds and what is odd
    about them; the target; graphs that are equal, with other labels or on both sides of
    a split; what q* leaves of nodes and edges; how long a fit takes on this machine.

    Parameters
    ----------
    graphs : list of graphs, SMILES or GraphCollection
        Anything that :func:`skshake.as_graphs` reads, or molecules.
    y : array-like of shape (n_graphs,) or (n_graphs, n_columns), default=None
        Classes, numbers, or several columns of labels or numbers. Unlike ``fit`` this
        takes missing values anywhere, and counts them.
    test : graphs as above, default=None
        Graphs that are held out: those that equal one of ``graphs`` are counted.
    groups : array-like of shape (n_graphs,), default=None
        Fold or group of each graph, as scikit-learn's splitters take it: equal graphs
        in different groups are counted.
    categorical_features : "from_dtype", bool or list of str, default="from_dtype"
        As of :class:`KFCoarsener`.
    time_fit : bool, default=True
        Whether to coarsen the graphs and to train for a few epochs on some of them,
        which says what q* leaves and how long a fit takes. False leaves both out, which
        loads no torch.
    random_state : int, default=0
        Chooses what is timed.

    Returns
    -------
    description : Description
        A page for notebooks and terminals, with ``notices``, ``equal_graphs``,
        ``q_star`` and ``fit_seconds`` as attributes.

    Raises
    ------
    ValueError
        If the graphs cannot be read (the message names the graph), if ``y`` or
        ``groups`` has another length, or ``test`` other features.

    See Also
    --------
    check_graphs : Find all graphs that cannot be read.
    KFCoarsener : Learns q*.

    Notes
    -----
    Graphs are equal if they have the same nodes, edges, weights and features, however
    their nodes are numbered. They are compared by colours that are refined until no
    neighbourhood tells nodes apart (Weisfeiler and Lehman), which takes regular graphs
    of one size for equal if no features tell them apart.

    The time is an estimate for ``KFCoarsener()`` and ``SHAKEClassifier()`` as they are,
    from coarsening once and from epochs on at most some thousand graphs. It holds
    within a factor of two while the machine stays as busy as it is. Compiling kernels,
    once per installation, comes on top; from 10,000 graphs on early stopping may end a
    fit sooner. Time of :func:`describe` itself is linear in nodes and edges.

    Examples
    --------
    >>> from skshake import describe
    >>> from skshake.datasets import load_mutag
    >>> graphs, y = load_mutag(return_X_y=True)
    >>> page = describe(graphs, y, time_fit=False)
    >>> print(page)  # doctest: +ELLIPSIS
    188 graphs
    <BLANKLINE>
    Graphs
      nodes         3,371; in a graph 10 to 28, median 17.5
      edges         3,721; in a graph 10 to 33, median 19
      mean degree   2 to 2.44, median 2.2
      density       0.082 to 0.222, median 0.132; 1 is a clique
      components    1 in each graph
      equal graphs  none
    ...
    >>> page.notices
    ()
    """
    rule = categorical_features
    collection = _read(graphs, rule)
    held_out = None if test is None else _read(test, rule)
    equal, equal_of_test = _find_equal(collection, held_out)
    nodes, edges = collection.node_features, collection.edge_features
    notices = [
        *_size_notices(collection),
        *feature_notices(nodes, edges),
        *weight_notices(collection.edge_weight),
    ]
    equal_facts = [*_equal_facts(equal)]
    sections = [Section("Graphs", (*_size_facts(collection), *equal_facts))]
    for what, features in (("node", nodes), ("edge", edges)):
        facts = [*feature_facts(what, features)]
        if what == "edge":
            facts += weight_facts(collection.edge_weight)
        sections.append(Section(f"Features of {what}s", tuple(facts)))
    if y is not None:
        target = view_target(y, len(collection))
        sections.append(Section("Target", tuple(target_facts(target))))
        notices += [*target_notices(target), *conflict_notices(target, equal)]
    if groups is not None:
        notices += _group_notices(equal, groups)
    if equal_of_test is not None:
        split, found = _split_facts(equal, equal_of_test)
        sections.append(Section("Held-out graphs", (split,)))
        notices += found
    trial = None
    if time_fit and len(collection) > 1 and collection.n_nodes:
        trial = run_trial(collection, random_state)
        sections += _trial_sections(trial, len(collection))
        notices += [text for text in trial.warnings if text not in notices]
    return Description(
        tuple(sections),
        tuple(notices),
        equal,
        None if trial is None else float(trial.coarsener.q_star_),
        None if trial is None else trial.seconds,
        tuple(drawings_of(collection)),
    )


def _read(graphs: GraphsLike, rule: CategoricalRule) -> GraphCollection:
    return as_graphs(read_smiles_among(as_list(graphs)), categorical_features=rule)


def _find_equal(
    graphs: GraphCollection, test: GraphCollection | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Classes of equal graphs, numbered alike in the training and the test part."""
    if test is None:
        return find_equal(graphs), None
    for what in ("node_features", "edge_features"):
        here, there = (getattr(part, what).fields for part in (graphs, test))
        if here != there:
            raise ValueError(
                f"test: expected {what.replace('_', ' ')} as the other graphs have, "
                f"{[field.name for field in here]}, got "
                f"{[field.name for field in there]}"
            )
    equal = find_equal(concatenate_graphs([graphs, test]))
    return equal[: len(graphs)], equal[len(graphs) :]


def _size_facts(graphs: GraphCollection) -> Iterator[Fact]:
    """Sizes, density and components."""
    yield from size_facts(graphs)
    n_nodes, n_edges = np.diff(graphs.node_ptr), np.diff(graphs.edge_ptr)
    has_nodes = n_nodes > 0
    yield Fact(
        "mean degree", format_range((2 * n_edges / np.maximum(n_nodes, 1))[has_nodes])
    )
    several = n_nodes > 1
    pairs = (n_nodes * (n_nodes - 1) / 2)[several]
    yield Fact("density", f"{format_range(n_edges[several] / pairs)}; 1 is a clique")
    n_components = _count_components(graphs)
    if (n_components[has_nodes] == 1).all():
        yield Fact("components", "1 in each graph")
    else:
        n_several = int((n_components > 1).sum())
        yield Fact(
            "components",
            f"{format_range(n_components)}; {count(n_several, 'graph')} with several",
        )


def _count_components(graphs: GraphCollection) -> np.ndarray:
    """Connected components of each graph."""
    owner = np.repeat(np.arange(len(graphs)), np.diff(graphs.node_ptr))
    first = np.unique(graphs.components, return_index=True)[1]
    return np.bincount(owner[first], minlength=len(graphs))


def _size_notices(graphs: GraphCollection) -> Iterator[str]:
    """Graphs that are hardly any, and nodes that nothing is joined with."""
    n_nodes = np.diff(graphs.node_ptr)
    n_empty = int((n_nodes == 0).sum())
    if n_empty:
        yield f"{count(n_empty, 'graph')} without nodes: on_empty says what they get"
    n_small = int(((n_nodes > 0) & (n_nodes < FEW_NODES)).sum())
    if 2 * n_small > len(graphs):
        yield f"{count(n_small, 'graph')} with fewer than {FEW_NODES} nodes"
    n_alone = int((graphs.degrees == 0).sum()) if graphs.n_nodes else 0
    if 10 * n_alone > graphs.n_nodes:
        yield (
            f"{n_alone / graphs.n_nodes:.0%} of the nodes have no edge, and nothing to "
            "say to others"
        )


def _equal_facts(equal: np.ndarray) -> Iterator[Fact]:
    """Graphs that have an equal."""
    n_equal = np.bincount(equal)
    repeated = np.flatnonzero(n_equal > 1)
    if not len(repeated):
        yield Fact("equal graphs", "none")
        return
    order = np.argsort(equal, kind="stable")
    ptr = offsets(n_equal)
    largest = repeated[np.argsort(-n_equal[repeated], kind="stable")[:N_SHOWN]]
    shown = "; ".join(
        ", ".join(map(str, order[ptr[k] : ptr[k + 1]][:4].tolist()))
        + (", ..." if n_equal[k] > 4 else "")
        for k in largest.tolist()
    )
    yield Fact(
        "equal graphs",
        f"{n_equal[repeated].sum():,} graphs equal another and make "
        f"{len(repeated):,} class{'es' if len(repeated) > 1 else ''}; the largest at "
        f"positions {shown}",
    )


def _group_notices(equal: np.ndarray, groups: Any) -> list[str]:
    """Equal graphs that a split by groups would divide."""
    values = np.asarray(groups)
    if values.shape != equal.shape:
        raise ValueError(
            f"groups: expected one for each of {len(equal)} graphs, got shape "
            f"{values.shape}"
        )
    codes = np.unique(
        values.astype(str) if values.dtype == object else values, return_inverse=True
    )[1]
    low, high = np.full(len(equal), len(equal)), np.full(len(equal), -1)
    np.minimum.at(low, equal, codes)
    np.maximum.at(high, equal, codes)
    n_divided = int((low < high)[equal].sum())
    if not n_divided:
        return []
    return [
        f"{count(n_divided, 'graph')} have equals in another group: scores of such a "
        "split are too good; description.equal_graphs are groups without"
    ]


def _split_facts(equal: np.ndarray, of_test: np.ndarray) -> tuple[Fact, list[str]]:
    """How many test graphs are among those of the training."""
    n_known = int(np.isin(of_test, equal).sum())
    fact = Fact(
        "graphs", f"{len(of_test):,}, of which {n_known:,} equal one that is trained on"
    )
    if not n_known:
        return fact, []
    return fact, [
        f"{n_known / len(of_test):.1%} of the held-out graphs equal one that is "
        "trained on: their score says nothing about new graphs"
    ]


def _trial_sections(trial: Trial, n_graphs: int) -> Iterator[Section]:
    """What coarsening leaves, and how long a fit takes."""
    coarsener = trial.coarsener
    (nodes,), (edges,) = coarsener.reduction_.nodes, coarsener.reduction_.edges
    low, high = coarsener.q_star_interval_
    # An interval that three digits do not show is none to a reader.
    is_shown = f"{low:.3g}" != f"{high:.3g}"
    interval = f", 95 %: {low:.3g} to {high:.3g}" if is_shown else ""
    of = "" if trial.n_graphs == n_graphs else f", of {trial.n_graphs:,} graphs"
    yield Section(
        "Coarsening with KFCoarsener()",
        (
            Fact("q*", f"{coarsener.q_star_:.3g}{interval}{of}"),
            Fact("left at q*", f"{nodes:.0%} of the nodes, {edges:.0%} of the edges"),
            Fact("forests", f"{trial.n_forests} per graph"),
        ),
    )
    most = "at most " if trial.stops_early else ""
    yield Section(
        "Time of a fit on this machine, estimated",
        (
            Fact("coarsening", format_seconds(trial.coarsen_seconds)),
            Fact(
                "training",
                f"{most}{format_seconds(trial.n_epochs * trial.epoch_seconds)}, "
                f"{trial.n_epochs} epochs of {format_seconds(trial.epoch_seconds)}",
            ),
        ),
    )


def format_seconds(seconds: float) -> str:
    """A time in the unit that suits it, to two digits."""
    for unit, length in (("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= 1.5 * length:
            return f"{float(f'{seconds / length:.2g}'):g} {unit}"
    return (
        f"{float(f'{seconds:.2g}'):g} s"
        if seconds >= 0.1
        else f"{1000 * seconds:.2g} ms"
    )
