"""What benchmarks put functions on trial with."""

from __future__ import annotations

from contextlib import AbstractContextManager

from assay_engine.compare.executor import Executor, limits_of, open_executor
from assay_engine.config.settings import Settings


def usual_executor() -> AbstractContextManager[Executor]:
    """One with a check's own limits."""
    return open_executor(limits_of(Settings().execution))
