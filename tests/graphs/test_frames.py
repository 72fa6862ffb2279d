"""Tables of every library, and files, are the same graphs."""

import numpy as np
import pandas as pd
import pytest

from skshake import graphs_from_edgelist

N_ROWS = 50


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    transfers = pd.DataFrame(
        {
            "case": rng.integers(0, 4, N_ROWS),
            "payer": rng.choice(list("uvwxyz"), N_ROWS),
            "payee": rng.choice(list("uvwxyz"), N_ROWS),
            "amount": rng.integers(1, 400, N_ROWS) / 4,
            "channel": rng.choice(["card", "wire"], N_ROWS),
            "time": np.datetime64("2026-01-01T00:00:00")
            + rng.integers(0, 900, N_ROWS).astype("m8[h]"),
        }
    )
    accounts = pd.DataFrame({"account": list("uvwxyz"), "kind": list("aabbab")})
    return transfers, accounts


def read(transfers, accounts):
    """Graphs of both tables, all kinds of columns among them."""
    return graphs_from_edgelist(
        transfers,
        graph="case",
        source="payer",
        target="payee",
        weight="amount",
        edge_attrs=["channel", "time"],
        nodes=accounts,
        node="account",
        node_attrs=["kind"],
        aggregate={"channel": "most_frequent", "time": "min"},
        directed=True,
    )


def assert_same(one, other):
    assert one.fingerprints.tolist() == other.fingerprints.tolist()
    assert one.node_features.fields == other.node_features.fields
    assert one.edge_features.fields == other.edge_features.fields
    assert one.names.tolist() == other.names.tolist()
    for graph, same in zip(one, other, strict=True):
        assert graph.node_names.tolist() == same.node_names.tolist()


def test_types_of_pandas(tables):
    transfers, accounts = tables
    expected = read(*tables)
    objects = transfers.astype({"payer": object, "channel": object, "case": object})
    categories = transfers.astype(
        dict.fromkeys(["payer", "payee", "channel"], "category")
    )
    nullable = transfers.convert_dtypes()
    shuffled = transfers.sample(frac=1, random_state=0)
    columns = {name: transfers[name].to_numpy() for name in transfers}
    of_each = {
        case: part.drop(columns="case") for case, part in transfers.groupby("case")
    }
    for other in (objects, categories, nullable, shuffled, columns, of_each):
        assert_same(read(other, accounts), expected)


def test_polars(tables):
    pl = pytest.importorskip("polars")
    expected = read(*tables)
    frames = [pl.DataFrame(table.to_dict("list")) for table in tables]
    coded = frames[0].with_columns(
        pl.col("channel").cast(pl.Categorical),
        pl.col("payer").cast(pl.Enum([*"uvwxyz"])),
    )
    zoned = frames[0].with_columns(pl.col("time").dt.replace_time_zone("UTC"))
    for transfers in (frames[0], frames[0].lazy(), coded, zoned):
        assert_same(read(transfers, frames[1]), expected)


def test_pyarrow_and_parquet(tables, tmp_path):
    pa = pytest.importorskip("pyarrow")
    expected = read(*tables)
    arrow = [pa.table(table.to_dict("list")) for table in tables]
    assert_same(read(*arrow), expected)
    coded = arrow[0].set_column(4, "channel", arrow[0]["channel"].dictionary_encode())
    assert_same(read(coded, arrow[1]), expected)
    paths = [tmp_path / name for name in ("transfers.parquet", "accounts.pq")]
    for table, path in zip(tables, paths, strict=True):
        table.to_parquet(path)
    assert_same(read(*paths), expected)


def test_text_files(tables, tmp_path):
    paths = [tmp_path / name for name in ("transfers.csv.gz", "accounts.tsv")]
    for table, path in zip(tables, paths, strict=True):
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    assert_same(read(*paths), read(*tables))
    assert_same(read(str(paths[0]), str(paths[1])), read(*tables))
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.csv", paths[1])
    for path in ("transfers.xlsx", "transfers"):
        with pytest.raises(
            ValueError, match=r"edges: expected the path of a \.csv, \.tsv"
        ):
            read(path, paths[1])


def test_categories_that_are_fractions_are_no_numbers(tables):
    transfers, _ = tables
    rate = pd.Series([0.5, 1.5] * (N_ROWS // 2)).astype("category")
    graphs = graphs_from_edgelist(
        transfers.assign(rate=rate),
        graph="case",
        source="payer",
        target="payee",
        edge_attrs=["rate"],
        aggregate={"rate": "most_frequent"},
    )
    (field,) = graphs.edge_features.fields
    assert field.is_categorical
    assert field.is_text


def test_tables_by_graph_name_all_of_it(tables):
    transfers, _ = tables
    by_case = {0: transfers.drop(columns="case")}
    with pytest.raises(
        ValueError, match=r"expected a table per graph, by \('case', 'mo"
    ):
        graphs_from_edgelist(
            by_case, graph=["case", "month"], source="payer", target="payee"
        )
