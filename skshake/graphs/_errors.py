"""The one exception for graphs that cannot be read, and how its message is made.

In: what is wrong, the field, and the graph once it is known. Out: an error that names
them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class InvalidGraphError(ValueError, TypeError):
    """What is wrong with graphs that came, be it their values or their types.

    It is a ValueError and a TypeError, so either name catches it.

    Parameters
    ----------
    problem : str
        What came and what was expected.
    graph : int or None, default=None
        Position of the graph; None if the list as a whole is meant.
    field : str or None, default=None
        The part of the graph, such as "x", "edge_index" or the name of an attribute;
        None if the graph as a whole is meant.

    Examples
    --------
    >>> import numpy as np
    >>> from skshake import InvalidGraphError, as_graphs
    >>> try:
    ...     as_graphs([(np.eye(3), np.full((3, 1), np.nan))])
    ... except InvalidGraphError as error:
    ...     print(error.graph, error.field)
    0 x
    """

    def __init__(
        self, problem: str, graph: int | None = None, field: str | None = None
    ) -> None:
        super().__init__(problem, graph, field)
        self.problem = problem
        self.graph = graph
        self.field = field

    def __str__(self) -> str:
        if self.graph is None:
            return self.problem
        # "Graph 3 has no x", but "Graph 3: x holds nan".
        is_predicate = self.problem.startswith(("has ", "is "))
        return f"Graph {self.graph}{'' if is_predicate else ':'} {self.problem}"

    def at(self, graph: int) -> InvalidGraphError:
        """Give the same error another graph.

        Parameters
        ----------
        graph : int
            Position of the graph.

        Returns
        -------
        error : InvalidGraphError
        """
        return InvalidGraphError(self.problem, graph, self.field)


class GraphProblem(NamedTuple):
    """Why a graph cannot be read; see :func:`skshake.check_graphs`.

    Parameters
    ----------
    graph : int
        Its position.
    field : str or None
        The part that is wrong; None for the graph as a whole.
    message : str
        What an error would say.
    """

    graph: int
    field: str | None
    message: str


def problems_of(errors: Iterable[InvalidGraphError]) -> list[GraphProblem]:
    """Records of errors about single graphs, by position."""
    return sorted(
        GraphProblem(error.graph, error.field, str(error))
        for error in errors
        if error.graph is not None
    )


@contextmanager
def naming(field: str, graph: int | None = None, what: str = "") -> Iterator[None]:
    """Turn errors of conversions into an InvalidGraphError that names the field.

    ``what`` says in the message what the field is, if its name does not.
    """
    try:
        yield
    except InvalidGraphError as error:
        place = error.graph if graph is None else graph
        if error.field is not None:
            raise InvalidGraphError(error.problem, place, error.field) from error
        raise InvalidGraphError(
            f"{what or field}: {error.problem}", place, field
        ) from error
    except (ValueError, TypeError, RuntimeError) as error:
        raise InvalidGraphError(f"{what or field}: {error}", graph, field) from error
