"""The command that writes docs/measured.md: in turn, in place, and only where quiet."""

import importlib
import re
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "examples" / "benchmarks"
SCRIPT = "import sys\nprint('| a |', *sys.argv[1:], {number})\n"


@pytest.fixture
def command(monkeypatch, tmp_path):
    """The command, with two benchmarks of its own, quiet and at a commit."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("all")
    for name in ("one", "two"):
        (tmp_path / f"bench_{name}.py").write_text(SCRIPT.format(number=1))
    runs = {
        "One": module.Run("bench_one.py DATA/x.npz --csv TMP/rows.csv", "--quick", 1),
        "Two": module.Run("bench_two.py", "", 1),
    }
    monkeypatch.setattr(module, "RUNS", runs)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "git", lambda *arguments: "abc1234")
    monkeypatch.setattr(module, "load_of_others", lambda: 0.0)
    monkeypatch.setattr(module, "changed_files", lambda page: [])
    yield module
    for name in ("all", "_measured", "_bench"):
        sys.modules.pop(name, None)


def run(module, monkeypatch, tmp_path, *arguments):
    """The page, after the command ran."""
    page = tmp_path / "measured.md"
    options = ["--data", str(tmp_path), "--page", str(page), *arguments]
    monkeypatch.setattr(sys, "argv", ["all.py", *options])
    module.main()
    return page.read_text("utf-8")


def test_every_script_is_run_within_an_hour(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("all")
    scripts = {run.command.split()[0] for run in module.RUNS.values()}
    there = [*BENCHMARKS.glob("bench_*.py"), *BENCHMARKS.glob("check_*.py")]
    assert scripts == {path.name for path in there}
    assert sum(run.minutes for run in module.RUNS.values()) < 60


def test_sections_are_written_and_replaced_in_place(command, monkeypatch, tmp_path):
    text = run(command, monkeypatch, tmp_path)
    head, one, two = text.split("\n## ")
    assert "commit abc1234" in head
    assert re.search(r"numpy \d", head)
    assert "`python examples/benchmarks/bench_one.py DATA/x.npz --csv rows.csv`" in one
    assert f"| a | {tmp_path}/x.npz" in one
    assert two.startswith("Two\n")
    # Another commit measures one again.
    (tmp_path / "bench_one.py").write_text(SCRIPT.format(number=2))
    monkeypatch.setattr(command, "git", lambda *arguments: "def5678")
    again = run(command, monkeypatch, tmp_path, "--only", "One")
    assert again.split("\n## ")[0] == head
    assert again.split("\n## ")[2] == two
    assert "Commit def5678" in again.split("\n## ")[1]
    assert again.split("\n## ")[1].strip().endswith(" 2")
    # And all of them begin a new page.
    assert "abc1234" not in run(command, monkeypatch, tmp_path)


def test_busy_machines_and_changed_files_are_refused(
    command, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(command, "load_of_others", lambda: 1.7)
    monkeypatch.setattr(command, "changed_files", lambda page: ["a.py", "b.py"])
    with pytest.raises(SystemExit):
        run(command, monkeypatch, tmp_path)
    message = capsys.readouterr().err
    assert "others kept 1.7 processors busy" in message
    assert "2 files differed from the commit (a.py, b.py)" in message
    assert not (tmp_path / "measured.md").exists()
    text = run(command, monkeypatch, tmp_path, "--anyway")
    assert text.count("**Doubtful: others kept 1.7 processors busy; 2 files") == 2


def test_one_that_fails_leaves_its_old_section(command, monkeypatch, tmp_path, capfd):
    run(command, monkeypatch, tmp_path)
    (tmp_path / "bench_one.py").write_text("raise SystemExit(3)")
    with pytest.raises(SystemExit):
        run(command, monkeypatch, tmp_path, "--only", "One", "Two")
    text = (tmp_path / "measured.md").read_text("utf-8")
    assert text.count("| a |") == 2
    assert "failed: One" in capfd.readouterr().err


def test_small_runs_never_reach_the_page(command, monkeypatch, tmp_path, capsys):
    page = str(command.PAGE)
    with pytest.raises(SystemExit):
        run(command, monkeypatch, tmp_path, "--quick", "--page", page)
    assert "mean nothing" in capsys.readouterr().err
    assert "x.npz --csv rows.csv --quick`" in run(
        command, monkeypatch, tmp_path, "--quick"
    )
