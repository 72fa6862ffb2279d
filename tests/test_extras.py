"""Packages that only some uses need, on a machine that lacks them."""

import sys

import pytest

from skshake import (
    KFCoarsener,
    MoleculeFeaturizer,
    SHAKEClassifier,
    graphs_from_edgelist,
)
from skshake._extras import folder_of, require
from skshake.datasets import load_molecules_csv
from skshake.model_selection import ScaffoldSplit, scaffold_groups
from skshake.plotting import (
    ExplanationDisplay,
    HierarchyDisplay,
    LearningCurveDisplay,
    QSelectionDisplay,
)
from skshake.plotting._layout import draw_graph

MOLECULES = r'needs rdkit: pip install "skshake\[molecules\]"'
PLOT = r'drawing needs matplotlib: pip install "skshake\[plot\]"'
PARQUET = r'reading parquet files needs pyarrow: pip install "skshake\[parquet\]"'


@pytest.fixture
def lacks(monkeypatch):
    """A function that hides a package."""

    def hide(package):
        monkeypatch.setitem(sys.modules, package, None)

    return hide


@pytest.mark.parametrize(
    "use",
    [
        lambda: MoleculeFeaturizer().fit_transform(["CCO"]),
        lambda: MoleculeFeaturizer(on_invalid="empty").fit_transform(["CCO"]),
        lambda: MoleculeFeaturizer(standardize=True).fit_transform(["CCO"]),
        lambda: scaffold_groups(["CCO"]),
        lambda: next(ScaffoldSplit().split(["CCO", "CCN"])),
    ],
)
def test_molecules_ask_for_rdkit(use, lacks):
    lacks("rdkit")
    with pytest.raises(ImportError, match=MOLECULES):
        use()


def test_files_of_molecules_ask_for_rdkit(lacks, tmp_path):
    path = tmp_path / "molecules.csv"
    path.write_text("smiles,active\nCCO,1\n")
    lacks("rdkit")
    with pytest.raises(ImportError, match=MOLECULES):
        load_molecules_csv(path)


def test_molecules_ask_for_ogb(lacks):
    from skshake.graphs import _molecules

    molecule = _molecules.parse_smiles("CCO")
    lacks("ogb")
    _molecules._ogb_features.cache_clear()
    with pytest.raises(ImportError, match='reading molecules needs ogb: pip install "'):
        MoleculeFeaturizer().fit_transform([molecule])


def test_parquet_asks_for_pyarrow(lacks, tmp_path):
    lacks("pyarrow")
    lacks("fastparquet")
    with pytest.raises(ImportError, match=PARQUET):
        graphs_from_edgelist(tmp_path / "edges.parquet")


def test_figures_ask_for_matplotlib(lacks, small_mutag):
    graphs, y = small_mutag
    coarsener = KFCoarsener(n_forests=1, random_state=0).fit(graphs)
    model = SHAKEClassifier(n_layers=1, max_iter=1, random_state=0).fit(graphs, y)
    lacks("matplotlib")
    for draw in (
        lambda: HierarchyDisplay.from_estimator(coarsener, graphs[0]),
        lambda: QSelectionDisplay.from_estimator(coarsener),
        lambda: LearningCurveDisplay.from_estimator(model),
        lambda: ExplanationDisplay.from_estimator(model, graphs[0]),
    ):
        with pytest.raises(ImportError, match=PLOT):
            draw()


def test_drawn_molecules_ask_for_rdkit(lacks, one_graph):
    lacks("rdkit")
    with pytest.raises(ImportError, match=f"drawing a molecule {MOLECULES}"):
        draw_graph(one_graph[0], "CCO")


def test_what_is_installed_is_let_through():
    require("numpy", "counting")
    assert (folder_of("sklearn", "learning") / "base.py").exists()


def test_what_is_broken_says_so_itself(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import what_it_lacks")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="what_it_lacks"):
        require("half_installed", "drawing")
