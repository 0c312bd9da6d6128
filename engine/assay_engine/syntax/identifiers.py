"""Reads identifiers in their scopes, which it tells apart as Python's own compiler does.

Parameters and locals hide the module's names. Functions in a class do not see the names of its
body. Comprehensions are scopes. ``global`` undoes hiding. A name bound at a function's end is local
from its start, so where a name lives is settled once everything has been read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TypeAlias

from msgspec import Struct, field

from assay_engine.syntax.parsing import bound_name, parse_expression

# Strings within string annotations are read to this depth.
NESTED_ANNOTATIONS_MAX = 4

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
# Type parameters and aliases, which Python has since 3.12.
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")
_TYPE_ALIAS = "TypeAlias"


class ScopeKind(Enum):
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    COMPREHENSION = "comprehension"


class Scope(Struct, eq=False):
    """A region of names. It grows while it is read and is left alone afterwards.

    `function` is the function whose body the region is, if it is a body.
    """

    kind: ScopeKind
    parent: Scope | None
    function: FunctionNode | None = None
    bound: set[str] = field(default_factory=set[str])
    declared_global: set[str] = field(default_factory=set[str])
    declared_nonlocal: set[str] = field(default_factory=set[str])

    def home(self, name: str) -> Scope:
        """The scope in which a name written here lives; the module for builtins as well."""
        scope = self
        while scope.parent is not None:
            # The body of a class sees its own names; the functions in it do not.
            if scope is self or scope.kind is not ScopeKind.CLASS:
                if name in scope.declared_global:
                    return scope.module()
                if name in scope.bound and name not in scope.declared_nonlocal:
                    return scope
            scope = scope.parent
        return scope

    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def within(self) -> tuple[FunctionNode, ...]:
        """The functions in whose bodies the scope lies, the innermost first."""
        found: list[FunctionNode] = []
        scope: Scope | None = self
        while scope is not None:
            if scope.function is not None:
                found.append(scope.function)
            scope = scope.parent
        return tuple(found)


class Occurrence(Struct, frozen=True):
    """One identifier: its node, and the scope it is written in.

    `binds` tells whether it binds the name. `evaluated` is False in a local variable's annotation,
    which Python never looks up.
    """

    name: str
    node: ast.AST
    scope: Scope
    binds: bool
    evaluated: bool

    @property
    def home(self) -> Scope:
        """The scope in which the name lives. It is known once all code is read."""
        return self.scope.home(self.name)

    @property
    def written_in_module(self) -> bool:
        return self.scope.kind is ScopeKind.MODULE

    @property
    def in_module(self) -> bool:
        return self.home.kind is ScopeKind.MODULE

    @property
    def looks_in_module(self) -> bool:
        """Whether the name is looked up in the module."""
        if self.binds:
            return isinstance(self.node, ast.Global) and self.in_module
        return self.reaches_module

    @property
    def reaches_module(self) -> bool:
        """Whether the name is the module's, or may be.

        A name that a class body binds as well is the module's until the body binds it
        (``class A: limit = limit``).
        """
        home = self.home
        around = home.parent if home.kind is ScopeKind.CLASS else None
        return home.kind is ScopeKind.MODULE or (
            around is not None and around.home(self.name).kind is ScopeKind.MODULE
        )


_Placed: TypeAlias = tuple[ast.AST, Scope]


class Identifiers:
    """The identifiers of some code that stands directly in a module, in the order of the text.

    `seen` are all identifiers, and `functions` are the scopes of functions' bodies.
    """

    def __init__(self, nodes: Iterable[ast.AST], *, quoted: bool = False) -> None:
        """Read the code; if `quoted`, string annotations, too, which get nodes of their own."""
        self.module = Scope(ScopeKind.MODULE, None)
        self.seen: list[Occurrence] = []
        self.functions: dict[FunctionNode, Scope] = {}
        self._not_evaluated: set[ast.AST] = set()
        self._quoted = quoted
        # Not by recursion: expressions may be nested deeper than Python recurses.
        waiting = [(node, self.module) for node in nodes][::-1]
        while waiting:
            waiting += reversed([*self._read(*waiting.pop())])

    def _read(self, node: ast.AST, scope: Scope) -> Iterable[_Placed]:
        """Note what a node says about its scope; give the nodes to read below it, with scopes."""
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self._see(name, node, scope, binds=False)
                return ()
            case ast.Name(id=name) | ast.arg(arg=name):
                # A parameter's annotation belongs to the scope around the function.
                self._bind(name, node, scope)
                return ()
            case ast.FunctionDef(args=own) | ast.AsyncFunctionDef(args=own):
                self._bind(node.name, node, scope)
                around = _around(node, scope)
                inner = self.functions[node] = Scope(ScopeKind.FUNCTION, around, node)
                annotations = [*(each.annotation for each in arguments_of(own)), node.returns]
                return [
                    *_at(scope, [*node.decorator_list, *own.defaults, *own.kw_defaults]),
                    *_at(around, [*type_parameters(node), *self._with_strings(annotations)]),
                    *_at(inner, [*arguments_of(own), *node.body]),
                ]
            case ast.Lambda(args=own, body=body):
                inner = Scope(ScopeKind.FUNCTION, scope)
                outside = _at(scope, [*own.defaults, *own.kw_defaults])
                return [*outside, *_at(inner, [*arguments_of(own), body])]
            case ast.ClassDef():
                self._bind(node.name, node, scope)
                around = _around(node, scope)
                return [
                    *_at(scope, node.decorator_list),
                    *_at(around, [*type_parameters(node), *node.bases, *node.keywords]),
                    *_at(Scope(ScopeKind.CLASS, around), node.body),
                ]
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                # The first iterable is evaluated outside, where the comprehension stands.
                first, *others = node.generators
                parts: list[ast.expr] = [first.target, *first.ifs]
                for each in others:
                    parts += [each.target, each.iter, *each.ifs]
                parts += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                return [(first.iter, scope), *_at(Scope(ScopeKind.COMPREHENSION, scope), parts)]
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                if scope.kind is ScopeKind.FUNCTION and isinstance(target, ast.Name):
                    self._not_evaluated.update(ast.walk(annotation))
                return _at(scope, [target, *self._with_strings([annotation]), value])
            case ast.NamedExpr(target=target, value=value):
                # The name is bound in the function around, however many comprehensions are between.
                around = scope
                while around.kind is ScopeKind.COMPREHENSION and around.parent is not None:
                    around = around.parent
                return ((target, around), (value, scope))
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                is_global = isinstance(node, ast.Global)
                (scope.declared_global if is_global else scope.declared_nonlocal).update(names)
                for name in names:
                    self._see(name, node, scope, binds=True)
            case ast.alias(name=name) if name != "*":
                self._bind(bound_name(node), node, scope)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                self._bind(name, node, scope)
            case _ if type(node).__name__ == _TYPE_ALIAS:
                inside = [*type_parameters(node), getattr(node, "value")]  # noqa: B009
                return [(getattr(node, "name"), scope), *_at(_around(node, scope), inside)]  # noqa: B009
            case _ if type(node).__name__ in _TYPE_PARAMETERS:
                self._bind(getattr(node, "name"), node, scope)  # noqa: B009
            case _:
                pass
        return _at(scope, ast.iter_child_nodes(node))

    def _bind(self, name: str, node: ast.AST, scope: Scope) -> None:
        scope.bound.add(name)
        self._see(name, node, scope, binds=True)

    def _see(self, name: str, node: ast.AST, scope: Scope, *, binds: bool) -> None:
        evaluated = node not in self._not_evaluated
        self.seen.append(Occurrence(name, node, scope, binds, evaluated))

    def _with_strings(self, annotations: Iterable[ast.expr | None]) -> Iterator[ast.expr]:
        for each in annotations:
            if each is not None:
                yield each
                yield from _in_strings(each) if self._quoted else ()


def _around(node: ast.AST, scope: Scope) -> Scope:
    """The scope around a node: type parameters have one around what declares them (PEP 695)."""
    return Scope(ScopeKind.FUNCTION, scope) if type_parameters(node) else scope


def _at(scope: Scope, nodes: Iterable[ast.AST | None]) -> list[_Placed]:
    return [(node, scope) for node in nodes if node is not None]


def _in_strings(annotation: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    """The expressions written as strings in an annotation."""
    if depth == NESTED_ANNOTATIONS_MAX:
        return
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            quoted = parse_expression(node.value)
            if quoted is not None:
                yield quoted
                yield from _in_strings(quoted, depth + 1)


def arguments_of(arguments: ast.arguments) -> Iterator[ast.arg]:
    """All parameters, in the order they are written."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg:
        yield arguments.kwarg


def defaults_of(arguments: ast.arguments) -> dict[ast.arg, ast.expr]:
    """The default values of the parameters that have one."""
    positional = [*arguments.posonlyargs, *arguments.args]
    last = positional[len(positional) - len(arguments.defaults) :]
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {
        **dict(zip(last, arguments.defaults, strict=True)),
        **{argument: default for argument, default in by_name if default is not None},
    }


def type_parameters(node: ast.AST) -> tuple[ast.AST, ...]:
    """The type parameters of a definition, which Python 3.11 does not have."""
    return tuple(getattr(node, "type_params", ()))
