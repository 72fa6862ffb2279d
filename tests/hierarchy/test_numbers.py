"""Scales of numeric columns: logarithms by hand, and which columns get them."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.graphs import Features, Field
from skshake.hierarchy import (
    Pooling,
    Vocabulary,
    check_log_rule,
    learn_log_scales,
    scale_numbers,
    take_logarithms,
)
from skshake.hierarchy._numbers import HEAVY_TAIL


def _features(*columns, dtype=np.float32):
    numeric = np.column_stack(columns).astype(dtype)
    fields = tuple(Field(f"x{k}", False, 1) for k in range(len(columns)))
    return Features(numeric, np.empty((len(numeric), 0), np.int32), fields)


def test_a_logarithm_by_hand():
    features = _features([-100.0, 0.0, 1.0, 1e6], [1.0, 2.0, 3.0, 4.0])
    found = take_logarithms(features, (0.01, 0.0)).numeric
    assert found.dtype == np.float32
    expected = [-np.log(2e4), 0.0, np.log(200), np.log(2e8)]
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-4)
    assert found[:, 1].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert take_logarithms(features, ()) is features


@pytest.mark.parametrize("sign", [1, -1])
def test_heavy_tails_are_found(sign, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = 2_000
    amounts = sign * 10.0 ** rng.uniform(0, 6, n)
    amounts[0] = sign * 1e6
    wrong = rng.normal(size=n)
    wrong[7] = 1e9
    mostly_zero = np.where(rng.random(n) < 0.9, 0.0, amounts)
    features = _features(amounts, wrong, mostly_zero, dtype=np.float64)
    scales = learn_log_scales(features, "auto")
    assert all(scales)
    sizes = np.abs(amounts)
    assert scales[0] == np.quantile(sizes, 0.05)
    # Logarithms are ordered as the numbers are.
    found = take_logarithms(features, scales).numeric
    assert (found == found.astype(np.float32)).all()
    order = np.argsort(features.numeric, axis=0)
    assert (np.diff(np.take_along_axis(found, order, axis=0), axis=0) >= 0).all()


def test_other_columns_stay_as_they_are(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = 2_000
    features = _features(
        rng.normal(size=n),
        rng.exponential(size=n),
        np.arange(n) % 50 == 0,
        np.zeros(n),
        np.full(n, -3.5),
        1.7e9 + rng.uniform(0, 60, n),
    )
    assert learn_log_scales(features, "auto") == ()
    assert learn_log_scales(features, False) == ()


def test_the_limit_is_between_numbers():
    def is_heavy(largest):
        return bool(learn_log_scales(_features([1, 1, 1, 0, largest]), "auto"))

    assert not is_heavy(HEAVY_TAIL)
    assert is_heavy(HEAVY_TAIL + 1)
    assert learn_log_scales(_features([]), "auto") == ()


def test_columns_may_be_named():
    features = _features([1.0, 2.0, 3.0], [1.0, 2.0, 1e6], [0.0, 0.0, 0.0])
    assert [bool(s) for s in learn_log_scales(features, ("x0",))] == [
        True,
        False,
        False,
    ]
    # Zeros have no scale.
    assert [bool(s) for s in learn_log_scales(features, True)] == [True, True, False]
    assert learn_log_scales(features, ("x2",)) == ()
    codes = Features(
        np.empty((3, 0), np.float32),
        np.zeros((3, 1), np.int32),
        (Field("kind", True, 1),),
    )
    assert check_log_rule(["x1"], codes, features) == ("x1",)
    for wrong in (["kind"], ["x1", "x9"], "x1", [3]):
        with pytest.raises(ValueError, match=r"that hold numbers, of \['x0', 'x1'"):
            check_log_rule(wrong, codes, features)


def test_each_graph_is_scaled_by_what_was_learnt():
    graph = nx.to_numpy_array(nx.path_graph(3))
    x = np.array([[1.0], [10.0], [1e5]])
    graphs = as_graphs([(graph, x, np.array([[2.0], [4.0]]))] * 2)
    none = Vocabulary(())
    pooling = Pooling("mean", "mean", none, none)
    assert scale_numbers(graphs, pooling) is graphs
    logs = pooling._replace(node_log_scales=(0.5,), edge_centre=(3.0,))
    found = scale_numbers(graphs, logs)
    expected = np.arcsinh(np.tile(x, (2, 1)) / 0.5).astype(np.float32)
    assert np.array_equal(found.node_features.numeric, expected)
    assert found.edge_features.numeric.ravel().tolist() == [-1.0, 1.0] * 2
    others = (logs, logs._replace(node_log_scales=(0.6,)))
    assert len({each.key for each in (pooling, *others)}) == 3
