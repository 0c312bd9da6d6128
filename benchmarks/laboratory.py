"""What benchmarks put functions on trial with."""

from __future__ import annotations

from contextlib import AbstractContextManager

from assay_engine.running.laboratory import Laboratory, limits_of, open_laboratory
from assay_engine.settings import Settings


def usual_laboratory() -> AbstractContextManager[Laboratory]:
    """One with a check's own limits."""
    return open_laboratory(limits_of(Settings().execution))
