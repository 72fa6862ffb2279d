"""Losses by hand, with missing labels, and against LibAUC."""

import numpy as np
import pytest
import torch

from skshake.network._losses import (
    AUCMargin,
    BinaryCrossEntropy,
    CrossEntropy,
    SquaredError,
    find_loss,
)

NAN = float("nan")


def test_cross_entropy_by_hand():
    logits = torch.log(torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]))
    labels, weights = torch.tensor([0, 0, 1]), torch.tensor([1.0, 3.0, 0.0])
    expected = -(np.log(0.9) + 3 * np.log(0.2)) / 3
    assert CrossEntropy()(logits, labels, weights) == pytest.approx(expected)


def test_missing_labels_count_for_nothing():
    outputs = torch.tensor([[0.0, 5.0], [1.0, -1.0]], requires_grad=True)
    targets = torch.tensor([[1.0, NAN], [NAN, 0.0]])
    weights = torch.tensor([1.0, 2.0])
    loss = BinaryCrossEntropy()(outputs, targets, weights)
    expected = (np.log(2) + 2 * np.log1p(np.exp(-1))) / 2
    assert loss.item() == pytest.approx(expected)
    loss.backward()
    assert outputs.grad[0, 1] == 0
    assert outputs.grad[1, 0] == 0
    squared = SquaredError()(outputs, targets, weights)
    assert squared.item() == pytest.approx((1.0 + 2 * 1.0) / 2)
    nothing = SquaredError()(outputs, torch.full((2, 2), NAN), weights)
    assert nothing.item() == 0


def test_auc_margin_is_libaucs():
    # Values of libauc 2.0.1, AUCMLoss(version="v1"), which is ours times p (1 - p) with
    # p the share of positives in the batch.
    loss = AUCMargin(1)
    with torch.no_grad():
        loss.a.fill_(0.3)
        loss.b.fill_(-0.2)
        loss.alpha.fill_(0.7)
    logits = torch.tensor([0.5, -1.0, 2.0, 0.1, -0.3, 1.5, -2.0, 0.8])
    logits.requires_grad_()
    labels = torch.tensor([1.0, 0, 1, 0, 0, 0, 0, 1])
    share = labels.mean().item()
    value = loss(logits[:, None], labels[:, None], torch.ones(8))
    (share * (1 - share) * value).backward()
    assert share * (1 - share) * value.item() == pytest.approx(0.26786088943481445)
    expected = [
        *(-0.01386304, 0.02154636, -0.00195556, 0.0333146),
        *(0.03037908, 0.02401595, 0.01003216, -0.0103621),
    ]
    np.testing.assert_allclose(logits.grad.numpy(), expected, atol=1e-7)
    assert loss.a.grad.item() == pytest.approx(-0.2020673155784607)
    assert loss.b.grad.item() == pytest.approx(-0.295898973941803)
    assert loss.alpha.grad.item() == pytest.approx(8.162856101989746e-05, rel=1e-2)


def test_auc_margin_at_its_saddle_point_is_the_pairwise_margin():
    # With a, b and alpha optimal the loss is E (1 - s+ + s-)^2 over pairs (Ying 2016).
    rng = np.random.default_rng(0)
    scores = torch.from_numpy(rng.uniform(0.2, 0.8, 30)).float()
    labels = torch.from_numpy((rng.random(30) < 0.4).astype(np.float32))
    positive, negative = scores[labels == 1], scores[labels == 0]
    loss = AUCMargin(1)
    with torch.no_grad():
        loss.a.copy_(positive.mean())
        loss.b.copy_(negative.mean())
        loss.alpha.copy_(1 + negative.mean() - positive.mean())
    value = loss(scores.logit()[:, None], labels[:, None], torch.ones(30))
    pairs = (1 - positive[:, None] + negative[None]) ** 2
    assert value.item() == pytest.approx(pairs.mean().item(), rel=1e-5)


def test_auc_margin_takes_tasks_with_both_labels():
    outputs = torch.tensor([[0.3, 1.0], [-0.2, 2.0], [0.1, 0.0]])
    targets = torch.tensor([[1.0, 1.0], [0.0, 1.0], [NAN, NAN]])
    both = AUCMargin(2)(outputs, targets, torch.ones(3))
    one = AUCMargin(1)(outputs[:2, :1], targets[:2, :1], torch.ones(2))
    assert both.item() == pytest.approx(one.item())


def test_auc_margin_of_codes_takes_the_log_odds():
    generator = torch.Generator().manual_seed(0)
    outputs = torch.randn(8, 2, generator=generator)
    codes = torch.tensor([0, 1, 0, 0, 1, 0, 1, 0])
    loss, weights = AUCMargin(1), torch.rand(8, generator=generator)
    of_codes = loss(outputs, codes, weights)
    log_odds = (outputs[:, 1] - outputs[:, 0])[:, None]
    assert of_codes == loss(log_odds, codes.float()[:, None], weights)


def test_losses_are_names_or_losses():
    loss = find_loss("auc_margin")
    assert find_loss(loss) is loss
    with pytest.raises(TypeError, match=r"expected a name or a skshake.network.Loss"):
        find_loss(AUCMargin)
