"""Labels and numbers of any type, weights, and the held-out part."""

import numpy as np
import pandas as pd
import pytest

from skshake._targets import (
    ClassTarget,
    LabelTarget,
    NumberTarget,
    check_loss,
    check_sample_weight,
    learn_class_target,
    split_validation,
)
from skshake.network import find_loss

NAN = np.nan


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "expected one label per graph"),
        ([0, 1], "expected 3 labels, got 2"),
        ([0.0, np.nan, 1.0], "1 labels are missing, the first at graph 1"),
        (["a", None, "b"], "1 labels are missing"),
        (pd.array(["a", pd.NA, "b"], dtype="string"), "1 labels are missing"),
        ([0.1, 0.5, 0.7], "Unknown label type"),
    ],
)
def test_bad_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        ClassTarget(y, 3)


def test_codes_are_positions_among_classes():
    target = ClassTarget(["a", "b", "d"], 3)
    assert target.encode(["d", "a", "d"], 3, "y").tolist() == [2, 0, 2]
    for stranger in ("c", "e"):
        with pytest.raises(
            ValueError, match=f"y_val: label '{stranger}' does not occur"
        ):
            target.encode([stranger], 1, "y_val")


def test_outputs_become_labels_probabilities_and_margins():
    target = ClassTarget(["no", "yes"], 2)
    outputs = np.log([[0.9, 0.1], [0.2, 0.8]])
    assert target.labels(outputs).tolist() == ["no", "yes"]
    np.testing.assert_allclose(target.probabilities(outputs), np.exp(outputs))
    np.testing.assert_allclose(target.margins(outputs), np.log([1 / 9, 4]))


def test_losses_take_what_they_are_made_for():
    three, numbers = ClassTarget([0, 1, 2], 3), NumberTarget([0.0, 1.0], 2)
    auc, squared = find_loss("auc_margin"), find_loss("squared_error")
    with pytest.raises(ValueError, match=r"'auc_margin': expected two classes, got 3"):
        check_loss("auc_margin", auc, three)
    with pytest.raises(ValueError, match="expected classes or labels, got numbers"):
        check_loss("auc_margin", auc, numbers)
    with pytest.raises(ValueError, match="expected numbers, got classes"):
        check_loss("squared_error", squared, three)
    check_loss("auc_margin", auc, ClassTarget(["a", "b"], 2))


def test_several_columns_are_labels_that_may_be_missing():
    y = np.array([[0, 1], [1, NAN], [NAN, 0]])
    target = learn_class_target(y, 3)
    assert isinstance(target, LabelTarget)
    np.testing.assert_array_equal(target.encode(y, 3, "y"), y)
    outputs = np.array([[-1.0, 3.0], [2.0, 0.5], [0.1, -4.0]])
    assert target.labels(outputs).tolist() == [[0, 1], [1, 1], [1, 0]]
    assert target.score(y, outputs, np.ones(3)) == 1.0
    assert target.score(y, -outputs, np.ones(3)) == 0.0


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[0, 1], [2, 1]], "got 2 at graph 1, column 0"),
        ([[0, NAN], [1, NAN]], "column 1 has no label"),
        ([["a", "b"], ["c", "d"]], "expected numbers"),
        ([[0, 1]], "expected 2 rows, got 1"),
        ([[0, np.inf], [1, 1]], "inf at graph 0"),
    ],
)
def test_bad_label_matrices_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        learn_class_target(y, 2)


def test_numbers_are_standardised_and_come_back():
    y = np.array([[1.0, 100.0], [3.0, NAN], [5.0, 300.0]])
    target = NumberTarget(y, 3)
    encoded = target.encode(y, 3, "y")
    np.testing.assert_allclose(np.nanmean(encoded, axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(target.numbers(encoded), y, rtol=1e-6)
    assert target.score(encoded, np.nan_to_num(encoded), np.ones(3)) == 1.0
    assert target.score(encoded, encoded, np.ones(3)) == -np.inf
    flat = NumberTarget([1.0, 2.0, 4.0], 3)
    assert flat.numbers(np.zeros((3, 1))).shape == (3,)
    constant = NumberTarget([2.0, 2.0], 2)
    assert constant.numbers(np.zeros((2, 1))).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, NAN], "nan at graph 1"),
        (["a", "b"], "expected numbers"),
        ([1.0], "expected 2 rows"),
        (np.zeros((2, 1, 1)), "dimensions"),
        (None, "got None"),
        ([[1.0, NAN], [2.0, NAN]], "no number"),
    ],
)
def test_bad_numbers_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        NumberTarget(y, 2)


def test_class_weight_multiplies_sample_weight():
    labels = np.array([0, 0, 0, 1])
    weights = check_sample_weight([1, 2, 3, 4], labels, 4, "balanced")
    np.testing.assert_allclose(weights, [2 / 3, 4 / 3, 2, 8])
    with pytest.raises(ValueError, match="class_weight"):
        check_sample_weight(None, np.zeros((4, 2)), 4, "balanced")


@pytest.mark.parametrize("weights", [[0, 0, 0, 0], [-1, 1, 1, 1], [1, 1], [np.nan] * 4])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"(?i)weight"):
        check_sample_weight(weights, np.array([0, 0, 1, 1]), 4)


@pytest.mark.parametrize("shape", [(50,), (50, 1)])
def test_the_split_is_stratified(shape):
    codes = np.array([0] * 40 + [1] * 10)
    train, held_out = split_validation(codes.reshape(shape), 0.2, seed=0)
    assert np.bincount(codes[held_out]).tolist() == [8, 2]
    assert sorted([*train, *held_out]) == list(range(50))


def test_numbers_and_label_matrices_are_split_at_random():
    for targets in (np.linspace(0, 1, 20)[:, None], np.zeros((20, 3))):
        train, held_out = split_validation(targets, 0.25, seed=0)
        assert (len(train), len(held_out)) == (15, 5)


def test_a_class_too_rare_to_split_falls_back_with_a_warning():
    # Field report 18.
    codes = np.array([0] * 9 + [1])
    with pytest.warns(UserWarning, match="not stratified"):
        train, held_out = split_validation(codes, 0.2, seed=0)
    assert len(held_out) == 2
    assert len(train) == 8


def test_scores_have_the_names_of_what_they_are():
    assert ClassTarget(["a", "b"], 2).score_name == "ROC-AUC"
    assert ClassTarget(["a", "b", "c"], 3).score_name == "accuracy"
    assert LabelTarget([[0, 1], [1, 0]], 2).score_name == "mean ROC-AUC"
    assert NumberTarget([0.5, 1.5], 2).score_name == "R²"
    assert NumberTarget([[0.5, 1.0], [1.5, 2.0]], 2).score_name == "mean R²"
