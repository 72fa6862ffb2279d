"""Columns from which Lanczos recurrences start, on literal arrays."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake._splitmix import mix
from skshake.resolution import node_measure
from skshake.resolution._columns import (
    EXACT_ROWS,
    MOST_COLUMNS,
    centre_columns,
    count_feature_columns,
    count_probes,
    fill_features,
    fill_probes,
    number_categories,
)
from skshake.resolution._measure import N_PROBES
from tests._helpers import curve_table, limit

QS = np.geomspace(1e-2, 1e3, 11)


def test_one_hot_columns_are_contrasts_of_equal_energy():
    rng = np.random.default_rng(1)
    matrix = nx.to_numpy_array(nx.random_regular_graph(4, 60, seed=1))
    codes = rng.integers(0, 5, size=(60, 1))
    one_hot = (codes == np.arange(5)).astype(float)
    categories = node_measure(as_graphs([(matrix, codes)]), solver="lanczos")
    numbers = node_measure(as_graphs([(matrix, one_hot)]), solver="lanczos")
    for q in QS:
        np.testing.assert_allclose(
            curve_table(categories, q)[:, :2], curve_table(numbers, q)[:, :2], atol=1e-6
        )


def test_many_columns_are_combined_without_bias(global_random_seed):
    # Node numbers as categories: the energy of every eigenvector is the same.
    graph = nx.to_numpy_array(nx.random_regular_graph(4, 3 * MOST_COLUMNS, seed=0))
    graphs = as_graphs([(graph, np.arange(len(graph))[:, None])])
    exact = curve_table(node_measure(graphs, solver="eigh"), 2.0)[0]
    draws = np.array(
        [
            curve_table(
                node_measure(
                    graphs, solver="lanczos", seed=100 * global_random_seed + k
                ),
                2.0,
            )[0]
            for k in range(10)
        ]
    )
    error = draws.std(axis=0, ddof=1) / np.sqrt(10)
    assert (error[:2] > 0).all()
    bound = limit(len(exact), n_draws=10) * error
    assert (np.abs(draws.mean(axis=0) - exact) < bound).all()


def _stream(seed):
    return np.uint64(mix(np.uint64(seed)))


def _number(codes):
    seen = np.full((codes.max(initial=-1) + 1, codes.shape[1]), -1)
    numbers, n_numbers = number_categories(codes, seen)
    assert (seen == -1).all()
    return numbers, n_numbers


def test_categories_are_numbered_by_hand():
    codes = np.array([[5, 0], [7, 0], [5, 1], [0, 0]])
    numbers, n_numbers = _number(codes)
    assert numbers.tolist() == [[0, 0], [1, 0], [0, 1], [2, 0]]
    assert n_numbers.tolist() == [3, 2]


def test_categories_are_numbered_by_a_dictionary(global_random_seed):
    codes = np.random.default_rng(global_random_seed).integers(0, 9, (20, 3))
    known = [{} for _ in range(3)]
    expected = [
        [
            places.setdefault(code, len(places))
            for code, places in zip(row, known, strict=True)
        ]
        for row in codes.tolist()
    ]
    numbers, n_numbers = _number(codes)
    assert numbers.tolist() == expected
    assert n_numbers.tolist() == list(map(len, known))


def test_columns_and_probes_are_counted():
    assert count_feature_columns(2, np.array([3, 1])) == 4
    assert count_feature_columns(0, np.empty(0, np.int64)) == 0
    assert count_feature_columns(1, np.array([MOST_COLUMNS])) == MOST_COLUMNS
    assert count_feature_columns(0, np.array([500, 500])) == MOST_COLUMNS
    counts = [count_probes(n) for n in (0, 1, EXACT_ROWS, EXACT_ROWS + 1, 10**6)]
    assert counts == [0, 1, EXACT_ROWS, N_PROBES, N_PROBES]


def _fill(numeric, codes, stream, width=None):
    """All feature columns, written so many at a time."""
    numbers, n_numbers = _number(codes)
    n_columns = count_feature_columns(numeric.shape[1], n_numbers)
    width = width or max(n_columns, 1)
    parts = [np.zeros((len(numeric), 0))]
    for first in range(0, n_columns, width):
        parts.append(np.zeros((len(numeric), min(width, n_columns - first))))
        fill_features(first, numeric, numbers, n_numbers, stream, parts[-1])
    return np.hstack(parts)


def test_numbers_and_contrasts_by_hand():
    numeric = np.array([[1, 10], [2, 20], [3, 30], [4, 40]], np.float32)
    codes = np.array([[4, 7], [1, 7], [4, 7], [0, 7]])
    one, two = 1 / np.sqrt(2), 1 / np.sqrt(6)
    expected = [
        [1, 10, one, two],
        [2, 20, -one, two],
        [3, 30, one, two],
        [4, 40, 0, -2 * two],
    ]
    # One category has no contrast.
    found = _fill(numeric, codes, _stream(0))
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("n_numeric", "n_codes"), [(3, 5), (0, 40), (150, 3), (0, 200)]
)
def test_columns_do_not_depend_on_how_many_are_written_at_once(
    n_numeric, n_codes, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    numeric = rng.normal(size=(250, n_numeric)).astype(np.float32)
    codes, stream = rng.integers(0, n_codes, (250, 2)), _stream(global_random_seed)
    whole = _fill(numeric, codes, stream)
    for width in (1, 7, 100):
        assert (_fill(numeric, codes, stream, width) == whole).all()


def _centre(component, columns):
    """Columns less their means over components, by a dense projection."""
    member = (component[:, None] == np.unique(component)).astype(float)
    return columns - member @ (member.T @ columns / member.sum(axis=0)[:, None])


def test_contrasts_have_the_inner_products_of_one_hot_columns(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes, component = rng.integers(0, 6, (30, 2)), np.arange(30) % 3
    one_hot = np.hstack([(codes[:, [c]] == np.arange(6)) * 1.0 for c in range(2)])
    contrasts = _fill(np.empty((30, 0), np.float32), codes, _stream(0))
    one, other = (_centre(component, columns) for columns in (one_hot, contrasts))
    np.testing.assert_allclose(other @ other.T, one @ one.T, atol=1e-12)


def _assert_random_signs(signs):
    """Independent signs in each row and each column."""
    assert (np.abs(signs) == 1).all()
    n, m = signs.shape
    assert abs(signs.mean()) < limit() / np.sqrt(n * m)
    for rows in (signs, signs.T):
        products = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
        bound = limit(len(products)) * np.sqrt(rows.shape[1])
        assert np.abs(products).max() < bound


def test_too_many_numbers_are_added_with_random_signs(global_random_seed):
    n = MOST_COLUMNS + 40
    numeric = np.eye(n, dtype=np.float32)
    found = _fill(numeric, np.empty((n, 0), np.int64), _stream(global_random_seed))
    assert found.shape == (n, MOST_COLUMNS)
    # Each row shows the signs of one column.
    _assert_random_signs(found * np.sqrt(MOST_COLUMNS))


def test_too_many_categories_are_added_with_random_signs(global_random_seed):
    n, stream = MOST_COLUMNS + 40, _stream(global_random_seed)
    # Two rows of each category, and a second column of three.
    first, second = np.tile(np.arange(n), 2), np.arange(2 * n) % 3
    none = np.empty((2 * n, 0), np.float32)
    one = _fill(none, first[:, None], stream)
    assert (one[:n] == one[n:]).all()
    _assert_random_signs(one[:n] * np.sqrt(MOST_COLUMNS))
    more = _fill(none, np.column_stack([first, second]), stream) - one
    assert len(np.unique(more, axis=0)) == 3
    np.testing.assert_allclose(np.abs(more), 1 / np.sqrt(MOST_COLUMNS))


@pytest.mark.parametrize("n_rows", [1, 5, EXACT_ROWS])
def test_probes_of_few_rows_are_unit_vectors(n_rows):
    columns = np.zeros((n_rows, n_rows))
    fill_probes(0, _stream(0), columns)
    assert columns.tolist() == np.eye(n_rows).tolist()
    # Two features first, then probes, in two parts.
    one, other = np.full((2, n_rows, n_rows + 2), 7.0)
    one[:, 2:] = other[:] = 0
    fill_probes(-2, _stream(0), one)
    assert (one[:, :2] == 7).all()
    assert one[:, 2:].tolist() == np.eye(n_rows).tolist()
    fill_probes(n_rows - 1, _stream(0), other[:, :1])
    assert other[:, 0].tolist() == np.eye(n_rows)[-1].tolist()


def test_probes_of_many_rows_are_random_signs(global_random_seed):
    n_rows, stream = 400, _stream(global_random_seed)
    columns = np.zeros((n_rows, N_PROBES + 3))
    fill_probes(-3, stream, columns)
    assert not columns[:, :3].any()
    _assert_random_signs(columns[:, 3:])
    part = np.zeros((n_rows, 2))
    fill_probes(5, stream, part)
    assert (part == columns[:, 8:10]).all()
    fill_probes(5, _stream(global_random_seed + 1), part)
    assert (part != columns[:, 8:10]).any()


def test_columns_are_centred_by_hand():
    columns = np.array([[1.0, 5, 3], [3, 5, 3], [2, 0, 3], [2, 0, 3]])
    size = centre_columns(np.array([0, 0, 1, 1]), columns)
    assert size.tolist() == [2.0, 0.0, 0.0]
    expected = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]) / np.sqrt(2)
    np.testing.assert_allclose(columns, expected, rtol=1e-15)


def test_columns_are_centred_by_a_projection(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    component = np.append([0, 1, 2], rng.integers(0, 3, 40))
    columns = rng.normal(size=(43, 5)) + 10
    expected = _centre(component, columns)
    norms = np.linalg.norm(expected, axis=0)
    size = centre_columns(component, columns)
    np.testing.assert_allclose(size, norms**2, rtol=1e-12)
    # 10 is taken off numbers of size 1 in float64.
    np.testing.assert_allclose(columns, expected / norms, atol=1e-13)


def test_what_rounding_leaves_of_a_constant_is_nothing():
    columns = np.full((7, 1), 0.1)
    assert centre_columns(np.zeros(7, np.int64), columns).tolist() == [0.0]
    assert not columns.any()
