"""plain_torch: torch as it is when it is imported, whatever the user has set.

In: a ``with`` block. Out: the same block with gradients, single precision and one
device, none of which the user's own settings change; these are as before afterwards.

What torch keeps per thread is set for the block: gradients, inference mode, autocast,
and the default device. What it keeps for the process is changed only where the user has
changed it, and given back when the last of several blocks ends: the default data type,
the precision of products in float32, and the detection of anomalies, which would turn a
loss that is no number into an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import torch

from skshake._shared_state import WhileNeeded

CPU = torch.device("cpu")


@WhileNeeded
@contextmanager
def _own_settings() -> Iterator[None]:
    """What torch keeps for the whole process."""
    dtype = torch.get_default_dtype()
    anomaly = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    if dtype != torch.float32:
        torch.set_default_dtype(torch.float32)
    torch.autograd.set_detect_anomaly(False)
    try:
        with _exact_products():
            yield
    finally:
        if dtype != torch.float32:
            torch.set_default_dtype(dtype)
        torch.autograd.set_detect_anomaly(*anomaly)


@contextmanager
def _exact_products() -> Iterator[None]:
    """Products of float32 in float32; torch refuses to mix its two ways to say so."""
    backends = torch.backends
    places: list[Any] = [
        backends.cuda.matmul,
        getattr(backends.mkldnn, "matmul", None),
    ]
    if all(hasattr(place, "fp32_precision") for place in places):
        before = [place.fp32_precision for place in places]
        for place in places:
            place.fp32_precision = "ieee"
        try:
            yield
        finally:
            for place, precision in zip(places, before, strict=True):
                place.fp32_precision = precision
        return
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(precision)


@contextmanager
def plain_torch() -> Iterator[None]:
    """Compute as torch does by default."""
    with ExitStack() as stack:
        stack.enter_context(_own_settings())
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        for kind in ("cpu", "cuda"):
            if torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, enabled=False))
        if torch.empty(0).device != CPU:
            stack.enter_context(CPU)
        yield


def on_device(device: torch.device) -> AbstractContextManager[Any]:
    """Launch on a GPU inside: kernels of Triton go to the current one alone.

    Parameters
    ----------
    device : torch.device
        Of another type, changes nothing.
    """
    return torch.cuda.device(device) if device.type == "cuda" else nullcontext()
