"""ScaffoldSplit: no scaffold on both sides, the rarest held out."""

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedGroupKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline

from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
from skshake.datasets import load_bace
from skshake.model_selection import ScaffoldSplit, scaffold_groups

TOLUENE, PHENOL, PYRIDINE = "Cc1ccccc1", "Oc1ccccc1", "c1ccncc1"


def test_scaffolds_are_rings_and_links():
    smiles = [TOLUENE, PHENOL, PYRIDINE, "CCO", "c1ccccc1CCc1ccccc1", "no", None]
    groups = scaffold_groups(smiles)
    expected = ["c1ccccc1"] * 2 + ["c1ccncc1", "", "c1ccc(CCc2ccccc2)cc1", "", ""]
    assert groups.tolist() == expected
    skeletons = scaffold_groups(smiles, use_csk=True)
    assert skeletons[0] == skeletons[2] == "C1CCCCC1"
    molecules = [Chem.MolFromSmiles(text) for text in smiles[:5]]
    assert scaffold_groups(molecules).tolist() == expected[:5]
    assert scaffold_groups(pd.DataFrame({"s": smiles})).tolist() == expected
    column = np.array(smiles[:5])[:, None]
    assert scaffold_groups(column).tolist() == expected[:5]
    for wrong in (TOLUENE, 3):
        with pytest.raises(TypeError, match="expected a list of SMILES"):
            scaffold_groups(wrong)


def test_stereo_does_not_count_and_molecules_stay_as_they_are():
    one, other = "C[C@H]1CCCN1c1ccccc1", "C[C@@H]1CCCN1c1ccccc1"
    molecule = Chem.MolFromSmiles("O=C1C[C@H](c2ccccc2)CN1")
    before = Chem.MolToSmiles(molecule)
    assert len({*scaffold_groups([one, other]).tolist()}) == 1
    scaffold_groups([molecule])
    assert Chem.MolToSmiles(molecule) == before


def test_the_rarest_scaffolds_are_tested():
    smiles = [PYRIDINE, TOLUENE, PHENOL, "Nc1ccccc1", "C1CC1", "CCO", "CCC"]
    ((train, test),) = ScaffoldSplit(test_size=2).split(smiles)
    assert test.tolist() == [0, 4]
    assert train.tolist() == [1, 2, 3, 5, 6]
    # A scaffold is never cut: three are asked for, four come.
    ((train, test),) = ScaffoldSplit(test_size=3 / 7).split(smiles)
    assert test.tolist() == [0, 4, 5, 6]
    groups = ["a", "b", "b"]
    ((train, test),) = ScaffoldSplit(test_size=1).split([1, 2, 3], groups=groups)
    assert (train.tolist(), test.tolist()) == ([1, 2], [0])


def test_no_scaffold_of_real_molecules_is_on_both_sides():
    smiles = load_bace().smiles[:300]
    groups = scaffold_groups(smiles)
    ((train, test),) = ScaffoldSplit(test_size=0.1).split(smiles)
    assert not {*groups[train]} & {*groups[test]}
    assert sorted([*train, *test]) == list(range(300))
    assert len(test) >= 30
    counts = dict(zip(*np.unique(groups, return_counts=True), strict=True))
    assert max(counts[g] for g in groups[test]) <= min(counts[g] for g in groups[train])


def test_wrong_sizes_are_refused():
    for size in (0, 0.0, 1.0, 4, -1, "0.2"):
        with pytest.raises(ValueError, match="test_size: expected a fraction"):
            next(ScaffoldSplit(test_size=size).split([TOLUENE, "CCO", PYRIDINE]))
    with pytest.raises(ValueError, match="no scaffold is left to train on"):
        next(ScaffoldSplit().split([TOLUENE, PHENOL]))


def test_scikit_learn_takes_it():
    smiles = [TOLUENE, PHENOL, "Nc1ccccc1", "Clc1ccccc1", PYRIDINE, "CCO"] * 3
    y = [0, 1, 0, 1, 0, 1] * 3
    model = make_pipeline(
        MoleculeFeaturizer(),
        KFCoarsener(q=1.0, n_forests=1, random_state=0),
        SHAKEClassifier(n_layers=1, max_iter=1, random_state=0),
    )
    splitter = ScaffoldSplit(test_size=0.3)
    assert len(cross_val_score(model, smiles, y, cv=splitter)) == 1
    search = GridSearchCV(model, {"kfcoarsener__q": [1.0, 2.0]}, cv=splitter)
    assert search.fit(smiles, y).n_splits_ == 1
    scores = cross_val_score(
        DummyClassifier(),
        np.zeros((18, 1)),
        y,
        groups=scaffold_groups(smiles),
        cv=StratifiedGroupKFold(2),
    )
    assert len(scores) == 2
    assert "test_size=0.3" in repr(splitter)
