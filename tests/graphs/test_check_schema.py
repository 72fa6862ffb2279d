"""Features of new graphs against the fields that were fitted."""

import networkx as nx
import numpy as np
import pytest

from skshake import InvalidGraphError, KFCoarsener
from skshake.graphs import Field, build_features, match_features
from skshake.graphs._check_schema import HINT, difference
from tests._helpers import assert_same_hierarchies


def test_text_does_not_stand_in_for_numbers():
    text, number, code = (nx.path_graph(3) for _ in range(3))
    nx.set_node_attributes(text, "1.5", "value")
    nx.set_node_attributes(number, 1.5, "value")
    nx.set_node_attributes(code, 1, "value")
    for fitted, other in ((number, text), (text, number), (text, code), (code, text)):
        coarsener = KFCoarsener(q=np.inf).fit([fitted] * 2)
        with pytest.raises(ValueError, match="features were fitted as 1"):
            coarsener.transform([other])


def test_integers_stand_in_for_fitted_floats(triangle_with_tail):
    coarsener = KFCoarsener(q=np.inf, walk_length=0).fit(
        [(triangle_with_tail, np.ones((5, 2)))]
    )
    x = coarsener.transform([(triangle_with_tail, np.ones((5, 2), int))])[0].levels[0].x
    assert x.tolist() == np.ones((5, 2)).tolist()


def test_other_features_than_fitted_are_refused(triangle_with_tail):
    coarsener = KFCoarsener(q=np.inf).fit([(triangle_with_tail, np.ones((5, 2)))])
    with pytest.raises(ValueError, match="node features were fitted as 2 numeric"):
        coarsener.transform([(triangle_with_tail, np.ones((5, 3)))])
    codes = KFCoarsener(q=np.inf).fit([(triangle_with_tail, np.ones((5, 1), int))])
    with pytest.raises(ValueError, match="fitted as 1 categorical"):
        codes.transform([(triangle_with_tail, np.ones((5, 1)))])
    with pytest.raises(ValueError, match="edge features were fitted as no features"):
        coarsener.transform([(triangle_with_tail, np.ones((5, 2)), np.ones((4, 3)))])
    plain = KFCoarsener(q=np.inf).fit([triangle_with_tail])
    with pytest.raises(ValueError, match="node features were fitted as no features"):
        plain.transform([(triangle_with_tail, np.ones((5, 1)))])


def test_fields_are_matched_by_name(triangle_with_tail):
    def path(a, b, names="ab"):
        graph = nx.path_graph(2)
        nx.set_node_attributes(graph, dict(enumerate(a)), names[0])
        nx.set_node_attributes(graph, dict(enumerate(b)), names[1])
        return graph

    coarsener = KFCoarsener(q=np.inf, walk_length=0).fit(
        [path([1.0, 2.0], [10.0, 20.0])]
    )
    x = coarsener.transform([path([1, 2], [10.0, 20.0])])[0].levels[0].x
    assert x.tolist() == [[1, 10], [2, 20]]
    with pytest.raises(ValueError, match="'c'"):
        coarsener.transform([path([1.0, 2.0], [10.0, 20.0], names="ac")])


def test_graphs_without_nodes_or_edges_need_no_features(triangle_with_tail):
    whole = (triangle_with_tail, np.ones((5, 2)), np.ones((4, 3), int))
    bare = (np.zeros((2, 2)), np.ones((2, 2)))
    coarsener = KFCoarsener(q=np.inf).fit([whole])
    for graphs in ([bare], [np.zeros((0, 0))], [(*bare, np.empty((0, 3), int))]):
        alone = coarsener.transform(graphs)
        assert_same_hierarchies(alone, coarsener.transform([whole, *graphs])[[1]])


NUMBER, CODE, TEXT = (
    Field("a", False, 1),
    Field("a", True, 1),
    Field("a", True, 1, is_text=True),
)


