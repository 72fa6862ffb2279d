"""The two-step pipeline in scikit-learn's tools, and what importing costs."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline

from skshake import KFCoarsener, SHAKEClassifier
from tests._helpers import run_python


@pytest.fixture
def pipeline():
    return Pipeline(
        [
            ("coarsen", KFCoarsener(n_forests=2, random_state=0)),
            (
                "clf",
                SHAKEClassifier(hidden_dim=8, n_layers=1, max_iter=3, random_state=0),
            ),
        ]
    )


@pytest.mark.parametrize("as_list", [False, True])
def test_cross_validation(as_list, pipeline, small_mutag):
    graphs, y = small_mutag
    scores = cross_val_score(
        pipeline, list(graphs) if as_list else graphs, y, cv=3, error_score="raise"
    )
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


def test_grid_search_in_parallel_equals_one_job(pipeline, small_mutag):
    graphs, y = small_mutag
    grid = {
        "coarsen__q": ["auto", 1.0, [np.inf, 1.0]],
        "clf__hidden_dim": [4, 8],
    }
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    results = []
    for n_jobs in (1, 2):
        search = GridSearchCV(
            pipeline, grid, cv=folds, n_jobs=n_jobs, error_score="raise"
        )
        results.append(search.fit(graphs, y))
    one, two = results
    assert (
        one.cv_results_["mean_test_score"] == two.cv_results_["mean_test_score"]
    ).all()
    assert one.best_params_ == two.best_params_


def test_a_fitted_pipeline_predicts_alike_alone_in_any_order_and_pickled(
    pipeline, small_mutag
):
    graphs, y = small_mutag
    pipeline.fit(graphs, y)
    whole = pipeline.predict_proba(graphs)
    order = np.array([11, 3, 39])
    np.testing.assert_allclose(
        pipeline.predict_proba(graphs[order]), whole[order], atol=1e-4
    )
    np.testing.assert_allclose(
        pipeline.predict_proba([graphs[3]]), whole[[3]], atol=1e-4
    )
    again = pickle.loads(pickle.dumps(pipeline))
    assert (again.predict_proba(graphs) == whole).all()


def test_clone_of_a_fitted_pipeline_is_unfitted(pipeline, small_mutag):
    fitted = pipeline.fit(*small_mutag)
    assert not hasattr(clone(fitted)["clf"], "module_")


def test_importing_and_coarsening_load_no_torch():
    code = (
        "import sys\n"
        "import skshake\n"
        "from skshake import KFCoarsener, SHAKEClassifier\n"
        "from skshake.datasets import load_mutag\n"
        "KFCoarsener(n_forests=1).fit(load_mutag().data)\n"
        "loaded = {'torch', 'torch_geometric', 'matplotlib'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    run_python(code)


def test_public_names_are_there_and_strangers_are_not():
    import skshake

    assert {"KFCoarsener", "SHAKEClassifier", "as_graphs"} <= set(dir(skshake))
    for name in skshake.__all__:
        assert getattr(skshake, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'KFCoarsner'"):
        skshake.KFCoarsner  # noqa: B018
