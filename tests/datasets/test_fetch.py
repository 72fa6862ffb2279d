"""Downloads, from a server on this machine."""

import gzip
import logging
import shutil
import socket
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from skshake.datasets import _fetch, fetch_ogb, fetch_tu, iter_ogb
from tests._helpers import run_python


class _Handler(SimpleHTTPRequestHandler):
    """Files of a folder; ``server.spoil`` may spoil an answer, given how many came."""

    def do_GET(self):
        self.server.paths.append(self.path)
        if not self.server.spoil(self):
            super().do_GET()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server of ``tmp_path``, which notes what it is asked for."""
    monkeypatch.setenv("no_proxy", "*")
    # No pauses between tries.
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    handler = partial(_Handler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.paths, running.spoil = [], lambda request: False
        running.url = f"http://127.0.0.1:{running.server_port}"
        monkeypatch.setattr(_fetch, "TU_URL", running.url)
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def _zip(folder, name):
    """Archive beside the folder that holds it."""
    shutil.make_archive(str(folder.parent / name), "zip", folder.parent, folder.name)
    return folder.parent / f"{name}.zip"


@pytest.fixture
def tu_archive(tmp_path):
    """The archive TINY of two graphs, where the server finds it."""
    folder = tmp_path / "TINY"
    folder.mkdir()
    (folder / "TINY_A.txt").write_text("1, 2\n2, 1\n3, 4\n")
    (folder / "TINY_graph_indicator.txt").write_text("1\n1\n2\n2\n")
    (folder / "TINY_graph_labels.txt").write_text("1\n-1\n")
    return _zip(folder, "TINY")


def test_a_set_is_downloaded_once(tu_archive, server, tmp_path, caplog):
    home = tmp_path / "home"
    with caplog.at_level(logging.INFO, "skshake"):
        graphs, y = fetch_tu("TINY", data_home=home, return_X_y=True)
    assert (len(graphs), graphs.n_edges, y.tolist()) == (2, 2, [1, -1])
    assert len(fetch_tu("TINY", data_home=home).data) == 2
    assert server.paths == ["/TINY.zip"]
    assert [path.name for path in (home / "tu").iterdir()] == ["TINY"]
    # So that two machines can be compared.
    assert sha256(tu_archive.read_bytes()).hexdigest() in caplog.text


def _break_off(request, archive):
    """Announce more bytes than are sent."""
    request.send_response(200)
    request.send_header("Content-Length", str(len(archive) + 100))
    request.end_headers()
    request.wfile.write(archive)
    request.close_connection = True


def _be_busy(request, archive):
    request.send_error(503)


def _flip_a_byte(request, archive):
    """Send an archive with one other byte in the text of a file."""
    place = archive.index(b"TINY_graph_labels.txt") + len("TINY_graph_labels.txt") + 2
    changed = archive[:place] + bytes([archive[place] ^ 255]) + archive[place + 1 :]
    request.send_response(200)
    request.send_header("Content-Length", str(len(changed)))
    request.end_headers()
    request.wfile.write(changed)


@pytest.mark.parametrize("spoil", [_break_off, _be_busy, _flip_a_byte])
def test_what_breaks_off_is_tried_again(spoil, tu_archive, server, tmp_path):
    archive = tu_archive.read_bytes()

    def spoil_twice(request):
        if len(server.paths) > 2:
            return False
        spoil(request, archive)
        return True

    server.spoil = spoil_twice
    home = tmp_path / "home"
    assert fetch_tu("TINY", data_home=home).target.tolist() == [1, -1]
    assert server.paths == ["/TINY.zip"] * 3


@pytest.mark.parametrize("spoil", [_break_off, _be_busy, _flip_a_byte])
def test_what_never_comes_whole_leaves_nothing_behind(
    spoil, tu_archive, server, tmp_path
):
    archive = tu_archive.read_bytes()
    server.spoil = lambda request: spoil(request, archive) is None
    home = tmp_path / "home"
    with pytest.raises(OSError, match=r"cannot fetch .*TINY\.zip"):
        fetch_tu("TINY", data_home=home)
    assert len(server.paths) == 1 + _fetch.RETRIES
    assert not any((home / "tu").iterdir())


def test_a_set_that_is_not_there_is_asked_for_once(server, tmp_path):
    with pytest.raises(OSError, match="404"):
        fetch_tu("DD", data_home=tmp_path / "home")
    assert server.paths == ["/DD.zip"]


def test_an_archive_of_something_else_is_not_kept(tu_archive, server, tmp_path):
    (tmp_path / "TINY" / "TINY_graph_labels.txt").write_text("1\n")
    _zip(tmp_path / "TINY", "TINY")
    with pytest.raises(OSError, match=r"no such set: .*increasing numbers from 1 to 1"):
        fetch_tu("TINY", data_home=tmp_path / "home")
    assert not any((tmp_path / "home" / "tu").iterdir())


def test_ogb_sets_come_with_their_split(server, tmp_path, monkeypatch):
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
    sets.loc["url", "ogbg-molhiv"] = f"{server.url}/{_zip(folder, 'hiv').name}"
    monkeypatch.setattr(_fetch, "_ogb_sets", lambda: sets)
    data = fetch_ogb("ogbg-molhiv", data_home=tmp_path / "home")
    assert (len(data.data), data.train.tolist(), data.test.tolist()) == (2, [0], [1])
    # A set larger than memory is read in parts.
    for home in ("home", "other"):
        path = fetch_ogb("ogbg-molhiv", data_home=tmp_path / home, as_folder=True)
        assert path == tmp_path / home / "ogb" / "ogbg-molhiv"
        ((graphs, y),) = iter_ogb(path)
        assert (graphs.fingerprints == data.data.fingerprints).all()
        assert y.tolist() == data.target.tolist()


def test_without_a_network_the_message_says_where_to_unpack(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as taken:
        # A port that nobody else can get, on which nothing listens.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        monkeypatch.setattr(_fetch, "TU_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setattr(_fetch, "RETRIES", 0)
        with pytest.raises(OSError, match=r"cannot fetch .*DD\.zip.*unpack.*tu/DD"):
            fetch_tu("DD", data_home=tmp_path)
    assert not (tmp_path / "tu" / "DD").exists()


def test_what_is_no_archive_leaves_nothing_behind(server, tmp_path):
    (tmp_path / "BAD.zip").write_text("not found")
    with pytest.raises(OSError, match="expected an intact zip archive"):
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
