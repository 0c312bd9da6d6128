"""`assay check --apply`: writes selected replacements into the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay_engine.files.bounded import real
from assay_engine.files.source_files import SourceFile, UnreadableFile, read_file, write_file
from assay_engine.fixes.replacing import current_unit, edits_for
from assay_engine.messages.fixes import left_to_people
from assay_engine.specification.specification import specify
from assay_engine.splicing import apply_edits
from assay_engine.types import Problem, Report, Unit


def apply_replacements(reports: Sequence[Report], named: Sequence[Path]) -> Iterator[str]:
    """Apply the first replacement of each suspect function; yield a line on each that has one.

    `named` are the files and folders that were asked for: nothing else is written, wherever a link
    in them leads. Some functions are left to the user (`left_to_people`). A function that uses
    another replaced function of the same file is left alone, too: the fault may have been in the
    other.
    """
    by_path: dict[str, list[Report]] = {}
    for report in reports:
        if not report.replacements:
            continue
        if why := left_to_people(report):
            yield f"{report.path}: {report.qualname} not replaced: {why}"
        else:
            by_path.setdefault(report.path, []).append(report)
    for path, due in by_path.items():
        whole = real(Path(path))
        if not any(whole.is_relative_to(real(each)) for each in named):
            yield f"{path}: not written (it is a link to {whole}; name that file instead)"
            continue
        try:
            file = read_file(Path(path))
            yield from _apply(file, due)
        except (UnreadableFile, OSError) as failure:
            yield f"{path}: not written ({failure})"


def _apply(file: SourceFile, reports: Sequence[Report]) -> Iterator[str]:
    text = file.text
    said: list[str] = []
    due = [report for report in reports if isinstance(_edited(text, report), str)]
    using = _using(text, due) if len(due) > 1 else {}
    for report in reports:
        name = f"{report.path}: {report.qualname}"
        if report.qualname in using:
            used = using[report.qualname]
            said.append(
                f"{name} not replaced: it uses {used}; check it again after that replacement"
            )
            continue
        edited = _edited(text, report)
        if isinstance(edited, Problem):
            said.append(f"{name} not replaced: {edited.message}")
            continue
        text = edited
        said.append(f"{name} replaced")
    if text != file.text:
        write_file(file, text)
    yield from said


def _edited(text: str, report: Report) -> str | Problem:
    """The text with the function replaced, or the problem that prevents the replacement."""
    edits = edits_for(text, report)
    return edits if isinstance(edits, Problem) else apply_edits(text, edits)


def _using(text: str, reports: Sequence[Report]) -> dict[str, str]:
    """The names of functions that use one of the others, and so are left alone, each with the name
    of the function it uses. Of functions that use each other, the first is not left alone."""
    units = [unit for report in reports if (unit := current_unit(text, report)) is not None]
    programs = [specify(text, unit).program for unit in units]

    def uses(place: int, other: int) -> bool:
        return place != other and _is_used(text, units[other], units[place], programs[place])

    found: dict[str, str] = {}
    for place, unit in enumerate(units):
        for other, used in enumerate(units):
            if uses(place, other) and (other < place or not uses(other, place)):
                found.setdefault(unit.qualname, used.qualname)
    return found


def _is_used(text: str, used: Unit, user: Unit, program: str) -> bool:
    """Whether `program`, which is that of `user`, holds the definition of `used` and names it."""
    definition = used.span.of(text)
    if definition not in program:
        return False
    owner, _, name = used.qualname.partition("#")[0].rpartition(".")
    named_in = program.replace(definition, "")
    if owner and user.qualname.startswith(f"{owner}."):
        # The program of a method holds its whole class, so only the method's own text counts.
        named_in = user.span.of(text)
    return re.search(rf"\b{re.escape(name)}\b", named_in) is not None
