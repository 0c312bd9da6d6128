"""Compares a function with another version of it, without a model.

The inputs are those of the docstring, those that a model has proposed in an earlier check, and
those that are made for the purpose. A check runs an earlier version on the inputs that it has.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.ensemble import Ensemble, votes_on
from assay_engine.compare.evidence import Evidence
from assay_engine.compare.example_trials import try_own_examples
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.loading import not_live
from assay_engine.compare.materialising import materialised, materialised_each
from assay_engine.compare.observing import ensemble_of
from assay_engine.compare.verdict import unsupported as unsupported_verdict
from assay_engine.compare.versions import Compared, compare, pair, smallest
from assay_engine.compare.votes import Vote
from assay_engine.inputs.gather import gather_inputs
from assay_engine.inputs.made_calls import (
    FAMILY,
    Kinds,
    Known,
    given_by,
    kinds_in,
    kinds_of,
    literals_in,
    made_calls,
    unknown_kinds,
)
from assay_engine.inputs.proposed import proposals_in
from assay_engine.inputs.staging import staged
from assay_engine.messages.phrases import name_span, not_checked
from assay_engine.messages.versions import (
    beside,
    cannot_run_other,
    changed,
    met_before,
    no_inputs,
    none_accepted,
    not_there,
)
from assay_engine.sampling.candidates import draw_proposals
from assay_engine.specification.supportable import cannot_run
from assay_engine.syntax.parsing import last_name
from assay_engine.syntax.text import read_source
from assay_engine.types import (
    Code,
    Draw,
    Finding,
    Input,
    Model,
    Origin,
    Problem,
    Report,
    Severity,
    Specification,
    Status,
    Verdict,
    Versions,
)
from assay_engine.values.carried import call_key
from assay_engine.words import in_backticks
from assay_sandbox import Call, Returned

KNOWN_MAX = 200
MADE_MAX = 300
# With how many calls it is tried what a parameter may be given, if nothing tells.
TRIED_MAX = 200
# Calls that are made up run into loops more often than those that somebody meant.
MADE_SECONDS = 0.25
MADE_TIMEOUTS = 12


async def compared_with(
    context: CheckContext,
    kept: Model | None,
    subject: CheckUnit,
    other: Specification | None,
    called: str,
) -> Report:
    """The report on a function beside its other version; None: there is none.

    `kept` answers only with replies that a model has given before. Never raises for what a program
    or a reply does.
    """
    specification, name = subject.specification, subject.specification.unit.name
    if other is None:
        return _refused(subject, not_there(name, called))
    executor = context.executor.for_trial()
    both = [await _running(context, executor, each) for each in (specification, other)]
    if isinstance(both[0], Problem):
        return _refused(subject, both[0])
    if isinstance(both[1], Problem):
        return _refused(subject, cannot_run_other(both[1], called))
    specification, other = both[0], both[1]
    ensemble = _ensemble(specification, other)
    context.stage("comparing")
    known = await _known_inputs(context, kept, executor, specification)
    found = await compare(executor, ensemble, known, within=executor)
    if found.difference is None:
        context.stage("comparing on inputs made for it")
        found += await _on_made(executor, ensemble, specification, other, known)
    report = _report(subject, specification, found, called)
    calls = executor.tally.calls
    return replace(report, cost=replace(report.cost, program_calls=calls))


class Beside(Struct, frozen=True):
    """A check's findings, with what an earlier version of the function says about them."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...] = ()
    versions: Versions | None = None


async def beside_earlier(
    context: CheckContext,
    subject: CheckUnit,
    evidence: Evidence,
    shown: Vote | None,
    inputs: Sequence[Input],
    found: tuple[Finding, ...],
) -> Beside:
    """What was `found`, told apart by whether it is new, and any other change of behaviour.

    `shown` is the vote on the input that is told. The earlier version runs on the trial's `inputs`:
    no request is made for it, and nothing is accused that was not accused without it.
    """
    if subject.earlier is None:
        return Beside(found)
    context.stage("running its earlier version")
    executor, called = context.executor, subject.earlier.called
    specification = subject.specification
    other = await _running(context, executor, subject.earlier.specification)
    if isinstance(other, Problem):
        return Beside(found, (cannot_run_other(other, called),))
    both = _ensemble(specification, other)
    compared = await compare(executor, both, inputs, within=executor)
    difference = compared.difference
    run, accepted = len(compared.votes), compared.accepted
    versions = Versions(called, run, accepted, difference is not None)
    if found and found[0].code is Code.FAILS_EXAMPLE:
        examples = (evidence.failures[0].example,)
        (own,) = await try_own_examples(executor, replace(other, examples=examples))
        return Beside((met_before(found[0], called, met=own.met), *found[1:]), (), versions)
    if found and shown is not None:
        (vote,) = await votes_on(executor, both, [shown.input])
        # What is only open is not open because of a change, unless that is where it shows.
        if found[0].severity is Severity.WARNING or not vote.leading.is_original:
            rest = ensemble_of(evidence)
            rest = replace(rest, programs=(program_of(other), *rest.programs[1:]))
            (earlier,) = await votes_on(executor, rest, [shown.input])
            told = beside(found[0], vote, earlier, specification, called)
            return Beside((told, *found[1:]), (), versions)
    if difference is not None and specification.docstring == other.docstring:
        change = changed(difference, specification, called, Severity.INFORMATION)
        return Beside((*found, change), (), versions)
    return Beside(found, (), versions)


