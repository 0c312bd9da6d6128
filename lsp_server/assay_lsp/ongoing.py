"""The checks that ask a model or run something now, and how far they are."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from contextlib import contextmanager

from msgspec import Struct

from assay_engine.types import Progress
from assay_lsp.documents import key

# A check holds its file's syntax tree. To go through hundreds of thousands of such objects halts
# the whole process for a third of a second, and finds nothing: trees have no circles.
_USUAL = gc.get_threshold()
_YOUNG_OBJECTS_ONLY = (*_USUAL[:2], 1_000_000_000)


class Advance(Struct, frozen=True, rename="camel"):
    """Functions done and to be checked, and seconds since the first check under way began."""

    done: int
    total: int
    seconds: int


class _Check(Struct, eq=False):
    uri: str
    names: frozenset[str] | None
    began: float
    done: int = 0
    total: int = 0


class Ongoing:
    """Touched on the server's loop only. `changed` is called at each step of a check."""

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._checks: list[_Check] = []

    @contextmanager
    def check(
        self, uri: str, names: frozenset[str] | None
    ) -> Generator[Callable[[Progress | None], None]]:
        """While a check is under way. Yields a function to call with each step, and with None when
        a function is done."""
        check = _Check(key(uri), names, self._clock(), total=len(names or ()))
        self._checks.append(check)
        gc.set_threshold(*_YOUNG_OBJECTS_ONLY)
        self._changed()

        def step(progress: Progress | None) -> None:
            if progress is None:
                check.done += 1
            else:
                check.total = progress.total
            self._changed()

        try:
            yield step
        finally:
            self._checks.remove(check)
            if not self._checks:
                gc.set_threshold(*_USUAL)
            self._changed()

    def covers(self, uri: str, qualname: str) -> bool:
        """Whether a check under way is to say something about a function."""
        return any(
            check.uri == key(uri) and (check.names is None or qualname in check.names)
            for check in self._checks
        )

    def names_of(self, uri: str) -> tuple[frozenset[str] | None, ...]:
        """The functions that each check under way of a document is about; None for all."""
        return tuple(check.names for check in self._checks if check.uri == key(uri))

    @property
    def advance(self) -> Advance | None:
        if not self._checks:
            return None
        began = min(check.began for check in self._checks)
        return Advance(
            sum(check.done for check in self._checks),
            sum(check.total for check in self._checks),
            int(self._clock() - began),
        )
