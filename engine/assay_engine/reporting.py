"""Files a report under its unit."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.types import (
    Clarification,
    Cost,
    EquivalenceClass,
    Finding,
    Partition,
    Problem,
    Replacement,
    Report,
    Settling,
    SourceText,
    Specification,
    Triangulated,
    Verdict,
    Witness,
)
from assay_engine.words import line_starts


class Filing(Struct, frozen=True):
    """What a report says whatever comes out of the trial."""

    source: SourceText
    specification: Specification
    digest: str
    prompts: tuple[tuple[str, int], ...]
    model: str | None = None
    stated: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """Where the unit's name stands, 1-based; lines end as Python ends them."""
        return bisect_right(_line_starts(self.source.text), self.specification.unit.name_span.start)

    @property
    def text_digest(self) -> str:
        """The identity of the unit's own text."""
        return digest.of_text(self.specification.unit.span.of(self.source.text))

    def with_model(self, name: str) -> Filing:
        return replace(self, model=name)

    def report(
        self,
        verdict: Verdict,
        *,
        findings: tuple[Finding, ...] = (),
        problems: tuple[Problem, ...] = (),
        replacements: tuple[Replacement, ...] = (),
        classes: tuple[EquivalenceClass, ...] = (),
        cost: Cost | None = None,
        triangulation: Triangulated | None = None,
        partitions: tuple[Partition, ...] = (),
        dissent: Witness | None = None,
        settling: tuple[Settling, ...] = (),
        clarifications: tuple[Clarification, ...] = (),
    ) -> Report:
        return Report(
            path=self.source.path,
            qualname=self.specification.unit.qualname,
            line=self.line,
            text_digest=self.text_digest,
            digest=self.digest,
            verdict=verdict,
            findings=findings,
            problems=problems,
            replacements=replacements,
            classes=classes,
            model=self.model,
            cost=cost or Cost(),
            prompts=dict(self.prompts),
            triangulation=triangulation,
            stated=self.stated,
            partitions=partitions,
            dissent=dissent,
            settling=settling,
            clarifications=clarifications,
        )


# A memo of a pure function: a generated file has thousands of functions, with a report each.
@lru_cache(maxsize=4)
def _line_starts(text: str) -> tuple[int, ...]:
    return tuple(line_starts(text))
