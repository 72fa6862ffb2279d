"""transform_to: equal bytes on any backend, and nothing is lost or harmed."""

import errno
import functools
import os
import signal
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest

import skshake
from skshake import HierarchyCollection, KFCoarsener, graphs_from_edgelist
from skshake._storage import Storage
from tests._helpers import PATIENCE, assert_same_hierarchies, run_process


@pytest.fixture(scope="module")
def coarsener(mutag):
    return KFCoarsener(q=1.0, n_forests=2, random_state=0, n_jobs=2).fit(mutag[0])


@pytest.fixture(scope="module")
def sources(mutag, tmp_path_factory):
    """Four files of graphs."""
    folder = tmp_path_factory.mktemp("graphs")
    for k in range(4):
        mutag[0][47 * k : 47 * k + 47].save(folder / f"{k}.npz")
    return folder


@pytest.fixture(scope="module")
def written(coarsener, sources, tmp_path_factory):
    """Bytes of each file, as one process writes them."""
    folder = tmp_path_factory.mktemp("hier")
    with joblib.parallel_config("sequential"):
        coarsener.transform_to(folder, sources)
    return content(folder)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_all_backends_write_the_same_bytes(
    backend, coarsener, sources, written, tmp_path
):
    with joblib.parallel_config(backend):
        coarsener.transform_to(tmp_path, sources)
    assert content(tmp_path) == written


@pytest.mark.slow
def test_dask_writes_the_same_bytes(coarsener, sources, written, tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as c,
        distributed.Client(c),
        joblib.parallel_config("dask"),
    ):
        coarsener.transform_to(tmp_path, sources)
    assert content(tmp_path) == written


RAY = """
import sys
import joblib
import ray
from ray.util.joblib import register_ray
import skshake

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
register_ray()
coarsener = skshake.load(sys.argv[1]).set_params(n_jobs=-1)
with joblib.parallel_config("ray"):
    coarsener.transform_to(sys.argv[3], sys.argv[2])
"""


@pytest.mark.slow
def test_ray_writes_the_same_bytes(coarsener, sources, written, tmp_path):
    pytest.importorskip("ray")
    skshake.save(coarsener, tmp_path / "coarsener")
    # ray's own warnings are not ours to turn into errors.
    paths = tmp_path / "coarsener", sources, tmp_path / "hier"
    run_process(sys.executable, "-c", RAY, *paths)
    assert content(tmp_path / "hier") == written


def test_a_backend_without_generators_will_do(
    coarsener, sources, written, tmp_path, monkeypatch
):
    backend = joblib.parallel.ThreadingBackend
    monkeypatch.setattr(backend, "supports_return_generator", False)
    with joblib.parallel_config("threading"):
        coarsener.transform_to(tmp_path, sources)
    assert content(tmp_path) == written


def test_what_is_written_is_what_transform_gives(coarsener, mutag, tmp_path):
    graphs, y = mutag
    expected = coarsener.transform(graphs)
    for k, (given, targets) in enumerate([(graphs, y), (list(graphs), y.tolist())]):
        stored = coarsener.transform_to(tmp_path / str(k), given, targets)
        assert_same_hierarchies(stored.in_memory(), expected)
        assert (stored.y == y).all()
    fewer = KFCoarsener(q=1.0, n_forests=2, n_forests_transform=1, random_state=0)
    stored = fewer.fit(graphs).transform_to(tmp_path / "fewer", graphs)
    assert stored.n_forests == 1
    assert stored.y is None


def test_functions_that_read_tables_are_sources(tmp_path):
    paths = []
    for k in range(3):
        table = pd.DataFrame(
            {"case": [k, k, k + 10], "a": [0, 1, 0], "b": [1, 2, 1], "w": [0.5, 1, 2.0]}
        )
        paths.append(tmp_path / f"{k}.csv")
        table.to_csv(paths[-1], index=False)
    sources = [
        functools.partial(
            graphs_from_edgelist, path, graph="case", source="a", target="b",
            edge_attrs=["w"],
        )
        for path in paths
    ]  # fmt: skip
    coarsener = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(sources)
    stored = coarsener.transform_to(tmp_path / "hier", sources)
    assert stored.names.tolist() == [0, 10, 1, 11, 2, 12]
    assert_same_hierarchies(stored[2:4].in_memory(), coarsener.transform(sources[1]()))


def test_finished_parts_stay_and_others_are_written(
    coarsener, sources, written, tmp_path
):
    coarsener.transform_to(tmp_path, sources)
    kept = (tmp_path / "part-00000.skshake").stat().st_mtime_ns
    (tmp_path / "part-00002.skshake").unlink()
    (tmp_path / "index.json").unlink()
    (tmp_path / "part-00001.skshake.99-1.partial").touch()
    coarsener.transform_to(tmp_path, sources)
    assert content(tmp_path) == written
    assert (tmp_path / "part-00000.skshake").stat().st_mtime_ns == kept


KILLED = """
import os
import signal
import sys
import skshake
from skshake._storage import Storage

create = Storage.create

def killed(self, name):
    if name.startswith("part-00002"):
        class File:
            def __enter__(self):
                self.context = create(storage, name)
                return self
            def __exit__(self, *error):
                return self.context.__exit__(*error)
            def write(self, data):
                file = self.context.__enter__()
                file.write(data[: len(data) // 2])
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        storage = self
        return File()
    return create(self, name)

Storage.create = killed
coarsener = skshake.load(sys.argv[1]).set_params(n_jobs=1)
coarsener.transform_to(sys.argv[3], sys.argv[2])
"""


