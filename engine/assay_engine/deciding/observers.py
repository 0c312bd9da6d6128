"""Looks at the object that a call leaves, through public methods and properties of its class.

A look is a call of its own: the method is called as before, and then a member is called several
times. The results are returned beside the arguments.
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

# How many looks are made at one call. The first look is at the object alone.
LOOKS_MAX = 24
_LOOK = "_assay_look"
# Each member is called three times: the order of items inside the object shows when they are taken
# out.
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
    """The members through which an object can be looked at after this method was called.

    `legible` are the fields that such a member reads, if the member also returns something.
    """

    method: str
    members: tuple[Member, ...]
    legible: frozenset[str]


def window_of(program: Program, calls: Sequence[Call]) -> Window | None:
    """The window for a method; None if the program is no plain method or no field is legible."""
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
    """The calls by which a program that `looking` has made looks at what `call` leaves.

    One call looks at the object alone. There is one for each member and the arguments that it can
    be given, taken from this call and from the steps before it.
    """
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
            match step.value if isinstance(step, ast.Await) else step:
                case ast.Call(func=ast.Attribute(value=ast.Name()), args=args):
                    yield tuple(Expression(ast.unparse(each)) for each in args)
                case _:
                    pass
