"""Transformers that give one collection, whatever container is asked for."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from skshake import KFCoarsener, MoleculeFeaturizer
from skshake._output import CollectionOutputMixin


class Wrapper(CollectionOutputMixin, TransformerMixin, BaseEstimator):
    """Gives a tuple, which no data frame could hold."""

    def fit(self, X, y=None):
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return tuple(X)


@pytest.mark.parametrize("container", ["default", "pandas", "polars", None])
def test_a_collection_stays_one(container):
    wrapper = Wrapper()
    assert wrapper.set_output(transform=container) is wrapper
    assert wrapper.fit_transform([{}, None]) == ({}, None)


def test_a_collection_stays_one_where_all_output_is_configured():
    with sklearn.config_context(transform_output="pandas"):
        assert Wrapper().fit_transform([1]) == (1,)


def test_the_only_column_has_the_name_of_the_class():
    names = Wrapper().fit([]).get_feature_names_out(["ignored"])
    assert names.tolist() == ["wrapper0"]
    assert names.dtype == object
    with pytest.raises(NotFittedError):
        Wrapper().get_feature_names_out()


def test_our_transformers_are_named(triangle_with_tail):
    coarsener = KFCoarsener(q=np.inf).fit([triangle_with_tail])
    assert coarsener.get_feature_names_out().tolist() == ["kfcoarsener0"]
    featurizer = MoleculeFeaturizer()
    assert featurizer.get_feature_names_out().tolist() == ["moleculefeaturizer0"]
