"""Bars of progress show what goes on, and do not warn where they can be no widgets."""

import pytest

from skshake import KFCoarsener, SHAKEClassifier
from tests._helpers import run_python


def test_a_notebook_without_widgets_gets_bars_of_text():
    # What tqdm asks of a notebook, in one that has no ipywidgets.
    code = (
        "import sys, warnings\n"
        "from types import ModuleType\n"
        "class ZMQInteractiveShell: pass\n"
        "ipython = ModuleType('IPython')\n"
        "ipython.get_ipython = ZMQInteractiveShell\n"
        "sys.modules |= {'IPython': ipython, 'ipywidgets': None}\n"
        "sys.modules['ipykernel.zmqshell'] = ModuleType('zmqshell')\n"
        "with warnings.catch_warnings(record=True) as found:\n"
        "    warnings.simplefilter('always')\n"
        "    from skshake._progress import tqdm\n"
        "assert not found, [str(warning.message) for warning in found]\n"
        "from tqdm.std import tqdm as text\n"
        "assert tqdm.status_printer is text.status_printer\n"
        "assert list(tqdm(range(3), disable=True)) == [0, 1, 2]\n"
    )
    run_python(code)


@pytest.mark.parametrize("verbose", [0, 1])
def test_verbose_shows_bars(verbose, small_mutag, capsys):
    graphs, y = small_mutag
    coarsener = KFCoarsener(n_forests=1, random_state=0, verbose=verbose)
    model = SHAKEClassifier(hidden_dim=8, n_layers=1, max_iter=2, verbose=verbose)
    model.fit(coarsener.fit_transform(graphs), y)
    shown = capsys.readouterr().err
    for what in ("coarsening", "epochs", "loss="):
        assert (what in shown) == bool(verbose)
