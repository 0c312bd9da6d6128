"""Calls after steps that bring an object into a state: ``it = Cache(2); it.put(1, 5); it.get(1)``.

The steps travel within the call's first argument, as an expression that gives the object in the
end: ``(it := Cache(2), it.put(1, 5), it)[-1]``. The other arguments can use the names that this
expression binds, because they are evaluated after it, in the same scope.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from assay_engine.source.parsing import parse, parse_expression

STEPS_MAX = 40
# The functions that stand for assigning an attribute, and for assigning or deleting an item.
_SET_FIELD = "setattr"
_SET_ITEM, _DELETE_ITEM = "__setitem__", "__delitem__"


def in_steps(source: str) -> tuple[list[ast.expr], str] | None:
    """The steps of a text, as expressions, and the text of the expression that follows them.

    None if there are no steps, or if one of them neither assigns, deletes an item, nor is an
    expression.
    """
    # Nearly all calls have no steps, and parsing takes time.
    tree = parse(source) if ";" in source or "\n" in source else None
    if not isinstance(tree, ast.Module) or len(tree.body) > STEPS_MAX:
        return None
    steps = _as_steps(tree.body)
    if steps is None or len(steps) < 2:
        return None
    last = steps.pop()
    # Nobody sees any more what the last statement binds.
    return steps, ast.unparse(last.value if isinstance(last, ast.NamedExpr) else last)


def _as_steps(statements: Iterable[ast.stmt]) -> list[ast.expr] | None:
    """The statements as expressions.

    A function that only returns something becomes a lambda. None if a statement neither assigns,
    deletes an item, nor is an expression.

    A loop over expressions becomes a comprehension. A ``with`` block around all that follows is
    entered; nobody sees any more how it is left.
    """
    steps: list[ast.expr] = []
    statements = list(statements)
    for number, statement in enumerate(statements):
        match statement:
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body) if (
                number == len(statements) - 1
            ):
                is_async = isinstance(statement, ast.AsyncWith)
                entered = [_entered(item, is_async=is_async) for item in items]
                within = _as_steps(body)
                if within is None or None in entered:
                    return None
                steps += [*(each for each in entered if each is not None), *within]
            case ast.For(target, items, body, []) | ast.AsyncFor(target, items, body, []) if all(
                isinstance(each, ast.Expr) for each in body
            ):
                done = [each.value for each in body if isinstance(each, ast.Expr)]
                each_time = done[0] if len(done) == 1 else ast.Tuple(done, ast.Load())
                is_async = isinstance(statement, ast.AsyncFor)
                loop = ast.comprehension(target, items, [], is_async=is_async)
                steps.append(ast.ListComp(each_time, [loop]))
            case (
                ast.Assign(targets=[ast.Name() as name], value=value)
                | ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value)
            ):
                steps.append(ast.NamedExpr(name, value))
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value):
                steps.append(
                    _call(ast.Name(_SET_FIELD, ast.Load()), owner, ast.Constant(name), value)
                )
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value) if (
                _is_value(key)
            ):
                steps.append(_call(ast.Attribute(owner, _SET_ITEM, ast.Load()), key, value))
            case ast.Delete(targets=[ast.Subscript(value=owner, slice=key)]) if _is_value(key):
                steps.append(_call(ast.Attribute(owner, _DELETE_ITEM, ast.Load()), key))
            case ast.Expr(value=value):
                steps.append(value)
            case ast.FunctionDef(name=name, body=[ast.Return(value=ast.expr() as value)]):
                function = _decorated(ast.Lambda(_bare(statement.args), value), statement)
                steps.append(ast.NamedExpr(ast.Name(name, ast.Store()), function))
            case ast.Import() | ast.ImportFrom():
                # Inputs have everything that the program imports.
                continue
            case _:
                return None
    return steps


def _entered(item: ast.withitem, *, is_async: bool) -> ast.expr | None:
    """The step that enters a context manager; None if it gives its result to more than a name."""
    method = "__aenter__" if is_async else "__enter__"
    value: ast.expr = _call(ast.Attribute(item.context_expr, method, ast.Load()))
    if is_async:
        value = ast.Await(value)
    match item.optional_vars:
        case None:
            return value
        case ast.Name() as name:
            return ast.NamedExpr(name, value)
        case _:
            return None


def _is_value(key: ast.expr) -> bool:
    """Whether a key neither is a slice nor has one in it."""
    return not any(isinstance(node, ast.Slice) for node in ast.walk(key))


def _decorated(function: ast.expr, definition: ast.FunctionDef) -> ast.expr:
    for decorator in reversed(definition.decorator_list):
        function = _call(decorator, function)
    return function


def _bare(parameters: ast.arguments) -> ast.arguments:
    """Parameters as a lambda has them, without annotations."""

    def bare(each: ast.arg | None) -> ast.arg | None:
        return None if each is None else ast.arg(each.arg)

    return ast.arguments(
        [ast.arg(each.arg) for each in parameters.posonlyargs],
        [ast.arg(each.arg) for each in parameters.args],
        bare(parameters.vararg),
        [ast.arg(each.arg) for each in parameters.kwonlyargs],
        parameters.kw_defaults,
        bare(parameters.kwarg),
        parameters.defaults,
    )


def after(steps: Sequence[ast.expr], value: ast.expr) -> ast.expr:
    """An expression that takes some steps and then gives a value."""
    last = ast.UnaryOp(ast.USub(), ast.Constant(1))
    return ast.Subscript(ast.Tuple([*steps, value], ast.Load()), last, ast.Load())


def as_statements(source: str) -> str:
    """An expression with its steps written as statements: ``it = Cache(2); it.put(1, 5); it``.

    Any other text stays as it is.
    """
    parts = parts_after(parse_expression(source))
    return "; ".join(map(_statement, parts)) if parts else source


def steps_apart(source: str) -> tuple[str, str]:
    """The steps of an expression, written as statements, and the value that they lead to.

    ``it = Cache(2); `` and ``it`` are such a pair. Any other text gives an empty text and itself.
    """
    parts = parts_after(parse_expression(source))
    if not parts:
        return "", source
    *steps, value = parts
    return "".join(f"{_statement(step)}; " for step in steps), ast.unparse(value)


def parts_after(expression: ast.expr | None) -> list[ast.expr]:
    """The steps of an expression and its value; empty for an expression without steps."""
    match expression:
        case ast.Subscript(ast.Tuple(parts), ast.UnaryOp(ast.USub(), ast.Constant(1))) if any(
            isinstance(part, ast.NamedExpr | ast.Call | ast.Await) for part in parts[:-1]
        ):
            return parts
        case _:
            return []


def step_text(source: str, number: int) -> str:
    """Step `number` of an expression or of a use, counted from 1, as a statement; else nothing."""
    expression = parse_expression(source)
    taken = expression.body if isinstance(expression, ast.Lambda) else expression
    parts = parts_after(taken)
    return _statement(parts[number - 1]) if 0 < number <= len(parts) else ""


def _statement(step: ast.expr) -> str:
    match step:
        case ast.NamedExpr(ast.Name(name), value):
            return f"{name} = {ast.unparse(value)}"
        case ast.Call(ast.Name(name), [owner, ast.Constant(str() as field), value]) if (
            name == _SET_FIELD
        ):
            return f"{ast.unparse(owner)}.{field} = {ast.unparse(value)}"
        case ast.Call(ast.Attribute(owner, name), [key, value]) if name == _SET_ITEM:
            return f"{ast.unparse(owner)}[{ast.unparse(key)}] = {ast.unparse(value)}"
        case ast.Call(ast.Attribute(owner, name), [key]) if name == _DELETE_ITEM:
            return f"del {ast.unparse(owner)}[{ast.unparse(key)}]"
        case _:
            return ast.unparse(step)


def _call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(function, [*arguments], [])
