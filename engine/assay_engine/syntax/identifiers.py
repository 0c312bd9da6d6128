"""Reading identifiers in their scopes, as Python's own compiler tells scopes apart."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from msgspec import Struct, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class ScopeKind(Enum):
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    COMPREHENSION = "comprehension"


class Scope(Struct, eq=False):
    """A region of names. It grows while it is read and is left alone afterwards."""

    kind: ScopeKind
    parent: Scope | None
    bound: set[str] = field(default_factory=set[str])
    declared_global: set[str] = field(default_factory=set[str])
    declared_nonlocal: set[str] = field(default_factory=set[str])

    def home(self, name: str) -> Scope:
        """The scope in which a name written here lives; the module for builtins as well."""
        scope = self
        while scope.parent is not None:
            # A class body's names are seen by the body itself, not by the functions in it.
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


class IdentifierReader(ast.NodeVisitor):
    """Notes identifiers with the scope they are written in. Homes are settled afterwards, because
    a name bound at a function's end is local from its start."""

    def __init__(self) -> None:
        self.scope = Scope(ScopeKind.MODULE, None)
        self.seen: list[tuple[str, ast.AST, Scope, bool]] = []
        self.functions: dict[FunctionNode, Scope] = {}
        self.not_evaluated: set[ast.AST] = set()

    def visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _bind(self, name: str | None, node: ast.AST, scope: Scope | None = None) -> None:
        if name is not None:
            where = scope or self.scope
            where.bound.add(name)
            self.seen.append((name, node, where, True))

    def _inside(self, kind: ScopeKind, read: Callable[[], None]) -> Scope:
        outer = self.scope
        inner = self.scope = Scope(kind, outer)
        read()
        self.scope = outer
        return inner

    def _with_type_parameters(self, node: ast.AST, read: Callable[[], None]) -> None:
        """Type parameters have a scope of their own around what declares them (PEP 695)."""
        declared = type_parameters(node)
        if declared:
            self._inside(ScopeKind.FUNCTION, lambda: (self.visit_all(declared), read())[1])
        else:
            read()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.seen.append((node.id, node, self.scope, False))
        else:
            self._bind(node.id, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self.scope.kind is ScopeKind.FUNCTION and isinstance(node.target, ast.Name):
            self.not_evaluated.update(ast.walk(node.annotation))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        self._bind(node.name, node)
        self.visit_all(node.decorator_list)
        self.visit_all((*node.args.defaults, *node.args.kw_defaults))

        def body() -> None:
            self._bind_arguments(node.args)
            self.visit_all(node.body)

        def annotations_and_body() -> None:
            self.visit_all(each.annotation for each in arguments_of(node.args))
            self.visit_all((node.returns,))
            self.functions[node] = self._inside(ScopeKind.FUNCTION, body)

        self._with_type_parameters(node, annotations_and_body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_all((*node.args.defaults, *node.args.kw_defaults))

        def body() -> None:
            self._bind_arguments(node.args)
            self.visit(node.body)

        self._inside(ScopeKind.FUNCTION, body)

    def _bind_arguments(self, arguments: ast.arguments) -> None:
        for argument in arguments_of(arguments):
            self._bind(argument.arg, argument)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, node)
        self.visit_all(node.decorator_list)

        def bases_and_body() -> None:
            self.visit_all((*node.bases, *node.keywords))
            self._inside(ScopeKind.CLASS, lambda: self.visit_all(node.body))

        self._with_type_parameters(node, bases_and_body)

    def visit_TypeAlias(self, node: ast.AST) -> None:
        """``type X[T] = …``, which Python has since 3.12."""
        self.visit_all((getattr(node, "name", None),))
        self._with_type_parameters(node, lambda: self.visit_all((getattr(node, "value", None),)))

    def visit_TypeVar(self, node: ast.AST) -> None:
        self._bind(getattr(node, "name", None), node)
        self.generic_visit(node)

    visit_ParamSpec = visit_TypeVar
    visit_TypeVarTuple = visit_TypeVar

    def _visit_comprehension(self, node: Comprehension) -> None:
        # The first iterable is evaluated outside, where the comprehension stands.
        self.visit(node.generators[0].iter)

        def body() -> None:
            for index, generator in enumerate(node.generators):
                self.visit(generator.target)
                if index:
                    self.visit(generator.iter)
                self.visit_all(generator.ifs)
            results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            self.visit_all(results)

        self._inside(ScopeKind.COMPREHENSION, body)

    visit_ListComp = _visit_comprehension
    visit_SetComp = _visit_comprehension
    visit_DictComp = _visit_comprehension
    visit_GeneratorExp = _visit_comprehension

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        # It binds in the function around, however many comprehensions are in between.
        scope = self.scope
        while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:
            scope = scope.parent
        self._bind(node.target.id, node.target, scope)
        self.visit(node.value)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.declared_global.update(node.names)
        self.seen.extend((name, node, self.scope, True) for name in node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.declared_nonlocal.update(node.names)
        self.seen.extend((name, node, self.scope, True) for name in node.names)

    def visit_alias(self, node: ast.alias) -> None:
        if node.name != "*":
            self._bind(node.asname or node.name.partition(".")[0], node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._bind(node.name, node)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._bind(node.name, node)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._bind(node.name, node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._bind(node.rest, node)
        self.generic_visit(node)


def arguments_of(arguments: ast.arguments) -> Iterator[ast.arg]:
    """All parameters, in the order they are written."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg:
        yield arguments.kwarg


def type_parameters(node: ast.AST) -> tuple[ast.AST, ...]:
    """The type parameters of a definition, which Python 3.11 does not have."""
    return tuple(getattr(node, "type_params", ()))
