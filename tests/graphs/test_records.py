"""What readers share: numbers of rows, and the attributes that are wanted."""

import pytest

from skshake import as_graphs
from tests._helpers.kinds import as_ogb


def test_a_negative_number_of_nodes_is_refused():
    with pytest.raises(ValueError, match="Graph 1 has -1 nodes; expected 0 or more"):
        as_graphs([as_ogb(), as_ogb(num_nodes=-1)])
