"""Every script explains itself and runs at reduced size.

Most are slow: each is a process of its own, which imports torch.
"""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests._helpers import PATIENCE

ROOT = Path(__file__).parents[2]
MUTAG = ROOT / "skshake" / "datasets" / "data" / "mutag.npz"
BENCHMARKS = ROOT / "examples" / "benchmarks"
REPRODUCE = ROOT / "examples" / "reproduce"
SCRIPTS = sorted((ROOT / "examples").rglob("[!_]*.py"))


def _run(script, *arguments, cwd=ROOT):
    command = [sys.executable, str(script), *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, check=True, capture_output=True, text=True, timeout=PATIENCE
    ).stdout


def _write_molecules(folder, targets):
    """A CSV of forty molecules whose targets alternate, and its split."""
    n_columns = targets[0].count(",") + 1
    lines = ["smiles," + ",".join(f"y{k}" for k in range(n_columns))]
    for k, smiles in enumerate(["CCO", "c1ccccc1", "CCN", "CCCl"] * 10):
        lines.append(f"{smiles},{targets[k % 2]}")
    (folder / "small.csv").write_text("\n".join(lines))
    rows = {"train": range(20), "valid": range(20, 30), "test": range(30, 40)}
    np.savez(folder / "small_scaffold.npz", **{k: list(v) for k, v in rows.items()})
    return folder / "small.csv"


