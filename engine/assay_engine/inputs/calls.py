"""Reads a call from source text: ``f([1, 2], k=3)`` becomes a `Call`. Nothing is evaluated.

Arguments that are literals become values. Any other expression is kept as source text, which the
sandbox evaluates in the program's own namespace. What is no plain call of the function, but calls
it somewhere, is a script (`source.scripts`).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from assay_engine.dependencies.needed import ImportNode, read_pieces
from assay_engine.syntax.classes import classes_of, overrides
from assay_engine.syntax.expressions import (
    ANSWERING,
    STATEMENTS_MAX,
    as_method_call,
    assigned,
    import_expression,
    imports_as_expressions,
    is_call_of,
    is_literal,
    literal,
    method_call,
    script_text,
)
from assay_engine.syntax.parsing import parse, parse_expression, statements_read
from assay_engine.syntax.scopes import names_of
from assay_engine.syntax.text import read_source
from assay_engine.types import Specification, UnitKind
from assay_sandbox import Call, Expression, Script, Value, encode

SOURCE_CHARACTERS_MAX = 20_000


def read_call(
    source: str, specification: Specification, bound: Mapping[str, str] | None = None
) -> Call | None:
    """The call that `source` makes of the unit, or the script that it is.

    None if `source` does not call the unit or does not end with an expression, or if it holds
    something that cannot be written down again (an ellipsis, a value nested too deeply).

    ``await f(…)``, ``asyncio.run(f(…))``, ``list(f(…))`` and ``Class(…).method(…)`` are seen
    through. For a property, ``Class(…).name`` is the call. `bound` gives the expressions that
    earlier statements assigned to names.
    """
    if len(source) > SOURCE_CHARACTERS_MAX:
        return None
    statements = _ending_with_value(statements_read(source))
    match statements:
        case [*steps, ast.Expr(value=last)] if len(steps) < STATEMENTS_MAX:
            pass
        case _:
            return None
    match steps:
        # How a call leaves its object is compared anyway.
        case [*before, ast.Expr(ast.Call(ast.Attribute(ast.Name(id=name), called)) as call)] if (
            isinstance(last, ast.Name) and (name, called) == (last.id, specification.unit.name)
        ):
            steps, last = before, call
        case _:
            pass
    try:
        names = {**_forgotten(statements, specification), **(bound or {})}
        if steps and all(isinstance(each, ImportNode) for each in steps):
            # An argument is written with what it takes from a module.
            names |= imports_as_expressions(steps)
            steps = []
        elif values := _values_used_once(steps, last):
            names |= values
            steps = []
        traces = _traces(steps, last)
        call = None if traces else _plain(steps, last, specification, names)
        if call is None:
            unwrapped = _unwrapped(last, specification, ())
            if traces and unwrapped is not None:
                # What a plain call leaves in the traces is shown, too.
                left = (ast.Name(name, ast.Load()) for name in traces)
                last = ast.Tuple([last, *left], ast.Load())
            written = [_Written(names).visit(each) for each in (*steps, ast.Expr(last))]
            if (
                isinstance(last, ast.Lambda)
                or not calls_unit(written, specification)
                or (unwrapped is not None and _is_of_another(unwrapped.func, specification))
            ):
                return None
            call = Call((Script(script_text(written)),))
        encode([list(call.args), *map(list, call.kwargs)])
    except (TypeError, ValueError, RecursionError):
        return None
    return call


def _values_used_once(steps: Sequence[ast.stmt], last: ast.expr) -> dict[str, str]:
    """What the names of some steps are, if all are literals, and each name is used once: then the
    literals may as well stand in its place. Empty if not."""
    nodes = [*ast.walk(last)]
    used = [each.id for each in nodes if isinstance(each, ast.Name)]
    if any(isinstance(each, ast.Lambda | ast.comprehension) for each in nodes):
        return {}
    found: dict[str, str] = {}
    for step in steps:
        match step:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                used.count(name) == 1 and name not in found and is_literal(value)
            ):
                found[name] = ast.unparse(value)
            case _:
                return {}
    return found


def calls_in(call: Call, specification: Specification) -> list[Call]:
    """The plain calls of the unit that are written in a script; of any other call, itself."""
    match call.args:
        case (Script(source),):
            nodes = chain.from_iterable(map(ast.walk, statements_read(source)))
        case _:
            return [call]
    made = [node for node in nodes if is_call_of(node, specification.unit.name)]
    read = [_plain([], node, specification, {}) for node in made if isinstance(node, ast.Call)]
    return [each for each in read if each is not None]


def calls_unit(statements: Iterable[ast.stmt], specification: Specification) -> bool:
    """Whether some statements use the unit, as far as their text tells."""
    name, owner = specification.unit.name, specification.owner
    # Python itself calls special methods, on an object that the script makes or is given.
    names = {name, owner} if name.startswith("__") else {name}
    return any(
        (isinstance(node, ast.Name) and node.id in names)
        or (isinstance(node, ast.Attribute) and node.attr in names)
        for node in chain.from_iterable(map(ast.walk, statements))
    )


def free_names(statements: Iterable[ast.stmt]) -> frozenset[str]:
    """The names that some statements take from what is before them."""
    names = names_of(statements)
    return names.reads - names.binds


# The name for what the block at the end of a script gives.
_RESULT = "result"


def _ending_with_value(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with the value of a block at their end as the last expression."""
    match statements:
        case [*before, ast.With() | ast.AsyncWith() as block] if isinstance(
            end := block.body[-1], ast.Expr
        ):
            body = [*block.body[:-1], assigned(_RESULT, end.value)]
            within = type(block)(block.items, body, lineno=1)
            return [*before, within, ast.Expr(ast.Name(_RESULT, ast.Load()))]
        case [*before, ast.Assign(targets=[ast.Name()], value=value)]:
            return [*before, ast.Expr(value)]
        case [*before, ast.Assign(targets=[ast.Subscript(owner, key)], value=value)]:
            return [*before, ast.Expr(method_call(owner, "__setitem__", key, value))]
        case [*before, ast.Delete(targets=[ast.Subscript(owner, key)])]:
            return [*before, ast.Expr(method_call(owner, "__delitem__", key))]
        # Whoever tells what a call gives leaves that to us.
        case [*before, ast.Assert(test=value)]:
            return [*before, ast.Expr(value)]
        case _:
            return statements


