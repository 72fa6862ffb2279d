"""take_apart: steps and the estimator behind them, whatever lies around."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import Pipeline, make_pipeline

from skshake import (
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    SHAKEEnsembleClassifier,
)
from skshake._parts import take_apart


def test_a_lone_estimator_has_no_steps():
    classifier = SHAKEClassifier()
    assert take_apart(classifier) == [((), classifier)]


def test_pipelines_within_pipelines_are_one_row_of_steps():
    featurizer, coarsener = MoleculeFeaturizer(), KFCoarsener()
    classifier = SHAKEClassifier()
    inner = Pipeline([("nothing", "passthrough"), ("c", coarsener), ("k", classifier)])
    (parts,) = take_apart(make_pipeline(featurizer, FrozenEstimator(inner)))
    assert parts.steps == (featurizer, coarsener)
    assert parts.estimator is classifier


def test_what_is_not_fitted_is_taken_as_it_will_be():
    classifier = SHAKEClassifier()
    search = GridSearchCV(make_pipeline(KFCoarsener(), classifier), {})
    for model in (search, CalibratedClassifierCV(search)):
        (parts,) = take_apart(model)
        assert parts.estimator is classifier
        assert len(parts.steps) == 1
    ensemble = make_pipeline(MoleculeFeaturizer(), SHAKEEnsembleClassifier())
    (parts,) = take_apart(ensemble)
    assert [type(step) for step in parts.steps] == [MoleculeFeaturizer, KFCoarsener]
    (parts,) = take_apart(SHAKEEnsembleClassifier(shake=classifier))
    assert parts.estimator is classifier


def test_thresholds_are_looked_into(small_mutag):
    graphs, y = small_mutag
    classifier = SHAKEClassifier(n_layers=1, max_iter=1, random_state=0)
    for wrap in (TunedThresholdClassifierCV, FixedThresholdClassifier):
        (parts,) = take_apart(wrap(classifier))
        assert parts.estimator is classifier
    fitted = TunedThresholdClassifierCV(classifier, cv=2).fit(graphs, y)
    (parts,) = take_apart(fitted)
    assert parts.estimator is fitted.estimator_


def test_what_merely_has_an_estimator_stays_whole():
    for model in (RandomForestClassifier(), BaggingClassifier(SHAKEClassifier())):
        assert take_apart(model) == [((), model)]
