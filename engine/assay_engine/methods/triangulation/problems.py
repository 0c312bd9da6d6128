"""Problems to draw programs for: a header that code has computed, and a docstring.

The model never writes headers: it would change an order or a name (paper, appendix D).

Takes apart types as they are written in a header.
"""

from __future__ import annotations

import ast

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.specification.specification import in_pieces, specify
from assay_engine.syntax.expressions import alternatives, is_ellipsis
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.units import find_units
from assay_engine.types import InPlace, Specification, UnitKind


class Slot(Struct, frozen=True):
    """A parameter: its name, and its type as written in the source, if there is one."""

    name: str
    annotation: str | None

    @property
    def list_type(self) -> str:
        """The type of a list of its values, as source text."""
        return "list" if self.annotation is None else f"list[{self.annotation}]"

    def __str__(self) -> str:
        return self.name if self.annotation is None else f"{self.name}: {self.annotation}"


class Header(Struct, frozen=True):
    """A function's name, positional parameters and result type."""

    name: str
    parameters: tuple[Slot, ...]
    returns: str | None

    def __str__(self) -> str:
        arrow = "" if self.returns is None else f" -> {self.returns}"
        return f"def {self.name}({', '.join(map(str, self.parameters))}){arrow}:"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(slot.name for slot in self.parameters)

    def without(self, index: int) -> tuple[Slot, ...]:
        """The parameters except the one at `index`."""
        return (*self.parameters[:index], *self.parameters[index + 1 :])


def header_of(specification: Specification) -> Header | None:
    """The header of a plain function; None for units that cannot be inverted by their parameters:
    methods, coroutines, functions without parameters or with a parameter that is not positional,
    and functions that return functions or context managers."""
    if specification.unit.kind is not UnitKind.FUNCTION or not specification.parameters:
        return None
    if "." in specification.entry or "async def " in specification.signature:
        return None
    if not all(each.kind.is_positional for each in specification.parameters):
        return None
    slots = tuple(Slot(each.name, each.annotation) for each in specification.parameters)
    return Header(specification.unit.name, slots, specification.returns)


def stated(header: Header, docstring: str, like: Specification) -> Specification:
    """The problem of this header and docstring, in the context of the original function.

    Raises ValueError if no function can be read from the header and the quoted docstring.
    """
    quoted = docstring.strip().replace("\\", "\\\\").replace('"""', "'''")
    body = "\n".join(
        f"    {line}".rstrip() for line in f'"""{quoted}\n"""\nreturn None'.split("\n")
    )
    context = like.context.strip()
    text = "\n\n".join(part for part in (context, f"{header}\n{body}\n") if part)
    unit = next((each for each in find_units(text)[0] if each.qualname == header.name), None)
    if unit is None:
        raise ValueError(f"{header} cannot be read")
    found = specify(text, unit)
    # A text of its own, that imports what the original's module can.
    own = like.in_place and InPlace(like.in_place.place, found.program, found.definition)
    return in_pieces(
        replace(
            found,
            in_place=own,
            workspace_roots=like.workspace_roots,
            neighbours=like.neighbours,
        )
    )


_SEQUENCES = ("list", "List", "Sequence", "Iterable")


def element_type(annotation: str | None) -> str | None:
    """The element type of a list: ``int`` of ``list[int]``; None if the annotation does not say."""
    match parse_expression(annotation or ""):
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name in _SEQUENCES:
            return ast.unparse(inner)
        case _:
            return None


def parts_of_tuple(annotation: str | None, size: int) -> tuple[str | None, ...]:
    """The types of a tuple's `size` parts, None for each part whose type is not given.

    ``int`` and ``str`` of ``tuple[int, str]``; `size` times ``int`` of ``tuple[int, ...]``.
    """
    match parse_expression(annotation or ""):
        case ast.Subscript(
            value=ast.Name(id="tuple" | "Tuple"),
            slice=ast.Tuple(elts=[inner, last]),
        ) if is_ellipsis(last):
            return (ast.unparse(inner),) * size
        case ast.Subscript(
            value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=elements)
        ) if len(elements) == size:
            return tuple(map(ast.unparse, elements))
        case _:
            return (None,) * size


def disjuncts(annotation: str | None) -> tuple[str, ...]:
    """The types of a union as written, including ``None``; one type if it is no union."""
    return tuple(dict.fromkeys(map(ast.unparse, alternatives(annotation))))
