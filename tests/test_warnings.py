"""Warnings point at the line of the user, whatever lies between."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from skshake import (
    CategoryWarning,
    KFCoarsener,
    MoleculeFeaturizer,
    ReductionWarning,
    ResolutionWarning,
    SHAKEClassifier,
    SubtreeVectorizer,
    as_graphs,
)

SETTINGS = {"max_iter": 1, "hidden_dim": 8, "n_layers": 1, "random_state": 0}


def explode(graphs, y):
    # The learning rate is so large that the loss is no number.
    SHAKEClassifier(**{**SETTINGS, "max_iter": 9}, learning_rate=1e30).fit(graphs, y)


def predict_one_class(graphs, y):
    with np.errstate(all="ignore"):
        SHAKEClassifier(**SETTINGS).fit(graphs, np.zeros(len(y)))


def fit_a_pipeline(graphs, y):
    model = make_pipeline(KFCoarsener(q=1e3), SHAKEClassifier(**SETTINGS))
    model.fit(graphs, y)


def choose_q_at_a_border(graphs, y):
    KFCoarsener(q_grid=[20.0, 30.0, 40.0], n_forests=1).fit(graphs)


def give_identifiers(graphs, y):
    ring = np.eye(90, k=1) + np.eye(90, k=-1)
    KFCoarsener(q=1.0).fit([(ring, np.arange(90)[:, None])])


def count_identifiers(graphs, y):
    ring = np.eye(90, k=1) + np.eye(90, k=-1)
    SubtreeVectorizer().fit_transform([(ring, np.arange(90)[:, None])])


def give_large_numbers(graphs, y):
    x = 1e4 + np.arange(3)[:, None] * 1e-5
    as_graphs([(np.ones((3, 3)), x)] * 2)


def hold_out_a_rare_class(graphs, y):
    rare = np.arange(len(y)) == 0
    SHAKEClassifier(**SETTINGS, early_stopping=True).fit(graphs, rare)


def read_invalid_molecules(graphs, y):
    MoleculeFeaturizer(on_invalid="empty").fit_transform(["CCO", "no molecule"])


@pytest.mark.parametrize(
    ("act", "category"),
    [
        (explode, ConvergenceWarning),
        (predict_one_class, ConvergenceWarning),
        (fit_a_pipeline, ReductionWarning),
        (choose_q_at_a_border, ResolutionWarning),
        (give_identifiers, CategoryWarning),
        (count_identifiers, CategoryWarning),
        (give_large_numbers, UserWarning),
        (hold_out_a_rare_class, UserWarning),
        (read_invalid_molecules, UserWarning),
    ],
)
def test_warnings_name_the_line_of_the_user(act, category, small_mutag):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act(*small_mutag)
    found = [each for each in caught if issubclass(each.category, category)]
    assert found
    for each in found:
        assert each.filename == __file__, each.message
