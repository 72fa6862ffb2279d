"""Vectors of 32 numbers in the registers of the processor, for kernels.

In: rows of float32 arrays of shape (n_rows, WIDTH). Out: vectors that kernels add and
multiply, with each other and by a number, and store in a row. The compiler makes no
vectors of loops as short as these. Products are rounded before they are added, so that
all processors find the same.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic as _intrinsic
from numba.extending import models, overload, register_model

from skshake._jit import IS_COMPILED

# Untyped, since kernels call what it makes without the typing context.
intrinsic: Any = _intrinsic
WIDTH = 32
# Bytes at whose multiples numbers begin; rows need not begin at those of a vector.
ALIGNMENT = 4
_LLVM_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)


class VectorType(types.Type):
    """Type of a vector, for numba."""

    def __init__(self) -> None:
        super().__init__("Vector")


VECTOR = VectorType()


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of_type: Any) -> None:
        super().__init__(manager, of_type, _LLVM_VECTOR)


def _find_row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of a row, as that of a vector."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row = context.cast(builder, arguments[1], signature.args[1], types.intp)
    return builder.gep(builder.bitcast(array.data, _LLVM_VECTOR.as_pointer()), [row])


def _is_rows(array: Any) -> bool:
    return (array.dtype, array.ndim, array.layout) == (types.float32, 2, "C")


@intrinsic
def zeros(typing_context):
    """A vector of zeros."""

    def generate(context, builder, signature, arguments):
        return ir.Constant(_LLVM_VECTOR, [0.0] * WIDTH)

    return VECTOR(), generate


@intrinsic
def load(typing_context, array, row):
    """The vector that is a row of an array."""

    def generate(context, builder, signature, arguments):
        address = _find_row(context, builder, signature, arguments)
        return builder.load(address, align=ALIGNMENT)

    return (VECTOR(array, row), generate) if _is_rows(array) else None


@intrinsic
def store(typing_context, array, row, vector):
    """Write a vector into a row of an array."""

    def generate(context, builder, signature, arguments):
        address = _find_row(context, builder, signature, arguments)
        builder.store(arguments[2], address, align=ALIGNMENT)
        return context.get_dummy_value()

    return (types.void(array, row, vector), generate) if _is_rows(array) else None


@intrinsic
def _repeat(typing_context, number):
    """A vector of one number."""

    def generate(context, builder, signature, arguments):
        number = context.cast(builder, arguments[0], signature.args[0], types.float32)
        undefined = ir.Constant(_LLVM_VECTOR, ir.Undefined)
        places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        first = builder.insert_element(
            undefined, number, ir.Constant(ir.IntType(32), 0)
        )
        return builder.shuffle_vector(first, undefined, places)

    return VECTOR(number), generate


@intrinsic
def _add(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments)

    return VECTOR(a, b), generate


@intrinsic
def _multiply(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fmul(*arguments)

    return VECTOR(a, b), generate


@overload(operator.add)
def _overload_add(a, b):
    if a == VECTOR and b == VECTOR:
        return lambda a, b: _add(a, b)
    return None


@overload(operator.mul)
def _overload_multiply(a, b):
    if a == VECTOR and b == VECTOR:
        return lambda a, b: _multiply(a, b)
    if a == VECTOR and isinstance(b, types.Float):
        return lambda a, b: _multiply(a, _repeat(b))
    return None


if not IS_COMPILED:

    def zeros():
        return np.zeros(WIDTH, np.float32)

    def load(array, row):
        return array[row].copy()

    def store(array, row, vector):
        array[row] = vector
