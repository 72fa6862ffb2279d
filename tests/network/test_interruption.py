"""Whose fit it is that Ctrl-C ends."""

import pytest

from skshake.network._interruption import is_one_of_many


def ask_from(*modules):
    """What a fit finds that modules of these names call, the first of them first."""
    call = is_one_of_many
    for name in reversed(modules):
        namespace = {"__name__": name, "call": call}
        exec("def ask():\n    return call()", namespace)
        call = namespace["ask"]
    return call()


@pytest.mark.parametrize(
    ("modules", "is_many"),
    [
        (["mine"], False),
        (["mine", "skshake._base"], False),
        (["mine", "sklearn.pipeline", "sklearn.utils.validation"], False),
        (["mine", "sklearn.model_selection._search", "sklearn.pipeline"], True),
        (["optuna.study", "mine"], True),
        # Not a package of that name, but one that begins like it.
        (["optunate", "mine"], False),
        (["joblib.memory", "mine"], False),
        (["joblib.parallel", "mine"], True),
    ],
    ids=str,
)
def test_a_fit_in_a_search_is_one_of_many(modules, is_many):
    # What runs the tests calls no fits.
    assert ask_from(*modules) == is_many
