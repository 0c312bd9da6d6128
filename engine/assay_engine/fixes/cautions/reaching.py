"""Finds the names by which code can reach beyond its own values: files, processes, other modules.

What is known to reach nowhere is listed, and nothing else counts as harmless: there are too many
ways out for a list of those to be complete.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay_engine.dependencies.needed import ImportNode
from assay_engine.fixes.cautions.harmless import is_dunder, names_listed
from assay_engine.fixes.cautions.reaching_attributes import (
    DECORATORS,
    METACLASSES,
    Attributes,
    ImportBindings,
    Reach,
    imports_reached,
    is_hidden,
    is_of_package,
)
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.scopes import BUILTINS, bound_in_module, nodes_in, occurrences_in
from assay_engine.syntax.text import Definition, docstring_statement

# Functions that compute with what they are given. Classes do, too, but for `type`.
_COMPUTING = names_listed("""
Ellipsis False None NotImplemented True abs aiter all anext any ascii bin callable chr divmod format
hasattr hash hex id isinstance issubclass iter len max min next oct ord pow print repr round sorted
sum
""")
_CLASSES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type))
_WAYS_OUT = BUILTINS - _COMPUTING - _CLASSES | {"type"}
# What an annotation that names types is made of.
_OF_TYPES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.Starred),
    *(ast.BinOp, ast.BitOr, ast.Load),
)
_TYPING = ("typing.", "typing_extensions.")
_LITERAL = frozenset(f"{module}{name}" for module in _TYPING for name in ("Annotated", "Literal"))


def reaches(tree: ast.Module, around: ast.Module) -> Iterator[Reach]:
    """The names in `tree` that reach outside and that `around`, a file, does not use already.

    `tree` is a module whose code is to go into the file.
    """
    known = _known(around)
    yield from (each for each in _reaches(tree, around) if each.name not in known)


# A file is asked about once for each candidate.
@lru_cache(maxsize=4)
def _known(around: ast.Module) -> frozenset[str]:
    return frozenset(each.name for each in _reaches(around, around))


def _reaches(tree: ast.Module, around: ast.Module) -> Iterator[Reach]:
    nodes = nodes_in(tree)
    every = nodes if tree is around else (*nodes_in(around), *nodes)
    imported = ImportBindings([node for node in every if isinstance(node, ImportNode)])
    attributes = Attributes(tree, around, imported)
    plain = set(_plain(nodes, attributes, imported))
    # A node within a longer name is no use of its own.
    without = plain.union(each.value for each in nodes if isinstance(each, ast.Attribute))
    for node in nodes:
        if isinstance(node, ImportNode):
            yield from imports_reached(node)
        if isinstance(node, ast.Attribute | ast.Name) and node not in without:
            yield from imported.reaches(node)
        yield from attributes.reached(node)
        if isinstance(node, ast.Call) and _makes_class(node):
            yield Reach("type", node)
    yield from attributes.defined()
    yield from _taken_from_module(tree, around, imported, plain)
    yield from _texts(tree, nodes, imported)


def _makes_class(call: ast.Call) -> bool:
    """Whether a call may be one of a metaclass: ``type(int)("Box", (), {})``."""
    match call.func:
        case (
            ast.Attribute(attr="__class__", value=owner)
            | ast.Call(func=ast.Name(id="type"), args=[owner])
        ):
            is_self = isinstance(owner, ast.Name) and owner.id == "self"
            is_spread = any(isinstance(each, ast.Starred) for each in call.args)
            return not is_self and (len(call.args) > 2 or is_spread)
        case _:
            return False


def _plain(
    nodes: Sequence[ast.AST], attributes: Attributes, imported: ImportBindings
) -> Iterator[ast.AST]:
    """Names that reach outside elsewhere, where they stand in a place in which they do not."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="type") as name, args=[given], keywords=[]):
                yield from () if isinstance(given, ast.Starred) else (name,)
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kind]):
                yield from _types_in(kind.elts if isinstance(kind, ast.Tuple) else [kind])
            case ast.Call(func=function) if attributes.are_asked_by(node):
                yield function
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[right]):
                yield from _types_in([left, right])
            case ast.Subscript(value=value) | ast.MatchClass(cls=value):
                yield from _types_in([value])
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield from _plain_above(node, imported)
            case _:
                pass
    for each in _annotations(nodes):
        parts = [*ast.walk(each)]
        yield from _types_in(parts if all(isinstance(part, _OF_TYPES) for part in parts) else [])


