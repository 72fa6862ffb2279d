"""What tests of several folders share: comparisons, and processes of their own."""

import os
import subprocess
import sys

import numpy as np
from scipy.stats import norm, t

# A test of a random number fails so often, whatever its seed, though the code is right.
FALSE_ALARMS = 1e-4
# Seconds for a process of its own: far more than it takes when all cores are busy and
# nothing is compiled yet.
PATIENCE = 900


def limit(n_comparisons=1, n_draws=None):
    """Standard errors within which all of some means lie, but for ``FALSE_ALARMS``.

    Of normal means, or of those whose error is estimated from ``n_draws`` draws.
    """
    tail = FALSE_ALARMS / (2 * n_comparisons)
    return norm.isf(tail) if n_draws is None else t.isf(tail, n_draws - 1)


def run_process(*command, cwd=None, **environment):
    """A command that must succeed; shows all that it printed if it does not."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert not done.returncode, f"{done.stdout}\n{done.stderr}"
    return done


def run_python(code, *arguments, **environment):
    """Output of some code in a process of its own, where warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return run_process(*command, **environment).stdout


def assert_same_hierarchies(one, other):
    """Equal bits in all levels of all forests."""
    assert len(one) == len(other)
    assert one.signature == other.signature
    for levels, others in zip(one.forests, other.forests, strict=True):
        for level, counterpart in zip(levels, others, strict=True):
            assert level.block.tolist() == counterpart.block.tolist()
            assert level.edges.tolist() == counterpart.edges.tolist()
            assert (level.edge_weight == counterpart.edge_weight).all()
            for name in ("x", "edge_attr"):
                pooled, other_pooled = getattr(level, name), getattr(counterpart, name)
                assert pooled.slots.tolist() == other_pooled.slots.tolist()
                assert pooled.indptr.tolist() == other_pooled.indptr.tolist()
                assert (pooled.shares == other_pooled.shares).all()


def curve_table(measure, q):
    """Losses (reconstruction, Dirichlet) and complexity of each graph as columns."""
    return np.column_stack([*measure.curves(q).values()])


def naive_colours(graphs, depth):
    """Subtrees of all nodes at depth 0, 1, ..., as nested tuples, graph by graph."""
    of_graphs = []
    for graph in graphs:
        edge_codes = graph.edge_features.categories.tolist()
        around = [[] for _ in range(graph.n_nodes)]
        for (u, v), codes in zip(graph.edges.tolist(), edge_codes, strict=True):
            around[u].append((v, tuple(codes)))
            around[v].append((u, tuple(codes)))
        colours = [[tuple(row) for row in graph.node_features.categories.tolist()]]
        for _ in range(depth):
            last = colours[-1]
            colours.append(
                [
                    (last[v], tuple(sorted((last[u], codes) for u, codes in near)))
                    for v, near in enumerate(around)
                ]
            )
        of_graphs.append(colours)
    return of_graphs
