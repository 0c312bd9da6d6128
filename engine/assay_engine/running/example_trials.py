"""Holds programs to the examples of the docstring.

The example runs in the sandbox, inside the program's own namespace; what it prints and returns is
compared here. Output must match as doctest has it (white space and ``...`` are lenient), or be
equal as a value: ``{'b', 'a'}`` for ``{'a', 'b'}``. An expected traceback is met by its type.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from assay_engine.running.carried import value_of
from assay_engine.running.comparing import same_behaviour, same_value
from assay_engine.running.describing import outcome_phrase
from assay_engine.running.laboratory import Laboratory, Row
from assay_engine.types import Example, ExampleFailure, Problem, ProblemKind, Specification
from assay_engine.words import short
from assay_sandbox import Call, Observation, Program, Raised, Returned, TimedOut, Value

_ENTRY = "_assay_example"
_SOURCE = f"""

def {_ENTRY}(setup, source, expected):
    import contextlib, io
    namespace = globals()
    with contextlib.redirect_stdout(io.StringIO()):
        for statement in setup:
            exec(compile(statement + "\\n", "<example>", "exec"), namespace)
    try:
        code = compile(source.strip(), "<example>", "eval")
    except SyntaxError:
        exec(compile(source + "\\n", "<example>", "single"), namespace)
        return (False, None, None)
    value = eval(code, namespace)
    if value is not None:
        print(repr(value))
    return (True, value, eval(expected, namespace) if expected is not None else None)
"""
_LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_TRACEBACK = "Traceback (most recent call last):"


@dataclass(frozen=True, slots=True)
class OwnTrial:
    """What the function itself did on one of its examples, and whether one of two runs met it."""

    observation: Observation
    met: bool


async def try_own_examples(
    laboratory: Laboratory, specification: Specification
) -> tuple[OwnTrial, ...]:
    """The function held to its own docstring: twice, with other seeds."""
    own = [specification.program]
    (first,) = await try_examples(laboratory, specification, own)
    (second,) = await try_examples(laboratory, specification, own, second=True)
    return tuple(
        OwnTrial(one, meets(example, one) or meets(example, other))
        for example, one, other in zip(specification.examples, first, second, strict=True)
    )


async def try_examples(
    laboratory: Laboratory,
    specification: Specification,
    sources: Sequence[str],
    *,
    second: bool = False,
) -> tuple[Row, ...]:
    """One row per program source, one observation per example of the docstring."""
    programs = [Program(source + _SOURCE, _ENTRY, specification.modules) for source in sources]
    calls = [
        Call((list(example.setup), example.call, None if example.is_doctest else example.expected))
        for example in specification.examples
    ]
    return await laboratory.run(programs, calls, second=second)


def failures(
    examples: Sequence[Example],
    own: Sequence[OwnTrial],
    rows: Sequence[Row],
    weights: Sequence[int],
) -> tuple[ExampleFailure, ...]:
    """The examples that the function itself answers otherwise, and what the candidates do on them.

    That it is refused something, runs out of a limit or crashes shows nothing about the example.
    """

    def weight_of(position: int, holds: Callable[[Observation], bool]) -> int:
        return sum(
            weight for weight, row in zip(weights, rows, strict=True) if holds(row[position])
        )

    return tuple(
        ExampleFailure(
            example,
            outcome_text(trial.observation),
            weight_of(position, partial(meets, example)),
            weight_of(position, partial(_answers_alike, trial.observation)),
            sum(weights),
        )
        for position, (example, trial) in enumerate(zip(examples, own, strict=True))
        if not trial.met and _answered(trial)
    )


def unanswered(examples: Sequence[Example], own: Sequence[OwnTrial]) -> tuple[Problem, ...]:
    """What kept the function from answering one of its examples, the first of them; or nothing."""
    for example, trial in zip(examples, own, strict=True):
        if not trial.met and not _answered(trial):
            advice = (
                "raise execution.call_seconds if it needs longer"
                if isinstance(trial.observation, TimedOut)
                else "this says nothing about the function outside the sandbox"
            )
            return (
                Problem(
                    ProblemKind.NOT_RUN,
                    f"Its example {short(example.call)} could not be tried: it "
                    f"{outcome_phrase(trial.observation)}; {advice}.",
                ),
            )
    return ()


def _answered(trial: OwnTrial) -> bool:
    return isinstance(trial.observation, Returned | Raised)


def meets(example: Example, observation: Observation) -> bool:
    """Whether what was observed is what the docstring shows."""
    if example.expected.lstrip().startswith(_TRACEBACK):
        expected_type = example.expected.strip().splitlines()[-1].split(":", 1)[0].strip()
        return isinstance(observation, Raised) and expected_type.rsplit(".", 1)[-1] in (
            observation.type_name.rsplit(".", 1)[-1],
            *observation.lineage,
        )
    if not isinstance(observation, Returned):
        return False
    is_value, value, expected = _outcome(observation)
    if not example.is_doctest:
        return is_value and same_value(value, expected)
    expected_text = example.expected.rstrip("\n") + "\n"
    if doctest.OutputChecker().check_output(expected_text, observation.stdout, _LENIENT):
        return True
    return is_value and _equals_literal(value, example.expected)


def outcome_text(observation: Observation) -> str:
    """What the example gave, as a person would read it at the prompt."""
    match observation:
        case Returned():
            return short(observation.stdout.rstrip("\n")) or "nothing"
        case Raised():
            return f"{short(observation.type_name)}: {short(observation.message)}".rstrip(": ")
        case _:
            return type(observation).__name__


def _answers_alike(one: Observation, other: Observation) -> bool:
    """Whether both gave an answer, and the same; an exception is none."""
    return isinstance(one, Returned) and same_behaviour(one, other)


def _outcome(observation: Returned) -> tuple[bool, Value, Value]:
    """Whether the example is an expression, its value, and the value that was expected of it."""
    match value_of(observation.value):
        case (bool() as is_value, value, expected):
            return is_value, value, expected
        case _:  # the program forged the frame: then this is what it shows
            return True, value_of(observation.value), None


def _equals_literal(value: Value, expected: str) -> bool:
    try:
        return same_value(value, ast.literal_eval(expected.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
