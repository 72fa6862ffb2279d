"""Data sets from their own servers, unpacked once into scikit-learn's data folder.

In: a name. Out: what ``load_tu`` or ``load_ogb`` reads from the unpacked folder.
"""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.datasets import get_data_home

from skshake._extras import folder_of
from skshake._logging import logger
from skshake._progress import tqdm
from skshake.datasets._ogb import iter_ogb, load_ogb
from skshake.datasets._tu import load_tu

# Where the TU collection lives (Morris et al. 2020).
TU_URL = "https://www.chrsmrrs.com/graphkerneldatasets"
# Seconds without a byte, and how often to try again.
TIMEOUT, RETRIES = 60.0, 3


def _fetch(url: str, folder: Path, load: Callable[[Path], Any]) -> Any:
    """What is loaded from the one folder of an archive, downloaded if not there.

    A download that breaks off, or cannot be read, leaves nothing behind under the
    folder's name.
    """
    if folder.exists():
        return load(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        try:
            archive = _download(url, Path(scratch), folder.name)
        except (OSError, ValueError) as error:
            raise OSError(
                f"cannot fetch {url}: {error}; without a network, unpack the archive "
                f"to {folder} yourself"
            ) from error
        content = Path(scratch) / "content"
        with zipfile.ZipFile(archive) as file:
            file.extractall(content)
        unpacked = [path for path in content.iterdir() if path.is_dir()]
        if len(unpacked) != 1:
            raise OSError(f"{url}: expected one folder in it, got {len(unpacked)}")
        try:
            data = load(unpacked[0])
        except (OSError, ValueError) as error:
            raise OSError(f"{url}: the archive holds no such set: {error}") from error
        unpacked[0].rename(folder)
    return data


def _download(url: str, scratch: Path, name: str) -> Path:
    """An archive that is whole.

    Neither server publishes hashes, so there is none to compare with: what came must be
    as long as announced, and each file in it must have the archive's checksum. The
    hash is logged.
    """
    import pooch
    from requests import HTTPError

    def download(url: str, path: str, source: pooch.Pooch) -> None:
        """Try once. pooch tries again after a ValueError, or one of requests."""
        # pooch puts in the total; a bar without one has no truth value.
        bar = tqdm(desc=name, total=1, unit="B", unit_scale=True)
        get = pooch.HTTPDownloader(bar, chunk_size=2**20, timeout=TIMEOUT)
        try:
            get(url, path, source)
        except HTTPError as error:
            if error.response is not None and error.response.status_code < 500:
                # There is no such archive, however often one asks.
                raise OSError(str(error)) from error
            raise
        finally:
            bar.close()
        _check_archive(path)

    file = f"{name}.zip"
    source = pooch.create(
        scratch, "", registry={file: None}, urls={file: url}, retry_if_failed=RETRIES
    )
    archive: str = source.fetch(file, downloader=download)
    logger.info("%s: sha256 %s", url, pooch.file_hash(archive))
    return Path(archive)


def _check_archive(path: str) -> None:
    """Compare each file in an archive with its checksum."""
    try:
        with zipfile.ZipFile(path) as content:
            damaged = content.testzip()
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"expected an intact zip archive; {error}") from error
    if damaged is not None:
        raise ValueError(f"expected an intact zip archive; {damaged} is damaged")


def fetch_tu(
    name: str, *, data_home: str | Path | None = None, return_X_y: bool = False
) -> Any:
    """Download a set of the TU collection, once, and load it.

    A download that breaks off is tried again, and only an intact archive is kept.

    Parameters
    ----------
    name : str
        As in the collection: "MUTAG", "DD", "COLLAB", "REDDIT-MULTI-12K", ...
    data_home : str or Path, default=None
        Where downloads are kept; None for scikit-learn's data folder.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        As from :func:`load_tu`.

    Raises
    ------
    OSError
        If it cannot be downloaded: no network, no such set, or a damaged archive.

    References
    ----------
    Morris et al. (2020), "TUDataset: A collection of benchmark datasets for learning
    with graphs".
    """
    folder = Path(get_data_home(data_home)) / "tu" / name
    load = partial(load_tu, return_X_y=return_X_y)
    return _fetch(f"{TU_URL}/{name}.zip", folder, load)


def _ogb_sets() -> Any:
    """OGB's own table of graph sets, a column each, without importing ogb.

    Its import asks a server for newer versions.
    """
    import pandas as pd

    folder = folder_of("ogb", "finding OGB's sets") / "graphproppred"
    table = pd.read_csv(folder / "master.csv", index_col=0)
    # Sequences of tokens, as code2 has them, are no classes.
    return table.loc[:, table.loc["task type"] != "subtoken prediction"]


def fetch_ogb(
    name: str,
    *,
    data_home: str | Path | None = None,
    return_X_y: bool = False,
    as_folder: bool = False,
) -> Any:
    """Download a graph set of the Open Graph Benchmark, once, and load it.

    A download that breaks off is tried again, and only an intact archive is kept.

    Parameters
    ----------
    name : str
        "ogbg-molhiv", "ogbg-ppa", "ogbg-moltox21", ...
    data_home : str or Path, default=None
        Where downloads are kept; None for scikit-learn's data folder.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.
    as_folder : bool, default=False
        Read no more than the first graphs, and return the folder: for sets larger than
        memory, which :func:`iter_ogb` reads in parts.

    Returns
    -------
    data : Bunch or Path
        As from :func:`load_ogb`, with the official split as ``train``, ``valid`` and
        ``test``; or the folder.

    Raises
    ------
    ValueError
        If OGB has no such set of graphs with classes or numbers to predict.
    OSError
        If it cannot be downloaded: no network, or a damaged archive.

    References
    ----------
    Hu et al. (2020), "Open Graph Benchmark: Datasets for Machine Learning on Graphs".
    """
    sets = _ogb_sets()
    if name not in sets:
        raise ValueError(f"name: expected one of {sorted(sets)}, got {name!r}")
    folder = Path(get_data_home(data_home)) / "ogb" / name
    if as_folder:
        _fetch(sets.loc["url", name], folder, _read_first)
        return folder
    load = partial(load_ogb, split=sets.loc["split", name], return_X_y=return_X_y)
    return _fetch(sets.loc["url", name], folder, load)


def _read_first(folder: Path) -> Any:
    """The first graphs of a folder, to see that it holds some."""
    return next(iter_ogb(folder, n_graphs=10))
