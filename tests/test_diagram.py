"""scikit-learn's diagram links our estimators and says nothing of columns."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, SHAKEClassifier
from skshake._diagram import SITE, is_drawn

ESTIMATORS = [
    name
    for name in skshake.__all__
    if isinstance(getattr(skshake, name), type)
    and issubclass(getattr(skshake, name), BaseEstimator)
]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_estimator_links_to_its_page(name):
    estimator = getattr(skshake, name)()
    page = f"{SITE}api/generated/skshake.{name}.html"
    assert estimator._get_doc_link() == page
    assert f'href="{page}"' in estimator._repr_html_()


def test_a_subclass_of_a_user_has_no_page():
    class Mine(KFCoarsener):
        pass

    assert Mine()._get_doc_link() == ""


def test_no_step_is_shown_as_a_table(small_mutag):
    graphs, y = small_mutag
    model = make_pipeline(
        KFCoarsener(q=1.0, n_forests=1), SHAKEClassifier(n_layers=1, max_iter=1)
    ).fit(graphs, y)
    page = model._repr_html_()
    assert "SHAKEClassifier" in page
    assert "64 features" not in page
    assert "1 features" not in page
    # To everybody else the embedding has its names.
    assert len(model.get_feature_names_out()) == 64
    assert len(model[:1].get_feature_names_out()) == 1


def test_only_the_diagram_draws():
    def ask():
        return is_drawn()

    assert not ask()
    drawn = {"__name__": "sklearn.utils._repr_html.estimator", "ask": ask}
    assert eval("ask()", drawn)
