"""prefetch: ask for a number of an array before a kernel needs it.

In: an array and a position. Out: nothing; the processor fetches the number meanwhile.
Walks through a large graph would otherwise wait for memory at each node.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic as _intrinsic

from skshake._jit import IS_COMPILED

# Untyped, since kernels call what it makes without the typing context.
intrinsic: Any = _intrinsic
_BYTES, _FLAG = ir.IntType(8).as_pointer(), ir.IntType(32)
# To be read, kept in all caches, data rather than instructions.
_READ, _KEPT, _DATA = 0, 3, 1


@intrinsic
def prefetch(typing_context, array, position):
    """Fetch the number at a position of a contiguous array; it may be outside."""

    def generate(context, builder, signature, arguments):
        items = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        address = builder.bitcast(builder.gep(items.data, [place]), _BYTES)
        flags = [_FLAG(value) for value in (_READ, _KEPT, _DATA)]
        of_type = ir.FunctionType(ir.VoidType(), [_BYTES, _FLAG, _FLAG, _FLAG])
        function = builder.module.declare_intrinsic("llvm.prefetch", [_BYTES], of_type)
        builder.call(function, [address, *flags])
        return context.get_dummy_value()

    is_row = isinstance(array, types.Array) and (array.ndim, array.layout) == (1, "C")
    return (types.void(array, position), generate) if is_row else None


def _fetch_nothing(array: Any, position: Any) -> None:
    pass


if not IS_COMPILED:
    prefetch = _fetch_nothing
