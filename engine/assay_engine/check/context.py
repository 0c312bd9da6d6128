"""What a trial works with."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from assay_engine.compare.executor import Executor
from assay_engine.compare.loading import Loads
from assay_engine.config.settings import Settings
from assay_engine.models import CountedModel
from assay_engine.types import Problem, Tier


class CheckContext(Struct, frozen=True):
    """What a trial works with, and how far it goes. If `model` is None, `no_model` says why."""

    model: CountedModel | None
    no_model: Problem | None
    executor: Executor
    settings: Settings
    importable: Callable[[str], bool]
    stage: Callable[[str], None]
    tier: Tier = Tier.STANDARD
    loads: Loads = field(default_factory=Loads)
