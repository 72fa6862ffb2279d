"""Which engine runs a fit, and which a prediction: decided here alone.

In: a shape, a device, a precision. Out: an engine. A new device is a file with its
engine and a line in ``ENGINES``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import torch

from skshake.network._layers import is_sum_layer
from skshake.network._plan import NetworkShape
from skshake.network._readouts import FUSED_READOUT
from skshake.network._torch_engine import DEVICE_WINDOW_ROWS, WINDOW_ROWS, Engine


def _make_cpu(fuses: bool) -> Engine:
    from skshake.network.cpu._engine import CPUEngine

    return CPUEngine(fuses)


def _make_cuda(fuses: bool) -> Engine | None:
    # Triton comes with torch for GPUs, but on Windows.
    if importlib.util.find_spec("triton") is None:
        return None
    from skshake.network.cuda._engine import CUDAEngine

    return CUDAEngine(fuses)


# What makes the engine of each type of device, from whether it may fuse the layers;
# plain torch runs on all others.
ENGINES: dict[str, Callable[[bool], Engine | None]] = {
    "cpu": _make_cpu,
    "cuda": _make_cuda,
}
# What "auto" takes first.
PREFERRED = {"cuda": torch.cuda.is_available}


def choose_engine(
    shape: NetworkShape,
    device: torch.device,
    precision: str = "float32",
    compiles: bool = False,
) -> Engine:
    """The fastest engine that computes such a network on the device.

    Parameters
    ----------
    shape : NetworkShape
    device : torch.device
    precision : {"float32", "bf16"}, default="float32"
    compiles : bool, default=False
        Whether ``torch.compile`` shall make kernels.
    """
    makes_own = device.type in ENGINES and precision == "float32" and not compiles
    if makes_own and (engine := ENGINES[device.type](can_fuse(shape))) is not None:
        return engine
    return Engine(
        window_rows=WINDOW_ROWS if device.type == "cpu" else DEVICE_WINDOW_ROWS
    )


def can_fuse(shape: NetworkShape) -> bool:
    """Whether kernels that compute all layers of a level do what the layers do."""
    are_ours = is_sum_layer(shape.conv) and shape.readout == FUSED_READOUT
    return are_ours and shape.norm == "batch" and not shape.residual


def resolve_device(device: Any) -> torch.device:
    """Device of the user's choice; "auto" takes CUDA where there is one.

    Raises
    ------
    ValueError
        If torch knows no such device, or there is none.
    """
    if isinstance(device, str) and device == "auto":
        found = (name for name, is_there in PREFERRED.items() if is_there())
        return torch.device(next(found, "cpu"))
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(
            f"device: expected 'auto' or a torch device; {error}"
        ) from error
    if not _is_there(chosen):
        name = chosen.type.upper()
        raise ValueError(f"device={device!r}, but torch finds no {name} device here")
    return chosen


def resolve_devices(device: Any) -> list[torch.device]:
    """Devices of the user's choice, of one type.

    Raises
    ------
    ValueError
        If one is not there, or a list is empty, names a GPU twice, or devices of
        several types.
    """
    if not isinstance(device, (list, tuple)):
        return [resolve_device(device)]
    devices = [resolve_device(each) for each in device]
    gpus = [each for each in devices if each.type != "cpu"]
    are_alike = len({each.type for each in devices}) == 1
    if not are_alike or len(set(gpus)) < len(gpus):
        raise ValueError(
            "device: expected a list of different GPUs, or 'cpu' once for each "
            f"process, got {device!r}"
        )
    return devices


def _is_there(device: torch.device) -> bool:
    """Whether something can be put on a device."""
    if not PREFERRED.get(device.type, lambda: True)():
        return False
    try:
        torch.empty(0, device=device)
    # Each backend of torch has errors of its own.
    except Exception:
        return False
    return True


def resolve_precision(precision: str, shape: NetworkShape, device: torch.device) -> str:
    """Floating-point type; "auto" takes bfloat16 on a GPU that computes with it.

    But not where layers are fused: they are faster in float32, because their time is
    spent on memory and launches.
    """
    if precision != "auto":
        return precision
    has_bf16 = device.type == "cuda" and torch.cuda.is_bf16_supported()
    return "bf16" if has_bf16 and not can_fuse(shape) else "float32"
