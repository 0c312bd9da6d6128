"""Turns replies into evidence for or against a function: at a first look, or with all of them.

The first look is at a few candidates. If all of these do what the function does, the others are not
drawn. Requests are most of what a check costs, in time and money, and the votes of the others could
no longer find the function wrong. Wherever anything is in dispute, all candidates have a say.
(arXiv:2507.00057 draws a fixed number; docs/inputs.md says what the first look misses.)
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay_engine.check.context import CheckContext
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.example_trials import OwnTrial, unanswered
from assay_engine.compare.observing import observe, observe_if_unanimous
from assay_engine.compare.statistics import is_consensus
from assay_engine.compare.voters import elected, weight_of
from assay_engine.config.settings import CANDIDATES_MIN
from assay_engine.inputs.gather import Gathered, gather_inputs, inputs_within
from assay_engine.messages.shortfalls import NO_INPUTS, NOT_COMPARABLE, of_both, summarised, too_few
from assay_engine.sampling.candidates import voters
from assay_engine.types import Draw, Problem, Specification


class Comparison(Struct, frozen=True):
    """What `asked_for` candidates showed, and the problems that kept them from showing more.

    If `gathered` is None, nothing was compared.
    """

    asked_for: int
    evidence: Evidence
    problems: tuple[Problem, ...]
    gathered: Gathered | None = None


def first_look(candidates: int) -> int:
    """How many of `candidates` are drawn at first.

    This is the smallest number for which the others are no consensus, even if all of them differ
    from the first ones.
    """
    first = CANDIDATES_MIN
    while is_consensus(candidates - first, candidates):
        first += 1
    return first


async def compared_at_first(
    context: CheckContext,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Comparison | None:
    """The comparison, if no further candidate could add to it; None if all of them are needed."""
    evidence, problems, _ = await _elected(context, specification, own, drawn, proposals)
    looked_at = first_look(context.settings.sampling.candidates)
    gathered = await _gathered(context, evidence, proposals)
    if not gathered.inputs:
        return _without_inputs(looked_at, evidence, problems, gathered)
    if evidence.failed_examples or weight_of(evidence.voters) < looked_at:
        return None
    unanimous = await observe_if_unanimous(context.executor, evidence, gathered.inputs)
    return None if unanimous is None else _on_inputs(looked_at, unanimous, problems, gathered)


async def compared(
    context: CheckContext,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Comparison:
    """The comparison with all candidates."""
    evidence, problems, usable = await _elected(context, specification, own, drawn, proposals)
    wanted = context.settings.sampling.candidates
    if (weight := weight_of(evidence.voters)) < CANDIDATES_MIN:
        problems += too_few(weight, usable - weight, drawn)
        return Comparison(wanted, evidence, problems)
    gathered = await _gathered(context, evidence, proposals)
    if not gathered.inputs:
        return _without_inputs(wanted, evidence, problems, gathered)
    evidence = await observe(context.executor, evidence, gathered.inputs)
    return _on_inputs(wanted, evidence, problems, gathered)


async def _elected(
    context: CheckContext,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> tuple[Evidence, tuple[Problem, ...], int]:
    """Who votes, the problems met so far, and how many candidates could be read as programs."""
    candidates, rejected = voters(specification, drawn)
    problems = (*of_both(drawn, proposals), *summarised(rejected), *unanswered(own))
    context.stage("running candidates")
    evidence = await elected(context.executor, specification, candidates, own)
    return evidence, problems, weight_of(candidates)


async def _gathered(context: CheckContext, evidence: Evidence, proposals: Draw) -> Gathered:
    # The original runs twice.
    limit = inputs_within(context.settings.execution.calls, 2 + len(evidence.voters))
    return await gather_inputs(context.executor, evidence.specification, proposals, limit=limit)


def _without_inputs(
    asked_for: int, evidence: Evidence, problems: tuple[Problem, ...], gathered: Gathered
) -> Comparison:
    return Comparison(asked_for, evidence, (*problems, *gathered.problems, NO_INPUTS))


def _on_inputs(
    asked_for: int, evidence: Evidence, problems: tuple[Problem, ...], gathered: Gathered
) -> Comparison:
    problems += gathered.problems
    if not evidence.votes:
        # If the function's own outcomes cannot be compared, more candidates do not help.
        problems += (NOT_COMPARABLE,)
    return Comparison(asked_for, evidence, problems, gathered)
