"""Holds programs to the examples of the docstring.

An example runs in the sandbox, inside the program's own namespace. `example_outcomes` compares what
the example prints and returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from assay_engine.compare.example_outcomes import (
    alike,
    answered,
    meets,
    outcome_text,
    returns_alike,
    setup_failure,
)
from assay_engine.compare.executor import Executor, Row
from assay_engine.types import Example, ExampleFailure, Problem, ProblemKind, Specification, text_of
from assay_engine.values.outcomes import outcome_phrase
from assay_engine.words import short
from assay_sandbox import Call, Observation, Program, TimedOut

# The most that is shown of what a setup raised. The name of a missing module has to be visible.
REASON_CHARACTERS = 120
_ENTRY = "_assay_example"
_SOURCE = f"""

def {_ENTRY}(name, before, source, expected):
    import contextlib, io
    # As doctest has it: what the example binds is not what the function sees.
    namespace = dict(globals())
    for statement, is_needed in before:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(statement + "\\n", "<example>", "exec"), namespace)
        except (Exception, SystemExit) as error:
            if not is_needed:
                continue
            # What is raised in the function is its own doing, here as well as in the example.
            program, trace = {_ENTRY}.__code__.co_filename, error.__traceback__
            while trace is not None:
                code = trace.tb_frame.f_code
                if code.co_name == name and code.co_filename == program:
                    raise
                trace = trace.tb_next
            return (None, f"{{type(error).__name__}}: {{error}}")
    try:
        code = compile(source.strip(), "<example>", "eval")
    except SyntaxError:
        exec(compile(source + "\\n", "<example>", "single"), namespace)
        return (False, None, None, "")
    value = eval(code, namespace)
    # Apart from what was printed: the order of a set shows in it and is no other value.
    echo = repr(value) + "\\n" if value is not None else ""
    return (True, value, eval(expected, namespace) if expected is not None else None, echo)
