"""Generated payments: what is planted, and that nothing else tells fraud."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from skshake import graphs_from_edgelist
from skshake.datasets import make_payments


def test_the_planted_transfers_are_a_circle_of_time_and_money(global_random_seed):
    data = make_payments(40, random_state=global_random_seed)
    frauds = data.cases.loc[data.cases["is_fraud"], "case"]
    assert len(frauds) == 10
    rings = data.transfers[data.planted].groupby("case")
    assert sorted(rings.groups) == frauds.tolist()
    for _, ring in rings:
        graph = nx.DiGraph(ring[["payer", "payee"]].to_numpy().tolist())
        assert len(ring) == len(graph) in (4, 6)
        assert nx.is_strongly_connected(graph)
        assert ring["amount"].max() < 1.05 * ring["amount"].min()
        # Each account pays on what came before, but the first.
        assert (ring["payer"].iloc[1:].tolist()) == ring["payee"].iloc[:-1].tolist()


def test_tables_fit_together(global_random_seed):
    data = make_payments(30, n_months=3, random_state=global_random_seed)
    transfers = data.transfers
    assert (transfers["payer"] != transfers["payee"]).all()
    assert (transfers["amount"] > 0).all()
    months = data.cases.set_index("case")["month"]
    assert (months.loc[transfers["case"]].to_numpy() == transfers["month"]).all()
    assert (transfers["time"].dt.strftime("%Y-%m") == transfers["month"]).all()
    assert months.value_counts().tolist() == [10, 10, 10]
    named = pd.concat([transfers["payer"], transfers["payee"]])
    assert set(named) <= set(data.accounts["account"])
    assert data.accounts["account"].is_unique
    # Accounts come again in other cases.
    assert transfers.groupby("payer")["case"].nunique().max() > 1


def test_without_directions_and_amounts_nothing_tells(global_random_seed):
    # The ring alone: its edges are the same in both classes.
    data = make_payments(60, mean_transfers=0, random_state=global_random_seed)
    graphs = graphs_from_edgelist(
        data.transfers, graph="case", source="payer", target="payee"
    )
    lengths = np.diff(graphs.edge_ptr)
    assert np.array_equal(lengths, np.diff(graphs.node_ptr))
    assert set(lengths) == {4, 6}
    assert (graphs.degrees == 2).all()


def test_seeds_and_bounds():
    one, other = (make_payments(5, random_state=3) for _ in range(2))
    assert one.transfers.equals(other.transfers)
    assert one.accounts.equals(other.accounts)
    with pytest.raises(ValueError, match="mean_accounts: expected at least 8"):
        make_payments(5, mean_accounts=5)
    with pytest.raises(ValueError, match="fraud_share: expected 0 to 1"):
        make_payments(5, fraud_share=2)
