"""Nothing but `fetch_tu` and `fetch_ogb` uses the network, and nothing asks users."""

import gzip

from tests._helpers import run_python

# Audit events of looking up a host, connecting to one, and waiting for an answer.
WATCH = """
import sys

met = []

def watch(event, arguments):
    is_local = event == "socket.connect" and not isinstance(arguments[1], tuple)
    if event in EVENTS and not is_local:
        met.append((event, arguments[1:]))
        raise OSError("no network in this test")

EVENTS = {
    "builtins.input", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname",
    "socket.sendto", "urllib.Request",
}
sys.addaudithook(watch)
"""

USE = """
import threading
import warnings
from pathlib import Path

from sklearn.pipeline import make_pipeline

import skshake
from skshake import KFCoarsener, MoleculeFeaturizer, SHAKEClassifier
from skshake.datasets import load_bace, load_mutag, load_ogb
from skshake.model_selection import scaffold_groups

graphs, y = load_mutag(return_X_y=True)
load_bace()
load_ogb(Path(sys.argv[1]))
for name in skshake.__all__:
    getattr(skshake, name)

model = make_pipeline(
    KFCoarsener(n_forests=1), SHAKEClassifier(n_layers=1, max_iter=1, random_state=0)
)
warnings.filterwarnings("ignore", "one class is predicted")
assert len(model.fit(graphs[:40], y[:40]).predict(graphs[:40])) == 40
try:
    import rdkit
except ImportError:
    pass
else:
    smiles = ["CCO", "c1ccccc1"]
    assert len(MoleculeFeaturizer().fit_transform(smiles)) == 2
    assert scaffold_groups(smiles).tolist() == ["", "c1ccccc1"]
# What a thread would ask for.
for thread in threading.enumerate():
    if thread is not threading.current_thread() and not thread.daemon:
        thread.join(60)
# Their import asks a server for newer versions; whether it gets that far depends on
# what else is installed.
assert not {"ogb", "outdated"} & set(sys.modules)
assert not met, met
"""


def test_import_load_fit_and_predict_ask_nobody(tmp_path):
    for name, text in (
        ("edge", "0,1\n0,1\n"),
        ("num-node-list", "2\n2\n"),
        ("num-edge-list", "1\n1\n"),
        ("graph-label", "0\n1\n"),
    ):
        path = tmp_path / "raw" / f"{name}.csv.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    run_python(WATCH + USE, tmp_path)


def test_the_watch_sees_a_call():
    code = """
import socket, urllib.request
for ask in (
    lambda: socket.getaddrinfo("localhost", 80),
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: urllib.request.urlopen("http://127.0.0.1:9"),
    lambda: input(),
):
    before = len(met)
    try:
        ask()
    except OSError as error:
        assert str(error) == "no network in this test", error
    assert len(met) == before + 1
"""
    run_python(WATCH + code)
