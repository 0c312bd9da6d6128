"""Modules of a workspace that are given by name, for those who have no folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import override

from assay_engine.source.modules import Modules


@dataclass
class GivenModules(Modules):
    """`level` is the one at which they are found; by default any."""

    sources: Mapping[str, str]
    level: int | None = None
    package: str = ""

    @override
    def source(self, name: str, level: int) -> str | None:
        return self.sources.get(name) if self.level in (None, level) else None

    @override
    def is_package(self, name: str) -> bool:
        return False

    @override
    def inside(self, name: str) -> tuple[str, ...]:
        return ()
