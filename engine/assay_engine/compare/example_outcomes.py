"""Compares what an example of the docstring gave with what the docstring shows.

Output must match by doctest's rules (white space and ``...`` are lenient), or be equal as a value:
``{'b', 'a'}`` for ``{'a', 'b'}``. An exception meets an expected traceback by its type. Prose is
read more leniently: a function that is right must not be accused of what a sentence leaves out.
"""

from __future__ import annotations

import ast
import doctest
from itertools import islice
from typing import cast

from msgspec import Struct

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.same_values import same_value
from assay_engine.syntax.expressions import NotLiteral, literal_in
from assay_engine.syntax.parsing import parse_expression
from assay_engine.types import Example
from assay_engine.values.carried import value_of
from assay_engine.words import short
from assay_sandbox import Iterated, Observation, Raised, Returned, Scalar, Value

_LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Longer texts are not read as code: a program may print as much as it likes.
REPRESENTATION_MAX = 10_000
_TRACEBACK = "Traceback (most recent call last):"


def meets(example: Example, observation: Observation) -> bool:
    """Whether what was observed is what the docstring shows."""
    if example.expected.lstrip().startswith(_TRACEBACK):
        expected_type = _shown_type(example.expected)
        return isinstance(observation, Raised) and expected_type.rsplit(".", 1)[-1] in (
            observation.type_name.rsplit(".", 1)[-1],
            *observation.lineage,
        )
    if not (isinstance(observation, Returned) and answered(observation)):
        return False
    seen = _outcome(observation)
    if not example.is_doctest:
        return seen.is_value and _is_meant(seen.value, seen.expected, example.expected)
    expected_text = example.expected.rstrip("\n") + "\n"
    printed = observation.stdout + seen.echo
    if doctest.OutputChecker().check_output(expected_text, printed, _LENIENT):
        return True
    return (seen.is_value and _equals_literal(seen.value, example.expected)) or (
        _written_alike(printed, example.expected)
    )


def _written_alike(one: str, other: str) -> bool:
    """Whether two texts are one expression, however it is laid out and its strings are marked.

    ``Zone(u'UTC',0)`` is ``Zone("UTC", 0)``.
    """
    trees = [parse_expression(text) for text in (one, other) if len(text) <= REPRESENTATION_MAX]
    for tree in trees:
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Constant):
                node.kind = None
    try:
        first, second = (ast.dump(tree) for tree in trees if tree)
    except (ValueError, RecursionError):
        return False  # text, or nested too deeply
    return first == second


def _is_meant(value: Value, expected: Value, shown: str) -> bool:
    """Whether prose that shows a value may mean this one.

    Prose leaves out quotes and decimal places, and that items are given one by one.
    """
    if same_value(value, expected):
        return True
    items = _listed(expected)
    match value:
        case Iterated():
            # Prose that shows anything but a list says nothing of the iterator's items.
            return items is None or same_value([*value.items], items)
        case Scalar("range", text) if items is not None:
            return same_value(_first_of(text, len(items) + 1), items)
        case str():
            return value == shown.strip()
        case float() if isinstance(expected, float):
            return round(value, len(shown.strip().rpartition(".")[2])) == expected
        case _:
            return False


def _first_of(text: str, most: int) -> list[Value]:
    """The first `most` numbers of a range, by its text; none if a program wrote another text."""
    try:
        return [*islice(range(*map(int, text.split(","))), most)]
    except (TypeError, ValueError):
        return []


def _listed(value: Value) -> list[Value] | None:
    return [*cast("list[Value]", value)] if isinstance(value, list | tuple) else None


def answered(observation: Observation) -> bool:
    """Whether the example ran to its end, in one way or another, with everything that it needs."""
    match observation:
        case Raised(type_name=name, lineage=lineage):
            # A package is not installed here, or a module did not come along.
            return "ImportError" not in (name, *lineage)
        case Returned():
            return setup_failure(observation) is None
        case _:
            return False


def setup_failure(observation: Observation) -> str | None:
    """What the statements before the example raised, other than by the function; else None."""
    match value_of(observation.value) if isinstance(observation, Returned) else None:
        case (None, str() as raised):
            return raised
        case _:
            return None


def alike(one: Observation, other: Observation) -> bool:
    """Whether two runs did the same: gave values that are equal, or that a prompt shows alike."""
    if not (isinstance(one, Returned) and isinstance(other, Returned)):
        return same_behaviour(one, other)
    first, second = _outcome(one), _outcome(other)
    return one.stdout == other.stdout and (
        same_value(first.value, second.value) or first.echo == second.echo != ""
    )


def returns_alike(one: Observation, other: Observation) -> bool:
    """Whether two runs gave the same answer; an exception is no answer."""
    return isinstance(one, Returned) and alike(one, other)


def outcome_text(observation: Observation) -> str:
    """What the example gave, as a person would read it at the prompt; empty for nothing."""
    match observation:
        case Returned():
            return short(prompt_text(observation).rstrip("\n"))
        case Raised():
            return f"{short(observation.type_name)}: {short(observation.message)}".rstrip(": ")
        case _:
            return type(observation).__name__


def prompt_text(observation: Observation) -> str:
    """What a prompt shows of an answer, with its printed lines; nothing for any other outcome."""
    return (
        observation.stdout + _outcome(observation).echo if isinstance(observation, Returned) else ""
    )


def values_given(observation: Observation) -> tuple[Value, ...]:
    """The value of an example that is an expression and ran to its end; none for any other."""
    if not (isinstance(observation, Returned) and answered(observation)):
        return ()
    seen = _outcome(observation)
    return (seen.value,) if seen.is_value else ()


def _shown_type(traceback: str) -> str:
    """The type of the exception that a traceback shows.

    As in doctest, it stands on the first line that is not indented; a message may have more lines.
    """
    lines = traceback.strip().splitlines()
    shown = next((line for line in lines[1:] if line[:1].isidentifier()), lines[-1])
    return shown.split(":", 1)[0].strip()


class _Outcome(Struct, frozen=True):
    """What an example that returned has told.

    `is_value` tells whether the example is an expression. If so, `value` is its value, `expected`
    the value that was expected of it, and `echo` the text that a prompt shows for it, with a line
    feed; empty for None.
    """

    is_value: bool
    value: Value
    expected: Value
    echo: str


def _outcome(observation: Returned) -> _Outcome:
    match value_of(observation.value):
        case (bool() as is_value, value, expected, str() as echo):
            return _Outcome(is_value, value, expected, echo)
        case forged:  # by the program: this is taken as the value of the example
            return _Outcome(True, forged, None, "")


def _equals_literal(value: Value, expected: str) -> bool:
    try:
        return same_value(value, literal_in(expected))
    except NotLiteral:
        return False
