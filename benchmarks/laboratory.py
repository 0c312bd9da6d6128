"""What benchmarks put functions on trial with."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from assay_engine.running.laboratory import Laboratory, limits_of
from assay_engine.settings import Settings
from assay_sandbox import Sandbox, Surroundings


@contextmanager
def open_laboratory() -> Generator[Laboratory]:
    """Two sandboxes of different seeds, with a check's own limits."""
    with (
        Sandbox() as first,
        Sandbox(surroundings=Surroundings(hash_seed=1, random_seed=1)) as second,
    ):
        yield Laboratory(first, second, limits_of(Settings().execution))
