"""What the passes through a conv stack are given, as named tuples of arrays.

In: nothing. Out: records; their arrays are those of a whole batch, float32 unless said.
A conv stack has ``n_layers`` layers of ``n_linear`` sublayers each, ``n_sublayers``
together, of ``width`` columns, of which the last are zeros where the network has fewer
(``_columns.py``); sublayer ``t`` belongs to layer ``t // n_linear``, and
state ``l`` is what layer ``l`` begins with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class BatchArrays(NamedTuple):
    """Graphs of a batch.

    ``node_ptr`` int64 (n_graphs + 1,); ``arcs`` a BatchArcs of numpy arrays; ``h``
    (n_rows, width), states of nodes that the first layer begins with; ``e``
    (n_edge_states, width).
    """

    node_ptr: np.ndarray
    arcs: Any
    h: np.ndarray
    e: np.ndarray


class Lanes(NamedTuple):
    """Units of work.

    A tile is a range of whole graphs whose rows stay in a cache; ``tiles``, int64
    (n_tiles, 4), has its first and last row, and its first and last graph. A lane is a
    range of tiles that one thread does alone; ``lane_ptr``, int64 (n_lanes + 1,). No
    graph is in two tiles, so what a lane writes to rows and graphs no other lane reads
    or writes before the next barrier.
    """

    tiles: np.ndarray
    lane_ptr: np.ndarray

    @property
    def n_lanes(self) -> int:
        """Number of lanes."""
        return len(self.lane_ptr) - 1


class Weights(NamedTuple):
    """Parameters, stacked.

    ``self_weight`` (n_layers,), 1 + epsilon; ``linear`` (n_sublayers, width, width) and
    ``bias`` (n_sublayers, 1, width) of linear layers, and ``transposed``, the transpose
    of each weight, which is read faster; ``norm_weight`` and ``norm_bias``
    (n_sublayers, width) of normalisations.
    """

    n_linear: int
    self_weight: np.ndarray
    linear: np.ndarray
    transposed: np.ndarray
    bias: np.ndarray
    norm_weight: np.ndarray
    norm_bias: np.ndarray


class Moments(NamedTuple):
    """Means and variances of normalisations.

    ``of_batch`` says whether they are found, as in training, or known; ``values``
    float64 (n_sublayers, 2, width).
    """

    of_batch: bool
    eps: float
    values: np.ndarray


class Dropout(NamedTuple):
    """Fraction of a layer's states that is kept, and its random numbers.

    ``keep`` is 1 where nothing is dropped; ``streams`` uint64 (n_layers,); random
    numbers are drawn for the first ``n_columns``.
    """

    keep: float
    streams: np.ndarray
    n_columns: int


class Tape(NamedTuple):
    """What forward notes for backward, and its results.

    ``outputs`` (n_sublayers, n_rows, width), of linear layers, or (1, n_rows, width),
    of one after the other, where nothing goes back; ``norms`` (n_sublayers, 4, width);
    ``last`` (n_rows, width), the last state; ``pooled`` (n_graphs, n_columns), of no
    columns where nothing is pooled. Other states and sums of messages are not kept:
    backward computes them again, tile by tile, which is faster than reading them back
    from memory.
    """

    outputs: np.ndarray
    norms: np.ndarray
    last: np.ndarray
    pooled: np.ndarray


class Gradients(NamedTuple):
    """Gradients, on the way and in the end.

    ``pooled`` (n_graphs, n_columns), given. ``rows`` (n_rows, width), given as the
    gradient of the last state, and in the end that of the first.
    ``edges`` (n_copies, n_edge_states, width), of zeros: a copy per lane, or one if no
    two lanes share edge states. ``self_weight`` float64 (n_layers, n_lanes), ``linear``
    (n_sublayers, n_lanes, width, width), partial sums of the lanes.
    ``norm_parameters`` float64 (n_sublayers, 2, width), of bias and weight. ``sums``
    float64 (n_sublayers, n_lanes, 2, width), see ``relu_dropout_backward``.
    """

    pooled: np.ndarray
    rows: np.ndarray
    edges: np.ndarray
    self_weight: np.ndarray
    linear: np.ndarray
    norm_parameters: np.ndarray
    sums: np.ndarray
