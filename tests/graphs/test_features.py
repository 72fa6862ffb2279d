"""Numeric and categorical columns side by side, and which is which."""

import networkx as nx
import numpy as np
import pytest

from skshake import as_graphs
from skshake.graphs import (
    CATEGORY,
    FLOAT,
    CastError,
    Features,
    Field,
    build_features,
    check_rule,
    empty_features,
    loses_digits,
)
from skshake.graphs._features import (
    TEXT_CODE,
    as_numeric,
    check_names,
    code_strings,
    concatenate_features,
    is_categorical,
)
from tests._helpers.kinds import X, as_matrix


def test_integers_are_categories_and_floats_are_numbers():
    matrix = as_matrix()
    codes = np.array([[3], [4], [3], [9]])
    assert as_graphs([(matrix, codes)]).node_features.widths == (0, 1)
    assert as_graphs([(matrix, X)]).node_features.widths == (2, 0)
    as_numbers = as_graphs([(matrix, codes)], categorical_features=False)
    assert as_numbers.node_features.widths == (1, 0)
    as_codes = as_graphs([(matrix, codes.astype(float))], categorical_features=True)
    assert as_codes.node_features.widths == (0, 1)


def test_columns_keep_the_order_of_their_fields_whatever_their_kind():
    graph = _attributed([1.5, 2.5], [10, 20])
    mixed = as_graphs([graph])
    assert mixed[0].x.tolist() == [[1.5, 10], [2.5, 20]]
    at_once = as_graphs([graph], categorical_features=False)
    later = as_graphs(mixed, categorical_features=False)
    for graphs in (at_once, later, as_graphs([mixed[0]], categorical_features=False)):
        assert graphs.node_features.numeric.tolist() == [[1.5, 10], [2.5, 20]]


def _attributed(a, b):
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, dict(enumerate(a)), "a")
    nx.set_node_attributes(graph, dict(enumerate(b)), "b")
    return graph


def test_views_of_several_collections_keep_their_kinds():
    one, other = (as_graphs([_attributed([0.5, c], [c, 2**25 + c])]) for c in (3, 4))
    graphs = as_graphs([one[0], other[0], one[0]])
    assert graphs.node_features.widths == (1, 1)
    codes = graphs.node_features.categories.ravel().tolist()
    assert codes == [3, 2**25 + 3, 4, 2**25 + 4, 3, 2**25 + 3]
    # Beside another kind of graph each view is read on its own.
    assert as_graphs(
        [one[0], _attributed([0.5, 1.0], [7, 8])]
    ).node_features.widths == (
        1,
        1,
    )


def test_fractions_are_no_categories():
    message = (
        "Graph 0: x: a category must be an integer that fits into 32 bits, got 0.5"
    )
    with pytest.raises(ValueError, match=message):
        as_graphs([(as_matrix(), X)], categorical_features=True)
    with pytest.raises(ValueError, match=message):
        as_graphs(as_graphs([(as_matrix(), X)]), categorical_features=True)


def test_strings_are_categories_with_codes_of_their_own():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: "C", 1: "N", 2: "C"}, "element")
    nx.set_node_attributes(graph, {0: 0.5, 1: 0.25, 2: 0.0}, "charge")
    first = as_graphs([graph])
    assert first.node_features.widths == (1, 1)
    codes = first.node_features.categories[:, 0]
    assert codes[0] == codes[2] != codes[1]
    nx.set_node_attributes(graph, {0: "N", 1: "C", 2: "O"}, "element")
    again = as_graphs([graph]).node_features.categories[:, 0]
    assert again[:2].tolist() == [codes[1], codes[0]]


def test_a_list_names_the_categories():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1, "kind")
    nx.set_node_attributes(graph, 2, "count")
    features = as_graphs([graph], categorical_features=["kind"]).node_features
    assert {f.name: f.is_categorical for f in features.fields} == {
        "kind": True,
        "count": False,
    }
    with pytest.raises(ValueError, match="categorical_features: expected"):
        as_graphs([graph], categorical_features="kind")


