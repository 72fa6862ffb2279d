"""InvalidGraphError: what it says, which graph and field it names, how it is made."""

import copy
import pickle

import pytest

from skshake import GraphProblem, InvalidGraphError
from skshake.graphs import problems_of
from skshake.graphs._errors import Naming


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x holds nan",), "x holds nan"),
        (("x holds nan", 3, "x"), "Graph 3: x holds nan"),
        (("has no x", 0), "Graph 0 has no x"),
        (("is of type str", 12), "Graph 12 is of type str"),
        # Only whole words say what a graph has or is.
        (("isolated", 1), "Graph 1: isolated"),
    ],
)
def test_messages_begin_with_the_graph(arguments, message):
    assert str(InvalidGraphError(*arguments)) == message


def test_either_name_catches_it():
    for name in (ValueError, TypeError, InvalidGraphError):
        with pytest.raises(name):
            raise InvalidGraphError("has no x", 0, "x")


def test_copies_and_pickles_keep_all_parts():
    error = InvalidGraphError("has no x", 4, "x")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert isinstance(other, InvalidGraphError)
        assert (other.problem, other.graph, other.field) == ("has no x", 4, "x")
        assert str(other) == "Graph 4 has no x"


def test_the_same_error_of_another_graph():
    error = InvalidGraphError("has no x", field="x")
    moved = error.at(7)
    assert (moved.problem, moved.graph, moved.field) == ("has no x", 7, "x")
    assert error.graph is None


def test_problems_are_sorted_and_leave_out_errors_of_the_whole_list():
    errors = [
        InvalidGraphError("is odd", 5),
        InvalidGraphError("expected a list"),
        InvalidGraphError("has no x", 2, "x"),
    ]
    assert problems_of(errors) == [
        GraphProblem(2, "x", "Graph 2 has no x"),
        GraphProblem(5, None, "Graph 5 is odd"),
    ]


def _raise_in(naming, error):
    """The error that leaves a block in which another is raised."""
    with pytest.raises(Exception) as raised, naming:  # noqa: PT011
        raise error
    return raised.value


@pytest.mark.parametrize("kind", [ValueError, TypeError, RuntimeError])
def test_errors_of_conversion_get_a_field_and_a_graph(kind):
    cause = kind("ragged")
    for naming, message in (
        (Naming("x"), "x: ragged"),
        (Naming("x", 3), "Graph 3: x: ragged"),
        (Naming("edge_weight", 3, "edge weight"), "Graph 3: edge weight: ragged"),
    ):
        error = _raise_in(naming, cause)
        assert isinstance(error, InvalidGraphError)
        assert str(error) == message
        assert (error.graph, error.field) == (naming.graph, naming.field)
        assert error.__cause__ is cause


def test_errors_that_have_a_field_keep_it():
    error = _raise_in(Naming("x", 3), InvalidGraphError("has no z", None, "z"))
    assert (str(error), error.field) == ("Graph 3 has no z", "z")
    # Nor is a graph forgotten that the block does not know.
    error = _raise_in(Naming("x"), InvalidGraphError("has no z", 5, "z"))
    assert str(error) == "Graph 5 has no z"
    error = _raise_in(Naming("x", 3), InvalidGraphError("ragged"))
    assert (str(error), error.field) == ("Graph 3: x: ragged", "x")


def test_other_errors_pass_as_they_are():
    for cause in (KeyError("x"), ZeroDivisionError(), KeyboardInterrupt()):
        with pytest.raises(type(cause)) as raised, Naming("x", 3):
            raise cause
        assert raised.value is cause
    with Naming("x"):
        pass
