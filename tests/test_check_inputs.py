"""check_inputs: all that a whole model cannot read, by the position that it came at."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skshake import (
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
    SubtreeVectorizer,
    check_inputs,
)

PATH = {"edge_index": [[0, 1], [1, 2]], "num_nodes": 3}
SMILES = ["CCO", "C1CC", "CCN", None]


@pytest.mark.parametrize(
    "X",
    [
        SMILES,
        np.array(SMILES, object),
        np.array(SMILES, object)[:, None],
        pd.DataFrame({"smiles": SMILES}),
    ],
    ids=["list", "array", "column", "frame"],
)
@pytest.mark.parametrize("on_invalid", ["raise", "empty"])
def test_each_unreadable_smiles_is_named(X, on_invalid):
    featurizer = MoleculeFeaturizer(on_invalid=on_invalid)
    model = make_pipeline(featurizer, KFCoarsener(), SHAKEClassifier())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problems = check_inputs(model, X)
    assert [problem.graph for problem in problems] == [1, 3]
    assert "Graph 1: 'C1CC'" in problems[0].message
    assert "Graph 3: expected a SMILES, got" in problems[1].message


def test_graphs_are_compared_with_each_other_or_with_those_of_fit(mutag):
    graphs = [PATH, {**PATH, "num_nodes": 2}, np.ones((2, 3))]
    model = make_pipeline(KFCoarsener(q=1.0), SHAKEClassifier(max_iter=1))
    models = (
        model,
        GridSearchCV(model, {}),
        SHAKEEnsembleClassifier(),
        make_pipeline(SubtreeVectorizer(), RandomForestClassifier()),
    )
    for each in models:
        assert [problem.graph for problem in check_inputs(each, graphs)] == [1, 2]
    model.fit(mutag[0][:10], [0, 1] * 5)
    problems = check_inputs(model, [mutag[0][0], PATH])
    assert [problem.graph for problem in problems] == [1]
    assert check_inputs(model, mutag[0]) == []


def test_later_steps_are_asked_about_what_earlier_ones_read(mutag):
    model = make_pipeline(MoleculeFeaturizer(), KFCoarsener(q=1.0), SHAKEClassifier())
    model[1].fit(mutag[0][:10])
    # Molecules have other features than those of fit.
    problems = check_inputs(model, ["C1CC", "CCO", None, "CC"])
    assert [problem.graph for problem in problems] == [0, 1, 2, 3]
    assert [p.message.startswith(f"Graph {p.graph}") for p in problems] == [True] * 4
    assert problems[1].field != "smiles"
    assert len(check_inputs(model, ["C1CC"])) == 1


def test_a_model_that_reads_no_graphs_is_refused():
    with pytest.raises(TypeError, match="ends in RandomForestClassifier"):
        check_inputs(RandomForestClassifier(), [PATH])
