"""Objects that answer in place of real ones: declared by literals, made in the sandbox, shown."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from assay_engine.source.parsing import parse_expression
from assay_sandbox import Expression, Fault, Value, render

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
        if not isinstance(name, str) or not _is_name(name):
            return None
        method = name.removesuffix(_CALLED)
        said = f"iter({render(value)})" if name == _ITERATED else render(value)
        is_called = name.endswith(_CALLED)
        written.append(f"{method!r}: {'lambda *_, **__: ' if is_called else ''}{said}")
    return Expression(f"type('StandIn', (), {{{', '.join([*written, _CONTEXT])}}})()")


def outcome_words(outcome: Value | Fault) -> str:
    """What a mock does: ``returns 3``, ``raises OSError('down')``, or the parts of its object."""
    if isinstance(outcome, Fault):
        message = f"({outcome.message!r})" if outcome.message else ""
        return f"raises {outcome.type_name}{message}"
    parts = None if not isinstance(outcome, Expression) else _parts(outcome)
    if parts is None:
        return f"returns {render(outcome)}"
    return f"returns an object of {', '.join(parts) or 'nothing'}"


def _is_name(name: str) -> bool:
    method = name.removesuffix(_CALLED)
    return name == _ITERATED or (method.isidentifier() and not method.startswith("__"))


def _parts(made: Expression) -> list[str] | None:
    """The parts as they were declared; None for an expression that was not made here."""
    match parse_expression(made.source):
        case ast.Call(
            func=ast.Call(
                func=ast.Name(id="type"),
                args=[ast.Constant(value="StandIn"), ast.Tuple(elts=[]), ast.Dict() as parts],
            )
        ):
            return list(_named(parts))
        case _:
            return None


def _named(parts: ast.Dict) -> Iterator[str]:
    for key, value in zip(parts.keys, parts.values, strict=True):
        match key, value:
            case ast.Constant(value="__enter__" | "__exit__"), _:
                pass
            case ast.Constant(value=name), ast.Lambda(body=body):
                yield f"{name}{_CALLED} = {ast.unparse(body)}"
            case ast.Constant(value=name), _:
                yield f"{name} = {ast.unparse(value)}"
            case _:
                pass
