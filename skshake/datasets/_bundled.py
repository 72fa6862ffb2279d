"""Molecules that come with the package.

In: npz files of flat arrays beside this module. Out: a Bunch as scikit-learn's loaders
give it.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from skshake.datasets._arrays import graphs_from_arrays

MUTAG = """\
MUTAG: 188 nitroaromatic compounds, labelled by whether they are mutagenic on Salmonella
typhimurium. Nodes are atoms (7 elements as categories), edges are bonds (4 kinds as
categories). Classes: -1 (63 graphs), 1 (125 graphs).

Debnath et al. (1991), "Structure-activity relationship of mutagenic aromatic and
heteroaromatic nitro compounds", J. Med. Chem. 34(2), doi:10.1021/jm00106a046. From the
TU collection: Morris et al. (2020), "TUDataset: A collection of benchmark datasets for
learning with graphs", arXiv:2007.08663.
"""

BACE = """\
BACE: 1,513 inhibitors of human beta-secretase 1, labelled by whether they bind (691)
or not (822). Nodes are atoms with the nine categorical features of OGB, edges are bonds
with its three; hydrogens are left out. ``train``, ``valid`` and ``test`` are row
numbers of a scaffold split.

Subramanian et al. (2016), "Computational modeling of beta-secretase 1 (BACE-1)
inhibitors using ligand based approaches", J. Chem. Inf. Model. 56(10),
doi:10.1021/acs.jcim.6b00290. From MoleculeNet: Wu et al. (2018), "MoleculeNet: a
benchmark for molecular machine learning", Chem. Sci. 9, doi:10.1039/C7SC02664A.
"""


def _load(name: str) -> dict[str, np.ndarray]:
    """Arrays of a bundled file."""
    with (
        as_file(files("skshake.datasets") / "data" / f"{name}.npz") as path,
        np.load(path, allow_pickle=False) as arrays,
    ):
        return {key: arrays[key] for key in arrays.files}


def load_mutag(*, return_X_y: bool = False) -> Any:
    """Load MUTAG: 188 molecules, two classes, atoms and bonds as categories.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection of 188 graphs), ``target`` (188,) of -1 and 1,
        ``target_names`` and ``DESCR`` (with citations).

    Examples
    --------
    >>> from skshake.datasets import load_mutag
    >>> load_mutag().data
    <GraphCollection of 188 graphs: 3371 nodes, 3721 edges, 1 node and 1 edge features>
    """
    arrays = _load("mutag")
    graphs, y = graphs_from_arrays(arrays), arrays["y"].astype(np.int64)
    if return_X_y:
        return graphs, y
    return Bunch(data=graphs, target=y, target_names=np.unique(y), DESCR=MUTAG)


def load_bace(*, return_X_y: bool = False) -> Any:
    """Load BACE: 1,513 molecules, two classes, OGB's atom and bond features.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(graphs, y)`` instead of a Bunch.

    Returns
    -------
    data : Bunch
        ``data`` (GraphCollection of 1,513 graphs), ``target`` (1513,) of 0 and 1,
        ``target_names``, ``smiles``, ``train``, ``valid``, ``test`` (scaffold split)
        and ``DESCR`` (with citations).

    Examples
    --------
    >>> from skshake.datasets import load_bace
    >>> graphs, y = load_bace(return_X_y=True)
    >>> len(graphs), graphs.n_nodes, graphs.n_edges
    (1513, 51577, 55768)
    """
    arrays = _load("bace")
    graphs, y = graphs_from_arrays(arrays), arrays["y"].astype(np.int64)
    if return_X_y:
        return graphs, y
    return Bunch(
        data=graphs,
        target=y,
        target_names=np.array(["does not bind", "binds"]),
        smiles=arrays["smiles"],
        train=arrays["train"],
        valid=arrays["valid"],
        test=arrays["test"],
        DESCR=BACE,
    )
