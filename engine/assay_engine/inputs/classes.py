"""The classes and aliases of a program's text, and how the classes' objects are made."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct, field

from assay_engine.inputs.generics import (
    alias_declared,
    names_declared,
    scopes_in,
    variables_declared,
)
from assay_engine.syntax.names import last_name
from assay_engine.syntax.parsing import parse

# What says something of a name, and not of its type.
QUALIFIERS = frozenset(
    ("Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required")
)
_ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_WITH_FIELDS = frozenset({"dataclass", "define", "frozen", "attrs"})


class Definitions(Struct, frozen=True):
    """What a program says about names that annotations use. `parameters` are the type parameters
    of aliases that declare them, `scopes` what those of functions and classes stand for."""

    classes: Mapping[str, ast.ClassDef] = field(default_factory=dict[str, ast.ClassDef])
    aliases: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    parameters: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    scopes: Mapping[str, Mapping[str, ast.expr]] = field(
        default_factory=dict[str, Mapping[str, ast.expr]]
    )


def definitions_of(program: str) -> Definitions | None:
    """None if the program does not parse."""
    tree = parse(program)
    if not isinstance(tree, ast.Module):
        return None
    aliases: dict[str, ast.expr] = {}
    parameters: dict[str, list[str]] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                aliases[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                aliases[name] = value
            case _ if (declared := alias_declared(node)) is not None:
                name, aliases[name] = declared
                parameters[name] = names_declared(node)
            case _:
                pass
    # What nobody gave an argument for.
    for node in tree.body:
        for name, variable in variables_declared(node).items():
            aliases.setdefault(name, variable)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    return Definitions(classes, aliases, parameters, scopes_in(tree.body))


def is_enumeration(node: ast.ClassDef) -> bool:
    return not _ENUMERATIONS.isdisjoint(map(last_name, node.bases))


def typed_dict_classes(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> list[ast.ClassDef]:
    """The classes that a typed dict has its keys from, the one it is of last; none of what is no
    typed dict."""
    found = with_bases(node, classes)
    derives = any("TypedDict" in map(last_name, each.bases) for each in found)
    return found if derives else []


def with_bases(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """The class, last, and those of the program's that it derives from."""
    found: list[ast.ClassDef] = []
    waiting = [node]
    while waiting:
        each = waiting.pop()
        # A text may well derive a class from itself.
        if each not in found:
            found.append(each)
            waiting += [classes[base] for base in map(last_name, each.bases) if base in classes]
    return found[::-1]


def required_keys(node: ast.ClassDef) -> frozenset[str]:
    """The keys from this class that every dict of a typed dict has. An annotation that cannot be
    read fully, as it is a text, say, requires nothing if it speaks of `NotRequired` at all."""
    whole = all(
        isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in node.keywords
        if keyword.arg == "total"
    )
    return frozenset(
        name
        for name, annotation in annotated_fields(node)
        if last_name(annotation) == "Required"
        or (whole and "NotRequired" not in ast.unparse(annotation))
    )


def member_names(node: ast.ClassDef) -> list[str]:
    """The names of an enumeration's members."""
    return [
        target.id
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]


def constructor(
    node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> list[tuple[str, ast.expr]] | None:
    """The annotated parameters of the constructor, or None if some have no annotation.

    It may be that of a class it derives from, whose fields come first in what is made of fields.
    """
    lineage = with_bases(node, classes)
    if _is_made_of_fields(node):
        return list(fields_of(filter(_is_made_of_fields, lineage)).items())
    for each in reversed(lineage):
        if _is_made_of_fields(each):
            return constructor(each, classes)
        for statement in each.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                return _required(statement.args)
    return []


def _is_made_of_fields(node: ast.ClassDef) -> bool:
    decorators = {last_name(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
    return "NamedTuple" in map(last_name, node.bases) or not _WITH_FIELDS.isdisjoint(decorators)


def _required(arguments: ast.arguments) -> list[tuple[str, ast.expr]] | None:
    optional = len(arguments.defaults)
    required = arguments.args[1 : len(arguments.args) - optional or None]
    if any(argument.annotation is None for argument in required):
        return None
    return [(a.arg, a.annotation) for a in required if a.annotation is not None]


def annotated_fields(node: ast.ClassDef) -> list[tuple[str, ast.expr]]:
    """Annotated fields that the constructor takes: all but those with `field(init=False)`."""
    fields: list[tuple[str, ast.expr]] = []
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                is_no_field = last_name(annotation) in ("ClassVar", "KW_ONLY")
                if not (is_no_field or _is_left_out(value)):
                    fields.append((name, annotation))
            case _:
                pass
    return fields


def fields_of(classes: Iterable[ast.ClassDef]) -> dict[str, ast.expr]:
    """The annotated fields of all of these, those of a later class in place of an earlier one's."""
    return dict(chain.from_iterable(map(annotated_fields, classes)))


def _is_left_out(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Call) and any(
        each.arg == "init" and isinstance(each.value, ast.Constant) and each.value.value is False
        for each in default.keywords
    )


def is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis
