"""Selects the candidates that may vote on a function: those that meet the examples it meets."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.example_outcomes import meets
from assay_engine.compare.example_trials import OwnTrial, failures, try_examples
from assay_engine.compare.executor import Executor, Row
from assay_engine.sampling.candidates import Voter
from assay_engine.specification.needs import needs_of
from assay_engine.types import Specification


def with_examples_that_count(specification: Specification) -> Specification:
    """Drop the examples of a function that reads files: they mention files that nobody has."""
    return replace(specification, examples=()) if needs_of(specification).files else specification


async def elected(
    executor: Executor,
    specification: Specification,
    candidates: Sequence[Voter],
    own: Sequence[OwnTrial],
) -> Evidence:
    """Run the candidates on the examples, and return which of them vote and what this showed."""
    sources = [voter.source for voter in candidates]
    attempts = [trial.attempt for trial in own]
    rows = await try_examples(executor, specification, attempts, sources)
    weights = [voter.candidate.weight for voter in candidates]
    failing = failures(own, rows, weights)
    disputed = {failure.example for failure in failing if failure.is_disputed}
    undisputed = [trial.attempt.example not in disputed for trial in own]
    voting = tuple(candidates[index] for index in voting_indices(rows, own, undisputed))
    return Evidence(specification, voting, failing)


def voting_indices(
    rows: Sequence[Row], own: Sequence[OwnTrial], undisputed: Sequence[bool]
) -> tuple[int, ...]:
    """Indices of the voters that meet all undisputed examples of the docstring.

    An example that neither the function nor any voter meets excludes nobody: the example is more
    likely wrong than all of them. An example whose result is chance excludes nobody either: a voter
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


def weight_of(voters: Sequence[Voter]) -> int:
    """How many candidates the voters stand for."""
    return sum(voter.candidate.weight for voter in voters)