def _types_in(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    return (each for each in nodes if isinstance(each, ast.Name) and each.id == "type")


def _plain_above(definition: Definition, imported: ImportBindings) -> Iterator[ast.AST]:
    """What alters or makes only what stands below it."""
    for each in definition.decorator_list:
        name = each.func if isinstance(each, ast.Call) else each
        paths = imported.paths(name)
        has_options = isinstance(each, ast.Call) and bool(each.keywords)
        if DECORATORS.issuperset(paths) and not (has_options and "functools.wraps" in paths):
            yield name
    for each in definition.keywords if isinstance(definition, ast.ClassDef) else ():
        if each.arg == "metaclass" and METACLASSES.issuperset(imported.paths(each.value)):
            yield each.value


def _annotations(nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        found = (getattr(node, "annotation", None), getattr(node, "returns", None))
        yield from (each for each in found if isinstance(each, ast.expr))


def _texts(tree: ast.Module, nodes: Sequence[ast.AST], imported: ImportBindings) -> Iterator[Reach]:
    """Texts that may be looked up or evaluated: as a package's method, or as a type.

    ``frame.apply("to_csv")``, ``typing.List["exit()"]``.
    """
    definitions = [tree, *(each for each in nodes if isinstance(each, Definition))]
    docstrings = [docstring_statement(each) for each in definitions]
    said = {each.value for each in docstrings if each is not None}
    for node in nodes if imported.has_packages else ():
        match node:
            case ast.Constant(value=str(text)) if node not in said:
                if ("_" in text and is_of_package(text)) or (is_dunder(text) and text.strip("_")):
                    yield Reach(text, node)
            case _:
                pass
    fixed = {each.node for each in occurrences_in(tree) if each.looks_in_module}
    made = {
        each.id
        for node in tree.body
        if isinstance(node, ast.Assign) and not _names_types(node.value, imported)
        for each in node.targets
        if isinstance(each, ast.Name)
    }
    types = [(each, True) for each in _annotations(nodes)]
    for node in nodes:
        match node:
            case ast.Subscript(value=value, slice=key) if _is_of_typing(value, imported):
                types.append((key, False))
            case ast.Call(func=function, args=given) if _makes_type(function, imported):
                given = given[:1] if "cast" in ast.unparse(function) else given
                named = (each.value for each in node.keywords)
                types += [(each, False) for each in (*given, *named)]
            case _:
                pass
    for kind, is_annotation in types:
        for each in _parts_of_type(kind, imported):
            match each:
                case ast.Constant(value=str(text)):
                    if not _is_type(text):
                        yield Reach(text, each)
                case ast.Name(id=name) if not is_annotation:
                    if each not in fixed or name in made:
                        yield Reach(name, each)
                case _ if not (is_annotation or isinstance(each, _OF_TYPES)):
                    yield Reach(ast.unparse(each), each)
                case _:
                    pass


def _makes_type(function: ast.expr, imported: ImportBindings) -> bool:
    names = [each.rpartition(".")[2] for each in imported.paths(function)]
    is_maker = any(each == "cast" or each[:1].isupper() for each in names)
    return is_maker and _is_of_typing(function, imported)


def _is_of_typing(node: ast.expr, imported: ImportBindings) -> bool:
    paths = imported.paths(node)
    return any(each.startswith(_TYPING) and each not in _LITERAL for each in paths)


def _parts_of_type(kind: ast.expr, imported: ImportBindings) -> Iterator[ast.AST]:
    """The nodes of an expression for a type, without values that stand in it."""
    waiting: list[ast.AST] = [kind]
    while waiting:
        node = waiting.pop()
        yield node
        if not (
            isinstance(node, ast.Subscript) and _LITERAL.issuperset(imported.paths(node.value))
        ):
            waiting += ast.iter_child_nodes(node)


def _names_types(value: ast.expr, imported: ImportBindings) -> bool:
    is_made = isinstance(value, ast.Call) and _is_of_typing(value.func, imported)
    return is_made or (isinstance(value, _OF_TYPES) and not isinstance(value, ast.Constant))


def _is_type(text: str) -> bool:
    """Whether a text, evaluated as an annotation, only names types."""
    tree = parse_expression(text)
    return tree is not None and all(isinstance(each, _OF_TYPES) for each in ast.walk(tree))


def _taken_from_module(
    tree: ast.Module, around: ast.Module, imported: ImportBindings, plain: set[ast.AST]
) -> Iterator[Reach]:
    """Names that lead outside without being imported: builtins, and what a star import brings."""
    found = occurrences_in(tree)
    own = bound_in_module(found) | bound_in_module(occurrences_in(around))
    for each in found:
        if not isinstance(each.node, ast.Name) or not each.looks_in_module or each.name in own:
            continue
        is_unknown = imported.has_star and each.name not in BUILTINS
        leads_out = is_unknown or each.name in _WAYS_OUT or is_hidden(each.name)
        if leads_out and each.node not in plain:
            yield Reach(each.name, each.node)
