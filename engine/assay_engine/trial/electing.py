"""Selects the candidates that may vote on a function: those that meet the examples it meets."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.deciding.doubtful_examples import doubted
from assay_engine.deciding.evidence import Evidence
from assay_engine.drawing.candidates import Rival
from assay_engine.reading.needs import needs_of
from assay_engine.running.example_outcomes import meets
from assay_engine.running.example_trials import OwnTrial, failures, try_examples
from assay_engine.running.laboratory import Laboratory, Row
from assay_engine.types import Specification


def with_examples_that_count(specification: Specification) -> Specification:
    """Drop the examples of a function that reads files: they mention files that nobody has."""
    return replace(specification, examples=()) if needs_of(specification).files else specification


async def elected(
    laboratory: Laboratory,
    specification: Specification,
    contenders: Sequence[Rival],
    own: Sequence[OwnTrial],
) -> Evidence:
    """Run the candidates on the examples, and return which of them vote and what this showed."""
    sources = [rival.source for rival in contenders]
    attempts = [trial.attempt for trial in own]
    rows = await try_examples(laboratory, specification, attempts, sources)
    weights = [rival.candidate.weight for rival in contenders]
    failing = failures(own, rows, weights)
    disputed = {failure.example for failure in failing if failure.is_disputed}
    undisputed = [trial.attempt.example not in disputed for trial in own]
    voting = tuple(contenders[index] for index in electorate(rows, own, undisputed))
    failed, doubtful = doubted(failing)
    return Evidence(
        specification,
        rivals=voting,
        excluded=weight_of(contenders) - weight_of(voting),
        failures=failed,
        doubtful=doubtful,
    )


def electorate(
    rows: Sequence[Row], own: Sequence[OwnTrial], undisputed: Sequence[bool]
) -> tuple[int, ...]:
    """Indices of the rivals that meet all undisputed examples of the docstring.

    An example that neither the function nor any rival meets excludes nobody: the example is more
    likely wrong than all of them. An example whose result is chance excludes nobody either: a rival
    that meets it was lucky.
    """
    decisive = [
        position
        for position, trial in enumerate(own)
        if trial.steady
        and undisputed[position]
        and (trial.met or any(meets(trial.attempt.example, row[position]) for row in rows))
    ]
    return tuple(
        index
        for index in range(len(rows))
        if all(meets(own[position].attempt.example, rows[index][position]) for position in decisive)
    )


def weight_of(rivals: Sequence[Rival]) -> int:
    """How many candidates the rivals stand for."""
    return sum(rival.candidate.weight for rival in rivals)
