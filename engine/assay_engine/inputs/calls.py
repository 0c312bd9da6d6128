"""Reads a call from source text: ``f([1, 2], k=3)`` becomes a `Call`. Nothing is evaluated.

Arguments that are literals become values. Any other expression is kept as source text, which the
sandbox evaluates in the program's own namespace.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from assay_engine.source.classes import classes_of
from assay_engine.source.expressions import (
    ANSWERING,
    NotLiteral,
    as_method_call,
    imports_as_expressions,
    literal,
)
from assay_engine.source.families import overrides
from assay_engine.source.parsing import parse, parse_expression
from assay_engine.source.pieces import read_pieces
from assay_engine.source.steps import after, in_steps
from assay_engine.source.text import read_source
from assay_engine.source.uses import as_use, is_call_of
from assay_engine.types import Gives, Specification, UnitKind
from assay_sandbox import Call, Expression, Value, encode

SOURCE_CHARACTERS_MAX = 20_000


def read_call(
    source: str, specification: Specification, bound: Mapping[str, str] | None = None
) -> Call | None:
    """The call that `source` makes of the unit.

    None if `source` is no plain call of the unit, or if the call holds something that cannot be
    written down again (an ellipsis, a value nested too deeply).

    ``await f(…)``, ``asyncio.run(f(…))``, ``list(f(…))`` and ``Class(…).method(…)`` are seen
    through. For a property, ``Class(…).name`` is the call. `bound` gives the expressions that
    earlier statements assigned to names. Steps (`source.steps`) may stand before the call.
    For a function that gives functions, `source` is read as a use (`source.uses`).
    """
    if len(source) > SOURCE_CHARACTERS_MAX:
        return None
    read = _read_use if specification.gives_functions else _read
    try:
        call = read(source, specification, {**_names_of(specification), **(bound or {})})
        if call is not None:
            encode([list(call.args), *map(list, call.kwargs)])
    except (TypeError, ValueError, RecursionError):
        return None
    return call


def calls_in(use: Call, specification: Specification) -> list[Call]:
    """The calls that a use makes of its function, which returns functions."""
    texts = [value.source for value in use.args if isinstance(value, Expression)]
    made = [
        node
        for tree in map(parse_expression, texts)
        if tree is not None
        for node in ast.walk(tree)
        if is_call_of(node, specification.unit.name)
    ]
    read = [_read(ast.unparse(node), specification, {}) for node in made]
    return [call for call in read if call is not None]


def _read_use(source: str, specification: Specification, names: dict[str, str]) -> Call | None:
    expression = parse_expression(source) if names else None
    if expression is not None:
        source = ast.unparse(_Written(names).visit(expression))
    # Functions are not values, but a dict without functions is one.
    shows_results = specification.gives is Gives.COLLECTIONS
    use = as_use(source, specification.unit.name, shows_results=shows_results)
    return None if use is None else Call((_value(use, {}),))


def _read(source: str, specification: Specification, names: dict[str, str]) -> Call | None:
    steps, source = in_steps(source) or ([], source)
    expression = parse_expression(source)
    if expression is None:
        return None
    unit = specification.unit
    objects = [each.target.id for each in steps if isinstance(each, ast.NamedExpr)]
    call = _unwrapped(expression, specification, objects)
    if call is None:
        return None
    receiver = _receiver(call, specification)
    if receiver is _NOT_OURS or (unit.getter and receiver is None):
        return None
    positional, named = _unpacked(call.args), _named(call.keywords)
    if positional is None or named is None or (named and unit.name in ANSWERING):
        return None
    given = [*([] if receiver is None else [receiver]), *positional]
    if steps and not given:
        return None
    if steps:
        given[0] = after(steps, given[0])
    args = [_value(argument, names) for argument in given]
    return Call(tuple(args), tuple((name, _value(each, names)) for name, each in named.items()))


def _unpacked(arguments: Sequence[ast.expr]) -> list[ast.expr] | None:
    """The arguments, with those of ``*[1, 2]`` one by one; None if their number is not written."""
    found: list[ast.expr] = []
    for argument in arguments:
        match argument:
            case ast.Starred(value=ast.List(elts=items) | ast.Tuple(elts=items)):
                inner = _unpacked(items)
                if inner is None:
                    return None
                found += inner
            case ast.Starred():
                return None
            case _:
                found.append(argument)
    return found


def _named(keywords: Sequence[ast.keyword]) -> dict[str, ast.expr] | None:
    """The arguments by name, including those of ``**{"a b": 1}``.

    None if a name is not written out or occurs twice.
    """
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    for keyword in keywords:
        match keyword:
            case ast.keyword(arg=None, value=ast.Dict(keys=keys, values=values)):
                pairs += zip(keys, values, strict=True)
            case ast.keyword(arg=name, value=value):
                pairs.append((ast.Constant(name), value))
    found: dict[str, ast.expr] = {}
    for key, value in pairs:
        match key:
            case ast.Constant(value=str() as name) if name not in found:
                found[name] = value
            case _:
                return None
    return found


def _names_of(specification: Specification) -> dict[str, str]:
    """Names that inputs may use although the program does not bind them, with expressions."""
    if not specification.takes_files:
        return {}
    return imports_as_expressions(["import io"], bound_in(specification.program))


def bound_in(program: str) -> frozenset[str]:
    """The names that the program binds."""
    return read_pieces(read_source(program)).binds


def assignments(
    statements: tuple[str, ...], known: Mapping[str, str] | None = None
) -> dict[str, str] | None:
    """The names bound by simple assignments, or None if any statement does something else.

    Names bound earlier are written out in later expressions, so that each expression stands alone.
    `known` are names that were bound before. Import statements are passed over.
    """
    bound = dict(known or {})
    for source in statements:
        tree = parse(source)
        if not isinstance(tree, ast.Module):
            return None
        for statement in tree.body:
            match statement:
                case ast.Import() | ast.ImportFrom():
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    bound[name] = ast.unparse(_Written(bound).visit(value))
                case _:
                    return None
    return bound


_NOT_OURS = ast.Constant(value="not a call of the unit")


def _unwrapped(
    expression: ast.expr, specification: Specification, objects: Sequence[str]
) -> ast.Call | None:
    """The call of the unit beneath calls that only collect or run its result.

    For a special method, an operation for which Python calls the method counts as a call of it.
    `objects` are the names that steps have bound.
    """
    name, is_property = specification.unit.name, bool(specification.unit.getter)
    node: ast.expr = expression
    for _ in range(4):
        special = as_method_call(node, name, objects)
        if special is not None:
            return special
        match node:
            case ast.Attribute(attr=called) if is_property and called == name:
                return ast.Call(func=node, args=[], keywords=[])
            case ast.Await(value=inner):
                node = inner
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return node
            case ast.Call(func=ast.Attribute(attr=called)) if called == name:
                return node
            case ast.Call(
                func=ast.Name(id="list" | "tuple" | "sorted" | "set" | "dict"), args=[inner]
            ):
                node = inner
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="asyncio"), attr="run"), args=[inner]
            ):
                node = inner
            case _:
                return None
    return None


def _receiver(call: ast.Call, specification: Specification) -> ast.expr | None:
    """The object that a method is called on.

    None where the call itself has all arguments; `_NOT_OURS` where the call is not of the unit.
    """
    unit = specification.unit
    match call.func:
        case ast.Name():
            return None if unit.kind is UnitKind.FUNCTION else _NOT_OURS
        case ast.Attribute(value=target):
            if unit.kind is UnitKind.METHOD:
                owner = specification.owner
                through_class = isinstance(target, ast.Name) and target.id == owner
                if _has_its_own(target, owner, specification):
                    return _NOT_OURS
                return None if through_class else target
            return _NOT_OURS if unit.kind is UnitKind.FUNCTION else None
        case _:
            return _NOT_OURS


def _has_its_own(target: ast.expr, owner: str, specification: Specification) -> bool:
    """Whether `target` makes an object of another class that overrides the owner's method.

    To call the owner's method on such an object would show behaviour that no caller sees.
    """
    match target:
        case ast.Call(func=ast.Name(id=made)) if made != owner:
            classes = classes_of(read_source(specification.program))
        case _:
            return False
    if made not in classes or owner not in classes:
        return False
    return overrides(classes[made], specification.unit.name, classes[owner], classes)


def _value(expression: ast.expr, bound: dict[str, str]) -> Value:
    try:
        return literal(expression)
    except NotLiteral:
        return Expression(ast.unparse(_Written(bound).visit(expression)))


class _Written(ast.NodeTransformer):
    """Replaces names by the expressions that earlier assignments bound to them."""

    def __init__(self, bound: Mapping[str, str]) -> None:
        self._bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._bound:
            return parse_expression(self._bound[node.id]) or node
        return node
