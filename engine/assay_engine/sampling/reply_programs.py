"""Turns a block of code into a candidate: the function, what it needs, and nothing else.

Finds the function that a block of a reply means, and checks that it is of the kind asked for.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.dependencies.needed import ImportNode, Needed, kept_aliases, needed_statements
from assay_engine.dependencies.normalising import statement_form
from assay_engine.specification.specification import listed_parameters
from assay_engine.syntax.identifiers import FunctionNode, Occurrence, arguments_of
from assay_engine.syntax.layout import leading_space, reindent
from assay_engine.syntax.parsing import bound_name, parse
from assay_engine.syntax.scopes import (
    BUILTINS,
    bound_in_classes,
    bound_in_module,
    names_living_in,
    occurrences,
    own_nodes,
    used_from_module,
)
from assay_engine.syntax.text import (
    Definition,
    Source,
    last_function,
    last_line,
    line_start,
    line_text,
    read_source,
    statement_text,
    statements_after_docstring,
    with_newlines,
)
from assay_engine.syntax.units import is_stub_body
from assay_engine.types import Parameter, ParameterKind, Specification, Unit, UnitKind
from assay_engine.words import commanding

STEP = "    "

# Names that every module and every method has without defining them.
_ALWAYS_THERE = frozenset({*BUILTINS, "__file__", "__annotations__", "__class__"})


class Rejection(Struct, frozen=True):
    """The reason why a block will not do. `missing` are names that another block may define."""

    reason: str
    missing: tuple[str, ...] = ()


class Provided(Struct, frozen=True):
    """What the program around the function provides to every candidate."""

    names: frozenset[str]
    forms: frozenset[str]
    aliases: frozenset[str]
    members: dict[str, frozenset[str]]
    has_star_import: bool


# A program that cannot be read may provide whatever a candidate asks for.
_ANYTHING = Provided(_ALWAYS_THERE, frozenset(), frozenset(), {}, has_star_import=True)


@lru_cache(maxsize=4)
def provided_by(specification: Specification) -> Provided:
    tree = parse(specification.program)
    return _provided_in(tree, specification) if isinstance(tree, ast.Module) else _ANYTHING


def _provided_in(tree: ast.Module, specification: Specification) -> Provided:
    nodes = list(ast.walk(tree))
    imports = [each for each in tree.body if isinstance(each, ImportNode)]
    around = specification.unit.qualname.replace(".<locals>", "").split(".")[:-1]
    enclosing = [each for each in nodes if isinstance(each, FunctionNode) and each.name in around]
    found = occurrences(tree.body)
    # A name that the user's own program refers to exists somewhere, even where nothing shows it.
    names = frozenset(each.name for each in found if each.in_module)
    names = names.union(*map(names_living_in, enclosing))
    return Provided(
        names=names | _ALWAYS_THERE | {specification.unit.name},
        forms=frozenset(statement_form(each) for each in tree.body),
        aliases=frozenset(_alias_key(each, alias) for each in imports for alias in each.names),
        members={
            each.name: _members(each.body) for each in nodes if isinstance(each, ast.ClassDef)
        },
        has_star_import=any(alias.name == "*" for each in imports for alias in each.names),
    )


def candidate_from(
    block: str, specification: Specification, provided: Provided
) -> str | Rejection | None:
    """The candidate as module text; None if the block does not define the function at all."""
    source = read_source(block)
    functions = functions_named(source.tree, specification.unit)
    if not functions:
        return None
    objections = [objection(each, specification) for each in functions]
    if all(objections):
        return Rejection(objections[0] or "")
    return _assembled(source, functions[objections.index(None)], provided)


def _assembled(source: Source, function: FunctionNode, provided: Provided) -> str | Rejection:
    bare = _without_decorators(function)
    found = occurrences([bare])
    others = [
        each
        for each in source.tree.body
        if each is not function and not _is_provided(each, provided, function.name)
    ]
    added = _added_members(source.tree, function, provided)
    if added:
        return Rejection(f"it relies on {_quoted(added)}, which the class does not have")
    name = function.name
    runs = needed_statements(others, _names_the_body_looks_up(bare, found), target=name)
    missing = _missing(runs, bare, provided)
    if missing:
        return Rejection(f"it uses {_quoted(missing)} without defining or importing it", missing)
    needed = needed_statements(others, used_from_module(found) - {name}, target=name)
    text = _function_text(source, function)
    if not text:
        return Rejection("it cannot be tokenized")
    laid_out = _laid_out(source, needed, text, provided)
    character = commanding(laid_out)
    if character is not None:
        return Rejection(f"it holds {character}, which commands a terminal or turns text around")
    return laid_out


def _without_decorators(function: FunctionNode) -> FunctionNode:
    """The function as it will be used: with the user's decorators instead of its own."""
    bare = copy.copy(function)
    bare.decorator_list = []
    return bare


