"""Runs the original and its rivals on all inputs, and turns what was seen into evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay_engine.deciding.evidence import Evidence, Instability
from assay_engine.deciding.separating import Contest, separate
from assay_engine.deciding.voting import Standing
from assay_engine.running.comparing import same_behaviour
from assay_engine.running.laboratory import Laboratory, Row, program_of
from assay_engine.types import Input
from assay_sandbox import Raised, Returned


async def observe(laboratory: Laboratory, evidence: Evidence, inputs: Sequence[Input]) -> Evidence:
    """The evidence with a vote on every input that the original answers the same way twice."""
    specification = evidence.specification
    contest = Contest(
        programs=(
            program_of(specification),
            *(program_of(specification, rival.source) for rival in evidence.rivals),
        ),
        weights=tuple(rival.candidate.weight for rival in evidence.rivals),
        documented=specification.documented_exceptions,
    )
    calls = [entry.call for entry in inputs]
    rows = await laboratory.run(contest.programs, calls, contest.documented)
    (again,) = await laboratory.run(contest.programs[:1], calls, contest.documented, second=True)
    steady = [
        index
        for index, (one, other) in enumerate(zip(rows[0], again, strict=True))
        if same_behaviour(one, other)
    ]
    kept = tuple(inputs[index] for index in steady)
    votes = contest.votes([tuple(row[index] for index in steady) for row in rows])
    found = None
    for standing in (Standing.DIFFERS, Standing.SPLIT):
        found = found or await separate(laboratory, contest, kept, votes, standing)
    separation, shown = found or (None, None)
    return replace(
        evidence,
        inputs=kept,
        votes=votes,
        separation=separation,
        shown=shown,
        instability=_instability(inputs, rows[0], again),
    )


def _instability(inputs: Sequence[Input], first: Row, second: Row) -> Instability | None:
    """The first input on which the original gave different answers in its two runs.

    Not having answered, in time or at all, may be the machine's doing.
    """
    for entry, one, other in zip(inputs, first, second, strict=True):
        answered = isinstance(one, Returned | Raised) and isinstance(other, Returned | Raised)
        if answered and not same_behaviour(one, other):
            return Instability(entry, one, other)
    return None
