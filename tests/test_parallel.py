"""Results come in order, on backends that give them at once or at the end."""

import joblib
import pytest
from joblib import delayed
from joblib.parallel import ThreadingBackend

from skshake._parallel import run_in_parallel


@pytest.mark.parametrize("gives_generators", [True, False])
def test_results_are_in_order(gives_generators, monkeypatch):
    monkeypatch.setattr(ThreadingBackend, "supports_return_generator", gives_generators)
    with joblib.parallel_config("threading", n_jobs=2):
        found = run_in_parallel((delayed(pow)(k, 2) for k in range(9)), 2)
        assert list(found) == [k**2 for k in range(9)]
