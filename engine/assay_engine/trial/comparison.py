"""Turns replies into evidence for or against a function: at a first look, or with all of them.

The first look is at a few candidates. If all of these do what the function does, the others are not
drawn. Requests are most of what a check costs, in time and money, and the votes of the others could
no longer find the function wrong. Wherever anything is in dispute, all candidates have a say.
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
from assay_engine.settings import CANDIDATES_MIN, InputsMode
from assay_engine.trial.concluding import Apparatus
from assay_engine.trial.electing import elected, weight_of
from assay_engine.types import Draw, Problem, Specification

# The share of a check's inputs that is reserved for a search. The search adds them if the other
# inputs show no difference.
SEARCHED_SHARE = 1 / 2


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
    apparatus: Apparatus,
    specification: Specification,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Comparison | None:
    """The comparison, if no further candidate could add to it; None if all of them are needed."""
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
    """The inputs to begin with, and the plan by which a search may add to them."""
    execution, specification = apparatus.settings.execution, evidence.specification
    # The original runs twice.
    programs = 2 + len(evidence.rivals)
    limit = inputs_within(execution.calls, programs)
    more = apparatus.settings.inputs is InputsMode.MORE
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
        more=more,
    )
    calls = searched * programs if more or not gathered.are_enough else 0
    return gathered, SearchPlan(calls, execution.seed, constants, gathered.admission.admits_made_up)


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
