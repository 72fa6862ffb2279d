"""Every script explains itself and runs at reduced size.

Most are slow: each is a process of its own, which imports torch.
"""

import json
import re
import runpy
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pandas as pd
import psutil
import pytest

from skshake.datasets import load_bace
from tests._helpers import PATIENCE, run_process

ROOT = Path(__file__).parents[2]
MUTAG = ROOT / "skshake" / "datasets" / "data" / "mutag.npz"
BENCHMARKS = ROOT / "examples" / "benchmarks"
REPRODUCE = ROOT / "examples" / "reproduce"
SCRIPTS = sorted((ROOT / "examples").rglob("[!_]*.py"))


def _run(script, *arguments, cwd=ROOT):
    return run_process(sys.executable, script, *arguments, cwd=cwd).stdout


def _lines_of_code(script):
    """Lines of a script, without comments and empty ones."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and line.lstrip()[0] != "#"]


def _rows(printed):
    """Cells of the rows of a Markdown table, without its heads."""
    lines = [line for line in printed.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[1:]]


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
    [script for script in SCRIPTS if "argparse" in script.read_text(encoding="utf-8")],
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
def test_dask_and_torchrun_share_a_folder(tmp_path):
    folder = tmp_path / "hierarchies"
    dask = ROOT / "examples" / "cluster_dask.py"
    printed = _run(dask, "--folder", folder, "--workers", 2, "--max-iter", 1)
    assert "188 graphs" in printed
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    script = ROOT / "examples" / "cluster_torchrun.py"
    model = tmp_path / "model.skops"
    printed = _run(
        *torchrun, script, "--folder", folder, "--max-iter", 1, "--model", model
    )
    assert "2 processes, test accuracy" in printed
    assert model.exists()


@pytest.mark.slow
def test_workers_are_jobs_of_slurm():
    pytest.importorskip("dask_jobqueue")
    script = ROOT / "examples" / "cluster_dask.py"
    printed = _run(script, "--slurm", "long", "--print-job")
    assert "#SBATCH -p long" in printed
    assert "dask_worker tcp://" in printed


@pytest.mark.slow
def test_workers_of_ray(tmp_path):
    pytest.importorskip("ray")
    script = ROOT / "examples" / "cluster_ray.py"
    printed = _run(script, "--folder", tmp_path / "hierarchies", "--max-iter", 1)
    assert "188 graphs" in printed


@pytest.mark.slow
def test_two_processes_are_measured(tmp_path):
    script = BENCHMARKS / "bench_ranks.py"
    json_file = tmp_path / "ranks.json"
    _run(script, "--quick", "--repeats", 1, "--json", json_file)
    rows = json.loads(json_file.read_text())
    assert rows["speed-up of the first on its core"] > 0


@pytest.mark.slow
def test_killed_processes_lose_nothing():
    script = BENCHMARKS / "check_ranks.py"
    printed = _run(script, "--whom", "trainer", "--kills", 1, "--max-iter", 5)
    assert "same weights: True" in printed


@pytest.mark.parametrize(
    ("code", "is_killed"), [("", False), ("import time; time.sleep(900)", True)]
)
def test_only_what_still_runs_is_killed(code, is_killed):
    """A training may be over before its time to be killed has come."""
    names = runpy.run_path(BENCHMARKS / "check_ranks.py")
    with psutil.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        if not is_killed:
            process.wait(PATIENCE)
        assert names["kill"](process, "trainer", 0.0)[0] == is_killed


def _post(url, body):
    """Status and answer to what is posted, as JSON unless it is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urlopen(url, data, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


def test_a_service_answers_many_clients_and_says_what_is_wrong():
    molecule = {
        "num_nodes": 3,
        "edge_index": [[0, 1], [1, 2]],
        "node_feat": [[0], [0], [1]],
        "edge_feat": [[0], [1]],
    }
    malformed = [
        ({**molecule, "edge_index": [[0, 1], [1, 9]]}, "joins nodes 1 and 9"),
        ({**molecule, "edge_index": [[0, 1], [1]]}, "edge_index: expected rows"),
        ({**molecule, "node_feat": [[0.5], [0], [1]]}, "were fitted as 1 categorical"),
        ({**molecule, "node_faet": [[0]]}, "unknown key 'node_faet'"),
        ({**molecule, "num_nodes": "3"}, "num_nodes: expected an integer"),
        (None, "is of type NoneType"),
    ]
    script = ROOT / "examples" / "service.py"
    command = [sys.executable, str(script), "--port", "0", "--max-iter", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip()
            mixed = [molecule, *(graph for graph, _ in malformed), molecule]
            with ThreadPoolExecutor(8) as clients:
                answers = list(clients.map(_post, [url] * 16, [mixed] * 16))
            for status, answer in answers:
                assert status == 200
                assert answer == answers[0][1]
                first, *errors, last = answer
                # BLAS may round the same row differently in another place.
                assert first == pytest.approx(last, abs=1e-6)
                assert first.keys() == {"-1", "1"}
                assert sum(first.values()) == pytest.approx(1, abs=1e-6)
                for error, (_, message) in zip(errors, malformed, strict=True):
                    assert message in error["error"]
            with urlopen(url, timeout=PATIENCE) as ready:
                assert json.load(ready) == "ready"
            too_large = [{**molecule, "num_nodes": [2 * 10**9]}]
            too_many = [{"num_nodes": 10_000, "edge_index": [[], []]}] * 101
            deep = b"[" * 100_000
            bodies = (b"{", {"a": [molecule]}, "text", 3, None, [], too_large, deep)
            bodies = (*bodies, too_many, b"")
            for body in bodies:
                status, answer = _post(url, body)
                assert status == 400
                assert answer["error"]
            # Nothing predictable in it is no error.
            assert _post(url, [None])[0] == 200
            # Written after the answer, and by threads whose lines may run together.
            n_answers = 16 + len(bodies) + 1
            lines = [process.stdout.readline() for _ in range(n_answers)]
            assert "".join(lines).count(" ms") == n_answers
        finally:
            process.terminate()


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
    rows = _rows(_run(script, file, "--max-iter", 1, *options))
    assert {(row[0], row[-1]) for row in rows} == {("small.csv", "1")}


@pytest.mark.slow
def test_bench_molecules_scores_labels_and_numbers_apart(tmp_path):
    """A table of a label and a potency has no score of both."""
    file = _write_molecules(tmp_path, ["0,5.5", "1,9.2"])
    command = BENCHMARKS / "bench_molecules.py", file, "--method", "fingerprints"
    with pytest.raises(AssertionError, match=r"numbers alone, got .y0., .y1."):
        _run(*command)
    for target, measure in (("y0", "ROC-AUC"), ("y1", "RMSE")):
        rows = _rows(_run(*command, "--target", target))
        assert [row[1:3] for row in rows] == [["fingerprints", measure]]


@pytest.mark.slow
def test_bench_molecules_trains_torch_molecule(tmp_path):
    pytest.importorskip("torch_molecule")
    file = _write_molecules(tmp_path, ["0", "1"])
    script, options = BENCHMARKS / "bench_molecules.py", ["--method", "torch-molecule"]
    rows = _rows(_run(script, file, "--max-iter", 1, *options))
    assert [row[1] for row in rows] == ["torch-molecule"]


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
    assert [row[0] for row in _rows(printed)] == ["default"]


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


@pytest.mark.slow
def test_check_numbers_shows_what_logarithms_are_worth():
    script = BENCHMARKS / "check_numbers.py"
    printed = _run(script, MUTAG, "--models", "forest")
    scores = {row[0]: list(map(float, row[2:])) for row in _rows(printed)}
    names = ["mean, nodes", "mean, edges", "band, nodes", "band, edges"]
    assert [*scores] == ["mutag", *names]
    # Of molecules there are no numbers.
    assert len(set(scores.pop("mutag"))) == 1
    # Each gains 0.07 or more.
    for auto, none, _ in scores.values():
        assert auto > none + 0.03


@pytest.mark.slow
def test_check_describe_prints_a_row_of_each_file(tmp_path):
    molecules = _write_molecules(tmp_path, ["0", "1"])
    script = BENCHMARKS / "check_describe.py"
    printed = _run(script, MUTAG, molecules, "--repeats", 1).splitlines()
    assert [line.split()[0] for line in printed] == ["seconds", "mutag", "small"]


@pytest.mark.slow
def test_check_calibration_prints_a_table():
    script = BENCHMARKS / "check_calibration.py"
    printed = _run(script, MUTAG, "--graphs", 60, "--max-iter", 1)
    rows = _rows(printed)
    names = ["network", "trees", "ensemble"]
    names += ["network, calibrated", "ensemble, calibrated"]
    assert [row[:3] for row in rows] == [["mutag", "60", name] for name in names]
    for row in rows:
        accuracy, _, error, _ = map(float, row[3:])
        assert 0 <= error <= 1
        assert 0.3 < accuracy <= 1


def test_check_invariants_holds_on_mutag():
    script = BENCHMARKS / "check_invariants.py"
    ((file, n_graphs, first, *_),) = _rows(_run(script, MUTAG))
    # All nodes are kept at q = inf.
    assert (file, n_graphs, first) == ("mutag.npz", "188", "1.000")


@pytest.mark.slow
def test_fuzz_graphs_finds_no_fault(tmp_path):
    script = BENCHMARKS / "fuzz_graphs.py"
    printed = _run(script, "--lists", 200, "--json", tmp_path / "f.json")
    rows = json.loads((tmp_path / "f.json").read_text())
    assert rows["lists"] == 200
    assert "fault" not in printed


@pytest.mark.parametrize(
    ("cases", "least_found"),
    # By chance 2 %. With other seeds 400 cases reach 95 to 100 %.
    [(100, 0.2), pytest.param(400, 0.8, marks=pytest.mark.slow)],
)
def test_payments_are_found_by_where_the_money_goes(cases, least_found):
    script = ROOT / "examples" / "payments.py"
    printed = _run(script, "--cases", cases)
    totals, graphs = (
        float(line.split()[-1]) for line in printed.splitlines() if "by month" in line
    )
    # Chance is 0.25; with other seeds the graphs reach 0.7 to 0.97.
    assert graphs > totals
    recall, _, _, _, precision = printed.partition("recall ")[2].split()[:5]
    assert float(recall) >= 0.8
    assert 0 < float(precision) <= 1
    assert float(re.search(r"by up to (\S+)", printed)[1]) > 0
    top = re.findall(r"edge (A\d{6}) (A\d{6}) .* (True|False)\n", printed)
    assert len(top) == 4
    found, n_frauds = re.search(r"planted in (\d+)% of (\d+) frauds", printed).groups()
    assert float(found) / 100 >= least_found
    assert int(n_frauds) >= 0.8 * cases / 4
    assert len(_lines_of_code(script)) < 80


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


def test_chemist_goes_from_a_csv_to_answers(tmp_path):
    molecules = load_bace()
    table = {"smiles": molecules.smiles[::40], "binds": molecules.target[::40]}
    pd.DataFrame(table).to_csv(tmp_path / "small.csv", index=False)
    script = ROOT / "examples" / "chemist.py"
    options = ["--target", "binds", "--folder", tmp_path, "--max-iter", 2]
    printed = _run(script, tmp_path / "small.csv", *options)
    assert "scaffold ROC-AUC: skshake" in printed
    assert "Graph 3: expected a SMILES, got None" in printed
    answers = pd.read_csv(tmp_path / "predictions.csv")["probability"]
    assert answers.isna().tolist() == [False, False, True, True, False]
    assert answers.dropna().between(0, 1).all()
    parts = pd.read_csv(tmp_path / "atoms.csv")["part"]
    assert {*parts} == {"baseline", "node", "edge"}
    assert (tmp_path / "atoms.png").stat().st_size > 10_000
    assert len(_lines_of_code(script)) < 80


@pytest.mark.slow
def test_check_explanations_measures_falls_and_motifs(tmp_path):
    file = _write_molecules(tmp_path, ["0", "1"])
    script = BENCHMARKS / "check_explanations.py"
    options = ["--seeds", 1, "--max-iter", 1, "--planted", 40, "--molecules", file]
    _run(script, *options, "--json", tmp_path / "e.json")
    rows = json.loads((tmp_path / "e.json").read_text())
    assert [*rows] == [
        f"{name}{end}"
        for name in ("MUTAG", "planted", "small")
        for end in ("", ", shuffled labels")
    ]
    assert 0 <= rows["planted"]["motif by nodes"][0] <= 1


@pytest.mark.slow
def test_check_payments_prints_shares_of_found_transfers():
    script = BENCHMARKS / "check_payments.py"
    options = ["--cases", 64, "--seeds", 0, "--max-iter", 1, "--settings", "q*"]
    rows = _rows(_run(script, *options, "q = inf"))
    assert [row[0] for row in rows] == ["q*", "q*", "q = inf", "q = inf"]
    assert {len(row) for row in rows} == {2 + 5}
    assert all(0 <= float(share) <= 1 for row in rows for share in row[2:])


@pytest.mark.slow
def test_larger_than_memory_trains_from_a_folder_and_goes_on(tmp_path):
    script = ROOT / "examples" / "larger_than_memory.py"
    given = ("--folder", tmp_path, "--graphs", 120, "--memory", 10**7, "--max-iter", 1)
    printed = _run(script, *given)
    assert "<HierarchyCollection of 120 graphs" in printed
    assert re.search(r"accuracy: \d\.\d{3}", printed)
    before = {
        p.name: p.stat().st_mtime_ns for p in (tmp_path / "hierarchies").iterdir()
    }
    assert _run(script, *given) == printed
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "hierarchies").iterdir()}
    del before["index.json"], after["index.json"]
    assert after == before


@pytest.mark.slow
def test_bench_stream_reports_time_memory_and_bytes(tmp_path):
    script = BENCHMARKS / "bench_stream.py"
    given = ("--graphs", 60, "--memory", 10**7, "--folder", tmp_path)
    printed = _run(script, *given, "--molecules", 60)
    read = float(re.search(r"bytes needed: (.*)", printed)[1])
    # Blocks are read once an epoch; scales and the first graphs on top.
    assert 0.9 < read < 2
    assert "peak" in printed
    assert re.search(r"from the folder .* times", printed)
