"""Reports that are kept, and found again."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

import msgspec
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.errors import StoreError
from assay_engine.filing import Filing
from assay_engine.offering.replacing import redrawn
from assay_engine.store import Store
from assay_engine.trial.opinion import opinion_digest
from assay_engine.types import ProblemKind, Report, SourceText, Usage

# What keeps a report from being stored: another run may well do better.
PASSING = frozenset(
    {
        ProblemKind.MODEL_UNAVAILABLE,
        ProblemKind.REPLY_UNUSABLE,
        ProblemKind.TOO_FEW_CANDIDATES,
        ProblemKind.BUDGET_SPENT,
        ProblemKind.DEADLINE,
        ProblemKind.OFFLINE,
        ProblemKind.NO_CONSENT,
        ProblemKind.SANDBOX_UNAVAILABLE,
        ProblemKind.MISSING_IMPORT,
    }
)

# What a stored report has beside its own fields: the digest of the file that it was made in.
_FILE = "file"


def remembered(store: Store, filing: Filing, *, judged: bool) -> Report | None:
    """What is stored, with the judge's opinion if one is wanted (`judged`) and there."""
    opinion = _stored(store, filing, opinion_digest(filing)) if judged else None
    return opinion or _stored(store, filing, filing.digest)


def remember(store: Store, report: Report, made_in: str) -> None:
    """Only what another run would say again is kept: not that the endpoint was down.

    `made_in`: the digest of the file.
    """
    if any(problem.kind in PASSING for problem in report.problems):
        return
    with suppress(StoreError):  # a check is worth more than its place in the store
        store.put_report(report.digest, msgspec.to_builtins(report) | {_FILE: made_in})


def can_be_placed(report: Report, made_in: str, here: SourceText) -> bool:
    """Whether the report is the one that a trial `here` would give. `made_in`: its file's digest.

    A replacement is refused for something around the function, which another file need not have,
    nor the same one after a change. One that was offered is refused by `placed` where it must be.
    """
    refused = any(problem.kind is ProblemKind.NO_REPLACEMENT for problem in report.problems)
    return not refused or made_in == digest.of_file(here.text)


def _stored(store: Store, filing: Filing, key: str) -> Report | None:
    try:
        stored = store.report(key)
    except StoreError:
        return None
    if not isinstance(stored, dict):
        return None
    entries = cast("dict[str, object]", stored)
    try:
        report = msgspec.convert(entries, Report)
    except msgspec.ValidationError:  # of another version, or damaged
        return None
    if not can_be_placed(report, str(entries.get(_FILE)), filing.source):
        return None
    cost = replace(report.cost, paid=Usage(), program_calls=0, failed=0)
    return replace(placed(report, filing), cost=cost)


def placed(report: Report, filing: Filing) -> Report:
    """The report on a function in the state of `filing`, at the place where it stands there.

    That may be elsewhere in the file, in another file, or under another name.
    """
    unit = filing.specification.unit
    replacements, problems = redrawn(filing.source, unit, report.replacements)
    return replace(
        report,
        path=filing.source.path,
        qualname=unit.qualname,
        line=filing.line,
        replacements=replacements,
        problems=(*report.problems, *problems),
    )
