"""Every script explains itself and runs at reduced size."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = sorted((ROOT / "examples" / "benchmarks").glob("[!_]*.py"))


def _run(script, *arguments, cwd=ROOT):
    command = [sys.executable, str(script), *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, check=True, capture_output=True, text=True, timeout=600
    ).stdout


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda path: path.name)
def test_help_explains(script):
    assert "usage" in _run(script, "--help")


def test_quickstart_shows_score_q_star_and_figure(tmp_path):
    printed = _run(ROOT / "examples" / "quickstart.py", cwd=tmp_path)
    assert "learnt resolution q*" in printed
    assert (tmp_path / "quickstart.png").stat().st_size > 10_000


def test_bench_accuracy_prints_a_row():
    mutag = ROOT / "skshake" / "datasets" / "data" / "mutag.npz"
    script = ROOT / "examples" / "benchmarks" / "bench_accuracy.py"
    printed = _run(script, mutag, "--folds", 2, "--max-iter", 1, "--n-jobs", 1)
    assert printed.splitlines()[1].split()[:2] == ["mutag", "188"]


@pytest.mark.parametrize(
    ("targets", "options"),
    [
        (["0", "1"], ["--loss", "auc_margin", "--optimizer", "pesg"]),
        (["0,1", "1,"], ["--q", "inf"]),
        (["-1.5", "2.5"], []),
        (["0", "1"], ["--fingerprints"]),
    ],
    ids=["labels", "several labels", "numbers", "fingerprints"],
)
def test_bench_molecules_prints_a_row(targets, options, tmp_path):
    n_columns = targets[0].count(",") + 1
    lines = ["smiles," + ",".join(f"y{k}" for k in range(n_columns))]
    for k, smiles in enumerate(["CCO", "c1ccccc1", "CCN", "CCCl"] * 10):
        lines.append(f"{smiles},{targets[k % 2]}")
    (tmp_path / "small.csv").write_text("\n".join(lines))
    rows = {"train": range(20), "valid": range(20, 30), "test": range(30, 40)}
    np.savez(tmp_path / "small_scaffold.npz", **{k: list(v) for k, v in rows.items()})
    script = ROOT / "examples" / "benchmarks" / "bench_molecules.py"
    printed = _run(script, tmp_path / "small.csv", "--max-iter", 1, *options)
    assert "over 1 seeds" in printed


def test_bench_training_prints_and_writes_its_rows(tmp_path):
    script = ROOT / "examples" / "benchmarks" / "bench_training.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "t.json")
    rows = json.loads((tmp_path / "t.json").read_text())
    assert rows["ours / torch_geometric"] > 0
    assert "left out: molhiv" in printed


def test_compare_settings_prints_a_table():
    script = ROOT / "examples" / "benchmarks" / "compare_settings.py"
    mutag = ROOT / "skshake" / "datasets" / "data" / "mutag.npz"
    printed = _run(
        script, mutag, "--folds", 2, "--max-iter", 1, "--settings", "default"
    )
    assert printed.splitlines()[-1].startswith("default")


def test_bench_coarsening_prints_and_writes_its_rows(tmp_path):
    script = ROOT / "examples" / "benchmarks" / "bench_coarsening.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "c.json")
    rows = json.loads((tmp_path / "c.json").read_text())
    assert any("bare walk" in label for label in rows)
    assert any("peak memory" in label for label in rows)
    assert "left out: molhiv" in printed


def test_bench_resolution_prints_and_writes_its_rows(tmp_path):
    script = ROOT / "examples" / "benchmarks" / "bench_resolution.py"
    printed = _run(script, "--quick", "--repeats", 1, "--json", tmp_path / "r.json")
    rows = json.loads((tmp_path / "r.json").read_text())
    assert any("largest error of a loss" in label for label in rows)
    assert any("exponent" in label for label in rows)
    assert "left out: DD" in printed


def test_check_invariants_holds_on_mutag():
    mutag = ROOT / "skshake" / "datasets" / "data" / "mutag.npz"
    script = ROOT / "examples" / "benchmarks" / "check_invariants.py"
    assert "188 graphs" in _run(script, mutag)


def test_fuzz_graphs_finds_no_fault(tmp_path):
    script = ROOT / "examples" / "benchmarks" / "fuzz_graphs.py"
    printed = _run(script, "--lists", 200, "--json", tmp_path / "f.json")
    rows = json.loads((tmp_path / "f.json").read_text())
    assert rows["lists"] == 200
    assert "fault" not in printed
