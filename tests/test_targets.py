"""Labels of any type, weights, and the held-out part."""

import numpy as np
import pandas as pd
import pytest

from skshake._targets import (
    check_labels,
    check_weights,
    encode_labels,
    split_validation,
)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "expected one label per graph"),
        ([0, 1], "expected 3 labels, got 2"),
        ([0.0, np.nan, 1.0], "1 labels are missing, the first at graph 1"),
        (["a", None, "b"], "1 labels are missing"),
        (pd.array(["a", pd.NA, "b"], dtype="string"), "1 labels are missing"),
        (np.zeros((3, 2)), "multi-label"),
        ([0.1, 0.5, 0.7], "Unknown label type"),
    ],
)
def test_bad_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        check_labels(y, 3)


def test_codes_are_positions_among_classes():
    classes = np.array(["a", "b", "d"])
    codes = encode_labels(np.array(["d", "a", "d"]), classes, "y")
    assert codes.tolist() == [2, 0, 2]
    for stranger in ("c", "e"):
        with pytest.raises(
            ValueError, match=f"y_val: label '{stranger}' does not occur"
        ):
            encode_labels(np.array([stranger]), classes, "y_val")


def test_class_weight_multiplies_sample_weight():
    labels = np.array([0, 0, 0, 1])
    weights = check_weights([1, 2, 3, 4], labels, "balanced")
    np.testing.assert_allclose(weights, [2 / 3, 4 / 3, 2, 8])


@pytest.mark.parametrize("weights", [[0, 0, 0, 0], [-1, 1, 1, 1], [1, 1], [np.nan] * 4])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"(?i)weight"):
        check_weights(weights, np.array([0, 0, 1, 1]), None)


def test_the_split_is_stratified():
    codes = np.array([0] * 40 + [1] * 10)
    train, held_out = split_validation(codes, 0.2, seed=0)
    assert np.bincount(codes[held_out]).tolist() == [8, 2]
    assert sorted([*train, *held_out]) == list(range(50))


def test_a_class_too_rare_to_split_falls_back_with_a_warning():
    # Field report 18.
    codes = np.array([0] * 9 + [1])
    with pytest.warns(UserWarning, match="not stratified"):
        train, held_out = split_validation(codes, 0.2, seed=0)
    assert len(held_out) == 2
    assert len(train) == 8
