"""What transformers of graphs do alike with graphs that they are given."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from skshake import InvalidGraphError, KFCoarsener, SubtreeVectorizer
from tests._helpers.kinds import X, as_ogb


@pytest.fixture(params=[KFCoarsener, SubtreeVectorizer])
def transformer(request):
    options = {"q": 1.0} if request.param is KFCoarsener else {"min_df": 1}
    return request.param(**options)


def test_graphs_of_another_kind_are_named_by_transform_and_check(transformer):
    transformer.fit([as_ogb()] * 4)
    strangers = [as_ogb(node_feat=X[:, :1])] * 2
    with pytest.raises(InvalidGraphError, match="Graph 0: the node features") as caught:
        transformer.transform(strangers)
    problems = transformer.check([as_ogb(), *strangers])
    assert [problem.graph for problem in problems] == [1, 2]
    expected = str(caught.value).partition(": ")[2]
    assert {problem.message.partition(": ")[2] for problem in problems} == {expected}


def test_graphs_are_compared_with_each_other_before_a_fit(transformer):
    graphs = [as_ogb(), "text", as_ogb(node_feat=X * np.nan)]
    assert [problem.graph for problem in transformer.check(graphs)] == [1, 2]
    with pytest.raises(NotFittedError):
        transformer.transform([as_ogb()])


def test_scikit_learn_is_told_that_no_table_comes(transformer):
    assert not get_tags(transformer).input_tags.two_d_array
