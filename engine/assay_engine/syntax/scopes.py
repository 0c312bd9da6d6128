"""Which names a piece of code takes from the module around it, and which of those it changes.

Python's scoping, by tree alone: parameters and locals hide module names, class bodies are not seen
from the functions in them, comprehensions are scopes, ``global`` undoes hiding. Names in string
annotations count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from assay_engine.syntax.parsing import child_statements, parse_expression

# How deep strings within string annotations are read.
NESTED_ANNOTATIONS_MAX = 4

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_CHANGING_METHODS = """
add append appendleft clear discard extend extendleft insert pop popitem popleft register remove
reverse rotate setdefault sort subtract update
"""
_CHANGERS = frozenset(_CHANGING_METHODS.split())


class Names(Struct, frozen=True):
    """`reads` are taken from around the code, `binds` are given to it.

    `changes` are the names from around whose object, or binding, the code alters, each with the
    method that it calls for this: ``TABLE.update(x)`` gives ``("TABLE", "update")``,
    ``TABLE["a"] = 1`` gives ``("TABLE", "")``.
    """

    reads: frozenset[str]
    binds: frozenset[str]
    changes: frozenset[tuple[str, str]]


class _Scope(Struct):
    parent: _Scope | None
    is_class: bool = False
    is_comprehension: bool = False
    bound: set[str] = field(default_factory=set[str])
    of_module: set[str] = field(default_factory=set[str])
    of_parent: set[str] = field(default_factory=set[str])
    read: set[str] = field(default_factory=set[str])
    changed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])


def names_of(nodes: Iterable[ast.AST]) -> Names:
    """The names of some code that stands directly in a module (or in the scope that is asked)."""
    top = _Scope(None)
    scopes = [top]
    # An explicit stack: expressions may be nested deeper than Python recurses.
    pending: list[tuple[ast.AST, _Scope]] = [(node, top) for node in nodes]
    while pending:
        node, scope = pending.pop()
        pending.extend(_visit(node, scope, scopes))
    reads: set[str] = set()
    changes: set[tuple[str, str]] = set()
    for scope in scopes:
        reads |= {name for name in scope.read if _is_from_around(name, scope, top)}
        changes |= {each for each in scope.changed if _is_from_around(each[0], scope, top)}
    return Names(frozenset(reads), frozenset(top.bound), frozenset(changes))


def local_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names that belong to a function: its parameters and what it binds."""
    elsewhere: set[str] = set()
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending.extend(child_statements(node))
    own = names_of(function.body).binds - elsewhere
    return own | {each.arg for each in _parameters(function.args)}


def _is_from_around(name: str, scope: _Scope, top: _Scope) -> bool:
    """Whether a name used in `scope` is found outside of all the code."""
    current: _Scope | None = scope
    while current is not None and current is not top:
        if name in current.of_module:
            return True
        # A class body may read a name from around before it binds it (``limit = limit``), and
        # functions in a class do not see its names at all.
        if name in current.bound - current.of_parent and not current.is_class:
            return False
        current = current.parent
    return True


def _visit(node: ast.AST, scope: _Scope, scopes: list[_Scope]) -> Iterator[tuple[ast.AST, _Scope]]:
    """Note what a node does to its scope; give the nodes below, each with its own."""
    if isinstance(node, _Function):
        yield from _enter_function(node, scope, scopes)
        return
    if isinstance(node, ast.ClassDef):
        yield from _enter_class(node, scope, scopes)
        return
    if isinstance(node, _Comprehension):
        yield from _enter_comprehension(node, scope, scopes)
        return
    _note(node, scope)
    annotation = getattr(node, "annotation", None)
    if isinstance(annotation, ast.expr):
        yield from ((each, scope) for each in _names_in_strings(annotation))
    yield from ((child, scope) for child in ast.iter_child_nodes(node))


