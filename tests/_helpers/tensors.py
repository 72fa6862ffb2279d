"""Tensors in records of a batch."""

import torch


def tensors_of(value):
    """All tensors of nested named tuples."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_of(item)
