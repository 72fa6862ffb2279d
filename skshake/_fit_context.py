"""checks_parameters: scikit-learn's check of parameters before a fit, with types.

In: a method that fits. Out: the same method; to checkers it has the type that it had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from sklearn.base import _fit_context

Method = TypeVar("Method", bound=Callable[..., Any])


def checks_parameters(method: Method) -> Method:
    """Compare parameters with ``_parameter_constraints`` before the method runs."""
    return cast(Method, _fit_context(prefer_skip_nested_validation=True)(method))


def checks_parameters_of_all(method: Method) -> Method:
    """The same for estimators of estimators, whose own are compared as they are fitted.

    ``checks_parameters`` trusts what is fitted within the method.
    """
    return cast(Method, _fit_context(prefer_skip_nested_validation=False)(method))
