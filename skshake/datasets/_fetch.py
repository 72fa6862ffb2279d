"""Data sets from their own servers, unpacked once into scikit-learn's data folder.

In: a name. Out: what ``load_tu`` or ``load_ogb`` reads from the unpacked folder.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from sklearn.datasets import get_data_home

from skshake._progress import tqdm
from skshake.datasets._ogb import load_ogb
from skshake.datasets._tu import load_tu

# Where the TU collection lives (Morris et al. 2020).
TU_URL = "https://www.chrsmrrs.com/graphkerneldatasets"
TIMEOUT = 60.0


def _fetch(url: str, folder: Path) -> Path:
    """Folder with the one folder that an archive holds, downloaded if not there."""
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    # A download that breaks off leaves nothing behind under the folder's name.
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        archive = Path(scratch) / "archive.zip"
        try:
            with urlopen(url, timeout=TIMEOUT) as source, archive.open("wb") as file:
                size = source.headers.get("Content-Length")
                with tqdm.wrapattr(
                    source, "read", total=size and int(size), desc=folder.name
                ) as progress:
                    shutil.copyfileobj(progress, file)
        except OSError as error:
            raise OSError(
                f"cannot fetch {url}: {error}; without a network, unpack the archive "
                f"to {folder} yourself"
            ) from error
        try:
            with zipfile.ZipFile(archive) as content:
                content.extractall(scratch)
        except zipfile.BadZipFile as error:
            raise OSError(f"{url}: expected a zip archive; {error}") from error
        archive.unlink()
        unpacked = [path for path in Path(scratch).iterdir() if path.is_dir()]
        if len(unpacked) != 1:
            raise OSError(f"{url}: expected one folder in it, got {len(unpacked)}")
        unpacked[0].rename(folder)
    return folder


def fetch_tu(
    name: str, *, data_home: str | Path | None = None, return_X_y: bool = False
) -> Any:
    """Download a set of the TU collection, once, and load it.

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
        If it cannot be downloaded: no network, or no such set.

    References
    ----------
    Morris et al. (2020), "TUDataset: A collection of benchmark datasets for learning
    with graphs".
    """
    folder = Path(get_data_home(data_home)) / "tu" / name
    return load_tu(_fetch(f"{TU_URL}/{name}.zip", folder), return_X_y=return_X_y)


def _ogb_sets() -> Any:
    """OGB's own table of graph sets, a column each, without importing ogb.

    Its import asks a server for newer versions.
    """
    import pandas as pd

    spec = find_spec("ogb")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0])
    table = pd.read_csv(folder / "graphproppred" / "master.csv", index_col=0)
    # Sequences of tokens, as code2 has them, are no classes.
    return table.loc[:, table.loc["task type"] != "subtoken prediction"]


def fetch_ogb(
    name: str, *, data_home: str | Path | None = None, return_X_y: bool = False
) -> Any:
    """Download a graph set of the Open Graph Benchmark, once, and load it.

    Parameters
    ----------
    name : str
        "ogbg-molhiv", "ogbg-ppa", "ogbg-moltox21", ...
    data_home : str or Path, default=None
        Where downloads are kept; None for scikit-learn's data folder.
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        As from :func:`load_ogb`, with the official split as ``train``, ``valid`` and
        ``test``.

    Raises
    ------
    ValueError
        If OGB has no such set of graphs with classes or numbers to predict.
    OSError
        If it cannot be downloaded.

    References
    ----------
    Hu et al. (2020), "Open Graph Benchmark: Datasets for Machine Learning on Graphs".
    """
    sets = _ogb_sets()
    if name not in sets:
        raise ValueError(f"name: expected one of {sorted(sets)}, got {name!r}")
    folder = _fetch(
        sets.loc["url", name], Path(get_data_home(data_home)) / "ogb" / name
    )
    return load_ogb(folder, split=sets.loc["split", name], return_X_y=return_X_y)
