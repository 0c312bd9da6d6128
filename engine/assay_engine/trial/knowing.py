"""What is known of the functions of a text without a trial. Nothing here sends or runs anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay_engine.reading.supportable import unsupported
from assay_engine.trial.opinion import opinion_digest
from assay_engine.trial.trials import Trials
from assay_engine.types import Report, SourceText, Tier, Unit


def recalled(
    trials: Trials, source: SourceText, only: Callable[[Unit], bool] | None
) -> tuple[Report, ...]:
    """The stored reports of unchanged units, each from the most thorough check of the unit."""
    found: list[Report] = []
    for filing, _ in trials.filings(source, only, Tier.STANDARD):
        of_each = (trials.filed_under(filing, tier) for tier in reversed(Tier))
        known = next(filter(None, map(trials.remembered, of_each)), None)
        found += [] if known is None else [known]
    return tuple(sorted(found, key=lambda report: report.line))


def outdated(trials: Trials, source: SourceText, reports: Sequence[Report]) -> tuple[Report, ...]:
    """The reports on functions of this text that a check would no longer give as they are."""
    names = {report.qualname for report in reports}
    current: dict[str, set[str]] = {}
    for filing, _ in trials.filings(source, lambda unit: unit.qualname in names, Tier.STANDARD):
        for tier in Tier:
            filed = trials.filed_under(filing, tier)
            keys = current.setdefault(filing.specification.unit.qualname, set())
            keys |= {filed.digest, opinion_digest(filed)}
    return tuple(
        report
        for report in reports
        if report.digest not in current.get(report.qualname, {report.digest})
    )


def asked_about(
    trials: Trials,
    source: SourceText,
    only: Callable[[Unit], bool] | None,
    *,
    again: bool,
    tier: Tier,
) -> int:
    """The number of functions about which a check would ask a model."""
    return sum(
        (again or trials.remembered(filing) is None)
        and unsupported(filing.specification, importable=lambda _: True) is None
        for filing, _ in trials.filings(source, only, tier)
    )
