"""BLAS has one thread in a block, and what it had afterwards."""

import sys
from threading import Thread

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from skshake import _blas
from skshake._blas import one_blas_thread


@pytest.fixture
def libraries():
    """BLAS libraries of the process, on two threads where they can have them."""
    np.eye(2) @ np.eye(2)
    controller = ThreadpoolController().select(user_api="blas")
    with controller.limit(limits=2):
        yield controller.lib_controllers


def _n_threads(libraries):
    return [library.get_num_threads() for library in libraries]


def test_blocks_have_one_thread_each_and_give_them_back(libraries):
    before = _n_threads(libraries)
    assert before
    one = [1] * len(before)
    with one_blas_thread():
        assert _n_threads(libraries) == one
        with one_blas_thread():
            assert _n_threads(libraries) == one
        assert _n_threads(libraries) == one
    assert _n_threads(libraries) == before


def test_an_error_gives_threads_back(libraries):
    before = _n_threads(libraries)
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert _n_threads(libraries) == before


def test_blocks_of_several_threads_end_in_any_order(libraries):
    before = _n_threads(libraries)
    # On OpenMP the number is that of a thread.
    of_process = [
        library
        for library in libraries
        if getattr(library, "threading_layer", "") != "openmp"
    ]
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()

    def run(act, *arguments):
        thread = Thread(target=act, args=arguments)
        thread.start()
        thread.join()

    nothing = (None, None, None)
    if len(of_process) == len(libraries):
        run(first.__exit__, *nothing)
        assert _n_threads(of_process) == [1] * len(of_process)
        run(second.__exit__, *nothing)
    else:
        second.__exit__(*nothing)
        assert _n_threads(of_process) == [1] * len(of_process)
        first.__exit__(*nothing)
    assert _n_threads(libraries) == before


def test_libraries_are_looked_for_again_when_modules_came(monkeypatch):
    with one_blas_thread():
        pass
    n_searches = []

    def search():
        n_searches.append(1)
        return ThreadpoolController()

    monkeypatch.setattr(_blas, "ThreadpoolController", search)
    with one_blas_thread():
        pass
    assert not n_searches
    monkeypatch.setitem(sys.modules, "a_module_that_came", sys)
    with one_blas_thread(), one_blas_thread():
        pass
    assert len(n_searches) == 1
