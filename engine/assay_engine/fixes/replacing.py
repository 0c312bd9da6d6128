"""Offers a candidate in the original's place, and proves the offer before making it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from assay_engine import digest
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.observing import observe
from assay_engine.dependencies.modules import Modules
from assay_engine.files.source_files import declared_encoding, is_for_text
from assay_engine.fixes.cautions.cautions import caution_about, changed, unreached
from assay_engine.fixes.selecting import Selection
from assay_engine.sampling.candidates import Voter
from assay_engine.specification.specification import specify
from assay_engine.splicing import apply_edits, splice
from assay_engine.splicing.edits import unified_diff
from assay_engine.syntax.units import find_units
from assay_engine.types import (
    Edit,
    Input,
    Problem,
    ProblemKind,
    Replacement,
    Report,
    SourceText,
    Unit,
)
from assay_sandbox import Observation, Raised, Returned, Unserialisable

NO_SUCCESSOR = Problem(
    ProblemKind.NO_REPLACEMENT,
    "No replacement is offered: the next check would also report a problem with each candidate.",
)
# How many of the voters are tried in the original's place.
TRIED_MAX = 3


def edits_for(text: str, report: Report, index: int = 0) -> tuple[Edit, ...] | Problem:
    """The edits that make replacement number `index` of the report in `text`, as it is now.

    The result is a problem if the function has been changed, moved out of reach or removed since it
    was checked.
    """
    unit = current_unit(text, report)
    if unit is None:
        return changed_since(report)
    edits = splice(text, unit, report.replacements[index].candidate)
    return edits if isinstance(edits, Problem) else as_encoded(text, edits, "The replacement")


def changed_since(report: Report) -> Problem:
    """The problem to report if there is no `current_unit`."""
    return Problem(
        ProblemKind.NO_REPLACEMENT,
        f"{report.qualname} has changed since it was checked. Check it again.",
    )


def as_encoded(text: str, edits: tuple[Edit, ...], what: str) -> tuple[Edit, ...] | Problem:
    """The edits, if the encoding that the text declares has all their characters; else a problem.

    `what` names the edits and begins the problem's sentence.
    """
    encoding = declared_encoding(text)
    if all(_can_say(encoding, edit.new_text) for edit in edits):
        return edits
    return Problem(
        ProblemKind.NO_REPLACEMENT,
        f"{what} needs characters that {encoding}, the file's declared encoding, does not "
        "have. Declare the file as UTF-8.",
    )


def _can_say(encoding: str, text: str) -> bool:
    if not is_for_text(encoding):
        return False
    try:
        text.encode(encoding)
    except UnicodeError:
        return False
    return True


def current_unit(text: str, report: Report) -> Unit | None:
    """The unit that the report is about, if the text still holds it unchanged."""
    units, _ = find_units(text)
    for unit in units:
        if unit.qualname == report.qualname:
            own = digest.of_text(unit.span.of(text))
            return unit if own == report.text_digest else None
    return None


def redrawn(
    source: SourceText, unit: Unit, replacements: Sequence[Replacement]
) -> tuple[tuple[Replacement, ...], tuple[Problem, ...]]:
    """The same replacements for the text as it is here, and problems of those that do not fit."""
    kept: list[Replacement] = []
    problems: list[Problem] = []
    for replacement in replacements:
        edits = splice(source.text, unit, replacement.candidate)
        if isinstance(edits, Problem):
            problems.append(edits)
            continue
        after = apply_edits(source.text, edits)
        diff = unified_diff(_name(source), source.text, after)
        # Another file may not have what the first one had.
        caution = caution_about(source.text, replacement.candidate, unit.name)
        kept.append(replace(replacement, diff=diff, caution=caution or replacement.caution))
    return tuple(kept), tuple(problems)


def _name(source: SourceText) -> str:
    """The file's name in a diff: as it was named, or relative to its project's folder.

    A patch would be applied in the project's folder.
    """
    path = Path(source.path)
    if source.root is None or not path.is_absolute() or not path.is_relative_to(source.root):
        return source.path
    return path.relative_to(source.root).as_posix()


async def offer(
    executor: Executor,
    subject: CheckUnit,
    selection: Selection,
    evidence: Evidence,
    inputs: Sequence[Input],
    workspace: Modules,
) -> Replacement | Problem:
    """The best replacement that would itself be found right; a problem if none of them would.

    The edited file's function is held to the same candidates on the same `inputs`, unless witnesses
    confirm it against these. One that needs no caution is preferred.
    """
    text, name = subject.source.text, subject.specification.unit.name
    problem, cautious = NO_SUCCESSOR, list[Replacement]()
    cautions = [caution_about(text, each.candidate.source, name) for each in selection.voters]
    pairs = sorted(zip(selection.voters, cautions, strict=True), key=lambda pair: bool(pair[1]))
    held = None if selection.is_confirmed else evidence
    for voter, known in pairs[:TRIED_MAX]:
        diff = await _placed(executor, subject, voter, held, inputs, workspace)
        if isinstance(diff, Problem):
            problem = diff
            continue
        source, calls = voter.candidate.source, [entry.call for entry in inputs]
        specification = subject.specification
        caution = (
            known
            or await unreached(executor, specification, source, calls)
            or await changed(executor, specification, source, voter.source, calls)
        )
        made = Replacement(source, selection.behaviour, diff, caution)
        if caution is None:
            return made
        cautious.append(made)
    return cautious[0] if cautious else problem


async def _placed(
    executor: Executor,
    subject: CheckUnit,
    voter: Voter,
    evidence: Evidence | None,
    inputs: Sequence[Input],
    workspace: Modules,
) -> str | Problem:
    """The diff, if the edited file's function does what the voter did and would be found right."""
    source, specification = subject.source, subject.specification
    edits = splice(source.text, specification.unit, voter.candidate.source)
    if isinstance(edits, Problem):
        return edits
    edited = apply_edits(source.text, edits)
    placed = next(
        (u for u in find_units(edited)[0] if u.qualname == specification.unit.qualname), None
    )
    if placed is None:
        return Problem(
            ProblemKind.NO_REPLACEMENT,
            "The edited file would no longer hold the function. Replace it by hand.",
        )
    edited_specification = specify(edited, placed, workspace=workspace)
    rows = await executor.run(
        [program_of(specification, voter.source), program_of(edited_specification)],
        [entry.call for entry in inputs],
        specification.documented_exceptions,
    )
    if any(map(_differs, *rows)):
        return Problem(
            ProblemKind.NO_REPLACEMENT,
            "The candidate behaves differently once it is in the file. Replace it by hand.",
        )
    if evidence is not None:
        successor = Evidence(edited_specification, voters=evidence.voters)
        seen = await observe(executor, successor, inputs)
        # Where the candidates are of one mind against the function, an input that the docstring
        # leaves open is no reason to keep what is wrong.
        settled = seen.is_split and (evidence.is_contradicted or evidence.is_one_against_all)
        if seen.is_told_of and not settled:
            return NO_SUCCESSOR
    return unified_diff(_name(source), source.text, edited)


def _differs(candidate: Observation, placed: Observation) -> bool:
    """Whether the candidate in its place does something else, as far as that can be told.

    An outcome that cannot even be compared with itself (a value that is too large, changed
    arguments that cannot be carried) shows no difference. Nor does an input that cannot be made
    there.
    """
    if isinstance(placed, Unserialisable) and placed.of_input:
        return False
    if type(candidate) is not type(placed):
        return True
    pairs = ((candidate, placed), (_without_changes(candidate), _without_changes(placed)))
    return any(same_behaviour(one, one) and not same_behaviour(one, other) for one, other in pairs)


def _without_changes(seen: Observation) -> Observation:
    if isinstance(seen, Returned):
        return dataclasses.replace(seen, args_after=None, files_after=None)
    return dataclasses.replace(seen, args_after=None) if isinstance(seen, Raised) else seen
