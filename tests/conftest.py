"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from assay_engine.running.laboratory import Laboratory

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("assay", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("assay")


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    """Where programs run in tests: real sandboxes, open for all tests of a file."""
    from assay_engine.running.laboratory import open_laboratory
    from assay_sandbox import Limits

    with open_laboratory(Limits(call_seconds=0.5, total_seconds=8.0)) as opened:
        yield opened
