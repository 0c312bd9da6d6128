"""Where programs run in the tests of the engine: real sandboxes, open for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.running.laboratory import Laboratory, open_laboratory
from assay_sandbox import Limits


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with open_laboratory(Limits(call_seconds=0.5, total_seconds=8.0)) as opened:
        yield opened