@pytest.fixture(scope="module")
def as_dd(tmp_path_factory):
    """A data folder in which the bundled molecules pass for DD."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "graphs").mkdir()
    shutil.copy(MUTAG, folder / "graphs" / "DD.npz")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [script for script in SCRIPTS if script.name != "quickstart.py"],
    ids=lambda path: path.name,
)
def test_help_explains(script):
    assert "usage" in _run(script, "--help")


def test_quickstart_shows_score_q_star_and_figure(tmp_path):
    printed = _run(ROOT / "examples" / "quickstart.py", cwd=tmp_path)
    assert "learnt resolution q*" in printed
    assert (tmp_path / "quickstart.png").stat().st_size > 10_000


@pytest.mark.slow
def test_callbacks_write_each_epoch(tmp_path):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has none before 1.9")
    pytest.importorskip("rich")
    script = ROOT / "examples" / "callbacks.py"
    printed = _run(script, "--folder", tmp_path, "--max-iter", 3)
    assert "SHAKEClassifier - fit" in printed
    assert "best validation score" in printed
    if not find_spec("tensorboard"):
        rows = (tmp_path / "epochs.jsonl").read_text().splitlines()
        assert [json.loads(row)["epoch"] for row in rows] == [1, 2, 3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("targets", "options"),
    [
        (["0", "1"], ["--then-auc-margin"]),
        (["0,1", "1,"], ["--q", "inf"]),
        (["-1.5", "2.5"], []),
        (["0", "1"], ["--method", "fingerprints"]),
    ],
    ids=["labels", "several labels", "numbers", "fingerprints"],
)
def test_bench_molecules_prints_a_row(targets, options, tmp_path):
    file = _write_molecules(tmp_path, targets)
    script = BENCHMARKS / "bench_molecules.py"
    printed = _run(script, file, "--max-iter", 1, *options)
    assert "over 1 seeds" in printed


@pytest.mark.slow
def test_bench_molecules_trains_torch_molecule(tmp_path):
    pytest.importorskip("torch_molecule")
    file = _write_molecules(tmp_path, ["0", "1"])
    script, options = BENCHMARKS / "bench_molecules.py", ["--method", "torch-molecule"]
    assert "over 1 seeds" in _run(script, file, "--max-iter", 1, *options)


@pytest.mark.slow
def test_bench_training_prints_and_writes_its_rows(tmp_path):
    script = BENCHMARKS / "bench_training.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "t.json")
    rows = json.loads((tmp_path / "t.json").read_text())
    assert rows["ours / torch_geometric"] > 0
    assert "left out: molhiv" in printed


@pytest.mark.slow
def test_bench_latency_prints_and_writes_its_rows(tmp_path):
    script = BENCHMARKS / "bench_latency.py"
    _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "l.json")
    rows = json.loads((tmp_path / "l.json").read_text())
    assert all(ratio > 0 for ratio in rows.values())
    assert any("32 graphs: predict, 4 forests" in label for label in rows)


@pytest.mark.slow
def test_compare_settings_prints_a_table():
    script = BENCHMARKS / "compare_settings.py"
    printed = _run(
        script, MUTAG, "--folds", 2, "--max-iter", 1, "--settings", "default"
    )
    assert printed.splitlines()[-1].startswith("default")


@pytest.mark.slow
def test_bench_coarsening_prints_and_writes_its_rows(tmp_path):
    script = BENCHMARKS / "bench_coarsening.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "c.json")
    rows = json.loads((tmp_path / "c.json").read_text())
    assert any("bare walk" in label for label in rows)
    assert any("peak memory" in label for label in rows)
    assert "left out: molhiv" in printed


@pytest.mark.slow
def test_bench_resolution_prints_and_writes_its_rows(tmp_path):
    script = BENCHMARKS / "bench_resolution.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "r.json")
    rows = json.loads((tmp_path / "r.json").read_text())
    assert any("largest error of a loss" in label for label in rows)
    assert any("exponent" in label for label in rows)
    assert "left out: DD" in printed


@pytest.mark.slow
def test_bench_subtrees_prints_and_writes_its_rows(tmp_path):
    script = BENCHMARKS / "bench_subtrees.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "s.json")
    rows = json.loads((tmp_path / "s.json").read_text())
    assert len(rows) == 2
    assert all("exponent" in label for label in rows)
    assert "left out: molhiv" in printed


def test_check_invariants_holds_on_mutag():
    script = BENCHMARKS / "check_invariants.py"
    assert "188 graphs" in _run(script, MUTAG)


@pytest.mark.slow
def test_fuzz_graphs_finds_no_fault(tmp_path):
    script = BENCHMARKS / "fuzz_graphs.py"
    printed = _run(script, "--lists", 200, "--json", tmp_path / "f.json")
    rows = json.loads((tmp_path / "f.json").read_text())
    assert rows["lists"] == 200
    assert "fault" not in printed


@pytest.mark.slow
def test_stacking_scores_each_model_and_the_stack(tmp_path):
    file = _write_molecules(tmp_path, ["0", "1"])
    script = ROOT / "examples" / "stacking.py"
    printed = _run(script, file, "--max-iter", 1, "--n-trees", 5)
    names = [line.split()[0] for line in printed.splitlines() if "ROC-AUC" in line]
    assert names == ["shake", "forest", "stack"]


@pytest.mark.slow
def test_bench_peers_measures_once_and_renders(tmp_path):
    methods = ["shake", "shake_metis", "shake_graclus", "shake_random", "wl"]
    methods += ["counts"]
    script, results = BENCHMARKS / "bench_peers.py", tmp_path / "peers.csv"
    command = [script, MUTAG, "--folds", 2, "--max-iter", 1, "--csv", results]
    command += ["--methods", *methods, "statistics"]
    printed = _run(*command)
    rows = results.read_text()
    assert len(rows.splitlines()) == 1 + 2 * 7
    assert _run(*command) == printed
    assert results.read_text() == rows
    rendered = _run(script, "--render", "--csv", results)
    assert all(f"| {method} |" in rendered for method in methods)


@pytest.mark.slow
def test_bench_peers_takes_a_share_as_a_set_of_its_own(tmp_path):
    script, results = BENCHMARKS / "bench_peers.py", tmp_path / "peers.csv"
    options = ["--share", 0.2, "--folds", 1, "--csv", results]
    printed = _run(script, MUTAG, "--methods", "statistics", "gin", *options)
    assert "| set | statistics | gin |" in printed
    assert [row.split(",")[:3] for row in results.read_text().splitlines()[1:]] == [
        [f"{MUTAG.stem} (0.2)", "statistics", "0"],
        [f"{MUTAG.stem} (0.2)", "gin", "0"],
    ]


@pytest.mark.slow
def test_bench_large_reports_time_and_memory():
    printed = _run(BENCHMARKS / "bench_large.py", "--graphs", 20, "--n-jobs", 1)
    assert "s per million edges" in printed
    assert "peak memory" in printed


@pytest.mark.slow
def test_table_1_compares_q(as_dd):
    printed = _run(REPRODUCE / "table1.py", "--data", as_dd, "--datasets", "DD")
    name, n_graphs, of_paper, learnt = printed.splitlines()[-1].split()[:4]
    assert (name, n_graphs, of_paper) == ("DD", "150", "6.4")
    assert 1 < float(learnt) < 10


@pytest.mark.slow
def test_table_2_goes_on_and_is_rendered(as_dd, tmp_path):
    results, figure = tmp_path / "table2.csv", tmp_path / "table2.png"
    command = [REPRODUCE / "table2.py", "--dataset", "DD", "--data", as_dd]
    command += ["--profile", "cpu", "--seeds", 0, "--csv", results]
    assert "DD coarsened, seed 0" in _run(*command)
    rows = results.read_text()
    assert len(rows.splitlines()) == 3
    _run(*command)
    assert results.read_text() == rows
    printed = _run(REPRODUCE / "render.py", "--csv", results, "--figure", figure)
    assert "| DD (cpu, 1) | 6.4 |" in printed
    assert figure.stat().st_size > 10_000


@pytest.mark.slow
def test_the_grid_of_the_appendix_is_searched(as_dd):
    printed = _run(
        REPRODUCE / "search.py",
        *("--dataset", "DD", "--data", as_dd, "--n-iter", 2),
        *("--max-iter", 1, "--max-width", 64, "--folds", 2),
    )
    assert "test score" in printed
