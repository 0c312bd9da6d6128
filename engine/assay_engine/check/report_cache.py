"""Stores reports and finds them again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

import msgspec
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.check.opinion import opinion_digest
from assay_engine.check_unit import CheckUnit
from assay_engine.errors import StoreError
from assay_engine.files.bounded import real
from assay_engine.fixes.replacing import redrawn
from assay_engine.store import Store
from assay_engine.types import Code, ProblemKind, Report, SourceText, Usage

# Problems that keep a report from being stored, because another run may well do better.
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

# Further fields of a stored report: the digest of the file that the report was made in, and those
# of the other files that it rests on, by path.
_FILE, _RESTS_ON = "file", "rests_on"


def remembered(
    store: Store, subject: CheckUnit, *, judged: bool, only_shown: bool = False
) -> Report | None:
    """The stored report, with the judge's opinion if that is wanted (`judged`) and stored.

    If it is `only_shown`, and stands for no check, it may refuse a replacement that would fit by
    now: what was found is not to vanish with a change elsewhere in the file.
    """
    keys = [opinion_digest(subject), subject.digest] if judged else [subject.digest]
    return next(filter(None, (_stored(store, subject, each, only_shown) for each in keys)), None)


def remember(
    store: Store, report: Report, made_in: str, rests_on: Mapping[str, str] | None
) -> None:
    """Store a report, unless another run may well say something else.

    A report that says that the endpoint was down, for example, is not stored. `made_in` is the
    digest of the file that the report was made in, and `rests_on` has those of other files that
    were loaded for it. If these are not known, nothing would show that the report is void.
    """
    if rests_on is None or any(problem.kind in PASSING for problem in report.problems):
        return
    # A check is worth more than its place in the store, which takes no path that is not Unicode.
    with suppress(StoreError, UnicodeEncodeError):
        more = {_FILE: made_in, _RESTS_ON: dict(rests_on)}
        store.put("report", report.digest, msgspec.to_builtins(report) | more)
        if any(finding.code is not Code.NOT_CHECKED for finding in report.findings):
            store.put("found", str(real(Path(report.path))), None)


def files_with_findings(store: Store, root: Path, most: int) -> tuple[str, ...]:
    """At most so many files below a folder that stored reports have found something in, those that
    were checked last first. Nothing says that the files, or the reports, are still the same."""
    below = real(root)
    with suppress(StoreError, UnicodeEncodeError):
        found = store.keys("found", f"{below}{os.sep}", most)
        # Whoever made the store up may have written down a way out of the folder.
        inside = (Path(each).relative_to(below) for each in found)
        return tuple(str(root / each) for each in inside if ".." not in each.parts)
    return ()


def rested_on(store: Store, key: str) -> dict[str, str] | None:
    """What a stored report rests on; None if it is not stored."""
    with suppress(StoreError):
        stored = store.get("report", key)
        found = (
            cast("dict[str, object]", stored).get(_RESTS_ON) if isinstance(stored, dict) else None
        )
        return cast("dict[str, str]", found) if isinstance(found, dict) else None
    return None


def rests_on_what_is_there(store: Store, key: str) -> bool:
    """Whether all other files that a stored report rests on are as they were."""
    try:
        stored = store.get("report", key)
    except StoreError:
        return True
    return not isinstance(stored, dict) or _still(cast("dict[str, object]", stored))


def _still(entries: Mapping[str, object]) -> bool:
    known = entries.get(_RESTS_ON)
    if not isinstance(known, dict):
        return True
    return all(
        isinstance(path, str) and digest.of_path(path) == state
        for path, state in cast("dict[object, object]", known).items()
    )


def can_be_placed(report: Report, made_in: str, here: SourceText) -> bool:
    """Whether a trial `here` would give the same report.

    `made_in` is the digest of the file that the report was made in. If the report refuses a
    replacement, the reason lies in the text around the function. Another file need not have that
    text, nor the same file after a change. A replacement that the report offers does not matter
    here: `placed` refuses it where it must be refused.
    """
    refused = any(problem.kind is ProblemKind.NO_REPLACEMENT for problem in report.problems)
    return not refused or made_in == digest.of_file(here.text)


def _stored(store: Store, subject: CheckUnit, key: str, only_shown: bool) -> Report | None:
    try:
        stored = store.get("report", key)
    except StoreError:
        return None
    if not isinstance(stored, dict):
        return None
    entries = cast("dict[str, object]", stored)
    if not _still(entries):
        return None
    try:
        report = msgspec.convert(entries, Report)
    except msgspec.ValidationError:  # of another version, or damaged
        return None
    if not (only_shown or can_be_placed(report, str(entries.get(_FILE)), subject.source)):
        return None
    cost = replace(report.cost, paid=Usage(), program_calls=0, failed=0, price=None)
    return replace(placed(report, subject), cost=cost)


def placed(report: Report, subject: CheckUnit) -> Report:
    """The report with the path, name and line that the function has in `subject`.

    The function may now stand elsewhere in the file, in another file, or under another name.
    """
    unit = subject.specification.unit
    replacements, problems = redrawn(subject.source, unit, report.replacements)
    return replace(
        report,
        path=subject.source.path,
        qualname=unit.qualname,
        line=subject.line,
        replacements=replacements,
        problems=(*report.problems, *problems),
    )
