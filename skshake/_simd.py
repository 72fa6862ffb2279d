"""Vectors of 32 numbers in the registers of the processor, for kernels.

In: rows of float32 arrays of shape (n_rows, n_vectors * WIDTH). Out: vectors that
kernels compute with, and store in a row. Left alone, the compiler does not vectorise
loops as short as these, or it keeps their sums in memory. Products are rounded before
they are added, so that all processors find the same.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
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


def _find_vector(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of vector ``v`` of a row."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row, v = (
        context.cast(builder, argument, of_type, types.intp)
        for argument, of_type in zip(arguments[1:3], signature.args[1:3], strict=True)
    )
    _, n_columns = cgutils.unpack_tuple(builder, array.shape, 2)
    place = builder.mul(row, n_columns)
    place = builder.add(place, builder.mul(v, place.type(WIDTH)))
    number = builder.gep(array.data, [place])
    return builder.bitcast(number, _LLVM_VECTOR.as_pointer())


def _is_rows(array: Any) -> bool:
    return (array.dtype, array.ndim, array.layout) == (types.float32, 2, "C")


@intrinsic
def zeros(typing_context):
    """A vector of zeros."""

    def generate(context, builder, signature, arguments):
        return ir.Constant(_LLVM_VECTOR, [0.0] * WIDTH)

    return VECTOR(), generate


@intrinsic
def load(typing_context, array, row, v):
    """Vector ``v`` of a row: the columns from ``v * WIDTH`` on."""

    def generate(context, builder, signature, arguments):
        address = _find_vector(context, builder, signature, arguments)
        return builder.load(address, align=ALIGNMENT)

    return (VECTOR(array, row, v), generate) if _is_rows(array) else None


@intrinsic
def store(typing_context, array, row, v, vector):
    """Write vector ``v`` of a row."""

    def generate(context, builder, signature, arguments):
        address = _find_vector(context, builder, signature, arguments)
        builder.store(arguments[3], address, align=ALIGNMENT)
        return context.get_dummy_value()

    signature = types.void(array, row, v, vector)
    return (signature, generate) if _is_rows(array) else None


@intrinsic
def repeat(typing_context, number):
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
def relu(typing_context, a):
    """max(a, 0), but NaN stays NaN, so that a training that explodes is noticed."""

    def generate(context, builder, signature, arguments):
        (a,) = arguments
        zero = ir.Constant(_LLVM_VECTOR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_unordered(">", a, zero), a, zero)

    return VECTOR(a), generate


@intrinsic
def where_positive(typing_context, condition, a):
    """A vector where another is above 0, elsewhere 0."""

    def generate(context, builder, signature, arguments):
        condition, a = arguments
        zero = ir.Constant(_LLVM_VECTOR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", condition, zero), a, zero)

    return VECTOR(condition, a), generate


@intrinsic
def where_equal(typing_context, a, b, c):
    """A third vector where two are equal, elsewhere 0."""

    def generate(context, builder, signature, arguments):
        a, b, c = arguments
        zero = ir.Constant(_LLVM_VECTOR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered("==", a, b), c, zero)

    return VECTOR(a, b, c), generate


@intrinsic
def maximum(typing_context, a, b):
    """The larger numbers of two vectors; NaN if either is."""

    def generate(context, builder, signature, arguments):
        a, b = arguments
        is_less = builder.fcmp_ordered("<", a, b)
        is_nan = builder.fcmp_unordered("uno", b, b)
        return builder.select(builder.or_(is_less, is_nan), b, a)

    return VECTOR(a, b), generate


@intrinsic
def _add(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments)

    return VECTOR(a, b), generate


@intrinsic
def _subtract(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fsub(*arguments)

    return VECTOR(a, b), generate


@intrinsic
def _multiply(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fmul(*arguments)

    return VECTOR(a, b), generate


@intrinsic
def _divide(typing_context, a, b):
    def generate(context, builder, signature, arguments):
        return builder.fdiv(*arguments)

    return VECTOR(a, b), generate


@overload(operator.add)
def _overload_add(a, b):
    if a == VECTOR and b == VECTOR:
        return lambda a, b: _add(a, b)
    return None


@overload(operator.truediv)
def _overload_divide(a, b):
    if a == VECTOR and b == VECTOR:
        return lambda a, b: _divide(a, b)
    return None


@overload(operator.sub)
def _overload_subtract(a, b):
    if a == VECTOR and b == VECTOR:
        return lambda a, b: _subtract(a, b)
    return None


@overload(operator.mul)
def _overload_multiply(a, b):
    if a == VECTOR and b == VECTOR:
        return lambda a, b: _multiply(a, b)
    if a == VECTOR and isinstance(b, types.Float):
        return lambda a, b: _multiply(a, repeat(b))
    return None


if not IS_COMPILED:

    def zeros():
        return np.zeros(WIDTH, np.float32)

    def repeat(number):
        return np.full(WIDTH, number, np.float32)

    def load(array, row, v):
        return array[row, v * WIDTH : (v + 1) * WIDTH].copy()

    def store(array, row, v, vector):
        array[row, v * WIDTH : (v + 1) * WIDTH] = vector

    def relu(a):
        return np.where(a <= 0, np.float32(0), a)

    def where_positive(condition, a):
        return np.where(condition > 0, a, np.float32(0))

    def where_equal(a, b, c):
        return np.where(a == b, c, np.float32(0))

    maximum = np.maximum
