"""Looks at what a call left of its object, through the public methods and properties of the class.

A look is a call of its own: the method is called as before and then a member, several times over;
what that gives is returned beside the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from msgspec import Struct

from assay_engine.syntax.fields_used import fields_used
from assay_engine.syntax.members import Member, public_members
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.steps import parts_after
from assay_sandbox import Call, Expression, Program, Value

# Looks at one call; the first of them is at the object alone.
LOOKS_MAX = 24
_LOOK = "_assay_look"
# Three times: what is put in order within shows when it is taken out.
_LOOK_SOURCE = f"""

def {_LOOK}(it, /, *args, {_LOOK}, **kwargs):
    def tried(name, given, named):
        try:
            found = getattr(it, name)
            return found(*given, **named) if callable(found) else found
        except Exception as error:
            return type(error)
    method, member, given = {_LOOK}
    tried(method, args, kwargs)
    return it, args, kwargs, [tried(member, given, {{}}) for _ in range(3) if member]
"""


class Window(Struct, frozen=True):
    """How objects of a class can be looked at once this method was called; `legible` are the fields
    that a member which is tried reads and gives something of."""

    method: str
    members: tuple[Member, ...]
    legible: frozenset[str]


def window_of(program: Program, calls: Sequence[Call]) -> Window | None:
    """None where the program is no plain method, or nothing shows what it left."""
    class_path, _, method = program.entry.rpartition(".")
    members = public_members(program.source, class_path) if class_path else ()
    if method not in {member.name for member in members}:
        return None
    given = max((len(each) for call in calls for each in _given(call)), default=0)
    members = tuple(member for member in members if member.required <= given)
    read = [fields_used(program.source, member.name) for member in members if member.gives]
    legible = frozenset[str]().union(*(fields for fields in read if fields is not None))
    return Window(method, members, legible) if legible else None


def looks_at(call: Call, window: Window) -> list[Call]:
    """Calls of what `looking` makes of a program: one for the object alone, and one for each member
    and what it can be given of the arguments here and in the steps before."""
    tried: dict[tuple[str, str], tuple[Value, ...]] = {}
    for given in _given(call):
        for member in window.members:
            if len(given) >= member.required:
                part = given[: member.required]
                tried.setdefault((member.name, repr(part)), part)
    looks = [("", ()), *((name, part) for (name, _), part in tried.items())]
    return [
        replace(call, kwargs=(*call.kwargs, (_LOOK, (window.method, name, part))))
        for name, part in looks[:LOOKS_MAX]
    ]


def looking(program: Program) -> Program:
    return replace(program, source=program.source + _LOOK_SOURCE, entry=_LOOK)


def _given(call: Call) -> Iterator[tuple[Value, ...]]:
    yield call.args[1:]
    receiver = call.args[0] if call.args else None
    if isinstance(receiver, Expression):
        for step in parts_after(parse_expression(receiver.source)):
            match step:
                case ast.Call(func=ast.Attribute(value=ast.Name()), args=args):
                    yield tuple(Expression(ast.unparse(each)) for each in args)
                case _:
                    pass
