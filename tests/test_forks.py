"""A forked process knows that it is one."""

import multiprocessing
import os

import pytest

from skshake._forks import is_forked
from tests._helpers import run_python

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def test_a_process_of_its_own_is_not_forked():
    run_python("from skshake._forks import is_forked; assert not is_forked()")


@needs_fork
def test_children_of_a_fork_are_forked_and_the_parent_is_not():
    run_python(
        "import os, warnings\n"
        # Newer versions of Python warn where threads run.
        "warnings.simplefilter('ignore')\n"
        "from skshake._forks import is_forked\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    grandchild = os.fork()\n"
        "    if not grandchild:\n"
        "        os._exit(not is_forked())\n"
        "    failed = os.waitpid(grandchild, 0)[1] or not is_forked()\n"
        "    os._exit(bool(failed))\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert not is_forked()\n"
    )


@needs_fork
def test_workers_that_were_forked_before_the_import_are_forked():
    run_python(
        "import multiprocessing, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "def check():\n"
        "    from skshake._forks import is_forked\n"
        "    sys.exit(not is_forked())\n"
        "worker = multiprocessing.get_context('fork').Process(target=check)\n"
        "worker.start()\n"
        "worker.join()\n"
        "assert worker.exitcode == 0\n"
    )


def test_workers_that_were_spawned_are_not_forked():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(is_forked) is False
