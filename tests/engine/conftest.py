"""Where programs run in the tests of the engine: real sandboxes, open for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.running.laboratory import Laboratory
from assay_sandbox import Limits, Sandbox, Surroundings


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with (
        Sandbox() as one,
        Sandbox(surroundings=Surroundings(hash_seed=1, random_seed=1)) as two,
    ):
        yield Laboratory(one, two, Limits(call_seconds=0.5, total_seconds=8.0))
