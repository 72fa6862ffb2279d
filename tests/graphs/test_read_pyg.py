"""Graphs of torch_geometric, and why some are refused."""

import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData, TemporalData
from torch_geometric.data.hypergraph_data import HyperGraphData

from skshake import InvalidGraphError, as_graphs
from skshake.graphs import NO_NAMES
from skshake.graphs._read_pyg import read_pyg, unpack
from skshake.graphs._records import AttributeNames
from tests._helpers.kinds import as_ogb


def test_a_sparse_tensor_in_place_of_edges_is_refused():
    with pytest.raises(ValueError, match="Graph 1: expected edge_index, got adj_t"):
        as_graphs([as_ogb(), Data(x=torch.ones(2, 2), adj_t=1)])


ENDS = torch.tensor([[0, 1], [1, 2]])


def test_data_by_hand():
    data = Data(
        x=torch.eye(3), edge_index=ENDS, edge_weight=torch.tensor([2.0, 3.0]), y=1
    )
    record = read_pyg(data, NO_NAMES)
    assert record.n_nodes == 3
    assert record.edge_index is ENDS
    assert record.node_columns["x"] is data.x
    assert record.edge_columns == {}
    assert record.edge_weight is data.edge_weight
    assert record.unread is None


@pytest.mark.parametrize(
    ("values", "names", "n_nodes"),
    [
        ({"num_nodes": 5}, None, 5),
        ({"x": torch.ones(4, 1)}, None, 4),
        ({"pos": torch.ones(6, 3)}, None, 6),
        ({"z": torch.ones(7)}, None, 7),
        ({"mass": torch.ones(8), "z": torch.ones(7)}, ("mass",), 8),
    ],
)
def test_nodes_are_counted_by_what_has_one_row_each(values, names, n_nodes):
    names = NO_NAMES._replace(node_attrs=names)
    assert read_pyg(Data(edge_index=ENDS, **values), names).n_nodes == n_nodes


def test_without_any_rows_the_edges_say_how_many_nodes_there_are():
    # torch_geometric says that it is a guess.
    with pytest.warns(UserWarning, match="Unable to accurately infer 'num_nodes'"):
        assert read_pyg(Data(edge_index=ENDS), NO_NAMES).n_nodes == 3


def test_other_attributes_are_handed_on_unread():
    data = Data(x=torch.eye(3), edge_index=ENDS, pos=torch.ones(3, 2), train_mask=[1])
    assert list(read_pyg(data, NO_NAMES).unread) == ["pos"]
    record = read_pyg(data, AttributeNames(("pos",), None, "weight", {}))
    assert list(record.node_columns) == ["pos"]


def test_edges_may_be_missing_but_not_under_their_features():
    record = read_pyg(Data(x=torch.eye(2)), NO_NAMES)
    assert record.edge_index.shape == (2, 0)
    assert (
        read_pyg(Data(x=torch.eye(2), edge_attr=torch.ones(0, 3)), NO_NAMES).n_nodes
        == 2
    )
    for name in ("edge_attr", "edge_weight"):
        data = Data(x=torch.eye(2), **{name: torch.ones(3)})
        with pytest.raises(
            InvalidGraphError, match=f"expected one, as {name} has 3 rows"
        ):
            read_pyg(data, NO_NAMES)
    with pytest.raises(
        InvalidGraphError, match="num_nodes: needed for a Data without x"
    ):
        read_pyg(Data(edge_index=torch.empty(2, 0, dtype=torch.long)), NO_NAMES)


def test_one_graph_of_a_batch_is_a_graph():
    data = Data(x=torch.eye(3), edge_index=ENDS)
    for extra in ({"batch": torch.zeros(3, dtype=int)}, {"ptr": torch.tensor([0, 3])}):
        assert read_pyg(Data(**data.to_dict(), **extra), NO_NAMES).n_nodes == 3
    for extra in ({"batch": torch.tensor([0, 0, 1])}, {"ptr": torch.tensor([0, 2, 3])}):
        with pytest.raises(
            InvalidGraphError, match="is a mini-batch of 2 graphs"
        ) as raised:
            read_pyg(Data(**data.to_dict(), **extra), NO_NAMES)
        assert raised.value.field == "batch"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (HeteroData, "is a HeteroData with several types"),
        (lambda: TemporalData(src=torch.tensor([0])), "is a TemporalData, a stream"),
        (
            lambda: HyperGraphData(x=torch.eye(2)),
            "is a HyperGraphData, whose edges join",
        ),
        (
            lambda: Batch.from_data_list([Data(x=torch.eye(2))] * 2),
            "is a mini-batch .DataBatch. of 2 graphs",
        ),
    ],
)
def test_what_is_not_one_graph_is_refused_with_advice(make, message):
    with pytest.raises(InvalidGraphError, match=f"Graph 1 {message}"):
        as_graphs([as_ogb(), make()])


def test_mini_batches_are_lists_of_their_graphs():
    data = [Data(x=torch.ones(2, 1)), Data(x=torch.ones(3, 1), edge_index=ENDS)]
    unpacked = unpack(Batch.from_data_list(data))
    assert [each.num_nodes for each in unpacked] == [2, 3]
    assert unpack(data) is data
    with pytest.raises(
        InvalidGraphError, match=r"was not made by Batch.from_data_list"
    ):
        unpack(Batch(x=torch.eye(2), batch=torch.tensor([0, 1])))
