"""Writes calls down as Python, with the names that the function's module has, and with objects that
answer in place of real ones.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from keyword import iskeyword

from assay_engine.syntax.expressions import as_if_imported, on_one_line, statements_of
from assay_engine.syntax.input_output import dotted, imported_names
from assay_engine.syntax.parsing import parse_expression, statements_in
from assay_engine.syntax.shortening import shortened
from assay_engine.syntax.text import read_source
from assay_engine.types import Specification, UnitKind
from assay_engine.values.carried import is_script
from assay_engine.words import unmistakable
from assay_sandbox import Call, Expression, Fault, Script, Value, render

VALUE_CHARACTERS = 200
# A report keeps no more of a value than this.
WHOLE_CHARACTERS = 10_000


def call_text(
    call: Call,
    specification: Specification,
    limit: int = VALUE_CHARACTERS,
    cut: Callable[[str, int], str] = shortened,
) -> str:
    """The call as a user would type it: ``parse("1h")``, ``Ledger(…).add(3)``.

    `cut` shortens a text to a limit.
    """
    steps, bare = script_apart(call)
    before = "".join(f"{on_one_line(step)}; " for step in steps)
    given = bare.args
    if is_script(call):
        written = f"{before}{arguments_text(given, ())}"
        return cut(unmistakable(_written(written, specification)), limit)
    unit = specification.unit
    before += _awaiting(before, specification)
    match unit.kind:
        case UnitKind.METHOD if given:
            # The receiver is cut by itself, so that the method called stays in sight.
            receiver = unmistakable(_written(f"{before}{render(given[0])}", specification))
            prefix, given = f"{cut(receiver, limit // 2)}.", given[1:]
        case UnitKind.FUNCTION | UnitKind.METHOD:
            prefix = before
        case UnitKind.CLASS_METHOD | UnitKind.STATIC_METHOD:
            prefix = f"{before}{specification.entry.rsplit('.', 1)[0]}."
    around = _around(call)
    arguments = "" if unit.getter else f"({arguments_text(given, call.kwargs)})"
    called = _written(f"{unit.name}{arguments}", specification)
    written = cut(unmistakable(f"{prefix}{called}"), limit)
    scene = unmistakable(", ".join(around))
    return f"{written} where {cut(scene, limit)}" if around else written


def script_apart(call: Call) -> tuple[list[ast.stmt], Call]:
    """The statements before the last one of a script, and the call without them."""
    match call.args:
        case (Script(source) | Expression(source) as first, *others):
            statements = statements_of(source)
        case _:
            return [], call
    if not statements:
        return [], call
    last = type(first)(ast.unparse(statements[-1]))
    return statements[:-1], replace(call, args=(last, *others))


def script_shown(call: Call, specification: Specification) -> str:
    """The script of a call on lines of its own, if it holds a block; empty for any other call."""
    steps, bare = script_apart(call)
    if not any(hasattr(step, "body") for step in steps):
        return ""
    lines = "\n".join(map(ast.unparse, steps))
    last = call_text(bare, specification, WHOLE_CHARACTERS)
    if not last.startswith("await "):
        last = f"{_awaiting(lines, specification)}{last}"
    return f"{unmistakable(lines)}\n{last}"


def _awaiting(steps: str, specification: Specification) -> str:
    """The `await` before a call: who awaits in the steps before it awaits the call."""
    return "await " if specification.unit.is_async and "await " in steps else ""


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


_CALLED = "()"
_ITERATED = "__iter__()"
# Lets `with` enter the object and give the object itself.
_CONTEXT = "'__enter__': lambda self: self, '__exit__': lambda *_: None"


def stand_in(parts: Mapping[object, object]) -> Expression | None:
    """An expression that makes an object with these attributes.

    A name that ends in ``()`` is a method, and the value is what the method returns, whatever it is
    given. ``__iter__()`` has the items to iterate over. Values are literals. The result is None if
    a name is no valid one. The expression is evaluated in the sandbox alone.
    """
    written: list[str] = []
    for name, value in parts.items():
        if not isinstance(name, str):
            return None
        method = name.removesuffix(_CALLED)
        is_plain = method.isidentifier() and not method.startswith("__")
        if not is_plain and name != _ITERATED:
            return None
        said = f"iter({render(value)})" if name == _ITERATED else render(value)
        is_called = name.endswith(_CALLED)
        written.append(f"{method!r}: {'lambda *_, **__: ' if is_called else ''}{said}")
    return Expression(f"type('StandIn', (), {{{', '.join([*written, _CONTEXT])}}})()")


def outcome_words(outcome: Value | Fault) -> str:
    """What a mock does: ``returns 3``, ``raises OSError('down')``, or the parts of its object."""
    if isinstance(outcome, Fault):
        message = f"({outcome.message!r})" if outcome.message else ""
        return f"raises {outcome.type_name}{message}"
    made = parse_expression(outcome.source) if isinstance(outcome, Expression) else None
    match made:
        # As `stand_in` writes it: the parts are told as they were declared.
        case ast.Call(
            func=ast.Call(
                func=ast.Name(id="type"),
                args=[
                    ast.Constant(value="StandIn"),
                    ast.Tuple(elts=[]),
                    ast.Dict(keys=keys, values=values),
                ],
            )
        ):
            pass
        case _:
            return f"returns {render(outcome)}"
    parts: list[str] = []
    for key, value in zip(keys, values, strict=True):
        match key, value:
            case ast.Constant(value="__enter__" | "__exit__"), _:
                pass
            case ast.Constant(value=name), ast.Lambda(body=body):
                parts.append(f"{name}{_CALLED} = {ast.unparse(body)}")
            case ast.Constant(value=name), _:
                parts.append(f"{name} = {ast.unparse(value)}")
            case _:
                pass
    return f"returns an object of {', '.join(parts) or 'nothing'}"


# Longer texts stay as they are: reading takes time, and nobody looks at more.
CHARACTERS_MAX = 20_000


def as_imported(text: str, program: str) -> str:
    """``date(2024, 1, 2)`` for ``datetime.date(2024, 1, 2)`` in a program that imports the class.

    In such a program, `datetime` may be another class, or nothing. Names that the program does not
    import stay as they are. So does text that is no expression or is very long.
    """
    names = _names(program)
    expression = parse_expression(text) if names and len(text) <= CHARACTERS_MAX else None
    if expression is None:
        return text
    # The outermost parts with another name. Positions count bytes, in the text without the white
    # space around it.
    found: list[tuple[int, int, str]] = []
    pending: list[ast.AST] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Attribute | ast.Name) and node.lineno == node.end_lineno == 1:
            name = names.get(dotted(node, {}))
            if name is not None and node.end_col_offset is not None:
                found.append((node.col_offset, node.end_col_offset, name))
                continue
        pending.extend(ast.iter_child_nodes(node))
    written = text.strip().encode()
    # Replace from the end on, so that the positions still to come stay right.
    for start, end, name in sorted(found, reverse=True):
        written = written[:start] + name.encode() + written[end:]
    return written.decode()


@lru_cache(maxsize=4)
def _names(program: str) -> Mapping[str, str]:
    """The program's own names for what it imports, by dotted name, where the two differ."""
    imported = imported_names(statements_in(read_source(program).tree.body))
    bound = imported.items()
    return {path: name for name, path in bound if name != path and path not in imported}
