"""Optimisers of the network and of what a loss itself learns.

In: a network and its loss. Out: an optimiser; what the loss maximises goes up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

# Of PESG, as in LibAUC: bounds of each gradient and of what is maximised, and the pull
# towards the mean of the epoch before.
MOST_GRADIENT, MOST_ALPHA, EPOCH_DECAY = 1.0, 999.0, 2e-3
# AdamW moves a parameter by about its rate a step, and what the loss learns has to
# follow means of the network's outputs at once.
OWN_RATE = 100


class PESG(torch.optim.Optimizer):
    """Proximal epoch stochastic gradient for min-max losses (Guo et al. 2020).

    Gradients are clamped to 1; each step pulls the weights towards their mean over the
    epoch before by ``epoch_decay``. Groups with ``maximize`` go up and stay at or above
    zero.

    Parameters
    ----------
    groups : iterable of dict
        Parameter groups.
    lr : float
    weight_decay : float, default=0.0
    epoch_decay : float, default=2e-3
    """

    def __init__(
        self,
        groups: Iterable[dict[str, Any]],
        lr: float,
        weight_decay: float = 0.0,
        epoch_decay: float = EPOCH_DECAY,
    ) -> None:
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "epoch_decay": epoch_decay,
            "maximize": False,
        }
        super().__init__(groups, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter] = {
                    "reference": parameter.detach().clone(),
                    "sum": torch.zeros_like(parameter),
                    "n_steps": 0,
                }

    @torch.no_grad()
    def step(self, closure: Callable | None = None) -> None:  # type: ignore[override]
        """Move all parameters that have gradients."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if group["maximize"]:
                    parameter.add_(parameter.grad, alpha=group["lr"])
                    parameter.clamp_(0, MOST_ALPHA)
                else:
                    self._descend(parameter, group)

    def _descend(self, parameter: Tensor, group: dict[str, Any]) -> None:
        assert parameter.grad is not None
        state = self.state[parameter]
        move = parameter.grad.clamp(-MOST_GRADIENT, MOST_GRADIENT)
        move = move.add(parameter - state["reference"], alpha=group["epoch_decay"])
        move = move.add(parameter, alpha=group["weight_decay"])
        parameter.add_(move, alpha=-group["lr"])
        state["sum"].add_(parameter)
        state["n_steps"] += 1

    @torch.no_grad()
    def end_epoch(self) -> None:
        """Take the means of the epoch as the new references."""
        for state in self.state.values():
            if state["n_steps"]:
                state["reference"].copy_(state["sum"] / state["n_steps"])
                state["sum"].zero_()
                state["n_steps"] = 0


def flatten(network: nn.Module) -> nn.Parameter:
    """One parameter whose parts the network's parameters become, with their gradients.

    To move it takes one call, not one per parameter. Gradients are to be set to zero
    in place, not to None, and a parameter without one decays too. See
    :func:`unflatten`.
    """
    parameters = list(network.parameters())
    # Parameters and gradients are views of the flat ones from here on: autograd adds to
    # the parts, and the optimiser moves the whole.
    flat = nn.Parameter(parameters_to_vector(parameters).detach())
    flat.grad = torch.zeros_like(flat)
    vector_to_parameters(flat.detach(), parameters)
    parts = flat.grad.split([parameter.numel() for parameter in parameters])
    for parameter, part in zip(parameters, parts, strict=True):
        parameter.grad = part.view_as(parameter)
    return flat


def unflatten(network: nn.Module) -> None:
    """Give each parameter memory of its own, without gradient.

    A pickled part of a flat one would take all of it along.
    """
    for parameter in network.parameters():
        parameter.data, parameter.grad = parameter.data.clone(), None


def make_optimizer(
    name: str,
    weights: list[nn.Parameter],
    loss: nn.Module,
    lr: float,
    weight_decay: float,
    ascends: tuple[str, ...] = (),
) -> torch.optim.Optimizer:
    """Optimiser of the network's weights and of the loss's own parameters.

    Parameters
    ----------
    name : {"adamw", "pesg"}
    weights : list of torch.nn.Parameter
    loss : torch.nn.Module
        Its module.
    lr, weight_decay : float
    ascends : tuple of str, default=()
        Parameters of the loss that are maximised.
    """
    own = dict(loss.named_parameters())
    rising = [own.pop(parameter) for parameter in ascends]
    own_lr = lr if name == "pesg" else OWN_RATE * lr
    groups = [{"params": weights, "weight_decay": weight_decay}]
    if own:
        groups.append({"params": list(own.values()), "weight_decay": 0.0, "lr": own_lr})
    if rising:
        groups.append(
            {"params": rising, "weight_decay": 0.0, "lr": own_lr, "maximize": True}
        )
    if name == "pesg":
        return PESG(groups, lr, weight_decay)
    return torch.optim.AdamW(groups, lr=lr, fused=True)