def test_text_stays_text_whatever_the_rule():
    graphs = [nx.path_graph(3) for _ in range(2)]
    for graph in graphs:
        nx.set_node_attributes(graph, {0: "C", 1: "N", 2: "C"}, "element")
    read = as_graphs(graphs)
    codes = read.node_features.categories.tolist()
    for again in (read, list(read), [read[0], graphs[1]]):
        for rule in (False, ["element"], "from_dtype"):
            features = as_graphs(again, categorical_features=rule).node_features
            assert features.categories.tolist() == codes
            assert features.fields[0].is_text


def test_names_of_categories_must_be_there():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1, "kind")
    with pytest.raises(ValueError, match="no attribute is called 'kid'"):
        as_graphs([graph], categorical_features=["kid"])
    x = np.array([[1, "a"], [2, "b"], [1, "a"]], object)
    adjacency = np.ones((3, 3)) - np.eye(3)
    for rule in (["x"], iter(["x[0]"])):
        features = as_graphs([(adjacency, x)], categorical_features=rule).node_features
        assert features.widths == (0, 2)


def _features():
    """Three rows: numbers a, categories b of two columns, numbers c."""
    return build_features(
        [
            ("a", np.array([[0.5], [1.5], [2.5]]), False),
            ("b", np.array([[1, 2], [3, 4], [5, 6]]), True),
            ("c", np.array([[7.0], [8.0], [9.0]]), False),
        ],
        3,
    )


def test_fields_take_the_next_columns_of_their_kind():
    features = _features()
    assert features.numeric.tolist() == [[0.5, 7.0], [1.5, 8.0], [2.5, 9.0]]
    assert features.categories.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert (features.numeric.dtype, features.categories.dtype) == (FLOAT, CATEGORY)
    assert features.fields == (
        Field("a", False, 1),
        Field("b", True, 2),
        Field("c", False, 1),
    )
    assert (len(features), features.widths, features.n_columns) == (3, (2, 2), 4)
    columns = {name: values.tolist() for name, values in features.columns().items()}
    assert columns == {
        "a": [[0.5], [1.5], [2.5]],
        "b": [[1, 2], [3, 4], [5, 6]],
        "c": [[7.0], [8.0], [9.0]],
    }
    assert features.as_array().tolist() == [
        [0.5, 1, 2, 7],
        [1.5, 3, 4, 8],
        [2.5, 5, 6, 9],
    ]


def test_rows_are_taken_and_stacked():
    features = _features()
    parts = features.take(np.array([2])), features.take(slice(0, 2))
    both = concatenate_features(parts)
    assert both.fields == features.fields
    assert both.as_array().tolist() == features.as_array()[[2, 0, 1]].tolist()


def test_no_columns_are_no_array():
    empty = empty_features(4)
    assert (len(empty), empty.widths, empty.columns()) == (4, (0, 0), {})
    assert empty.as_array() is None
    one = build_features([("x", np.array([[3]]), True)], 1)
    assert one.as_array().tolist() == [[3]]


def test_arrays_that_do_not_fit_are_refused():
    numeric, categories = np.ones((2, 1), FLOAT), np.ones((2, 1), CATEGORY)
    fields = (Field("a", False, 1), Field("b", True, 1))
    assert len(Features(numeric, categories, fields)) == 2
    with pytest.raises(
        ValueError, match="as many numeric as categorical rows, got 2 and"
    ):
        Features(numeric, categories[:1], fields)
    with pytest.raises(ValueError, match="expected columns for"):
        Features(numeric, categories, fields[:1])


def test_read_only_arrays_are_copied_and_others_are_not():
    writable, locked = np.ones((2, 1), FLOAT), np.ones((2, 1), CATEGORY)
    locked.flags.writeable = False
    features = Features(writable, locked, (Field("a", False, 1), Field("b", True, 1)))
    assert features.numeric is writable
    assert features.categories.flags.writeable
    assert not locked.flags.writeable


@pytest.mark.parametrize(
    ("values", "is_category", "message"),
    [
        ([[1.0], [1e39]], False, "x: 1e.39 exceeds the range of float32"),
        ([[1.0], [0.5]], True, "x: a category must be an integer .* got 0.5"),
        ([[1], [2**31]], True, "x: a category must be an integer .* got 2147483648"),
        ([[1.0], [np.nan]], True, "x: a category must be an integer .* got nan"),
    ],
)
def test_values_that_cannot_be_cast_name_their_row(values, is_category, message):
    with pytest.raises(CastError, match=message) as raised:
        build_features([("x", np.array(values), is_category)], 2)
    assert (raised.value.row, raised.value.field) == (1, "x")


