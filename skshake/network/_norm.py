"""Layout of a batch normalisation, which the kernels of all engines share.

In: nothing. Out: names of the rows of float32 arrays (4, width). A normalisation maps z
to ``weight * (z - mean) * invstd + bias``, in the words of torch; kernels compute it as
``z * scale + shift``.
"""

MEAN, INVSTD, SCALE, SHIFT = range(4)
N_ROWS = 4
# Rows of what is added up for the gradients of a normalisation's parameters.
OF_BIAS, OF_WEIGHT = range(2)
