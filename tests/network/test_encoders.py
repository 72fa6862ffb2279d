"""Encoders of features by hand."""

import torch

from skshake.network._csr import CSR
from skshake.network._encoders import FeatureEncoder
from skshake.network._torch_engine import PLAIN
from skshake.network.batches import FeatureBatch


def test_frequencies_are_means_of_embeddings():
    encoder = FeatureEncoder(0, 2, 1)
    with torch.no_grad():
        encoder.embedding.copy_(torch.tensor([[1.0], [3.0]]))
    # Half of each; the second slot, and three times one that is given.
    slots = CSR(
        torch.tensor([0, 2, 4]),
        torch.tensor([0, 1, 1, 2]),
        torch.tensor([0.5, 0.5, 1.0, 3.0]),
    )
    features = FeatureBatch(torch.empty(2, 0), slots, 3)
    found = encoder(features, PLAIN, torch.tensor([[10.0]]))
    assert found.tolist() == [[2.0], [33.0]]


def test_numbers_are_standardised():
    encoder = FeatureEncoder(3, 0, 2)
    # The last column is constant but for rounding.
    numeric = torch.tensor([[1.0, 0.0, 1e6], [3.0, 4.0, 1e6 + 0.0625]])
    encoder.standardise(numeric)
    assert encoder.mean[:2].tolist() == [2.0, 2.0]
    assert encoder.scale.tolist() == [1.0, 2.0, 1.0]
    nothing = CSR(
        torch.zeros(3, dtype=torch.int64),
        torch.empty(0, dtype=torch.int64),
        torch.empty(0),
    )
    features = FeatureBatch(numeric, nothing, 0)
    expected = encoder.numbers((numeric - encoder.mean) / encoder.scale)
    torch.testing.assert_close(encoder(features, PLAIN), expected)
