"""Selects the candidates that may vote on a function: those that meet the examples it meets.

Finds the examples of a docstring that are likelier to be wrong than the function.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.executor.example_outcomes import meets
from assay_engine.executor.example_trials import OwnTrial, failures, try_examples
from assay_engine.executor.executor import Executor, Row
from assay_engine.sampling.candidates import Voter
from assay_engine.source.needs import needs_of
from assay_engine.types import ExampleFailure, Specification
from assay_engine.voting.evidence import Evidence
from assay_engine.voting.statistics import is_consensus


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
    failed, doubtful = doubted(failing)
    return Evidence(
        specification,
        voters=voting,
        excluded=weight_of(candidates) - weight_of(voting),
        failures=failed,
        doubtful=doubtful,
    )


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


def doubted(
    failures: Sequence[ExampleFailure],
) -> tuple[tuple[ExampleFailure, ...], tuple[ExampleFailure, ...]]:
    """Split failures into those that speak against the function and those against the example."""
    return (
        tuple(each for each in failures if not _is_doubtful(each)),
        tuple(each for each in failures if _is_doubtful(each)),
    )


def _is_doubtful(failure: ExampleFailure) -> bool:
    """Whether a consensus of candidates returns what the function does, and none meets the example.

    All candidates were shown the example. A candidate that meets it is a sign that the example can
    be met, and that the other candidates share the function's mistake. Even if no candidate meets
    it, they may share that mistake, so such a function is not trusted. docs/findings/ASY203.md says
    how often this happens.
    """
    return failure.candidates_passing == 0 and is_consensus(
        failure.candidates_agreeing, failure.candidates_total
    )
