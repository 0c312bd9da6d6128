"""What annotations say of a parameter: the types among which they leave the choice, by their
aliases; whether it takes functions (and which are called only for their effect) or open files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from assay_engine.source.identifiers import FunctionNode
from assay_engine.source.input_output import imported_names
from assay_engine.source.parsing import body_of, last_name, names_in, parse_expression
from assay_engine.source.text import Source
from assay_engine.source.units import Cut
from assay_engine.types import Specification
from assay_engine.words import in_backticks

# Qualifiers say something about a name, and not about its type.
QUALIFIERS = frozenset(
    ("Annotated", "ClassVar", "Final", "InitVar", "NotRequired", "ReadOnly", "Required")
)
_NOTHING: Mapping[str, ast.expr] = MappingProxyType({})


def alternatives(
    annotation: ast.expr | str | None, aliases: Mapping[str, ast.expr] = _NOTHING
) -> list[ast.expr]:
    """The alternatives of an annotation: ``int`` and ``None`` of ``Optional["int"]``.

    They are in the order in which they are written. The function sees through unions, texts,
    qualifiers and the names in `aliases`, however deep they are. The types of an alias are given
    once, however often it occurs. Types within other types stay as they are. An annotation that
    cannot be read has no alternatives.
    """
    seen: set[str] = set()
    found: list[ast.expr] = []
    waiting = [parse_expression(annotation) if isinstance(annotation, str) else annotation]
    while waiting:
        match waiting.pop():
            case None:
                pass
            case ast.Constant(value=str() as text):
                waiting.append(parse_expression(text))
            case ast.BinOp(left=one, op=ast.BitOr(), right=other):
                waiting += [other, one]
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Optional":
                waiting += [ast.Constant(None), inner]
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) == "Union":
                waiting += reversed(inner.elts if isinstance(inner, ast.Tuple) else [inner])
            case ast.Subscript(value=outer, slice=inner) if last_name(outer) in QUALIFIERS:
                waiting.append(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
            case ast.Name(id=name) if name in aliases:
                waiting += [] if name in seen else [aliases[name]]
                seen.add(name)
            case other:
                found.append(other)
    return found


def is_ellipsis(annotation: ast.expr) -> bool:
    """Whether an annotation is the ellipsis that ends ``tuple[int, ...]``."""
    return isinstance(annotation, ast.Constant) and annotation.value is Ellipsis


def aliases_in(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """The last value assigned to each name, whether or not it is a type."""
    found: dict[str, ast.expr] = {}
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
            case _ if is_alias(node):
                # Typed as Any, because only the parser of Python 3.12 and later knows this node.
                declared: Any = node
                found[declared.name.id] = declared.value
            case _:
                pass
    return found


# A memo, like that of `read_source`.
@lru_cache(maxsize=4)
def aliases_of(source: Source) -> Mapping[str, ast.expr]:
    """The aliases of a text, at its top level."""
    return aliases_in(source.tree.body)


def is_alias(node: ast.stmt) -> bool:
    """Whether a statement is ``type X = …``."""
    return type(node).__name__ == "TypeAlias"


# Functions that call their first argument.
_CALLING = frozenset(("filter", "map", "reduce", "starmap"))


def functions_taken(cut: Cut) -> tuple[str, ...]:
    """The names of parameters that are annotated as functions (or as holding some), or called.

    A receiver that is called does not count, because no argument of a call could give it.
    """
    called = set(_called(cut.node))
    several = (cut.node.args.vararg, cut.node.args.kwarg)
    return tuple(
        each.arg
        for each in cut.given
        if each not in several and (each.arg in called or _is_of_functions(each.annotation))
    )


def _is_of_functions(annotation: ast.expr | None) -> bool:
    return annotation is not None and any("Callable" in name for name in names_in(annotation))


def _called(function: FunctionNode) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield name
                if name in _CALLING and node.args and isinstance(node.args[0], ast.Name):
                    yield node.args[0].id
            case ast.keyword(arg="key", value=ast.Name(id=name)):
                yield name
            case _:
                pass


# Methods of open files that few other objects have.
_READING = frozenset(("read", "readline", "readlines", "writelines"))


def files_taken(cut: Cut) -> tuple[str, ...]:
    """The names of parameters that are annotated as open files, or not annotated but read like
    open files."""
    used = {
        node.value.id
        for node in ast.walk(cut.node)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in _READING
    }
    return tuple(
        each.arg
        for each in cut.given
        if _is_open_file(each.annotation) or (each.annotation is None and each.arg in used)
    )


def _is_open_file(annotation: ast.expr | None) -> bool:
    return any(last_name(each) in _OPEN_FILES for each in alternatives(annotation))


_OPEN_FILES = frozenset(
    (
        *("TextIO", "TextIOBase", "TextIOWrapper", "StringIO", "IO"),
        *("BinaryIO", "BufferedIOBase", "BufferedReader", "RawIOBase", "BytesIO"),
    )
)

# Functions that keep their arguments in a list that is compared after the call. The list is the one
# that the method is bound to, or the default of a parameter of the function.
_OF_ONE = "[].append"
_OF_ANY = "lambda *given, kept=[]: kept.append(given)"
_AWAITED = "lambda *given, kept=[]: {asyncio}.sleep(0, kept.append(given))"


def sinks(specification: Specification) -> dict[str, str]:
    """The parameters that are annotated as functions which return nothing, or await to nothing.

    Each name comes with the text of a function to give there, which keeps its arguments. A function
    that gives functions has none: its prompt asks for a trace as a whole.
    """
    if specification.gives_functions:
        return {}
    imported = imported_names(body_of(specification.context))
    asyncio = next((name for name, module in imported.items() if module == "asyncio"), None)
    found: dict[str, str] = {}
    for parameter in specification.given_parameters:
        ways = [_keeping(each, asyncio) for each in alternatives(parameter.annotation)]
        if way := next(filter(None, ways), None):
            found[parameter.name] = way
    return found


def keeping_calls(specification: Specification) -> str:
    """A paragraph of a prompt that says how such functions can show that they were called."""
    found = sinks(specification)
    if not found:
        return ""
    names = list(found)
    each = f"`{names[0]}` is" if len(names) == 1 else f"{in_backticks(names)} are"
    given = [
        f"`{way}` for {in_backticks([name for name in names if found[name] == way])}"
        for way in dict.fromkeys(found.values())
    ]
    return (
        f"\n\nWhat {each} called with is compared only if it is kept: give {' and '.join(given)} "
        "wherever nothing else is needed."
    )


def _keeping(annotation: ast.expr, asyncio: str | None) -> str | None:
    match annotation:
        case ast.Subscript(value=outer, slice=ast.Tuple([given, gives])):
            is_function = last_name(outer) == "Callable"
        case _:
            return None
    if is_function and ast.unparse(gives) == "None":
        return _OF_ONE if isinstance(given, ast.List) and len(given.elts) == 1 else _OF_ANY
    if is_function and asyncio is not None and _is_nothing(_awaited(gives)):
        return _AWAITED.format(asyncio=asyncio)
    return None


def _is_nothing(gives: ast.expr | None) -> bool:
    """Whether nothing can be done with a result of this type."""
    return isinstance(gives, ast.Constant | ast.Name) and ast.unparse(gives) in ("None", "object")


def _awaited(gives: ast.expr) -> ast.expr | None:
    match gives:
        case ast.Subscript(value=outer, slice=awaited) if last_name(outer) == "Awaitable":
            return awaited
        case ast.Subscript(value=outer, slice=ast.Tuple([*_, awaited])):
            return awaited if last_name(outer) == "Coroutine" else None
        case _:
            return None
