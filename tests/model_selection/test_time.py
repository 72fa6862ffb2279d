"""GroupedTimeSplit: later than training, and never a group on both sides."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score

from skshake.model_selection import GroupedTimeSplit


def test_each_month_is_tested_once_without_its_customers():
    months = np.array(["2024-03", "2024-01", "2024-02", "2024-01", "2024-03"])
    customers = ["a", "a", "b", "c", "d"]
    splitter = GroupedTimeSplit(2, times=months)
    splits = list(splitter.split(months, groups=customers))
    assert [(t.tolist(), s.tolist()) for t, s in splits] == [
        ([1, 3], [2]),
        # Customer a is tested in March.
        ([2, 3], [0, 4]),
    ]
    assert splitter.get_n_splits() == len(splits)


@pytest.mark.parametrize("kind", ["int", "float", "datetime64[D]"])
def test_order_and_groups_hold_on_random_rows(kind, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    times = rng.integers(0, 40, 200).astype("int64").astype(kind)
    groups = rng.integers(0, 60, 200)
    tested = []
    for train, test in GroupedTimeSplit(4, times=times).split(times, groups=groups):
        assert times[train].max() < times[test].min()
        assert not {*groups[train]} & {*groups[test]}
        # Nothing else is left out.
        earlier = np.flatnonzero(times < times[test].min())
        assert {*train} == {i for i in earlier if groups[i] not in groups[test]}
        tested += test.tolist()
    assert len(set(tested)) == len(tested)


def test_without_times_and_groups_it_is_that_of_scikit_learn():
    for n_rows in (5, 23):
        rows = np.zeros(n_rows)
        for ours, theirs in zip(
            GroupedTimeSplit(4).split(rows), TimeSeriesSplit(4).split(rows), strict=True
        ):
            assert [part.tolist() for part in ours] == [p.tolist() for p in theirs]


def test_what_cannot_be_split_is_refused():
    rows = [0, 1, 2, 3]
    for splitter, groups, message in (
        (GroupedTimeSplit(4), None, "needs more than 4 different times, got 4"),
        (GroupedTimeSplit(0), None, "n_splits: expected 1 or more, got 0"),
        (GroupedTimeSplit(1, times=[1, 2]), None, "times: expected one for each of 4"),
        (GroupedTimeSplit(1), [1, 2], "groups: expected one for each of 4"),
        (GroupedTimeSplit(1), [1, 1, 1, 1], "split 1: all 2 earlier graphs"),
        (GroupedTimeSplit(1, times=[1, np.nan, 2, 3]), None, "times: .* missing"),
        (
            GroupedTimeSplit(1, times=np.array(["2024", "NaT", "2025", "2026"], "M8")),
            None,
            "times: .* missing",
        ),
        (GroupedTimeSplit(1), ["a", None, "b", "c"], "groups: .* missing"),
    ):
        with pytest.raises(ValueError, match=message):
            list(splitter.split(rows, groups=groups))


def test_scikit_learn_takes_it():
    X, y, groups = np.zeros((12, 1)), [0, 1] * 6, np.arange(12) // 2
    splitter = GroupedTimeSplit(3, times=np.arange(12) // 3)
    scores = cross_val_score(DummyClassifier(), X, y, groups=groups, cv=splitter)
    assert len(scores) == 3
    search = GridSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=splitter)
    assert search.fit(X, y, groups=groups).n_splits_ == 3
    assert "n_splits=3" in repr(splitter)
