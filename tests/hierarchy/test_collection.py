"""HierarchyCollection: a sequence of hierarchies, one per graph."""

import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from skshake import GraphHierarchy, KFCoarsener
from skshake.hierarchy import as_hierarchies, concatenate_hierarchies
from tests._helpers import assert_same_hierarchies


@pytest.fixture
def hierarchies(two_levels):
    return two_levels


def test_it_is_a_sequence_of_light_views(hierarchies):
    assert isinstance(hierarchies, Sequence)
    assert isinstance(hierarchies[-1], GraphHierarchy)
    assert len(list(hierarchies)) == 40
    with pytest.raises(IndexError):
        hierarchies[40]


@pytest.mark.parametrize(
    "key", [slice(3, 9), [4, 0, 4], np.arange(40) > 30, np.array([-1])], ids=str
)
def test_indexing_equals_picking_views(key, hierarchies):
    numbers = np.arange(40)[key]
    assert_same_hierarchies(
        hierarchies[key], as_hierarchies([hierarchies[int(i)] for i in numbers])
    )


def test_a_level_without_randomness_is_shared_by_forests(hierarchies):
    one, other = hierarchies[5:9].forests
    assert one[0] is other[0]
    assert one[1] is not other[1]


def test_forests_come_one_after_the_other_as_graphs(hierarchies):
    joined = hierarchies.forests_as_graphs()
    assert (len(joined), joined.n_forests) == (80, 1)
    assert joined.n_rows == hierarchies.n_rows
    for forest in range(2):
        of_forest = replace(hierarchies, forests=hierarchies.forests[forest:][:1])
        assert_same_hierarchies(joined[40 * forest : 40 * forest + 40], of_forest)


def test_concatenation_undoes_slicing(hierarchies):
    parts = [hierarchies[:10], hierarchies[10:11], hierarchies[11:]]
    assert_same_hierarchies(concatenate_hierarchies(parts), hierarchies)
    assert not parts  # so that they can be freed


def test_shared_levels_stay_shared_when_chunks_are_joined(small_mutag):
    coarsener = KFCoarsener(q=[np.inf, 1.0], n_forests=3, random_state=0, n_jobs=2)
    forests = coarsener.fit_transform(small_mutag[0]).forests
    assert len({id(levels[0]) for levels in forests}) == 1
    assert len({id(levels[1]) for levels in forests}) == 3


def test_views_of_several_collections_are_gathered(hierarchies):
    mixed = [hierarchies[:10][3], hierarchies[20:][5], hierarchies[:10][0]]
    assert_same_hierarchies(as_hierarchies(mixed), hierarchies[[3, 25, 0]])


def test_other_things_are_no_hierarchies(hierarchies):
    assert as_hierarchies([]) is None
    assert as_hierarchies([hierarchies[0], "graph"]) is None


def test_hierarchies_of_different_coarseners_do_not_mix(small_mutag, hierarchies):
    other = KFCoarsener(q=0.5, n_forests=1).fit_transform(small_mutag[0])
    with pytest.raises(ValueError, match="different coarseners"):
        as_hierarchies([hierarchies[0], other[0]])


def test_pickle_round_trip(hierarchies):
    assert_same_hierarchies(pickle.loads(pickle.dumps(hierarchies)), hierarchies)


def test_first_forests_are_views(small_mutag):
    coarsener = KFCoarsener(q=1.0, n_forests=3, random_state=0)
    hierarchies = coarsener.fit_transform(small_mutag[0])
    first = hierarchies.first_forests(2)
    assert first.n_forests == 2
    assert first.forests[1][0] is hierarchies.forests[1][0]
    assert hierarchies.first_forests(9).n_forests == 3


def test_memory_is_given_back_before_large_parts_are_joined(small_mutag, monkeypatch):
    given = []
    module = "skshake.hierarchy._collection"
    monkeypatch.setattr(f"{module}.give_freed_memory_back", lambda: given.append(1))
    graphs = small_mutag[0]
    coarsener = KFCoarsener(n_forests=2, random_state=0).fit(graphs)
    whole = coarsener.transform(graphs)
    for n_nodes, n_times in ((graphs.n_nodes + 1, 0), (graphs.n_nodes, 1)):
        monkeypatch.setattr(f"{module}.MANY_NODES", n_nodes)
        parts = [coarsener.transform(graphs[:5]), coarsener.transform(graphs[5:])]
        assert_same_hierarchies(concatenate_hierarchies(parts), whole)
        assert len(given) == n_times