def _features_of(*fields, n_rows=2):
    columns = [
        (f.name, np.full((n_rows, f.width), k), f.is_categorical)
        for k, f in enumerate(fields)
    ]
    return build_features(columns, n_rows, [f.name for f in fields if f.is_text])


def test_equal_fields_come_back_as_they_are():
    features = _features_of(NUMBER, Field("b", True, 2))
    assert match_features("node", features, features.fields) is features


@pytest.mark.parametrize("came", [NUMBER, CODE, TEXT])
@pytest.mark.parametrize("fitted", [NUMBER, CODE, TEXT])
def test_which_kinds_stand_in_for_which(fitted, came):
    features = _features_of(came)
    if came == fitted or (came, fitted) == (CODE, NUMBER):
        found = match_features("node", features, (fitted,))
        assert found.fields == (fitted,)
        assert found.as_array().tolist() == features.as_array().tolist()
    else:
        with pytest.raises(
            InvalidGraphError, match="the node features were fitted as 1"
        ):
            match_features("node", features, (fitted,))


def test_fields_come_in_the_fitted_order_by_name():
    one, other = Field("b", False, 1), Field("c", True, 2)
    features = _features_of(NUMBER, one, other)
    found = match_features("edge", features, (other, one, NUMBER))
    assert found.fields == (other, one, NUMBER)
    columns = {name: values.tolist() for name, values in found.columns().items()}
    assert columns == {"c": [[2, 2]] * 2, "b": [[1]] * 2, "a": [[0]] * 2}


def test_the_name_of_a_lone_field_does_not_matter():
    found = match_features("node", _features_of(NUMBER), (Field("x", False, 1),))
    assert found.fields == (Field("x", False, 1),)
    with pytest.raises(InvalidGraphError, match="fitted as 2 numeric"):
        match_features("node", _features_of(NUMBER), (Field("x", False, 2),))


def test_without_rows_any_fields_fit():
    fields = (NUMBER, Field("b", True, 3), Field("c", True, 1, is_text=True))
    for came in ((), (Field("z", False, 7),)):
        found = match_features("node", _features_of(*came, n_rows=0), fields)
        assert found.fields == fields
        assert len(found) == 0


@pytest.mark.parametrize(
    ("came", "expected", "said"),
    [
        ((), (), ("no features", "no features", "", "")),
        ((NUMBER,), (), ("1 numeric column(s) of 'a'", "no features", HINT, "a")),
        (
            (CODE, Field("b", False, 2)),
            (NUMBER, Field("b", False, 2)),
            ("1 categorical column(s) of 'a'", "1 numeric column(s) of 'a'", HINT, "a"),
        ),
        (
            (Field("b", False, 2),),
            (Field("b", False, 2), TEXT),
            (
                "1 other field(s)",
                "1 text column(s) of 'a'",
                f"; missing: 'a'{HINT}",
                "a",
            ),
        ),
        (
            (Field("colour", False, 1),),
            (Field("color", False, 1),),
            (
                "1 numeric column(s) of 'colour'",
                "1 numeric column(s) of 'color'",
                "; missing: 'color'; not known: 'colour'",
                "color",
            ),
        ),
    ],
)
def test_only_what_differs_is_said(came, expected, said):
    assert difference(came, expected) == said


def test_whole_numbers_that_stand_in_for_floats_are_not_said():
    wide, wider = Field("b", False, 2), Field("b", False, 3)
    said = r"as 2 numeric column\(s\) of 'b', but are 3 numeric column\(s\) of 'b'$"
    with pytest.raises(InvalidGraphError, match=said) as raised:
        match_features("node", _features_of(CODE, wider), (NUMBER, wide))
    assert raised.value.field == "b"


def test_of_many_fields_some_are_listed():
    many = tuple(Field(f"f{k}", False, 1) for k in range(8))
    said = difference(many, (Field("x", False, 1),))
    assert said.came.endswith("1 numeric column(s) of 'f4', 3 more")
    assert said.hints.endswith("; not known: 'f0', 'f1', 'f2', 'f3', 'f4' and 3 more")