def _note(node: ast.AST, scope: _Scope) -> None:
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            scope.read.add(name)
        case ast.Name(id=name, ctx=ast.Del()):
            _bind(name, scope)
            scope.read.add(name)
        case ast.Name(id=name):
            _bind(name, scope)
        case ast.Global(names=names):
            scope.of_module.update(names)
            scope.read.update(names)
            scope.changed.update((name, "") for name in names)
        case ast.Nonlocal(names=names):
            scope.of_parent.update(names)
            scope.read.update(names)
        case ast.NamedExpr(target=ast.Name(id=name)) if scope.is_comprehension:
            _bind(name, _statement_scope(scope))
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            for alias in aliases:
                _bind(alias.asname or alias.name.split(".", 1)[0], scope)
        case ast.ExceptHandler(name=str(name)):
            _bind(name, scope)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            _bind(name, scope)
        case ast.MatchMapping(rest=str(name)):
            _bind(name, scope)
        case ast.AugAssign(target=ast.Name(id=name)):
            scope.read.add(name)
        case (
            ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del())
        ):
            _change(node, "", scope)
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            # Nobody looks at the result, so it is called for what it does.
            _change(method, method.attr, scope)
        case ast.Call(func=ast.Attribute(attr=attribute) as method) if attribute in _CHANGERS:
            _change(method, attribute, scope)
        case _:
            pass


def _bind(name: str, scope: _Scope) -> None:
    scope.bound.add(name)


def _statement_scope(scope: _Scope) -> _Scope:
    """The scope that ``:=`` within comprehensions binds in."""
    while scope.is_comprehension and scope.parent is not None:
        scope = scope.parent
    return scope


def _change(node: ast.AST, method: str, scope: _Scope) -> None:
    """Note the name at the root of ``name.attribute[index].method``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        scope.changed.add((node.id, method))


def _enter_function(
    node: _Function, scope: _Scope, scopes: list[_Scope]
) -> Iterator[tuple[ast.AST, _Scope]]:
    around = scope
    body: list[ast.stmt] | list[ast.expr]
    if isinstance(node, ast.Lambda):
        body = [node.body]
    else:
        _bind(node.name, scope)
        yield from ((each, scope) for each in node.decorator_list)
        around = _type_parameters(node, scope, scopes)
        if node.returns is not None:
            yield from ((each, around) for each in [node.returns, *_names_in_strings(node.returns)])
        body = node.body
    inner = _Scope(around)
    scopes.append(inner)
    inner.bound.update(each.arg for each in _parameters(node.args))
    # Defaults and annotations belong to the scope around.
    yield node.args, around
    yield from ((each, inner) for each in body)


def _enter_class(
    node: ast.ClassDef, scope: _Scope, scopes: list[_Scope]
) -> Iterator[tuple[ast.AST, _Scope]]:
    _bind(node.name, scope)
    yield from ((each, scope) for each in node.decorator_list)
    around = _type_parameters(node, scope, scopes)
    yield from ((each, around) for each in [*node.bases, *node.keywords])
    inner = _Scope(around, is_class=True)
    scopes.append(inner)
    yield from ((each, inner) for each in node.body)


def _enter_comprehension(
    node: _Comprehension, scope: _Scope, scopes: list[_Scope]
) -> Iterator[tuple[ast.AST, _Scope]]:
    inner = _Scope(scope, is_comprehension=True)
    scopes.append(inner)
    # The first iterable is evaluated outside.
    yield node.generators[0].iter, scope
    for index, generator in enumerate(node.generators):
        yield generator.target, inner
        if index:
            yield generator.iter, inner
        yield from ((each, inner) for each in generator.ifs)
    if isinstance(node, ast.DictComp):
        yield node.key, inner
        yield node.value, inner
    else:
        yield node.elt, inner


def _type_parameters(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    scope: _Scope,
    scopes: list[_Scope],
) -> _Scope:
    """The scope of ``def f[T]``, which Python has since 3.12; `scope` itself without any."""
    declared: list[ast.AST] = getattr(node, "type_params", [])
    if not declared:
        return scope
    inner = _Scope(scope)
    scopes.append(inner)
    for each in declared:
        inner.bound.add(getattr(each, "name", ""))
        bound = getattr(each, "bound", None)
        if isinstance(bound, ast.expr):
            inner.read |= names_of([bound]).reads
    return inner


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    extra = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


def _names_in_strings(annotation: ast.expr, depth: int = 0) -> Iterator[ast.AST]:
    """The expressions written as strings in an annotation."""
    if depth == NESTED_ANNOTATIONS_MAX:
        return
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            quoted = parse_expression(node.value)
            if quoted is not None:
                yield quoted
                yield from _names_in_strings(quoted, depth + 1)
