"""Gives one form to programs that no run can tell apart, so that equal programs run once."""

from __future__ import annotations

import ast
import copy

from assay_engine.dependencies.needed import kept_aliases, needed_statements
from assay_engine.digest import of_text
from assay_engine.syntax.identifiers import FunctionNode, Occurrence, Scope, ScopeKind
from assay_engine.syntax.parsing import SyntaxFault, bound_name, parse
from assay_engine.syntax.scopes import occurrences, used_from_module
from assay_engine.syntax.text import (
    Definition,
    docstring_statement,
    last_function,
    statements_after_docstring,
)

# Code that looks at its own variables by one of these can tell their names.
_LOOKS_AT_NAMES = frozenset({"locals", "vars", "dir", "eval", "exec", "globals", "__import__"})


def normalised_digest(source: str, name: str) -> str:
    """The SHA-256, in hex, of a program around the function `name`.

    It is equal for programs that differ only in comments, layout, docstrings, unused statements,
    the order of imports, the function's own annotations, defaults and decorators (a candidate takes
    over the user's), other functions' annotations, and the names of local variables. Never raises.
    """
    tree = parse(source)
    target = None if isinstance(tree, SyntaxFault) else last_function(tree.body, name)
    if isinstance(tree, SyntaxFault) or target is None:
        return of_text(source)
    try:
        return of_text(_program_form(tree, target))
    except RecursionError:
        return of_text(source)


def statement_form(statement: ast.stmt) -> str:
    """A statement as text to compare, without docstrings and layout, which no run depends on."""
    own = copy.deepcopy(statement)
    drop_docstrings(own)
    return ast.dump(own)


def _program_form(tree: ast.Module, target: FunctionNode) -> str:
    drop_docstrings(tree)
    arguments = target.args
    # `kw_defaults` must keep an entry for each parameter for the tree to be a valid one.
    arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
    target.decorator_list = []
    for node in ast.walk(tree):
        # A decorator may read annotations, as `functools.singledispatch` does.
        if isinstance(node, FunctionNode) and not node.decorator_list:
            node.returns = None
            for each in ast.walk(node.args):
                if isinstance(each, ast.arg):
                    each.annotation = None
    _WithoutVariableAnnotations().visit(tree)
    others = [each for each in tree.body if each is not target]
    needed = needed_statements(
        others, used_from_module(occurrences([target])) - {target.name}, target=target.name
    )
    rename_locals([*needed.helpers, target])
    lines: list[str] = []
    bound: list[str] = []
    for statement in needed.imports:
        where = "import"
        if isinstance(statement, ast.ImportFrom):
            where = f"{'.' * statement.level}{statement.module or ''}"
        for each in kept_aliases(statement, needed.names):
            lines.append(f"{where}:{each.name}:{bound_name(each)}")
            bound.append(bound_name(each))
    # The imports are sorted, unless one of them rebinds a name that another binds.
    if len(set(bound)) == len(bound):
        lines.sort()
    lines.extend(ast.dump(each) for each in (*needed.helpers, target))
    return "\n".join(lines)


def drop_docstrings(root: ast.AST) -> None:
    for node in ast.walk(root):
        if isinstance(node, Definition) and docstring_statement(node):
            node.body = statements_after_docstring(node) or [ast.Pass()]


class _WithoutVariableAnnotations(ast.NodeTransformer):
    """Turns ``total: int = 0`` into ``total = 0``, except in classes: annotations make fields."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for each in node.body:
            if not isinstance(each, ast.AnnAssign):
                self.visit(each)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None or not node.simple:
            return node
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)


def rename_locals(statements: list[ast.stmt]) -> None:
    """Call every local variable by its number, in order of appearance, function by function.

    Parameters keep their names, because they can be passed by name. `import a.b` binds `a` itself,
    which no `import a.b as c` does, so that name stays, too.
    """
    found = occurrences(statements)
    if any(each.name in _LOOKS_AT_NAMES for each in found):
        return
    kept: set[tuple[Scope, str]] = set()
    for each in found:
        node = each.node
        is_dotted = isinstance(node, ast.alias) and node.asname is None and "." in node.name
        if is_dotted or isinstance(node, ast.arg | ast.ClassDef):
            kept.add((each.home, each.name))
    numbers: dict[tuple[Scope, str], str] = {}
    for each in found:
        variable = (each.home, each.name)
        if each.home.kind in (ScopeKind.FUNCTION, ScopeKind.COMPREHENSION) and variable not in kept:
            # The space makes the new name different from every name there can be.
            set_name(each, numbers.setdefault(variable, f"local {len(numbers)}"))


def set_name(occurrence: Occurrence, new: str) -> None:
    """Write another name into the tree where an identifier stands."""
    old = occurrence.name
    match occurrence.node:
        case ast.Name() as node:
            node.id = new
        case ast.MatchMapping() as node:
            node.rest = new
        case ast.alias() as node:
            node.asname = new
        case ast.Global() | ast.Nonlocal() as node:
            node.names = [new if name == old else name for name in node.names]
        # Definitions, handlers, patterns and, from 3.12 on, type parameters.
        case node if hasattr(node, "name"):
            setattr(node, "name", new)  # noqa: B010
        case _:
            pass
