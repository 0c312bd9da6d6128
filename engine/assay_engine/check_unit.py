"""Files a report under its unit."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from msgspec import Struct

from assay_engine import digest
from assay_engine.types import Cost, Report, SourceText, Specification, Verdict
from assay_engine.words import line_starts


class OtherVersion(Struct, frozen=True):
    """The text that has the other version of functions, and what messages call it.

    Without a `qualname`, the other version of each function has the function's own name.
    """

    source: SourceText
    called: str
    qualname: str | None = None


class Earlier(Struct, frozen=True):
    """An earlier version of a function, and what messages call it."""

    specification: Specification
    called: str


class CheckUnit(Struct, frozen=True):
    """The parts of a report that do not depend on the outcome of the trial.

    `key` is a digest of everything that the trial depends on. `earlier` is a version that the
    function is to be compared with, on the trial's inputs.
    """

    source: SourceText
    specification: Specification
    key: str
    prompts: tuple[tuple[str, int], ...]
    model: str | None = None
    earlier: Earlier | None = None

    @property
    def digest(self) -> str:
        """What the report is stored under."""
        if self.earlier is None:
            return self.key
        return digest.of_parts([self.key, self.earlier.called, self.earlier.specification.program])

    @property
    def line(self) -> int:
        """The line of the unit's name, 1-based. Lines end as Python ends them."""
        return bisect_right(_line_starts(self.source.text), self.specification.unit.name_span.start)

    @property
    def text_digest(self) -> str:
        """The digest of the unit's own text."""
        return digest.of_text(self.specification.unit.span.of(self.source.text))

    def report(self, verdict: Verdict) -> Report:
        """A report that says nothing but the verdict."""
        return Report(
            path=self.source.path,
            qualname=self.specification.unit.qualname,
            line=self.line,
            text_digest=self.text_digest,
            digest=self.digest,
            verdict=verdict,
            findings=(),
            problems=(),
            replacements=(),
            classes=(),
            model=self.model,
            cost=Cost(),
            prompts=dict(self.prompts),
        )


# A cache of a pure function: a generated file has thousands of functions, each with a report.
@lru_cache(maxsize=4)
def _line_starts(text: str) -> tuple[int, ...]:
    return tuple(line_starts(text))
