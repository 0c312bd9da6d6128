"""Remembers which modules the user's interpreter finds, as far as it has been asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain

from assay_engine.reading.supportable import imported_roots
from assay_engine.running.importable import importable_roots
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Specification
from assay_sandbox import SandboxError


class KnownImports:
    """The top-level modules that are there, or about which the interpreter could not be asked.

    The interpreter is asked again about a missing module: it may have been installed since.
    """

    def __init__(self) -> None:
        self._found: set[str] = set()
        self._supposed: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._found or name in self._supposed

    async def learn(self, laboratory: Laboratory, specifications: Sequence[Specification]) -> None:
        """Ask the interpreter, in one go, which imports of some specifications it can find."""
        # In a thread, because all modules that come along are read for this.
        roots = await asyncio.to_thread(lambda: [imported_roots(each) for each in specifications])
        wanted = frozenset(chain.from_iterable(roots)) - self._found
        try:
            found = await importable_roots(laboratory, wanted)
        except SandboxError:
            # Every trial is about to report this failure, which is no module's fault.
            self._supposed |= wanted
        else:
            self._supposed -= wanted
            self._found |= found
