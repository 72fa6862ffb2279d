"""Parameters are checked before the method runs."""

from numbers import Integral

import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, InvalidParameterError

from skshake._fit_context import checks_parameters, checks_parameters_of_all


class Counter(BaseEstimator):
    _parameter_constraints: dict = {
        "step": [Interval(Integral, 1, None, closed="left")]
    }

    def __init__(self, step=1):
        self.step = step

    @checks_parameters
    def fit(self, X, y=None):
        """Count."""
        self.total_ = getattr(self, "total_", 0) + self.step
        return self


class Trusting(BaseEstimator):
    """Fits another, which it trusts to have good parameters."""

    _parameter_constraints: dict = {}

    def __init__(self, counter=None):
        self.counter = counter

    @checks_parameters
    def fit(self, X, y=None):
        self.counter.fit(X)
        return self


class Careful(Trusting):
    @checks_parameters_of_all
    def fit(self, X, y=None):
        self.counter.fit(X)
        return self


def test_the_method_runs_as_it_is():
    counter = Counter(2)
    assert counter.fit([]) is counter
    assert counter.fit(X=[], y=None).total_ == 4
    assert Counter.fit.__name__ == "fit"
    assert Counter.fit.__doc__ == "Count."


@pytest.mark.parametrize("step", [0, 1.5, "1", None])
def test_a_bad_parameter_is_refused_before_anything_changes(step):
    counter = Counter(step)
    with pytest.raises(
        InvalidParameterError, match="'step' parameter of Counter must be"
    ):
        counter.fit([])
    assert vars(counter) == {"step": step}


def test_checks_can_be_left_out():
    with sklearn.config_context(skip_parameter_validation=True):
        assert Counter(0).fit([]).total_ == 0


def test_an_estimator_of_estimators_has_theirs_checked_too():
    assert Trusting(Counter(0)).fit([]).counter.total_ == 0
    with pytest.raises(InvalidParameterError, match="'step' parameter of Counter"):
        Careful(Counter(0)).fit([])
    assert Careful(Counter(1)).fit([]).counter.total_ == 1
