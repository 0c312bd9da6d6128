"""The trial of one function, from specification to report. Everything it uses is handed to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.classes import equivalence_classes
from assay_engine.deciding.confirming import Confirmed, confirm, reconsidered
from assay_engine.deciding.doubting import doubted
from assay_engine.deciding.evidence import Evidence
from assay_engine.deciding.observing import Plan, observe
from assay_engine.deciding.states import only_outcome, only_state
from assay_engine.deciding.verdict import ACCUSING, abstained, decide
from assay_engine.deciding.verdict import unsupported as unsupported_verdict
from assay_engine.deciding.voting import Standing
from assay_engine.drawing.candidates import (
    Rival,
    draw_candidates,
    draw_proposals,
    electorate,
    rivals,
)
from assay_engine.inputs.choose import inputs_within
from assay_engine.inputs.constants import constants_of
from assay_engine.inputs.gather import gather_inputs
from assay_engine.models import CountingModel
from assay_engine.offering.replacing import offer
from assay_engine.offering.selecting import Selection, confirmed_selection, select
from assay_engine.reading.modules import FindModule
from assay_engine.reading.needs import needs_of
from assay_engine.reading.supportable import unsupported
from assay_engine.reporting import Filing
from assay_engine.running.describing import outcome_phrase
from assay_engine.running.example_trials import (
    OwnTrial,
    failures,
    try_examples,
    try_own_examples,
    unanswered,
)
from assay_engine.running.laboratory import Laboratory
from assay_engine.running.live import not_live
from assay_engine.running.loadable import not_loaded
from assay_engine.saying.explaining import findings, name_span, not_checked
from assay_engine.saying.triangulated import accusations, triangulated
from assay_engine.settings import CANDIDATES_MIN, Settings
from assay_engine.transforming import Bounds
from assay_engine.types import (
    Cost,
    Draw,
    Model,
    Problem,
    ProblemKind,
    Replacement,
    Report,
    Status,
    Tier,
)
from assay_engine.words import count

REJECTIONS_SHOWN = 3
# Of the inputs of a check, those that a search may add where all others show no difference.
SEARCHED_SHARE = 1 / 2


class Apparatus(Struct, frozen=True):
    """What a trial works with, and how far it goes. Without a model, `no_model` says why."""

    model: Model | None
    no_model: Problem | None
    laboratory: Laboratory
    settings: Settings
    importable: Callable[[str], bool]
    stage: Callable[[str], None]
    tier: Tier = Tier.STANDARD


async def check_unit(apparatus: Apparatus, filing: Filing, find_module: FindModule) -> Report:
    """Put one unit on trial. Never raises for what a program, a reply or the model does."""
    laboratory = apparatus.laboratory.counting()
    report = await _tried(replace(apparatus, laboratory=laboratory), filing, find_module)
    return replace(report, cost=replace(report.cost, program_calls=laboratory.tally.calls))


async def _tried(apparatus: Apparatus, filing: Filing, find_module: FindModule) -> Report:
    specification = filing.specification
    refusal = unsupported(specification, importable=apparatus.importable)
    refusal = refusal or await not_loaded(apparatus.laboratory, specification)
    refusal = refusal or await not_live(apparatus.laboratory, specification)
    if refusal is not None:
        hint = not_checked(name_span(specification), refusal)
        return filing.report(unsupported_verdict(), findings=(hint,), problems=(refusal,))
    if needs_of(specification).files:
        # Its examples speak of files that nobody has.
        specification = replace(specification, examples=())
        filing = replace(filing, specification=specification)
    apparatus.stage("trying its examples")
    own = await try_own_examples(apparatus.laboratory, specification)
    if apparatus.model is None:
        failed = failures(specification.examples, own, (), ())
        evidence = Evidence(specification, failures=failed)
        problems = () if apparatus.no_model is None else (apparatus.no_model,)
        problems += unanswered(specification.examples, own)
        return _without_comparison(filing, evidence, problems, Cost())
    apparatus.stage("asking for candidates")
    asked = CountingModel(apparatus.model)
    # Inputs first: where the budget is short, a candidate less costs little, and candidates without
    # inputs are paid for in vain.
    proposals, drawn = await asyncio.gather(
        draw_proposals(asked, specification, apparatus.settings),
        draw_candidates(asked, specification, apparatus.settings),
    )
    filing = filing.with_model(asked.name)
    return await _compare(apparatus, asked, filing, find_module, own, drawn, proposals)


async def _compare(
    apparatus: Apparatus,
    asked: CountingModel,
    filing: Filing,
    find_module: FindModule,
    own: Sequence[OwnTrial],
    drawn: Draw,
    proposals: Draw,
) -> Report:
    specification, laboratory = filing.specification, apparatus.laboratory
    contenders, rejected = rivals(specification, drawn)
    problems = [*_of_both(drawn, proposals), *_summarised(rejected)]
    problems.extend(unanswered(specification.examples, own))
    cost = Cost(asked.paid, drawn.usage + proposals.usage, failed=asked.failed)
    apparatus.stage("running candidates")
    rows = await try_examples(laboratory, specification, [rival.source for rival in contenders])
    weights = [rival.candidate.weight for rival in contenders]
    voters = electorate(contenders, rows, specification.examples, own)
    voting = tuple(contenders[index] for index in voters)
    failed, doubtful = doubted(failures(specification.examples, own, rows, weights))
    evidence = Evidence(
        specification,
        rivals=voting,
        excluded=_weight(contenders) - _weight(voting),
        failures=failed,
        doubtful=doubtful,
    )
    if _weight(voting) < CANDIDATES_MIN:
        problems.extend(_too_few(_weight(voting), drawn))
        return _without_comparison(filing, evidence, problems, cost)
    execution = apparatus.settings.execution
    # The original runs twice.
    limit = inputs_within(execution.calls, 2 + len(voting))
    searched = round(limit * SEARCHED_SHARE)
    constants = constants_of(
        [specification.program, *(rival.source for rival in voting)], specification.docstring
    )
    gathered = await gather_inputs(
        laboratory,
        specification,
        proposals,
        limit=limit - searched,
        seed=execution.seed,
        constants=constants,
    )
    problems.extend(gathered.problems)
    if not gathered.inputs:
        problems.append(_NO_INPUTS)
        return _without_comparison(filing, evidence, problems, cost)
    filing = replace(filing, stated=gathered.admission.stated)
    plan = Plan(searched * (2 + len(voting)), execution.seed, constants, gathered.admission)
    evidence = await observe(laboratory, evidence, gathered.inputs, plan)
    if not evidence.votes:
        problems.append(_NOT_COMPARABLE)
    before = verdict = decide(
        evidence.votes,
        evidence.shown,
        fails_example=bool(evidence.failures),
        doubts_example=bool(evidence.doubtful),
        deterministic=evidence.instability is None,
        meant=evidence.is_meant,
    )
    said, selections = findings(evidence, verdict), select(evidence, verdict.status)
    triangulation = None
    if apparatus.tier is Tier.THOROUGH and evidence.votes and evidence.instability is None:
        confirmed = await _confirmed(apparatus, asked, evidence)
        cost = Cost(asked.paid, cost.drawn + confirmed.found.drawn, failed=asked.failed)
        triangulation = triangulated(confirmed, evidence)
        problems.extend(confirmed.found.problems)
        verdict = reconsidered(before, evidence, confirmed)
        if before.status is not Status.SUSPECT and verdict.status is Status.SUSPECT:
            said = (*accusations(confirmed, evidence), *said)
            selections = confirmed_selection(confirmed, evidence)
        elif before.status is Status.SUSPECT and verdict.status is Status.ABSTAINED:
            said, selections = findings(evidence, verdict), ()
            problems.append(_CONTRADICTORY)
    if before.status is verdict.status is Status.ABSTAINED and evidence.votes:
        problems.append(_no_consensus(evidence))
    if verdict.status is Status.TRUSTED and (same := _too_much_alike(evidence)) is not None:
        verdict = replace(verdict, status=Status.ABSTAINED, confidence=None, support=None)
        problems.append(same)
    apparatus.stage("preparing a replacement")
    replacements, refused = await _offers(laboratory, filing, evidence, selections, find_module)
    return filing.report(
        verdict,
        findings=said,
        problems=(*problems, *refused),
        replacements=replacements,
        classes=equivalence_classes(evidence.votes, [rival.candidate for rival in voting]),
        cost=cost,
        triangulation=triangulation,
    )


async def _confirmed(apparatus: Apparatus, asked: Model, evidence: Evidence) -> Confirmed:
    sampling, thorough = apparatus.settings.sampling, apparatus.settings.thorough
    bounds = Bounds(
        witnesses=thorough.witnesses,
        batch=thorough.batch,
        requests=thorough.requests,
        tokens=thorough.tokens,
        draw_seconds=sampling.draw_seconds,
        seconds=thorough.seconds,
        concurrency=sampling.concurrency,
        max_tokens=sampling.max_tokens,
        temperature=sampling.temperature,
    )
    return await confirm(asked, apparatus.laboratory, evidence, bounds, apparatus.stage)


async def _offers(
    laboratory: Laboratory,
    filing: Filing,
    evidence: Evidence,
    selections: Sequence[Selection],
    find_module: FindModule,
) -> tuple[tuple[Replacement, ...], tuple[Problem, ...]]:
    calls = [entry.call for entry in evidence.inputs]
    if evidence.separation is not None:
        calls.append(evidence.separation.input.call)
    made = [
        await offer(
            laboratory,
            filing.source,
            filing.specification,
            selection.rival,
            calls,
            selection.behaviour,
            find_module,
        )
        for selection in selections
    ]
    return (
        tuple(entry for entry in made if isinstance(entry, Replacement)),
        tuple(entry for entry in made if isinstance(entry, Problem)),
    )


def _without_comparison(
    filing: Filing, evidence: Evidence, problems: Sequence[Problem], cost: Cost
) -> Report:
    """All that can be said without rivals: whether the function meets its own examples."""
    failed = bool(evidence.failures)
    verdict = decide((), None, fails_example=True) if failed else abstained()
    return filing.report(
        verdict, findings=findings(evidence, verdict), problems=tuple(problems), cost=cost
    )


def _of_both(drawn: Draw, proposals: Draw) -> tuple[Problem, ...]:
    """What kept candidates and proposals from coming; what is true of both is said once."""
    said = [problem.message for problem in drawn.problems]
    further = [
        problem
        for problem in proposals.problems
        if not any(problem.message in message for message in said)
    ]
    return (*drawn.problems, *further)


def _too_few(weight: int, drawn: Draw) -> tuple[Problem, ...]:
    """Nothing where no reply came at all: why that is so has been said, with what to do."""
    if not drawn.replies and drawn.problems:
        return ()
    advice = "" if drawn.problems else " Ask for more, or try another model."
    found = f"Only {count(weight, 'usable candidate')}" if weight else "No usable candidate"
    return (
        Problem(
            ProblemKind.TOO_FEW_CANDIDATES,
            f"{found}; at least {CANDIDATES_MIN} are needed to decide.{advice}",
        ),
    )


def _no_consensus(evidence: Evidence) -> Problem:
    if evidence.instability is not None:
        return Problem(
            ProblemKind.NOT_DETERMINISTIC,
            "It answers differently from run to run; give it its source of chance as a parameter.",
        )
    standings = [vote.standing for vote in evidence.votes]
    counted = len(standings) - standings.count(Standing.OUTSIDE)
    if not counted:
        return Problem(
            ProblemKind.NO_CONSENSUS,
            f"Of {count(len(standings), 'input')}, none is one that most candidates accept and the "
            "function finishes on. Give an example in its docstring of a call that is meant.",
        )
    agreed = standings.count(Standing.AGREES)
    differing = sum(standing in ACCUSING for standing in standings)
    if agreed + differing > counted / 2:
        return Problem(
            ProblemKind.NO_CONSENSUS,
            f"It differs from the candidates on {differing} of the {count(counted, 'input')} that "
            "most of them accept, but by turning away what nobody said it is for, or not again "
            "when run once more. Say in the docstring what it is for, best by an example.",
        )
    return Problem(
        ProblemKind.NO_CONSENSUS,
        f"The candidates agree on what to return on {agreed or 'none'} of the "
        f"{count(counted, 'input')} that most of them accept, too few to decide. Say in the "
        "docstring what is to come out, best by an example, or try another model.",
    )


def _summarised(rejected: Sequence[Problem]) -> tuple[Problem, ...]:
    """One sentence for many replies left out, the first of them speaking for all."""
    if len(rejected) <= REJECTIONS_SHOWN:
        return tuple(rejected)
    first = rejected[0]
    return (Problem(first.kind, f"{len(rejected)} replies are left out. {first.message}"),)


def _too_much_alike(evidence: Evidence) -> Problem | None:
    """What keeps a function from being found right that does what the candidates do."""
    if (name := only_state(evidence)) is not None:
        return Problem(
            ProblemKind.NO_INPUTS,
            f"It was run on one state of {name} only, the one that it is made in, and does there "
            "what the candidates do. Show a call on another in its docstring.",
        )
    if (outcome := only_outcome(evidence)) is not None:
        return Problem(
            ProblemKind.NO_INPUTS,
            f"On every input that it was run on it {outcome_phrase(outcome)}, as the candidates "
            "do; when it does anything else was not seen. Show a call with another outcome in its "
            "docstring.",
        )
    return None


_CONTRADICTORY = Problem(
    ProblemKind.NO_CONSENSUS,
    "Most candidates differ from it, but solutions of a transformed problem confirm it and refute "
    "them. Read the docstring again, or give an example in it.",
)
_NO_INPUTS = Problem(
    ProblemKind.NO_INPUTS,
    "There are no inputs to run it on. Give an example in its docstring.",
)
_NOT_COMPARABLE = Problem(
    ProblemKind.UNSUPPORTED_TYPE,
    "What it returns cannot be compared. Return plain data, or a dataclass.",
)


def _weight(rivals: Sequence[Rival]) -> int:
    return sum(rival.candidate.weight for rival in rivals)
