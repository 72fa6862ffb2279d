"""What the fused engines must find: plain torch in float64, away from kinks.

ReLU and a maximum have a kink. Within rounding of it two engines that are both
right may go different ways, and their gradients then differ by far more than rounding.
And a normalisation makes rounding larger where a column hardly varies. So parameters
are drawn until no input of a ReLU, and no second to a maximum, is closer to its kink
than ``MARGIN``, and all columns vary, as the float64 network sees it.
"""

import copy
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from skshake.network._random import find_streams
from skshake.network._torch_engine import PLAIN

# float32 rounds some 1e-5 off the inputs of ReLUs, 4e-5 after a dozen
# normalisations. Of few rows, some draws find parameters that keep this margin.
MARGIN, MOST_DRAWS = 5e-4, 2_000
# Largest value of a column that is normalised, in standard deviations.
MOST_DEVIATIONS = 20
RELUS = {torch.relu, torch.Tensor.relu, functional.relu}
# Values that are equal by construction differ by no more than this in float64.
EQUAL = 1e-11


class Found(NamedTuple):
    """Outputs of a network, gradients by parameter, and buffers after the pass."""

    outputs: Tensor
    gradients: dict[str, Tensor | None]
    buffers: dict[str, Tensor]


class Watch(TorchFunctionMode):
    """Notes how near plain torch comes to kinks, and how little columns vary."""

    def __init__(self) -> None:
        super().__init__()
        self.n_relus = self.n_maxima = self.n_norms = 0
        self.distance, self.deviations = float("inf"), 0.0

    @property
    def rounds_little(self) -> bool:
        """Whether float32 finds the same within rounding."""
        return self.distance > MARGIN and self.deviations < MOST_DEVIATIONS

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func in RELUS:
            self.n_relus += 1
            self._note(args[0].detach().abs(), 0.0)
        elif func is torch.Tensor.scatter_reduce and "amax" in args:
            self.n_maxima += 1
            _, dim, index, values = args[:4]
            behind = out.detach().gather(dim, index) - values.detach()
            self._note(behind, EQUAL * values.detach().abs().max().item())
        elif func is functional.batch_norm:
            self.n_norms += 1
            columns = args[0].detach()
            deviations = columns.abs().amax(dim=0) / columns.std(dim=0)
            most = deviations.nan_to_num(nan=torch.inf).max().item()
            self.deviations = max(self.deviations, most)
        return out

    def _note(self, distances: Tensor, equal: float) -> None:
        # What is zero by construction (states that are closed, equal nodes) is zero in
        # both engines.
        distances = distances[distances > equal]
        if len(distances):
            self.distance = min(self.distance, distances.min().item())


def differentiate(network, levels) -> Found:
    """One pass forward and backward, with another weight for each output.

    What dropout drops follows from the streams, which all engines share.
    """
    network.zero_grad()
    streams = None
    if network.n_streams:
        streams = torch.from_numpy(find_streams(7, 0, network.n_streams))
        streams = streams.to(levels[0].node_ptr.device)
    outputs = network(levels, streams)
    direction = torch.linspace(-1, 1, outputs.numel()).to(outputs)
    (outputs * direction.view_as(outputs)).sum().backward()
    gradients = {name: p.grad for name, p in network.named_parameters()}
    return Found(outputs.detach(), gradients, dict(network.named_buffers()))


def draw_parameters(network, levels, seed):
    """The network with parameters away from kinks, and what float64 finds with them.

    Parameters
    ----------
    network : SHAKENetwork
        In training mode, on any device; it is copied.
    levels : sequence of LevelBatch
    seed : int

    Returns
    -------
    network : SHAKENetwork
        In float32.
    expected : Found
        In float64.
    """
    generator = torch.Generator().manual_seed(seed)
    for _ in range(MOST_DRAWS):
        drawn = copy.deepcopy(network)
        with torch.no_grad():
            for parameter in drawn.parameters():
                # Also those that start at 0 or 1, which would hide mistakes.
                noise = torch.randn(parameter.shape, generator=generator)
                parameter += 0.3 * noise.to(parameter.device)
        with Watch() as watch:
            plain = copy.deepcopy(drawn).on(PLAIN).double()
            expected = differentiate(plain, levels)
        # Else the watch is blind: plain torch has come to use other functions.
        assert min(watch.n_relus, watch.n_maxima, watch.n_norms) > 0
        if watch.rounds_little:
            return drawn, expected
    raise AssertionError(f"no parameters that round little in {MOST_DRAWS} draws")


def assert_found(found: Found, expected: Found) -> None:
    """Equal but for the rounding of float32, which its size scales."""
    assert found.outputs.dtype == torch.float32
    assert expected.outputs.dtype == torch.float64
    assert_rounded(found.outputs, expected.outputs, "outputs")
    gradients = [g for g in expected.gradients.values() if g is not None]
    # Where positive and negative terms cancel, their size tells what is rounded off.
    largest = max(g.abs().max().item() for g in gradients if g.numel())
    for name, gradient in expected.gradients.items():
        ours = found.gradients[name]
        if gradient is None:
            assert ours is None, name
        elif "linears" in name and name.endswith("bias"):
            # Normalisation takes these out; what plain torch finds is rounding.
            assert gradient.abs().max() < 1e-9, name
            assert not ours.any(), name
        else:
            assert_rounded(ours, gradient, name, 1e-4 * largest)
    for name, buffer in expected.buffers.items():
        assert_rounded(found.buffers[name], buffer, name)


def assert_rounded(
    found: Tensor, expected: Tensor, name: str, least: float = 1e-6
) -> None:
    """Equal within what float32 loses in sums of positive and negative numbers."""
    if expected.numel():
        bound = 1e-3 * expected.abs().max().item() + least
        assert found.shape == expected.shape, name
        error = (found.double() - expected).abs().max().item()
        assert error <= bound, f"{name}: {error} > {bound}"
