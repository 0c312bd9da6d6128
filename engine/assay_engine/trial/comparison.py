"""From replies to what they hold for or against a function: at a first look, or with all of them.

The first look is at a few candidates. If all of these do what the function does, the others are not
drawn: what requests cost, in time and money, is most of what a check costs, and no vote of theirs
could find the function wrong any more. Wherever anything is in dispute, all candidates have a say.
(arXiv:2507.00057 draws a fixed number; docs/inputs.md says what the first look misses.)
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.observing import observe, observe_accord
from assay_engine.deciding.searched_ballot import SearchPlan
from assay_engine.deciding.statistics import is_consensus
from assay_engine.drawing.candidates import rivals
from assay_engine.inputs.constants import constants_of
from assay_engine.inputs.gather import Gathered, gather_inputs
from assay_engine.inputs.mixing import inputs_within
from assay_engine.running.example_trials import OwnTrial, unanswered
from assay_engine.saying.shortfalls import (
    NO_INPUTS,
    NOT_COMPARABLE,
    of_both,
    summarised,
    too_few,
)
from assay_engine.settings import CANDIDATES_MIN
from assay_engine.trial.concluding import Apparatus
from assay_engine.trial.electing import elected, weight_of
from assay_engine.types import Draw, Problem, Specification

# Of the inputs of a check, those that a search may add where all others show no difference.
SEARCHED_SHARE = 1 / 2


class Comparison(Struct, frozen=True):
    """What so many candidates as were asked for showed, and what kept them from more.

    Without `gathered` nothing was compared.
    """

    asked_for: int
    evidence: Evidence
    problems: tuple[Problem, ...]
    gathered: Gathered | None = None


def first_look(candidates: int) -> int:
    """How many of so many candidates are drawn at first: so many that the others, if they all
    differed from these, would still be no consensus."""
    first = CANDIDATES_MIN
    while is_consensus(candidates - first, candidates):
        first += 1
    return first


async def compared_at_first(
    apparatus: Apparatus,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Comparison | None:
    """The comparison, if no further candidate could add to it; None if it takes all of them."""
    evidence, problems = await _elected(apparatus, specification, own, drawn, proposals)
    looked_at = first_look(apparatus.settings.sampling.candidates)
    in_dispute = evidence.failures or evidence.doubtful or evidence.excluded
    if in_dispute or weight_of(evidence.rivals) < looked_at:
        return None
    gathered, plan = await _prepared(apparatus, evidence, proposals)
    if not gathered.inputs:
        return _without_inputs(looked_at, evidence, problems, gathered)
    accord = await observe_accord(apparatus.laboratory, evidence, gathered.inputs, plan)
    return None if accord is None else _on_inputs(looked_at, accord, problems, gathered)


async def compared(
    apparatus: Apparatus,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Comparison:
    """The comparison with all candidates."""
    evidence, problems = await _elected(apparatus, specification, own, drawn, proposals)
    wanted = apparatus.settings.sampling.candidates
    if (weight := weight_of(evidence.rivals)) < CANDIDATES_MIN:
        problems += too_few(weight, evidence.excluded, drawn)
        return Comparison(wanted, evidence, problems)
    gathered, plan = await _prepared(apparatus, evidence, proposals)
    if not gathered.inputs:
        return _without_inputs(wanted, evidence, problems, gathered)
    evidence = await observe(apparatus.laboratory, evidence, gathered.inputs, plan)
    return _on_inputs(wanted, evidence, problems, gathered)


async def _elected(
    apparatus: Apparatus,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> tuple[Evidence, tuple[Problem, ...]]:
    contenders, rejected = rivals(specification, drawn)
    problems = (*of_both(drawn, proposals), *summarised(rejected), *unanswered(own))
    apparatus.stage("running candidates")
    return await elected(apparatus.laboratory, specification, contenders, own), problems


async def _prepared(
    apparatus: Apparatus, evidence: Evidence, proposals: Draw
) -> tuple[Gathered, SearchPlan]:
    """The inputs to begin with, and what a search may add to them."""
    execution, specification = apparatus.settings.execution, evidence.specification
    # The original runs twice.
    programs = 2 + len(evidence.rivals)
    limit = inputs_within(execution.calls, programs)
    searched = round(limit * SEARCHED_SHARE)
    sources = [specification.program, *(rival.source for rival in evidence.rivals)]
    constants = constants_of(sources, specification.docstring)
    gathered = await gather_inputs(
        apparatus.laboratory,
        specification,
        proposals,
        limit=limit - searched,
        seed=execution.seed,
        constants=constants,
    )
    return gathered, SearchPlan(searched * programs, execution.seed, constants, gathered.admission)


def _without_inputs(
    asked_for: int, evidence: Evidence, problems: tuple[Problem, ...], gathered: Gathered
) -> Comparison:
    return Comparison(asked_for, evidence, (*problems, *gathered.problems, NO_INPUTS))


def _on_inputs(
    asked_for: int, evidence: Evidence, problems: tuple[Problem, ...], gathered: Gathered
) -> Comparison:
    problems += gathered.problems
    if not evidence.votes:
        # No number of candidates makes up for outcomes of the function's that cannot be compared.
        problems += (NOT_COMPARABLE,)
    return Comparison(asked_for, evidence, problems, gathered)
