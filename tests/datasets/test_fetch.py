"""Downloads, from archives on disk in place of servers."""

import gzip
import shutil
import socket

import pytest

from skshake.datasets import _fetch, fetch_ogb, fetch_tu
from tests._helpers import run_python


def _zip(folder, name):
    """Archive beside the folder that holds it."""
    shutil.make_archive(str(folder.parent / name), "zip", folder.parent, folder.name)
    return folder.parent.as_uri()


@pytest.fixture
def tu_folder(tmp_path):
    folder = tmp_path / "server" / "TINY"
    folder.mkdir(parents=True)
    (folder / "TINY_A.txt").write_text("1, 2\n2, 1\n3, 4\n")
    (folder / "TINY_graph_indicator.txt").write_text("1\n1\n2\n2\n")
    (folder / "TINY_graph_labels.txt").write_text("1\n-1\n")
    return folder


def test_a_set_is_downloaded_once(tu_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(_fetch, "TU_URL", _zip(tu_folder, "TINY"))
    home = tmp_path / "home"
    graphs, y = fetch_tu("TINY", data_home=home, return_X_y=True)
    assert (len(graphs), graphs.n_edges, y.tolist()) == (2, 2, [1, -1])
    monkeypatch.setattr(_fetch, "TU_URL", "file:///nowhere")
    assert len(fetch_tu("TINY", data_home=home).data) == 2


def test_ogb_sets_come_with_their_split(tmp_path, monkeypatch):
    folder = tmp_path / "hiv"
    for name, text in (
        ("raw/edge", "0,1\n0,1\n"),
        ("raw/num-node-list", "2\n2\n"),
        ("raw/num-edge-list", "1\n1\n"),
        ("raw/graph-label", "0\n1\n"),
        ("split/scaffold/train", "0\n"),
        ("split/scaffold/valid", "1\n"),
        ("split/scaffold/test", "1\n"),
    ):
        path = folder / f"{name}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    sets = _fetch._ogb_sets()
    assert {"ogbg-molhiv", "ogbg-ppa"} <= set(sets)
    sets.loc["url", "ogbg-molhiv"] = f"{_zip(folder, 'hiv')}/hiv.zip"
    monkeypatch.setattr(_fetch, "_ogb_sets", lambda: sets)
    data = fetch_ogb("ogbg-molhiv", data_home=tmp_path / "home")
    assert (len(data.data), data.train.tolist(), data.test.tolist()) == (2, [0], [1])


def test_without_a_network_the_message_says_where_to_unpack(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as taken:
        # A port that nobody else can get, on which nothing listens.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        monkeypatch.setattr(_fetch, "TU_URL", f"http://127.0.0.1:{port}")
        with pytest.raises(OSError, match=r"cannot fetch .*DD\.zip.*unpack.*tu/DD"):
            fetch_tu("DD", data_home=tmp_path)
    assert not (tmp_path / "tu" / "DD").exists()


def test_what_is_no_archive_leaves_nothing_behind(tmp_path, monkeypatch):
    (tmp_path / "BAD.zip").write_text("not found")
    monkeypatch.setattr(_fetch, "TU_URL", tmp_path.as_uri())
    with pytest.raises(OSError, match="expected a zip archive"):
        fetch_tu("BAD", data_home=tmp_path / "home")
    assert not any((tmp_path / "home" / "tu").iterdir())


def test_names_that_ogb_does_not_have_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected one of .*ogbg-ppa"):
        fetch_ogb("ogbg-code2", data_home=tmp_path)


def test_nothing_is_fetched_or_loaded_at_import():
    code = (
        "import socket, sys; socket.socket.connect = None; import skshake.datasets; "
        "assert not {'torch', 'ogb'} & set(sys.modules)"
    )
    run_python(code)
