"""Targets of all forms, with what is missing and what cannot be learnt."""

import numpy as np
import pandas as pd
import pytest

from skshake.description._target import (
    N_SHOWN,
    conflict_notices,
    target_facts,
    target_notices,
    view_target,
)


def _facts(y):
    return dict(target_facts(view_target(y, len(y))))


def _notices(y):
    return [*target_notices(view_target(y, len(y)))]


@pytest.mark.parametrize(
    ("y", "form"),
    [
        ([0, 1, 1], "classes"),
        (["a", "b", "a"], "classes"),
        ([True, False, True], "classes"),
        ([0.0, 1.0, np.nan], "classes"),
        (["a", None, "b"], "classes"),
        (pd.Series([1, 2, None], dtype="Int64"), "classes"),
        ([0.5, 1.0, np.nan], "numbers"),
        ([[0.5], [1.0], [2.0]], "numbers"),
        ([[0, 1], [1, np.nan], [0, 0]], "labels"),
        ([[0, 1.5], [1, np.nan], [0, 0]], "numbers"),
        (pd.DataFrame({"a": [0, 1, 1], "b": [1, 1, 0]}), "labels"),
    ],
)
def test_forms_are_recognised(y, form):
    assert view_target(y, 3).form == form


def test_classes_are_counted_the_most_frequent_first():
    assert _facts(["b", "a", "b", None]) == {
        "kind": "2 classes",
        "b": "2 graphs, 66.7%",
        "a": "1 graph, 33.3%",
        "missing": "1 graph",
    }
    assert _facts([1])["kind"] == "1 class"
    many = _facts([*range(N_SHOWN + 5)])
    assert many["..."] == "and 5 more"


def test_labels_and_numbers_are_summed_up_by_column():
    y = pd.DataFrame({"toxic": [0, 1, np.nan, 1], "soluble": [0, 0, 1, 0]})
    assert _facts(y) == {
        "kind": "2 labels per graph",
        "toxic": "2 of 3 are 1; 1 graph without",
        "soluble": "1 of 4 are 1",
    }
    assert _facts([0.5, 1.5, np.nan]) == {
        "kind": "1 number per graph",
        "y": "0.5 to 1.5, median 1; standard deviation 0.5; 1 graph without",
    }
    assert "and 3 more" in _facts(np.eye(N_SHOWN + 3)).values()


def test_what_cannot_be_learnt_is_said():
    assert _notices([1] * 30) == ["y holds one class alone: nothing can be learnt"]
    assert _notices(np.tile([[0, 1]], (30, 1))) == [
        f"column {k} of y holds one value alone: nothing can be learnt" for k in (0, 1)
    ]
    constant = np.full((30, 2), 0.5)
    constant[:15, 0] = 2.5
    assert _notices(constant) == ["column 1 of y is constant: nothing can be learnt"]
    assert _notices([0, 1] * 20) == []


def test_rare_classes_imbalance_and_missing_labels_are_said():
    rare, imbalance, missing = _notices(["a"] * 90 + ["b"] * 5 + [None])
    assert rare == "classes with fewer than 10 graphs are hardly learnt: b (5)"
    assert imbalance.startswith("classes are imbalanced: 95% of the graphs are a")
    assert missing.startswith("1 graph without a label: fit refuses")
    y = np.tile([[0.0, 1.0], [1.0, 0.0]], (20, 1))
    y[:, 1] = 0
    y[3, 1], y[5, 0] = 1, np.nan
    (notice,) = _notices(y)
    assert notice.startswith("column 1 of y has fewer than 10 graphs with one")


def test_equal_graphs_with_other_labels_bound_the_accuracy():
    target = view_target(["a", "b", "b", "a", None, "a"], 6)
    (notice,) = conflict_notices(target, np.array([0, 0, 0, 1, 1, 2]))
    # One of five known labels cannot be right.
    assert notice == (
        "3 graphs have equals with other labels: no model can be right about more than "
        "80.0% of all"
    )
    assert [*conflict_notices(target, np.arange(6))] == []


def test_conflicts_of_numbers_and_of_columns():
    numbers = view_target([0.5, 1.5, 2.5], 3)
    assert [*conflict_notices(numbers, np.array([0, 1, 1]))] == [
        "2 graphs have equals with other numbers"
    ]
    labels = view_target(np.array([[0, 1], [0, 0], [np.nan, 1]]), 3)
    (notice,) = conflict_notices(labels, np.array([0, 0, 0]))
    assert notice.startswith("3 graphs have equals with other labels in column 1")
    nothing = view_target(np.array([[np.nan, 1], [np.nan, 0]]), 2)
    assert [*conflict_notices(nothing, np.array([0, 1]))] == []


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], "one row for each of 3 graphs, got shape"),
        (np.zeros((3, 2, 2)), "got shape"),
        ([["a", "b"]] * 3, "expected numbers in 2 columns, got dtype <U1"),
    ],
)
def test_what_is_no_target_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        view_target(y, 3)
