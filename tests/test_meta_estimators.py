"""What of scikit-learn takes estimators, and optuna, on lists of graphs."""

import joblib
import numpy as np
import optuna
import pytest
from optuna_integration import OptunaSearchCV
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skshake import (
    HierarchyCollection,
    KFCoarsener,
    SHAKEClassifier,
    SubtreeVectorizer,
    as_graphs,
)


def sizes(X):
    """Nodes and edges of each graph: what a table of descriptors may hold."""
    graphs = as_graphs(X)
    return np.column_stack([np.diff(graphs.node_ptr), np.diff(graphs.edge_ptr)])


@pytest.fixture
def pipeline():
    settings = {"hidden_dim": 8, "n_layers": 1, "max_iter": 2, "random_state": 0}
    return Pipeline(
        [
            ("coarsen", KFCoarsener(q=1.0, n_forests=2, random_state=0)),
            ("clf", SHAKEClassifier(**settings)),
        ]
    )


@pytest.fixture(params=["collection", "list"])
def data(request, small_mutag):
    graphs, y = small_mutag
    return (list(graphs) if request.param == "list" else graphs), y


def test_cross_validate_and_predict(pipeline, data):
    graphs, y = data
    found = cross_validate(
        pipeline,
        graphs,
        y,
        cv=2,
        scoring=["accuracy", "roc_auc"],
        return_estimator=True,
    )
    assert np.isfinite(found["test_roc_auc"]).all()
    proba = cross_val_predict(pipeline, graphs, y, cv=2, method="predict_proba")
    assert proba.shape == (len(y), 2)


def test_train_test_split(pipeline, data):
    graphs, y = data
    train, test, y_train, y_test = train_test_split(graphs, y, random_state=0)
    assert 0 <= pipeline.fit(train, y_train).score(test, y_test) <= 1


def test_halving_search(pipeline, data):
    graphs, y = data
    search = HalvingGridSearchCV(
        pipeline, {"clf__n_layers": [1, 2]}, cv=2, min_resources=20, random_state=0
    )
    assert search.fit(graphs, y).best_params_["clf__n_layers"] in (1, 2)


def test_halving_search_over_epochs(pipeline, data):
    graphs, y = data
    search = HalvingGridSearchCV(
        pipeline,
        {"clf__n_layers": [1, 2]},
        cv=2,
        resource="clf__max_iter",
        max_resources=2,
        random_state=0,
    )
    assert search.fit(graphs, y).best_estimator_["clf"].n_iter_ <= 2


def test_curves_and_permutations(pipeline, data):
    graphs, y = data
    n_train, train_scores, _ = learning_curve(
        pipeline, graphs, y, train_sizes=[0.5, 1.0], cv=2, shuffle=True, random_state=0
    )
    assert train_scores.shape == (len(n_train), 2)
    scores = validation_curve(
        pipeline, graphs, y, param_name="clf__max_iter", param_range=[1, 2], cv=2
    )
    assert scores[0].shape == (2, 2)
    _, permuted, p_value = permutation_test_score(
        pipeline, graphs, y, n_permutations=3, cv=2, random_state=0
    )
    assert len(permuted) == 3
    assert 0 < p_value <= 1


def test_calibration(pipeline, data):
    graphs, y = data
    calibrated = CalibratedClassifierCV(pipeline, cv=2).fit(graphs, y)
    assert calibrated.predict_proba(graphs).sum(axis=1) == pytest.approx(1.0)


def test_voting_stacking_and_one_versus_rest(pipeline, data):
    graphs, y = data
    forest = make_pipeline(
        FunctionTransformer(sizes), RandomForestClassifier(10, random_state=0)
    )
    counts = make_pipeline(
        SubtreeVectorizer(), RandomForestClassifier(10, random_state=0)
    )
    members = [("shake", pipeline), ("sizes", forest), ("counts", counts)]
    for ensemble in (
        VotingClassifier(members, voting="soft"),
        StackingClassifier(members, LogisticRegression(), cv=2),
        OneVsRestClassifier(pipeline),
        OneVsRestClassifier(counts),
    ):
        assert ensemble.fit(graphs, y).predict(graphs).shape == y.shape


def test_union_of_embeddings_and_descriptors(pipeline, data):
    graphs, y = data
    union = FeatureUnion([("shake", pipeline), ("sizes", FunctionTransformer(sizes))])
    # Columns of one size, with which the solver ends after some twenty steps.
    model = make_pipeline(union, StandardScaler(), LogisticRegression(max_iter=2_000))
    assert union.fit(graphs, y).transform(graphs).shape == (len(y), 8 + 2)
    assert model.fit(graphs, y).score(graphs, y) > 0.5


@pytest.mark.filterwarnings("ignore:.*(optuna.terminator|OptunaSearchCV)")
def test_optuna(pipeline, data):
    graphs, y = data
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    distributions = {"clf__n_layers": optuna.distributions.IntDistribution(1, 2)}
    search = OptunaSearchCV(pipeline, distributions, cv=2, n_trials=2, random_state=0)
    assert search.fit(graphs, y).best_params_["clf__n_layers"] in (1, 2)


def test_with_memory_a_grid_over_the_classifier_coarsens_each_fold_once(
    pipeline, data, tmp_path, monkeypatch
):
    graphs, y = data
    fitted = []
    fit_transform = KFCoarsener.fit_transform

    def counted(self, X, y=None):
        fitted.append(len(X))
        return fit_transform(self, X, y)

    monkeypatch.setattr(KFCoarsener, "fit_transform", counted)
    remembering = clone(pipeline).set_params(memory=str(tmp_path))
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    grid = {"clf__n_layers": [1, 2], "clf__hidden_dim": [4, 8]}
    search = GridSearchCV(remembering, grid, cv=folds).fit(graphs, y)
    # Two folds, and all graphs at the end.
    assert sorted(fitted) == [20, 20, 40]
    forgetful = GridSearchCV(pipeline, grid, cv=folds).fit(graphs, y)
    assert np.array_equal(
        search.cv_results_["mean_test_score"], forgetful.cv_results_["mean_test_score"]
    )


def test_hashes_are_of_the_content_alone(small_mutag):
    graphs, _ = small_mutag
    expected = joblib.hash(graphs)
    # Arrays that are derived on the way do not count.
    for derived in ("arcs", "fingerprints", "components"):
        assert getattr(graphs, derived) is not None
        assert joblib.hash(graphs) == expected
    assert joblib.hash(graphs[np.arange(len(graphs))]) == expected
    assert joblib.hash(graphs[:39]) != expected
    hierarchies = KFCoarsener(q=1.0, random_state=0).fit_transform(graphs)
    assert isinstance(hierarchies, HierarchyCollection)
    again = KFCoarsener(q=1.0, random_state=0).fit_transform(graphs)
    assert joblib.hash(hierarchies) == joblib.hash(again)
