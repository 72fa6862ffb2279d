"""Names of columns: short, of one rule, all different."""

from skshake.graphs import Field
from skshake.subtrees import name_columns


def test_arrays_are_called_by_their_columns():
    fields = [Field("x", True, 2), Field("x[3]", False, 1)]
    assert name_columns("node", fields) == (("x3",), ("x0", "x1"))
    fields = [Field("edge_attr", False, 2), Field("edge_attr[7]", True, 1)]
    assert name_columns("edge", fields) == (("edge0", "edge1"), ("edge7",))


def test_attributes_keep_their_names_after_what_they_are_of():
    fields = [Field("charge", False, 1), Field("pos", False, 2), Field("x", True, 1)]
    assert name_columns("node", fields).numeric == (
        "node_charge",
        "node_pos0",
        "node_pos1",
    )
    assert name_columns("edge", fields).categorical == ("edge_x",)
    fields = [Field("node_labels", True, 1), Field("edge_labels", True, 1)]
    assert name_columns("node", fields).categorical == (
        "node_labels",
        "node_edge_labels",
    )


def test_no_two_columns_share_a_name():
    fields = [Field("a", False, 2), Field("a0", True, 1), Field("node_a0", False, 1)]
    numeric, categorical = name_columns("node", fields)
    assert numeric == ("node_a0", "node_a1", "node_a0''")
    assert categorical == ("node_a0'",)
