"""`assay check --apply`: writes selected replacements into the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay_engine.offering.replacing import current_unit, edits_for
from assay_engine.reading.files import SourceFile, UnreadableFile, read_file, write_file
from assay_engine.reading.specification import specify
from assay_engine.splicing import apply_edits
from assay_engine.types import Problem, Report, Severity, Status


def apply_replacements(reports: Sequence[Report]) -> Iterator[str]:
    """Applies the first replacement of each suspect function; yields a line on each.

    A docstring that admits two behaviours is the user's to decide, as is a function that differs on
    made-up inputs alone: those are left alone. So is a function that uses another one that is
    replaced: the fault may have been there.
    """
    by_path: dict[str, list[Report]] = {}
    for report in reports:
        doubted = any(each.severity is not Severity.INFORMATION for each in report.findings)
        if report.verdict.status is Status.SUSPECT and report.replacements and doubted:
            by_path.setdefault(report.path, []).append(report)
    for path, due in by_path.items():
        try:
            file = read_file(Path(path))
            yield from _apply(file, due)
        except (UnreadableFile, OSError) as failure:
            yield f"{path}: not written ({failure})"


def _apply(file: SourceFile, reports: Sequence[Report]) -> Iterator[str]:
    text = file.text
    said: list[str] = []
    for report in reports:
        used = _used(file.text, report, reports)
        if used is not None:
            name = f"{report.path}: {report.qualname}"
            said.append(f"{name} not replaced: it uses {used}, check it again with that replaced")
            continue
        edits = edits_for(text, report)
        if isinstance(edits, Problem):
            said.append(f"{report.path}: {report.qualname} not replaced: {edits.message}")
            continue
        edited = apply_edits(text, edits)
        if not _fits(edited, file.encoding):
            name = f"{report.path}: {report.qualname}"
            said.append(f"{name} not written (needs utf-8, the file is {file.encoding})")
            continue
        text = edited
        said.append(f"{report.path}: {report.qualname} replaced")
    if text != file.text:
        write_file(file, text)
    yield from said


def _used(text: str, report: Report, reports: Sequence[Report]) -> str | None:
    """The first of the others whose replacement changes what this function runs, if there is one.

    Of functions that use each other, the first may be replaced.
    """
    before = True
    for other in reports:
        if other is report:
            before = False
        elif _changes(text, other, report) and (before or not _changes(text, report, other)):
            return other.qualname
    return None


def _changes(text: str, replaced: Report, report: Report) -> bool:
    """Whether the replacement of the one is part of what the other runs."""
    edits = edits_for(text, replaced)
    if isinstance(edits, Problem):
        return False
    return _program(text, report) != _program(apply_edits(text, edits), report)


def _program(text: str, report: Report) -> str | None:
    unit = current_unit(text, report)
    return None if unit is None else specify(text, unit).program


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
