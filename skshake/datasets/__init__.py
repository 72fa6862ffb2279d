"""Graph data sets: bundled, downloaded, generated, and files of users."""

from skshake.datasets._arrays import load_npz
from skshake.datasets._bundled import load_bace, load_mutag
from skshake.datasets._fetch import fetch_ogb, fetch_tu
from skshake.datasets._molecules import load_molecules_csv
from skshake.datasets._ogb import iter_ogb, load_ogb
from skshake.datasets._payments import make_payments
from skshake.datasets._synthetic import make_graph_classification, make_like
from skshake.datasets._tu import load_tu

__all__ = [
    "fetch_ogb",
    "fetch_tu",
    "iter_ogb",
    "load_bace",
    "load_molecules_csv",
    "load_mutag",
    "load_npz",
    "load_ogb",
    "load_tu",
    "make_graph_classification",
    "make_like",
    "make_payments",
]
