"""What callbacks of scikit-learn are told while an estimator is fitted.

In: an estimator with callbacks, and what happens in its fit. Out: calls of their hooks,
and whether one of them asks to stop. Estimators without callbacks, and scikit-learn
before 1.9, which has none, cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from skshake._states import is_for_file

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands for scikit-learn's before 1.9: no ``set_callbacks``."""


# What scikit-learn keeps on an estimator: its callbacks, and within a fit its place in
# the tree of all tasks.
OF_FIT = ("_callback_fit_ctx", "_parent_callback_ctx", "_skl_callbacks_to_teardown")
CALLBACK_ATTRIBUTES = ("_skl_callbacks", *OF_FIT)
MISSING = object()


class CallbackMixin(CallbackSupportMixin):
    """``set_callbacks``, and copies that are no part of the fit they are made in."""

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        left_out: tuple[str, ...] = ()
        if is_for_file():
            left_out = CALLBACK_ATTRIBUTES
        elif "_callback_fit_ctx" in state:
            # An estimator as it is after an epoch may be kept: without all other tasks.
            left_out = OF_FIT
        return {name: value for name, value in state.items() if name not in left_out}


class EpochTasks:
    """Tasks "epoch", one after the other, under a task "fit".

    Parameters
    ----------
    context : sklearn.callback.CallbackContext
        Of the task "fit".
    given : dict
        What hooks get in each task.
    describe : callable
        Fitted attributes of the estimator for a network and the records of all epochs
        so far.
    """

    def __init__(
        self,
        context: Any,
        given: dict[str, Any],
        describe: Callable[[Any, list[Any]], dict[str, Any]],
    ) -> None:
        self._fit, self._given, self._describe = context, given, describe

    def begin(self) -> None:
        """Tell that an epoch begins."""
        self._epoch = self._fit.subcontext(task_name="epoch")
        self._epoch.call_on_fit_task_begin(**self._given)

    def end(self, history: list[Any], make_network: Callable[[], Any]) -> bool:
        """Tell that the epoch ended; True if a callback asks to stop.

        Parameters
        ----------
        history : list of EpochRecord
            Of all epochs so far, those of a checkpoint included.
        make_network : callable
            Makes the network that a training which stops here ends with. Called only if
            a callback takes ``fitted_estimator``.
        """
        # A copy: the training counts its epochs by its own list.
        history = list(history)
        self._given["estimator"].history_ = history

        def attributes() -> dict[str, Any]:
            return self._describe(make_network(), list(history))

        stops: bool = self._epoch.call_on_fit_task_end(
            **self._given, reconstruction_attributes=attributes
        )
        return stops


class FitTask:
    """The task "fit" of an estimator, from now until :meth:`end`.

    To be made within ``_fit_context`` of scikit-learn, which tears callbacks down, and
    after the seed was drawn, which a callback may not change.

    Parameters
    ----------
    estimator : CallbackMixin
    X : object
        Training data as they were read: what the user gave may be an iterator.
    y : object
    sample_weight : array-like or None, default=None
    n_epochs : int, default=0
        Most epochs; 0 if the fit has none.
    is_told : bool, default=True
        Whether callbacks are told; of several processes that train together, the first
        tells its own.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        n_epochs: int = 0,
        *,
        is_told: bool = True,
    ) -> None:
        self._context = None
        if not (is_told and getattr(estimator, "_skl_callbacks", None)):
            return
        # Scorers among the callbacks take all of it as arguments, so nothing else.
        metadata = None
        if sample_weight is not None:
            metadata = {"sample_weight": sample_weight}
        self._given = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self._context = estimator._init_callback_context(max_subtasks=n_epochs)
        self._context.call_on_fit_task_begin(**self._given)

    @contextmanager
    def epochs(
        self, describe: Callable[[Any, list[Any]], dict[str, Any]]
    ) -> Iterator[EpochTasks | None]:
        """Inside, epochs are told, and the estimator's ``history_`` grows with them.

        Parameters
        ----------
        describe : callable
            See :class:`EpochTasks`.

        Yields
        ------
        tasks : EpochTasks or None
            None without callbacks.
        """
        if self._context is None:
            yield None
            return
        estimator = self._given["estimator"]
        before = getattr(estimator, "history_", MISSING)
        try:
            yield EpochTasks(self._context, self._given, describe)
        except BaseException:
            # A fit that fails leaves the estimator as it was.
            if before is not MISSING:
                estimator.history_ = before
            elif hasattr(estimator, "history_"):
                del estimator.history_
            raise

    def end(self) -> None:
        """Tell that the estimator is fitted."""
        if self._context is not None:
            self._context.call_on_fit_task_end(
                **self._given, reconstruction_attributes={}
            )