def _plain(
    steps: Sequence[ast.stmt], last: ast.expr, specification: Specification, names: dict[str, str]
) -> Call | None:
    """The call of the unit that an expression is, after some steps; None if it is none."""
    unit = specification.unit
    objects = [name for each in steps for name in _assigned(each)]
    call = _unwrapped(last, specification, objects)
    if call is None:
        return None
    receiver: ast.expr | None = None
    match unit.kind, call.func:
        case UnitKind.FUNCTION, ast.Name():
            pass
        case UnitKind.METHOD, ast.Attribute(value=target):
            if _is_of_another(call.func, specification):
                return None
            # Through its class, a method is given all arguments by the call itself.
            through_class = isinstance(target, ast.Name) and target.id == specification.owner
            receiver = None if through_class else target
        case UnitKind.CLASS_METHOD | UnitKind.STATIC_METHOD, ast.Attribute():
            pass
        case _:
            return None
    positional, named = _unpacked(call.args), _named(call.keywords)
    if positional is None or named is None or (named and unit.name in ANSWERING):
        return None
    if unit.getter and receiver is None:
        return None
    given = [*([] if receiver is None else [receiver]), *positional]
    if steps and not given:
        return None
    known = _Written(names)
    args = [_value(each, known) for each in given]
    if steps:
        written = [known.visit(each) for each in (*steps, ast.Expr(given[0]))]
        args[0] = Expression(script_text(written))
    kwargs = ((name, _value(each, known)) for name, each in named.items())
    return Call(tuple(args), tuple(kwargs))


def _assigned(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _traces(steps: Sequence[ast.stmt], last: ast.expr) -> list[str]:
    """The lists, dicts and sets that functions or classes of a script use, and that the call at its
    end is not given: what the call does to them shows nowhere else."""
    inner = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    used = {
        name.id
        for statement in (*steps, last)
        for node in ast.walk(statement)
        if isinstance(node, inner)
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    }
    given: list[ast.expr] = []
    if isinstance(last, ast.Call):
        given = [last.func, *last.args, *(each.value for each in last.keywords)]
    passed = {each.id for each in given if isinstance(each, ast.Name)}
    return [
        name
        for step in steps
        if isinstance(step, ast.Assign) and isinstance(step.value, ast.List | ast.Dict | ast.Set)
        for name in _assigned(step)
        if name in used - passed
    ]


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


def _forgotten(statements: Sequence[ast.stmt], specification: Specification) -> dict[str, str]:
    """Expressions for the modules of the standard library that a text uses without an import.

    Models write non-finite numbers as NumPy's, whether or not the function's module has that.
    """
    used: dict[str, set[str]] = {}
    for node in chain.from_iterable(map(ast.walk, statements)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.setdefault(node.value.id, set()).add(node.attr)
    modules = {name: name for name in used.keys() & sys.stdlib_module_names}
    modules |= {name: "math" for name in ("np", "numpy") if used.get(name, {""}) <= {"nan", "inf"}}
    unbound = free_names(statements) & modules.keys()
    unbound -= bound_in(specification.program)
    return {name: import_expression(modules[name]) for name in sorted(unbound)}


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
            # Lines of a list end with commas, and some tell what they expect.
            case ast.Tuple(elts=[inner]):
                node = inner
            case ast.Compare(left=inner, ops=[ast.Eq()], comparators=[right]) if is_literal(right):
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


def _is_of_another(function: ast.expr, specification: Specification) -> bool:
    """Whether a method is called on an object that is made of another class, which overrides it.

    To call the owner's method on such an object would show behaviour that no caller sees.
    """
    owner = specification.owner
    match function:
        case ast.Attribute(value=ast.Call(func=ast.Name(id=made))) if owner and made != owner:
            classes = classes_of(read_source(specification.program))
        case _:
            return False
    if made not in classes or owner not in classes:
        return False
    return overrides(classes[made], specification.unit.name, classes[owner], classes)


def _value(expression: ast.expr, known: _Written) -> Value:
    if is_literal(expression):
        return literal(expression)
    return Expression(ast.unparse(known.visit(expression)))


class _Written(ast.NodeTransformer):
    """Replaces names by the expressions that earlier assignments bound to them."""

    def __init__(self, bound: Mapping[str, str]) -> None:
        self._bound = bound

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._bound:
            return parse_expression(self._bound[node.id]) or node
        return node
