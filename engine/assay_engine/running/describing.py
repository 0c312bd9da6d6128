"""Writes calls down as Python, and says where an input came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from keyword import iskeyword

from assay_engine.running.imported import as_imported
from assay_engine.running.standing_in import outcome_words
from assay_engine.syntax.import_expressions import as_if_imported
from assay_engine.syntax.shortening import shortened
from assay_engine.syntax.steps import steps_apart
from assay_engine.syntax.uses import use_as_written
from assay_engine.types import Origin, Specification, UnitKind
from assay_engine.words import unmistakable
from assay_sandbox import Call, Expression, Value, render

VALUE_CHARACTERS = 200
# A report keeps no more of a value than this.
WHOLE_CHARACTERS = 10_000

_ORIGINS = {
    Origin.EXAMPLE: "an example of the docstring",
    Origin.PROPOSED: "proposed by the model",
    Origin.OPEN: "left open by the docstring, as the model says",
    Origin.TYPED: "made from the types",
    Origin.MUTATED: "a mutation of other inputs",
    Origin.SEARCHED: "found by a search",
    Origin.SHRUNK: "made up, then made small",
}


def origin_phrase(origin: Origin) -> str:
    """Where an input came from."""
    return _ORIGINS[origin]


def call_text(
    call: Call,
    specification: Specification,
    limit: int = VALUE_CHARACTERS,
    cut: Callable[[str, int], str] = shortened,
) -> str:
    """The call as a user would type it: ``parse("1h")``, ``Ledger(…).add(3)``.

    `cut` shortens a text to a limit.
    """
    if specification.gives_functions:
        return cut(unmistakable(_use_text(call, specification)), limit)
    unit = specification.unit
    given = call.args
    match unit.kind:
        case UnitKind.METHOD if given:
            # The receiver is cut by itself, so that the method called stays in sight.
            before, value = steps_apart(_written(render(given[0]), specification))
            receiver = unmistakable(f"{before}{_awaiting(before, specification)}{value}")
            prefix, given = f"{cut(receiver, limit // 2)}.", given[1:]
        case UnitKind.FUNCTION | UnitKind.METHOD:
            prefix = ""
        case UnitKind.CLASS_METHOD | UnitKind.STATIC_METHOD:
            prefix = f"{specification.entry.rsplit('.', 1)[0]}."
    if given and isinstance(given[0], Expression):
        before, value = steps_apart(given[0].source)
        prefix = f"{before}{_awaiting(before, specification)}{prefix}"
        given = (Expression(value), *given[1:])
    around = _around(call)
    arguments = "" if unit.getter else f"({arguments_text(given, call.kwargs)})"
    called = _written(f"{unit.name}{arguments}", specification)
    written = cut(unmistakable(f"{prefix}{called}"), limit)
    scene = unmistakable(", ".join(around))
    return f"{written} where {cut(scene, limit)}" if around else written


def _awaiting(steps: str, specification: Specification) -> str:
    """The `await` before a call: who awaits in the steps before it awaits the call."""
    return "await " if specification.unit.is_async and "await " in steps else ""


def _use_text(call: Call, specification: Specification) -> str:
    written = arguments_text(call.args, call.kwargs)
    return _written(use_as_written(written) or written, specification)


def _written(text: str, specification: Specification) -> str:
    return as_imported(as_if_imported(text), specification.program)


def arguments_text(args: Iterable[Value], named: Iterable[tuple[Value, Value]]) -> str:
    """Arguments as they stand between the brackets of a call."""
    return ", ".join([*map(render, args), *(_named(*each) for each in named)])


def _named(name: Value, value: Value) -> str:
    if isinstance(name, str) and name.isidentifier() and not iskeyword(name):
        return f"{name}={render(value)}"
    return f"**{{{render(name)}: {render(value)}}}"


def _around(call: Call) -> list[str]:
    """What a user has to know of the scene to see the same behaviour."""
    found = [f"its input is {call.stdin!r}"] if call.stdin else []
    if call.scene is not None:
        # The files that the call names come first, because the end of a long list is cut.
        given = arguments_text(call.args, call.kwargs)
        files = sorted(call.scene.files, key=lambda file: file[0] not in given)
        found += [f"{name} holds {content!r}" for name, content in files]
        found += [f"{name} is {value!r}" for name, value in call.scene.environment]
        if call.scene.time is not None:
            now = datetime.fromtimestamp(call.scene.time, UTC)
            found.append(f"the time is {now.isoformat(timespec='seconds')}")
        found += [
            f"{mock.name} {', then '.join(map(outcome_words, mock.outcomes))}"
            for mock in call.scene.mocks
        ]
    return found
