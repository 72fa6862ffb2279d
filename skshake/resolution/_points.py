"""Points of a Gauss rule as rows of one array, and what its columns are called.

In: nothing. Out: the columns of the points that the kernels of quadrature write.
"""

from __future__ import annotations

# The eigenvalue; the weight of the complexity from all probes, and from one alone; the
# probe, which is NO_PROBE of points that features stand behind; from FIRST_LOSS on the
# weight of each loss.
MU, COMPLEXITY, SPREAD, PROBE, FIRST_LOSS = range(5)
