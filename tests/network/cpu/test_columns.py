"""Columns that fill rows up, and what is left once they are cut off."""

import numpy as np

from skshake._simd import WIDTH
from skshake.network.cpu._columns import (
    cut_off,
    cut_off_parts,
    pad,
    pad_parts,
    padded_width,
)


def test_widths_are_multiples():
    widths = [1, WIDTH - 1, WIDTH, WIDTH + 1]
    assert [padded_width(width) for width in widths] == [WIDTH] * 3 + [2 * WIDTH]


def test_what_is_whole_is_left_alone():
    array = np.ones((3, 2 * WIDTH), np.float32)
    assert pad(array) is array
    assert np.shares_memory(cut_off(array, 2 * WIDTH), array)


def test_zeros_fill_up_the_last_axes():
    weights = np.ones((2, 3, 3), np.float32)
    padded = pad(weights, n_axes=2)
    assert padded.shape == (2, WIDTH, WIDTH)
    assert padded.sum() == weights.sum()
    assert (cut_off(padded[:, :3], 3) == weights).all()
    assert pad(np.ones((4, 3), np.float32)).shape == (4, WIDTH)


def test_parts_are_filled_up_one_by_one():
    rows = np.arange(12, dtype=np.float32).reshape(2, 6)
    padded = pad_parts(rows, 3)
    assert padded.shape == (2, 2 * WIDTH)
    assert padded[0, WIDTH : WIDTH + 4].tolist() == [3, 4, 5, 0]
    assert (cut_off_parts(padded, 3) == rows).all()


def test_there_may_be_no_rows():
    empty = np.empty((0, 6), np.float32)
    assert pad_parts(empty, 3).shape == (0, 2 * WIDTH)
    assert cut_off_parts(np.empty((0, 2 * WIDTH), np.float32), 3).shape == (0, 6)
