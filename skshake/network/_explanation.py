"""explain_nodes: how much each input node adds to an output, at every level.

In: a fitted network and hierarchies. Out: contributions of input nodes that add up to
the output less that of the same graph made of average nodes, the baseline.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from skshake.hierarchy import HierarchyCollection
from skshake.network._inference import INFERENCE_ROWS, inference_batches
from skshake.network._model import SHAKENetwork
from skshake.network.batches import DeviceHierarchies

# Points of the midpoint rule along the path from average nodes to those given.
N_POINTS = 32


def explain_nodes(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    hierarchies: HierarchyCollection,
    directions: np.ndarray,
) -> list[np.ndarray]:
    r"""Integrated gradients (Sundararajan et al. 2017) of the levels' encoded features.

    With d the difference of a node's encoded features from the baseline a (those of an
    average training node), it contributes
    :math:`d \cdot \int_0^1 \nabla f(a + t d) \, dt`. A block's contribution is shared
    equally by its input nodes.

    Parameters
    ----------
    network : SHAKENetwork
    data : DeviceHierarchies
    hierarchies : HierarchyCollection
        The same graphs.
    directions : float array of shape (n_graphs, n_outputs)
        f is the sum of these times the outputs.

    Returns
    -------
    contributions : list of ndarray of shape (n_levels, n_nodes)
        One per graph; mean over forests.
    """
    network.eval()
    n_levels, n_nodes = len(hierarchies.levels), int(hierarchies.node_ptr[-1])
    total = np.zeros((n_levels, n_nodes))
    on_device = torch.from_numpy(directions.astype(np.float32)).to(data.device)
    for k, levels in enumerate(hierarchies.forests):
        of_blocks: list[list[Tensor]] = [[] for _ in levels]
        for graphs in inference_batches(data, k, INFERENCE_ROWS // N_POINTS):
            parts = _contributions(network, data, graphs, k, on_device)
            for of_level, part in zip(of_blocks, parts, strict=True):
                of_level.append(part)
        for d, level in enumerate(levels):
            blocks = level.numbered_blocks(hierarchies.node_ptr)
            values = torch.cat(of_blocks[d]).cpu().double().numpy()
            size = np.bincount(blocks, minlength=len(values))
            total[d] += (values / np.maximum(size, 1))[blocks]
    total /= len(hierarchies.forests)
    return np.split(total, hierarchies.node_ptr[1:-1], axis=1)


def _contributions(
    network: SHAKENetwork,
    data: DeviceHierarchies,
    graphs: np.ndarray,
    forest: int,
    directions: Tensor,
) -> list[Tensor]:
    """Contribution of each block of some graphs, one tensor per level."""
    batch = data.batch(graphs, forest)
    direction = directions[torch.from_numpy(graphs).to(data.device)]
    with torch.no_grad():
        offsets = [
            network.encode_nodes(level) - baseline
            for level, baseline in zip(batch, network.baseline, strict=True)
        ]
    slopes = [torch.zeros_like(offset) for offset in offsets]
    for point in range(N_POINTS):
        fraction = (point + 0.5) / N_POINTS
        inputs = [
            (baseline + fraction * offset).requires_grad_()
            for baseline, offset in zip(network.baseline, offsets, strict=True)
        ]
        outputs = network.head(network.embed(batch, inputs))
        found = torch.autograd.grad(
            (outputs * direction).sum(), inputs, allow_unused=True
        )
        for slope, gradient in zip(slopes, found, strict=True):
            if gradient is not None:
                slope += gradient / N_POINTS
    return [(d * s).sum(dim=1) for d, s in zip(offsets, slopes, strict=True)]
