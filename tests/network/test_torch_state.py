"""What users have set in torch changes nothing inside, and is there afterwards."""

import pytest
import torch

from skshake.network._torch_state import plain_torch


def settings():
    return {
        "dtype": torch.get_default_dtype(),
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "device": torch.empty(0).device.type,
        "anomaly": torch.is_anomaly_enabled(),
        "precision": torch.get_float32_matmul_precision(),
    }


@pytest.fixture
def plain():
    before = settings()
    yield before
    assert settings() == before


def test_all_settings_are_those_of_a_fresh_torch(plain):
    torch.set_default_dtype(torch.float64)
    torch.autograd.set_detect_anomaly(True)
    try:
        with (
            torch.inference_mode(),
            torch.autocast("cpu", torch.bfloat16),
            torch.device("meta"),
        ):
            changed = settings()
            with plain_torch():
                assert settings() == plain
                with plain_torch():
                    assert settings() == plain
                assert settings() == plain
            assert settings() == changed
    finally:
        torch.set_default_dtype(torch.float32)
        torch.autograd.set_detect_anomaly(False)


def test_settings_are_given_back_after_an_error(plain):
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(RuntimeError), plain_torch():
            raise RuntimeError
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