def _names_the_body_looks_up(function: FunctionNode, found: Sequence[Occurrence]) -> frozenset[str]:
    """The names that the body looks up in the module.

    Names in the header do not count, since the user's header is kept, nor do those in local
    annotations.
    """
    inside = {node for statement in function.body for node in ast.walk(statement)}
    evaluated = [each for each in found if each.node in inside and each.evaluated]
    return used_from_module(evaluated) - {function.name}


def _is_provided(statement: ast.stmt, provided: Provided, name: str) -> bool:
    """Whether the program already provides the statement, its class, or the function itself."""
    if isinstance(statement, ast.ClassDef) and statement.name in provided.members:
        return True
    if isinstance(statement, Definition) and statement.name == name:
        return True
    return statement_form(statement) in provided.forms


def _added_members(tree: ast.Module, function: FunctionNode, provided: Provided) -> tuple[str, ...]:
    """The members that the function uses and that only the reply's version of a class has."""
    used = {each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute)}
    classes = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef) and each.name in provided.members
    ]
    added = frozenset[str]().union(
        *(
            _members([member for member in each.body if member is not function])
            - provided.members[each.name]
            for each in classes
        )
    )
    return tuple(sorted(added & used - _members([function]) - {function.name}))


def _members(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The attributes that a class body sets on the class, and its methods on any object."""
    stored = {
        node.attr
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return bound_in_module(occurrences(body)) | stored


def _missing(needed: Needed, function: FunctionNode, provided: Provided) -> tuple[str, ...]:
    """The names that are needed and that nobody provides.

    There are none if the program has a star import, which may provide any name. A name that a class
    body binds is not missing either: it may be bound by the time that it is looked up.
    """
    found = occurrences([*needed.statements, function])
    bound = bound_in_module(found) | bound_in_classes(found)
    unknown = needed.names - bound - provided.names
    return () if provided.has_star_import else tuple(sorted(unknown))


def _function_text(source: Source, function: FunctionNode) -> str | None:
    """The text of the function from ``def`` on, moved to column zero."""
    start = line_start(source, function.lineno)
    end = source.line_end(source.span(function).end)
    text = with_newlines(source.text[start:end], "\n")
    margin = leading_space(line_text(source, function.lineno))
    if not margin:
        return text
    step = leading_space(line_text(source, function.body[0].lineno)).removeprefix(margin)
    return reindent(text, old_step=step or STEP, indent="", step=STEP)


def _laid_out(source: Source, needed: Needed, function: str, provided: Provided) -> str:
    imports = [
        ast.unparse(pruned)
        for each in needed.imports
        if (pruned := _pruned(each, needed.names, provided.aliases)).names
    ]
    previous = {
        each: last_line(before) + 1
        for before, each in zip(source.tree.body, source.tree.body[1:], strict=False)
    }
    helpers = [statement_text(source, each, previous.get(each, 1)) for each in needed.helpers]
    if needed.helpers:
        # With the reply's future imports, helpers' annotations are evaluated or not as it meant.
        imports = [*map(ast.unparse, _future_imports(source.tree.body)), *imports]
    blocks = ["\n".join(imports)] if imports else []
    return "\n\n\n".join([*blocks, *helpers, function]) + "\n"


def _pruned(statement: ImportNode, names: frozenset[str], provided: frozenset[str]) -> ImportNode:
    aliases = [
        each
        for each in kept_aliases(statement, names)
        if _alias_key(statement, each) not in provided
    ]
    if isinstance(statement, ast.Import):
        return ast.Import(names=aliases)
    return ast.ImportFrom(module=statement.module, names=aliases, level=statement.level)


def _alias_key(statement: ImportNode, alias: ast.alias) -> str:
    if isinstance(statement, ast.Import):
        return f"import {alias.name} as {bound_name(alias)}"
    return f"{statement.level} {statement.module} {alias.name} as {bound_name(alias)}"


def _future_imports(statements: Iterable[ast.stmt]) -> list[ast.ImportFrom]:
    return [
        each
        for each in statements
        if isinstance(each, ast.ImportFrom) and each.module == "__future__"
    ]


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


_AWAITING = ast.Await | ast.AsyncFor | ast.AsyncWith


def functions_named(tree: ast.Module, unit: Unit) -> list[FunctionNode]:
    """The places where a reply may have put the function: where it belongs, or at top level."""
    at_top = last_function(tree.body, unit.name)
    owner = next(iter(unit.qualname.replace(".<locals>", "").split(".")[-2::-1]), None)
    owners = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef | FunctionNode) and each.name == owner
    ]
    inside = [found for each in owners if (found := last_function(each.body, unit.name))]
    is_method = unit.kind is not UnitKind.FUNCTION
    ordered = [*reversed(inside), at_top] if is_method else [at_top, *reversed(inside)]
    return [each for each in ordered if each is not None]


def objection(function: FunctionNode, specification: Specification) -> str | None:
    """A clause that says why a function is not of the kind asked for; None if it is."""
    unit = specification.unit
    wanted = [(each.name, each.kind) for each in specification.parameters]
    found = _parameters(function)
    if unit.kind in (UnitKind.METHOD, UnitKind.CLASS_METHOD) and found[1:] == wanted:
        # The specification may or may not list the receiver among the parameters.
        found = wanted
    if found != wanted:
        return f"its `{unit.name}` takes ({_listed(found)}) where ({_listed(wanted)}) is asked for"
    if isinstance(function, ast.AsyncFunctionDef) != unit.is_async:
        got, wanted_kind = ("a plain", "an async") if unit.is_async else ("an async", "a plain")
        return f"its `{unit.name}` is {got} function where {wanted_kind} one is asked for"
    if not unit.is_async and any(isinstance(each, _AWAITING) for each in own_nodes(function)):
        return f"its `{unit.name}` awaits without being async"
    if is_stub_body(statements_after_docstring(function)):
        return f"its `{unit.name}` has no body"
    return None


def _parameters(function: FunctionNode) -> list[tuple[str, ParameterKind]]:
    arguments = function.args
    kinds = {
        **dict.fromkeys(arguments.posonlyargs, ParameterKind.POSITIONAL_ONLY),
        **dict.fromkeys(arguments.args, ParameterKind.POSITIONAL_OR_KEYWORD),
        **dict.fromkeys(arguments.kwonlyargs, ParameterKind.KEYWORD_ONLY),
        arguments.vararg: ParameterKind.VAR_POSITIONAL,
        arguments.kwarg: ParameterKind.VAR_KEYWORD,
    }
    return [(each.arg, kinds[each]) for each in arguments_of(arguments)]


def _listed(parameters: Sequence[tuple[str, ParameterKind]]) -> str:
    return ", ".join(listed_parameters([Parameter(name, kind) for name, kind in parameters]))
