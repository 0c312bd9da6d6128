"""Modules of a workspace that are given by name, for those who have no folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class GivenModules:
    """`level` is the one at which they are found; by default any."""

    sources: Mapping[str, str]
    level: int | None = None
    package: str = ""

    def source(self, name: str, level: int) -> str | None:
        return self.sources.get(name) if self.level in (None, level) else None

    def is_package(self, name: str) -> bool:
        return False

    def inside(self, name: str) -> tuple[str, ...]:
        return ()
