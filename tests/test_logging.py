"""What the log says of a fit, in lines that a person can read."""

import logging
import re

import numpy as np

import skshake.warm_up  # noqa: F401, which imports nearly all there is
from skshake import KFCoarsener, SHAKEClassifier


def _lines(caplog):
    return [r.getMessage() for r in caplog.records if r.name == "skshake"]


def test_the_application_alone_decides_what_is_shown():
    logger = logging.getLogger("skshake")
    assert logger.handlers == []
    assert logger.level == logging.NOTSET
    assert logger.propagate


def test_each_epoch_has_a_line(caplog, small_mutag):
    graphs, y = small_mutag
    hierarchies = KFCoarsener(q=1.0, n_forests=2, random_state=0).fit_transform(graphs)
    model = SHAKEClassifier(max_iter=3, random_state=0)
    with caplog.at_level(logging.WARNING, "skshake"):
        model.fit(hierarchies, y)
    assert not [line for line in _lines(caplog) if line.startswith("epoch")]
    with caplog.at_level(logging.INFO, "skshake"):
        model.fit(hierarchies, y)
    lines = [line for line in _lines(caplog) if line.startswith("epoch")]
    for number, (line, record) in enumerate(zip(lines, model.history_, strict=True)):
        forest = number % 2 + 1
        assert line == (
            f"epoch {number + 1} of 3: loss {record.loss:.4g}, "
            f"{record.seconds:.2f} s, forest {forest} of 2"
        )
    caplog.clear()
    with caplog.at_level(logging.INFO, "skshake"):
        model.set_params(early_stopping=True).fit(hierarchies, y)
    scores = [
        re.search(r"validation score ([\d.]+), ", line)[1]
        for line in _lines(caplog)
        if line.startswith("epoch")
    ]
    assert scores == [f"{score:.4g}" for score in model.validation_scores_]


def test_what_q_keeps_is_said_in_words(caplog, small_mutag):
    graphs, _ = small_mutag
    coarsener = KFCoarsener(include_original=True, n_levels=2, random_state=0)
    with caplog.at_level(logging.INFO, "skshake"):
        coarsener.fit(graphs)
    lines = [line for line in _lines(caplog) if " keeps " in line]
    assert len(lines) == 2
    kept = coarsener.reduction_.nodes[1]
    assert lines[0] == (
        f"q* = {coarsener.q_star_:.3g} keeps {100 * kept:.0f} % of the nodes: about "
        f"{1 / kept:.2g} input nodes to a coarse one"
    )
    assert lines[1].startswith(f"q = {coarsener.q_[2]:.3g} keeps ")
    caplog.clear()
    with caplog.at_level(logging.INFO, "skshake"):
        KFCoarsener(q=np.inf).fit(graphs)
    assert not [line for line in _lines(caplog) if " keeps " in line]