def test_large_numbers_that_float32_would_round_are_kept():
    exact = np.array([[2.0**24 + 1, 0.1], [2.0**24, 2.0**16], [1.0, 2.0**15 + 0.001]])
    kept = as_numeric(exact)
    assert kept.dtype == np.float64
    rounded = exact.astype(np.float32)
    # Element by element: what is kept of a graph must not depend on others.
    assert (kept == rounded).tolist() == [[False, True], [True, True], [True, True]]
    assert kept[0, 0] == exact[0, 0]
    for plain in (
        exact[1:],
        exact.astype(np.float32),
        np.empty((0, 2)),
        np.eye(2, dtype=int),
    ):
        assert as_numeric(plain).dtype == np.float32
    assert as_numeric(np.array([[2**24 + 1]])).tolist() == [[2**24 + 1]]


def test_codes_of_strings_depend_on_the_string_alone():
    # CRC-32 of "123456789" is the check value of its definition.
    assert code_strings(np.array(["123456789"])).view(np.uint32).tolist() == [
        0xCBF43926
    ]
    texts = np.array([["é", "a"], ["a", ""]])
    codes = code_strings(texts)
    assert codes.dtype == CATEGORY
    assert codes.shape == (2, 2)
    assert codes[0, 1] == codes[1, 0]
    assert len(np.unique(codes)) == 3
    assert code_strings(texts[:1, :1]) == codes[0, 0]
    assert code_strings(np.array([b"a"])) == codes[0, 1]


def test_strings_that_share_a_code_are_refused():
    # The best known collision of CRC-32.
    with pytest.raises(ValueError, match=r"'buckeroo', 'plumless'. have the same code"):
        code_strings(np.array(["buckeroo", "a", "plumless"]))


@pytest.mark.parametrize("rule", ["from_dtype", True, False, np.True_])
def test_rules_are_plain_values(rule):
    assert check_rule(rule) == rule
    assert type(check_rule(rule)) in (str, bool)


def test_rules_are_names_or_refused():
    assert check_rule(iter(["a", "b"])) == ("a", "b")
    assert check_rule([]) == ()
    for rule in ("x", ["a", 1], 3, None):
        with pytest.raises(ValueError, match="categorical_features: expected 'from_dt"):
            check_rule(rule)


@pytest.mark.parametrize(
    ("dtype", "from_dtype"),
    [
        ("i4", True),
        ("u1", True),
        ("?", True),
        ("O", True),
        ("f4", False),
        ("f8", False),
    ],
)
def test_types_decide_unless_a_rule_does(dtype, from_dtype):
    dtype = np.dtype(dtype)
    assert is_categorical("x", dtype, "from_dtype") == from_dtype
    for rule in (True, False):
        assert is_categorical("x", dtype, rule) == rule
    for rule, expected in ((("x",), True), (("x[0]",), False), ((), False)):
        assert is_categorical("x", dtype, rule) == expected
    assert is_categorical("x[0]", dtype, ("x",))


@pytest.mark.parametrize("dtype", ["U3", "S3", TEXT_CODE])
@pytest.mark.parametrize("rule", ["from_dtype", False, ()])
def test_strings_are_always_categories(rule, dtype):
    assert is_categorical("x", np.dtype(dtype), rule)


def test_names_in_rules_are_checked_where_all_may_be_seen():
    features = build_features([("x[0]", np.ones((2, 1)), False)], 2)
    check_names(("x",), features)
    check_names(("y",), features, empty_features(0))
    check_names(True, features)
    with pytest.raises(
        ValueError, match=r"called 'y'; the graphs have \['x', 'x\[0\]'"
    ):
        check_names(("x", "y"), features)


def test_lost_digits_are_noticed_by_column():
    rows = np.arange(100.0)
    columns = {
        "kept": rows,
        "lost": 1e4 + rows * 1e-6,
        "rounding alone": 0.1 + rows * 1e-17,
        "constant": np.full(100, 1 / 3),
    }
    exact = np.column_stack(list(columns.values()))
    found = loses_digits(exact, exact.astype(np.float32))
    assert dict(zip(columns, found.tolist(), strict=True)) == {
        "kept": False,
        "lost": True,
        "rounding alone": False,
        "constant": False,
    }