"""


class ExampleAttempt(Struct, frozen=True):
    """An example to be run after the statements that it needs.

    With `in_session`, it is run within its session, which is everything that the docstring has
    before it, and in a process of its own.
    """

    example: Example
    in_session: bool = False

    def before(self) -> list[tuple[str, bool]]:
        """The statements before the example, each with whether the example needs it."""
        needed = self.example.setup
        # An example in prose has no session before it.
        statements = (self.in_session and self.example.session) or needed
        return [(each, each in needed) for each in statements]


class OwnTrial(Struct, frozen=True):
    """What the function itself did on one of its examples, and whether one of two runs met it.

    A trial is not `steady` if both runs gave answers, but different ones. That is chance, and no
    answer says whether the example is met.
    """

    attempt: ExampleAttempt
    observation: Observation
    met: bool
    steady: bool


async def try_own_examples(
    executor: Executor, specification: Specification
) -> tuple[OwnTrial, ...]:
    """Hold the function to its own docstring.

    Names do not tell everything that an example needs: earlier calls may have changed or used up
    their arguments. So an example that is not met is run again in its session, as doctest does, and
    that run counts.
    """
    alone = [ExampleAttempt(each) for each in specification.examples]
    trials = await _own_trials(executor, specification, alone)
    missed = [position for position, trial in enumerate(trials) if not trial.met]
    within = [ExampleAttempt(alone[position].example, in_session=True) for position in missed]
    again = await _own_trials(executor, specification, within)
    counted = dict(enumerate(trials)) | dict(zip(missed, again, strict=True))
    return tuple(counted.values())


async def _own_trials(
    executor: Executor, specification: Specification, attempts: Sequence[ExampleAttempt]
) -> list[OwnTrial]:
    """Run the attempts twice, with different seeds."""
    if not attempts:
        return []
    own = [specification.running_text]
    (first,) = await try_examples(executor, specification, attempts, own)
    (second,) = await try_examples(executor, specification, attempts, own, second=True)
    return [_own_trial(*each) for each in zip(attempts, first, second, strict=True)]


def _own_trial(attempt: ExampleAttempt, first: Observation, second: Observation) -> OwnTrial:
    meeting = [meets(attempt.example, each) for each in (first, second)]
    silent = next((each for each in (first, second) if not answered(each)), None)
    return OwnTrial(
        attempt,
        observation=silent or first,
        met=any(meeting),
        steady=all(meeting) or silent is not None or alike(first, second),
    )


async def try_examples(
    executor: Executor,
    specification: Specification,
    attempts: Sequence[ExampleAttempt],
    sources: Sequence[str],
    *,
    second: bool = False,
) -> tuple[Row, ...]:
    """One row per program source, one observation per attempt.

    Each attempt in a session is run alone, so that no other attempt has counted or kept anything.
    """
    programs = [Program(source + _SOURCE, _ENTRY, specification.place) for source in sources]

    calls = [_call(each, specification.unit.name) for each in attempts]
    together = [index for index, each in enumerate(attempts) if not each.in_session]
    apart = [[index] for index, each in enumerate(attempts) if each.in_session]
    batches = [together, *apart]
    tables = await asyncio.gather(
        *(
            executor.run(programs, [calls[index] for index in batch], second=second)
            for batch in batches
        )
    )

    def row_of(program: int) -> Row:
        by_index = {
            index: observation
            for batch, table in zip(batches, tables, strict=True)
            for index, observation in zip(batch, table[program], strict=True)
        }
        return tuple(by_index[index] for index in range(len(attempts)))

    return tuple(map(row_of, range(len(programs))))


def _call(attempt: ExampleAttempt, name: str) -> Call:
    example = attempt.example
    expected = None if example.is_doctest else example.expected
    return Call((name, attempt.before(), example.call, expected))


def failures(
    own: Sequence[OwnTrial],
    rows: Sequence[Row],
    weights: Sequence[int],
) -> tuple[ExampleFailure, ...]:
    """The examples that the function itself answers otherwise, and what the candidates do on them.

    A function that is refused something, runs out of a limit or crashes shows nothing about the
    example. Neither does a setup that does not run, or an answer that only one of two runs gives.
    """

    def weight_of(position: int, holds: Callable[[Observation], bool]) -> int:
        return sum(
            weight for weight, row in zip(weights, rows, strict=True) if holds(row[position])
        )

    return tuple(
        ExampleFailure(
            trial.attempt.example,
            outcome_text(trial.observation),
            weight_of(position, partial(meets, trial.attempt.example)),
            weight_of(position, partial(returns_alike, trial.observation)),
            sum(weights),
        )
        for position, trial in enumerate(own)
        if not trial.met and trial.steady and answered(trial.observation)
    )


def unanswered(own: Sequence[OwnTrial]) -> tuple[Problem, ...]:
    """Why the first example that says nothing about the function does so; empty if none does."""
    for trial in own:
        example = trial.attempt.example
        if trial.met:
            continue
        if not answered(trial.observation):
            return (_not_tried(example, trial.observation),)
        if not trial.steady:
            return (
                Problem(
                    ProblemKind.NOT_DETERMINISTIC,
                    f"Its example {short(example.call)} proves nothing: two runs give different "
                    "answers; show what they have in common, or pass in its source of randomness "
                    "as a parameter.",
                ),
            )
    return ()


def _not_tried(example: Example, observation: Observation) -> Problem:
    advice = (
        "raise execution.call_seconds if it needs longer"
        if isinstance(observation, TimedOut)
        else "this says nothing about the function outside the sandbox"
    )
    raised = setup_failure(observation)
    why = (
        f"it {text_of(outcome_phrase(observation))}"
        if raised is None
        else f"what comes before it raises {short(raised, REASON_CHARACTERS)}"
    )
    return Problem(
        ProblemKind.NOT_RUN,
        f"Its example {short(example.call)} could not be tried: {why}; {advice}.",
    )
