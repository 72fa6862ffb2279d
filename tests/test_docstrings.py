"""Public docstrings are complete numpydoc."""

import inspect
import re

import pytest
from numpydoc.validate import validate

import skshake
import skshake.datasets
import skshake.plotting

# GL01, GL02: our summary starts on the first line; EX01, SA01, SA04, ES01, YD01: not
# every name needs an example, a relative, or a longer story; RT02: one unnamed value
# may have its name; GL08 is checked for what users call, not for dunder methods.
IGNORED = {"GL01", "GL02", "EX01", "SA01", "SA04", "ES01", "YD01", "RT02"}
# Types such as "{'mean', 'sum'}, default='mean'" end without a full stop by habit.
IGNORED |= {"PR06", "PR08", "PR09", "RT03", "RT04", "RT05"}


def _public_names():
    for module in (skshake, skshake.datasets, skshake.plotting):
        for name in module.__all__:
            item = getattr(module, name)
            yield f"{item.__module__}.{name}"
            if inspect.isclass(item) and not issubclass(item, Warning):
                for method, function in vars(item).items():
                    if not method.startswith("_") and callable(function):
                        yield f"{item.__module__}.{name}.{method}"


@pytest.mark.parametrize("name", sorted(set(_public_names())))
def test_docstrings_are_numpydoc(name):
    errors = [
        f"{code}: {text}"
        for code, text in validate(name)["errors"]
        if code not in IGNORED
    ]
    assert not errors, errors


@pytest.mark.parametrize(
    "estimator",
    [
        skshake.KFCoarsener,
        skshake.SHAKEClassifier,
        skshake.SHAKERegressor,
        skshake.SubtreeVectorizer,
    ],
)
def test_each_parameter_is_in_one_group(estimator):
    summary = inspect.getdoc(estimator).partition("\nParameters\n")[0]
    groups = summary.partition("by what they are for:")[2]
    names = re.findall(r"``(\w+)``", groups)
    assert sorted(names) == sorted(estimator().get_params())
