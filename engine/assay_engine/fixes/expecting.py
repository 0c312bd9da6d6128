"""Tests of the input that was shown: what each would expect, tried before it is offered.

A test is for users who know what should happen on the input. It can show what an example of the
docstring cannot: files, floats, and exceptions of the project's own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.example_outcomes import values_given
from assay_engine.compare.example_trials import ExampleAttempt, try_examples
from assay_engine.compare.executor import Executor
from assay_engine.compare.votes import Vote
from assay_engine.fixes.asserting import as_test, asserting, passes, surrounded
from assay_engine.fixes.assertions import PYTEST, asserted, forms, lines_of, names_taken
from assay_engine.fixes.clarifying import READINGS_OFFERED, source_of
from assay_engine.fixes.sessions import PromptSession, session_of
from assay_engine.messages.findings import behaviour_phrase, outcome_of, who_behaves
from assay_engine.messages.fixes import CLARIFIED
from assay_engine.syntax.parsing import body_of
from assay_engine.syntax.scopes import bound_in_module, occurrences
from assay_engine.types import (
    Behaviour,
    Code,
    Expectation,
    Finding,
    Specification,
    text_of,
)
from assay_engine.values.carried import value_of
from assay_engine.values.outcomes import left_unset
from assay_sandbox import Call, Iterated, Observation, Program, Raised, Returned, Scene, Value

# How many bodies are tried for one behaviour. They are run one by one, the plainest first.
TRIED_MAX = 8
_TOO_LONG = (
    "Its input is too long for a test, cannot be written as statements, or uses what reaches "
    "outside and the file does not use."
)
_NOT_TOLD_APART = (
    "Nothing that a test can state in a line or two tells it from what the other programs do: what "
    "it gives cannot be written as code, or is equal only to itself."
)


async def expectations(
    executor: Executor,
    evidence: Evidence,
    shown: Vote | None,
    findings: Sequence[Finding],
) -> tuple[Expectation, ...]:
    """The tests to offer on the input that is shown, first of what candidates do there.

    If the docstring allows several behaviours, there is one for each of the leading ones; the last
    one expects what the function itself does.
    """
    codes = {finding.code for finding in findings}
    if shown is None or not codes.intersection(CLARIFIED):
        return ()
    readings = READINGS_OFFERED if Code.AMBIGUOUS in codes else 1
    leading = [each for each in shown.behaviours[:readings] if not each.is_original]
    return tuple(
        [
            await _expectation(executor, evidence, shown, behaviour)
            for behaviour in (*leading, shown.original)
        ]
    )


async def _expectation(
    executor: Executor, evidence: Evidence, shown: Vote, behaviour: Behaviour
) -> Expectation:
    specification, call = evidence.specification, shown.input.call
    phrase = text_of(behaviour_phrase(behaviour, shown, specification))
    found = Expectation(phrase, who_behaves(behaviour, shown), behaviour.is_original)
    if not isinstance(behaviour.observation, Returned | Raised) or left_unset(
        behaviour.observation, call
    ):
        return replace(found, obstacle=f"A test cannot expect that it {phrase}.")
    uses_files = any(getattr(b.observation, "files_after", None) for b in shown.behaviours)
    before = surrounded(call, uses_files=uses_files)
    if isinstance(before, str):
        return replace(found, obstacle=before)
    session = session_of(Call(call.args, call.kwargs), specification)
    if session is None:
        return replace(found, obstacle=_TOO_LONG)
    opponent = shown.original
    if behaviour.is_original:
        opponent = next(each for each in shown.behaviours if not each.is_original)
    between = replace(shown, behaviours=(behaviour, opponent), message="")
    sources = [source_of(each, evidence) for each in between.behaviours]
    drafts = await _drafts(executor, specification, session, between, sources[0])
    # A test sets up its files by itself.
    scene = Scene() if uses_files or call.scene is not None else None
    for statements in drafts:
        body = lines_of([*before, *statements])
        if await _tells_apart(executor, specification, body, sources, scene):
            killed = [opponent]
            others = [each for each in shown.behaviours if each not in (behaviour, opponent)]
            if others:
                programs = [source_of(each, evidence) for each in others]
                seen = await _tried(executor, specification, body, programs, scene)
                killed += [
                    each
                    for each, *runs in zip(others, *seen, strict=True)
                    if all(isinstance(run, Raised) for run in runs)
                ]
            kills = [outcome_of(each, shown, specification) for each in killed]
            return replace(found, body=body, kills=tuple(kills))
    return replace(found, obstacle=_NOT_TOLD_APART)


async def _drafts(
    executor: Executor,
    specification: Specification,
    session: PromptSession,
    between: Vote,
    source: str,
) -> list[list[ast.stmt]]:
    """The statements that may show the first of two behaviours; `source` is a program of it."""
    ways = list(forms(session, between, specification))
    asking = [each for each in ways if isinstance(each, PromptSession)]
    attempts = [ExampleAttempt(each.example()) for each in asking]
    ((*seen,),) = await try_examples(executor, specification, attempts, [source])
    values = dict(zip(map(id, asking), map(values_given, seen), strict=True))
    drafts: list[list[ast.stmt]] = []
    for way in ways:
        if isinstance(way, PromptSession):
            for value in values[id(way)] or _given_by(between.behaviours[0], way, session):
                drafts += asserted(way, value, specification.program)
        else:
            drafts.append(way)
    return drafts[:TRIED_MAX]


def _given_by(
    behaviour: Behaviour, way: PromptSession, session: PromptSession
) -> tuple[Value, ...]:
    """What the call gave where it had its files. Any other question cannot be answered so."""
    seen = behaviour.observation
    if way.steps != session.steps or not isinstance(seen, Returned):
        return ()
    value = value_of(seen.value)
    return ([*value.items] if isinstance(value, Iterated) else value,)


async def _tells_apart(
    executor: Executor,
    specification: Specification,
    body: str,
    sources: Sequence[str],
    scene: Scene | None,
) -> bool:
    """Whether the first program passes the test, and the second does not, whatever the seeds."""
    for one, other in await _tried(executor, specification, body, sources, scene):
        if not passes(one) or passes(other):
            return False
    return True


async def _tried(
    executor: Executor,
    specification: Specification,
    body: str,
    sources: Sequence[str],
    scene: Scene | None,
) -> list[list[Observation]]:
    """What came of the test, program by program, in a first and a second run with other seeds."""
    bound = bound_in_module(occurrences(body_of(specification.program)))
    modules = sorted(names_taken(body) - bound - {PYTEST})
    test = Call((as_test(body, modules),), scene=scene)
    programs = [asserting(Program(each, "", specification.place)) for each in sources]
    # In a batch of its own: no other test has left anything behind.
    runs = [await executor.run(programs, [test], second=second) for second in (False, True)]
    return [[seen for (seen,) in run] for run in runs]