def test_a_killed_writer_is_gone_on_from(coarsener, sources, written, tmp_path):
    skshake.save(coarsener, tmp_path / "coarsener")
    folder = tmp_path / "hier"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path / "coarsener", sources, folder],
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == -signal.SIGKILL
    names = sorted(path.name for path in folder.iterdir())
    assert names[:2] == ["part-00000.skshake", "part-00001.skshake"]
    # What was half written is not called like a part.
    assert names[2].endswith(".partial")
    assert len(names) == 3
    coarsener.transform_to(folder, sources)
    assert content(folder) == written


def _alter(path):
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_alter, "was altered"),
        (lambda path: path.write_bytes(path.read_bytes()[:-3]), "cut short"),
        (lambda path: path.write_bytes(b"none"), "no part"),
        (lambda path: path.with_name("part-00004.skshake").touch(), "4 sources"),
    ],
    ids=["altered", "truncated", "other", "more"],
)
def test_parts_that_are_not_as_they_were_are_refused(
    damage, message, coarsener, sources, written, tmp_path
):
    for name, data in written.items():
        (tmp_path / name).write_bytes(data)
    damage(tmp_path / "part-00001.skshake")
    before = content(tmp_path)
    with pytest.raises(ValueError, match=message) as caught:
        coarsener.transform_to(tmp_path, sources)
    assert str(tmp_path) in str(caught.value)
    assert content(tmp_path) == before


def test_another_coarsener_or_source_is_refused(
    coarsener, sources, written, mutag, tmp_path
):
    for name, data in written.items():
        (tmp_path / name).write_bytes(data)
    other = KFCoarsener(q=2.0, n_forests=2, random_state=0).fit(mutag[0])
    with pytest.raises(ValueError, match=r"part-0000.* is of another coarsener"):
        other.transform_to(tmp_path, sources)
    files = sorted(sources.iterdir())
    with pytest.raises(ValueError, match=r"part-0000.* was made from .*npz"):
        coarsener.transform_to(tmp_path, files[1:])
    assert content(tmp_path) == written


def test_errors_name_the_source(coarsener, sources, tmp_path, mutag):
    broken = tmp_path / "broken.npz"
    broken.write_bytes((sources / "1.npz").read_bytes()[:500])
    with pytest.raises(ValueError, match=r"broken\.npz"):
        coarsener.transform_to(tmp_path / "a", [sources / "0.npz", broken])
    with pytest.raises(FileNotFoundError, match=r"missing\.npz"):
        coarsener.transform_to(tmp_path / "b", [tmp_path / "missing.npz"])
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ValueError, match=r"notes\.txt: expected a \.npz file"):
        coarsener.transform_to(tmp_path / "c", [tmp_path / "notes.txt"])
    ring = (np.roll(np.eye(5), 1, 0), np.ones((5, 3)))
    with pytest.raises(ValueError, match=r"1 graphs .*: the edge features"):
        coarsener.transform_to(tmp_path / "d", [sources / "0.npz", [ring]])


def test_targets_that_do_not_fit_are_refused(coarsener, sources, mutag, tmp_path):
    graphs, y = mutag
    with pytest.raises(ValueError, match="expected 188 rows"):
        coarsener.transform_to(tmp_path / "a", graphs, y[:5])
    with pytest.raises(ValueError, match="sources bring their own targets"):
        coarsener.transform_to(tmp_path / "b", sources, y)
    mixed = [(graphs[:9], y[:9]), graphs[9:20]]
    with pytest.raises(ValueError, match=r"part-00001.* one per graph, got none"):
        coarsener.transform_to(tmp_path / "c", mixed)
    with pytest.raises(ValueError, match="expected numbers, text or dates"):
        coarsener.transform_to(tmp_path / "d", graphs[:2], [None, 1])
    with pytest.raises(ValueError, match="at least one"):
        coarsener.transform_to(tmp_path / "e", iter(()))


def test_a_full_disk_names_the_file_and_keeps_what_is_finished(
    coarsener, sources, written, tmp_path, monkeypatch
):
    create = Storage.create

    def full(self, name):
        context = create(self, name)
        if not name.startswith("part-00002"):
            return context
        enter = context.__enter__

        class Full:
            def __enter__(self):
                self.file = enter()
                return self

            def __exit__(self, *error):
                return context.__exit__(*error)

            def write(self, data):
                self.file.write(data[:10])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        return Full()

    monkeypatch.setattr(Storage, "create", full)
    with (
        joblib.parallel_config("sequential"),
        pytest.raises(OSError, match=r"No space left.*part-00002"),
    ):
        coarsener.transform_to(tmp_path, sources)
    assert sorted(content(tmp_path)) == ["part-00000.skshake", "part-00001.skshake"]
    monkeypatch.undo()
    coarsener.transform_to(tmp_path, sources)
    assert content(tmp_path) == written


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_folder_without_rights_is_named(coarsener, sources, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match=str(tmp_path)):
            coarsener.transform_to(tmp_path / "hier", sources)
    finally:
        tmp_path.chmod(0o700)


def test_a_file_where_a_folder_should_be_is_named(coarsener, sources, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        coarsener.transform_to(tmp_path / "file", sources)
    assert (tmp_path / "file").read_bytes() == b""


def test_a_bar_is_shown(coarsener, sources, tmp_path, capsys):
    loud = KFCoarsener(q=1.0, n_forests=1, random_state=0).fit(sources)
    loud.set_params(verbose=1).transform_to(tmp_path, sources)
    assert "parts: 100%" in capsys.readouterr().err


def test_unfinished_folders_cannot_be_opened(coarsener, sources, tmp_path):
    def fails():
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"):
        coarsener.transform_to(tmp_path, [sources / "0.npz", fails])
    with pytest.raises(FileNotFoundError, match="not finished"):
        HierarchyCollection.open(tmp_path)
