"""The trees of an ensemble: counts of subtrees stay where they help."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import RandomForestClassifier

from skshake import SubtreeVectorizer, from_edges
from skshake.ensemble import _trees
from skshake.ensemble._trees import OutOfBagVectorizer, make_trees


class Scores:
    """Stands for a forest whose out-of-bag score is told by the number of columns."""

    def __init__(self, alone=0.0, whole=0.0):
        self.alone, self.whole, self.widths = alone, whole, []

    def fit(self, X, y):
        assert len(y) == X.shape[0] <= _trees.MOST_GRAPHS
        self.widths.append(X.shape[1])
        self.oob_score_ = self.alone if len(self.widths) == 1 else self.whole
        return self

    def predict(self, X):
        raise NotImplementedError

    def __sklearn_clone__(self):
        return self


@pytest.fixture(autouse=True)
def few_graphs_are_enough(monkeypatch):
    monkeypatch.setattr(_trees, "FEWEST_GRAPHS", 40)
    monkeypatch.setattr(_trees, "MOST_GRAPHS", 60)


def columns(graphs):
    """Columns of statistics, and of the whole table."""
    names = SubtreeVectorizer().fit(graphs).get_feature_names_out()
    return sum(not name.startswith("subtree") for name in names), len(names)


@pytest.mark.parametrize(
    ("alone", "whole", "keeps"), [(0.5, 0.6, True), (0.6, 0.5, False), (0.5, 0.5, True)]
)
def test_the_greater_score_chooses(alone, whole, keeps, small_mutag):
    graphs, y = small_mutag
    n_alone, n_whole = columns(graphs)
    trial = Scores(alone, whole)
    vectorizer = OutOfBagVectorizer(trial=trial, sparse_output=False)
    table = vectorizer.fit_transform(graphs, y)
    assert trial.widths == [n_alone, n_whole]
    assert table.shape[1] == (n_whole if keeps else n_alone)
    assert len(vectorizer.get_feature_names_out()) == table.shape[1]
    plain = SubtreeVectorizer(sparse_output=False).fit_transform(graphs)
    assert np.array_equal(table, plain[:, : table.shape[1]])
    assert np.array_equal(vectorizer.transform(graphs), table)
    again = clone(vectorizer).set_params(trial=Scores(alone, whole)).fit(graphs, y)
    assert np.array_equal(again.transform(graphs[:5]), table[:5])


@pytest.mark.parametrize("case", ["no trial", "no y", "labels", "few", "no counts"])
def test_nothing_is_tried_where_nothing_can_be_told(case, small_mutag):
    graphs, y = small_mutag
    trial = Scores(alone=1.0)
    vectorizer = OutOfBagVectorizer(trial=trial)
    if case == "no trial":
        vectorizer.set_params(trial=None)
    elif case == "no y":
        y = None
    elif case == "labels":
        y = np.column_stack([y, y])
    elif case == "few":
        few = _trees.FEWEST_GRAPHS - 1
        graphs, y = graphs[:few], y[:few]
    else:
        vectorizer.set_params(statistics=False)
    table = vectorizer.fit_transform(graphs, y)
    assert not trial.widths
    plain = SubtreeVectorizer(statistics=case != "no counts").fit_transform(graphs)
    assert table.shape == plain.shape


def test_counts_that_tell_classes_apart_are_kept(global_random_seed):
    # Atoms 0 and 1 in equal numbers, alternating or one kind beside the other: only
    # neighbourhoods tell them apart, and they tell all of them.
    rng = np.random.default_rng(global_random_seed)
    classes = rng.integers(2, size=60)
    ring = np.array([(k, (k + 1) % 6) for k in range(6)])
    atoms = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])[classes]
    graphs = from_edges(
        np.tile(ring, (60, 1)), [6] * 60, [6] * 60, x=atoms.reshape(-1, 1)
    )
    trial = RandomForestClassifier(50, oob_score=True, random_state=global_random_seed)
    vectorizer = OutOfBagVectorizer(trial=trial).fit(graphs, classes)
    assert sum(map(len, vectorizer.subtrees_))
    forest = RandomForestClassifier(50, random_state=global_random_seed)
    forest.fit(vectorizer.transform(graphs), classes)
    assert forest.score(vectorizer.transform(graphs), classes) == 1.0


def test_a_trial_takes_some_of_many_graphs(small_mutag, monkeypatch):
    graphs, y = small_mutag
    monkeypatch.setattr(_trees, "MOST_GRAPHS", 25)
    tried = []

    class Counted(Scores):
        def fit(self, X, y):
            tried.append((X.shape[0], len(y), set(y.tolist())))
            return super().fit(X, y)

    vectorizer = OutOfBagVectorizer(trial=Counted(alone=1.0))
    table = vectorizer.fit_transform(graphs, y.tolist())
    assert tried == [(25, 25, {-1, 1})] * 2
    assert table.shape[0] == 40


def test_the_pipelines_are_of_classes_and_of_numbers():
    assert is_classifier(make_trees(is_classifier=True))
    assert is_regressor(make_trees(is_classifier=False))
    for trees in (make_trees(is_classifier=flag) for flag in (True, False)):
        assert trees["count"].trial.oob_score
        random, extra = (forest for _, forest in trees["forests"].estimators)
        assert isinstance(random, type(trees["count"].trial))
        assert is_classifier(extra) == is_classifier(trees)


def test_the_table_has_all_parameters_of_its_kind():
    ours, theirs = OutOfBagVectorizer().get_params(), SubtreeVectorizer().get_params()
    assert ours == {**theirs, "trial": None}
    given = OutOfBagVectorizer(**dict.fromkeys(theirs, 1))
    assert given.get_params() == {**dict.fromkeys(theirs, 1), "trial": None}