def _refused(subject: CheckUnit, problem: Problem) -> Report:
    hint = not_checked(name_span(subject.specification), problem)
    report = subject.report(unsupported_verdict())
    return replace(report, findings=(hint,), problems=(problem,))


def _report(
    subject: CheckUnit, specification: Specification, found: Compared, called: str
) -> Report:
    run, accepted, shown = len(found.votes), found.accepted, found.difference
    report = subject.report(Verdict(Status.ABSTAINED, None, None, run, accepted))
    if not run:
        needs = in_backticks(unknown_kinds(specification, Known()))
        return replace(report, problems=(no_inputs(specification.unit.name, needs),))
    if not accepted:
        return replace(report, problems=(none_accepted(run, called),))
    findings = ()
    if shown is not None:
        findings = (changed(shown, specification, called, Severity.WARNING),)
    versions = Versions(called, run, accepted, shown is not None)
    return replace(report, findings=findings, versions=versions)


async def _running(
    context: CheckContext, executor: Executor, specification: Specification
) -> Specification | Problem:
    """The version as it runs, or why it does not."""
    problem = cannot_run(specification, importable=context.importable)
    if problem is not None:
        return problem
    loaded = await context.loads.loaded(executor, specification)
    if isinstance(loaded, Problem):
        return loaded
    return await not_live(executor, loaded) or loaded


def _ensemble(specification: Specification, other: Specification) -> Ensemble:
    raised = (*_raised_in(specification.program), *_raised_in(other.program))
    documented = dict.fromkeys((*specification.documented_exceptions, *raised))
    return pair(specification, program_of(other), documented)


def _raised_in(program: str) -> tuple[str, ...]:
    """The names of the exceptions that the program itself raises: these are answers, as if the
    docstring had them."""
    raising = (
        node.exc for node in ast.walk(read_source(program).tree) if isinstance(node, ast.Raise)
    )
    kinds = (each.func if isinstance(each, ast.Call) else each for each in raising)
    return tuple(filter(None, (last_name(each) for each in kinds if each is not None)))


async def _known_inputs(
    context: CheckContext, kept: Model | None, executor: Executor, specification: Specification
) -> tuple[Input, ...]:
    """What the docstring calls the function with, wherever it does, and what a model proposed."""
    shown = [each.call for each in proposals_in(specification.docstring, specification)]
    calls = staged(await materialised(executor, specification, shown), specification)
    proposals = Draw((), ())
    if kept is not None:
        proposals = await draw_proposals(kept, specification, context.settings, lambda _: True)
    gathered = await gather_inputs(executor, specification, proposals, limit=KNOWN_MAX)
    inputs = [*(Input(each, Origin.EXAMPLE) for each in calls), *gathered.inputs]
    return tuple({call_key(each.call): each for each in reversed(inputs)}.values())[::-1]


async def _on_made(
    executor: Executor,
    ensemble: Ensemble,
    specification: Specification,
    other: Specification,
    inputs: Sequence[Input],
) -> Compared:
    literals = (*literals_in(specification.program), *literals_in(other.program))
    known = Known(tuple(each.call for each in inputs), literals)
    limits = _hurried(executor)
    kinds = kinds_of(specification, known)
    if unknown_kinds(specification, known):
        kinds = {**kinds, **await _kinds_accepted(limits, ensemble, specification, known)}
    made = made_calls(specification, known, limit=MADE_MAX, kinds=kinds)
    ready = await _made(limits, specification, made)
    found = await compare(executor, ensemble, ready, within=limits)
    if found.difference is None:
        return found
    shown = await smallest(limits, ensemble, found.difference)
    return replace(found, difference=shown)


async def _made(
    executor: Executor, specification: Specification, calls: Sequence[Call]
) -> list[Input]:
    made = await materialised_each(executor, specification, calls)
    ready = staged([each.call for each in made if each is not None], specification)
    return [Input(each, Origin.MADE) for each in ready]


async def _kinds_accepted(
    executor: Executor, ensemble: Ensemble, specification: Specification, known: Known
) -> Kinds:
    """The kinds of arguments, out of a few, with which the other version returns a value."""
    names = unknown_kinds(specification, known)
    told = {**kinds_of(specification, known), **dict.fromkeys(names, FAMILY)}
    tried = made_calls(specification, known, limit=TRIED_MAX, kinds=told)
    calls = [each.call for each in await _made(executor, specification, tried)]
    (row,) = await executor.run([ensemble.programs[1]], calls, ensemble.documented)
    accepted = [
        given_by(call, specification)
        for call, seen in zip(calls, row, strict=True)
        if isinstance(seen, Returned)
    ]
    return kinds_in([{name: each[name] for name in names if name in each} for each in accepted])


def _hurried(executor: Executor) -> Executor:
    """An executor that gives up sooner on a call, and later on a batch."""
    limits = dataclasses.replace(
        executor.limits, call_seconds=MADE_SECONDS, timeouts_before_giving_up=MADE_TIMEOUTS
    )
    return replace(executor, limits=limits, known={})
