"""The one exception for graphs that cannot be read, and how its message is made.

In: what is wrong, the field, and the graph once it is known. Out: an error that names
them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


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


class Naming:
    """A block whose errors of conversion become InvalidGraphErrors of a field.

    ``what`` says in the message what the field is, if its name does not. A class, since
    a generator takes three times as long, and there is a block per graph.
    """

    __slots__ = ("field", "graph", "what")

    def __init__(self, field: str, graph: int | None = None, what: str = "") -> None:
        self.field, self.graph, self.what = field, graph, what or field

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, error_type: Any, error: BaseException | None, traceback: Any
    ) -> None:
        if isinstance(error, InvalidGraphError):
            place = error.graph if self.graph is None else self.graph
            if error.field is not None:
                raise InvalidGraphError(error.problem, place, error.field) from error
            raise InvalidGraphError(
                f"{self.what}: {error.problem}", place, self.field
            ) from error
        if isinstance(error, (ValueError, TypeError, RuntimeError)):
            raise InvalidGraphError(
                f"{self.what}: {error}", self.graph, self.field
            ) from error
