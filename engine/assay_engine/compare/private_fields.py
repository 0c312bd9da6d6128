"""Ignores private fields in which programs leave an object different but alike from the outside.

The order of a heap's list, or where a counter begins, is a matter of how a method works, which a
docstring does not mention. If outcomes differ only in such fields, the objects are looked at
through their class. A field that no public member reads counts as usual: nothing else shows what
became of it.

Looks at the object that a call leaves, through public methods and properties of its class.

A look is a call of its own: the method is called as before, and then a member is called several
times. The results are returned beside the arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from msgspec import Struct

from assay_engine.compare.behaviours import partition, same_behaviour
from assay_engine.compare.executor import Executor, Row
from assay_engine.compare.policy import Policy
from assay_engine.compare.same_values import same_value
from assay_engine.compare.votes import was_seen
from assay_engine.syntax.classes import PublicMember, fields_used, public_members
from assay_engine.syntax.expressions import statements_of
from assay_engine.values.carried import value_of
from assay_engine.values.parts import parts_of, with_parts
from assay_sandbox import (
    Call,
    Expression,
    Instance,
    Observation,
    Program,
    Raised,
    Returned,
    Value,
    encode,
)

# What was seen in looks, by number of the program.
_Seen: TypeAlias = dict[int, Row]


async def without_unseen(
    executor: Executor,
    programs: Sequence[Program],
    calls: Sequence[Call],
    rows: Sequence[Row],
    policy: Policy,
) -> tuple[Row, ...]:
    """The rows of all programs, with outcomes that nobody outside can tell apart made equal.

    Such outcomes leave the object as the first program with any of them does.
    """
    if "." not in programs[0].entry:
        # A function has no object. This early return saves time, since every input comes here.
        return tuple(rows)
    columns = [list(column) for column in zip(*rows, strict=True)]
    # The first program of each outcome, where two outcomes differ only in what they left.
    contested: dict[int, list[int]] = {}
    for index, column in enumerate(columns):
        leaders = [group[0] for group in partition(column, policy)]
        answers = [_answer(column[leader]) for leader in leaders]
        if len(leaders) > 1 and len(partition(answers, policy)) < len(leaders):
            contested[index] = leaders
    window = window_of(programs[0], [calls[index] for index in contested]) if contested else None
    if window is None:
        return tuple(rows)
    seen = await _looked(executor, programs, calls, contested, window)
    for index, leaders in contested.items():
        columns[index] = _joined(columns[index], leaders, seen[index], window, policy)
    return tuple(map(tuple, zip(*columns, strict=True)))


async def _looked(
    executor: Executor,
    programs: Sequence[Program],
    calls: Sequence[Call],
    contested: dict[int, list[int]],
    window: Window,
) -> dict[int, _Seen]:
    looks = {index: looks_at(calls[index], window) for index in contested}
    seen: dict[int, _Seen] = {index: {} for index in contested}
    for number, program in enumerate(programs):
        own = [index for index, leaders in contested.items() if number in leaders]
        asked = [look for index in own for look in looks[index]]
        (row,) = await executor.run([looking(program)], asked)
        for index in own:
            count = len(looks[index])
            seen[index][number], row = row[:count], row[count:]
    return seen


def _joined(
    column: Sequence[Observation],
    leaders: Sequence[int],
    seen: _Seen,
    window: Window,
    policy: Policy,
) -> list[Observation]:
    kept: list[int] = []
    joined: dict[int, int] = {}
    for leader in leaders:
        alike = (
            other
            for other in kept
            if same_behaviour(_answer(column[leader]), _answer(column[other]), policy)
            and _look_alike(seen[leader], seen[other], window, policy)
        )
        joined[leader] = next(alike, leader)
        if joined[leader] == leader:
            kept.append(leader)
    result = list(column)
    for leader, *members in partition(column, policy):
        if joined[leader] != leader:
            other = column[joined[leader]]
            for number in (leader, *members):
                own = column[number]
                # The answer is kept because the order of a dict in it may count.
                if isinstance(own, Returned | Raised) and isinstance(other, Returned | Raised):
                    result[number] = replace(own, args_after=other.args_after)
    return result


def _look_alike(one: Row, other: Row, window: Window, policy: Policy) -> bool:
    if not all(map(was_seen, (*one, *other))):
        return False
    looks = zip(map(_public, one), map(_public, other), strict=True)
    if not all(same_behaviour(*both, policy) for both in looks):
        return False
    mine, theirs = _fields(one[0]), _fields(other[0])
    differing = {name for name in mine if not same_value(mine[name], theirs.get(name), policy)}
    return bool(mine) and mine.keys() == theirs.keys() and differing <= window.legible


def _fields(look: Observation) -> dict[str, Value]:
    """The object's fields, from a look at the object alone."""
    parts = value_of(look.value) if isinstance(look, Returned) else None
    receiver = cast("tuple[Value, ...]", parts)[0] if isinstance(parts, tuple) else None
    return dict(receiver.fields) if isinstance(receiver, Instance) else {}


def _public(look: Observation) -> Observation:
    """A look without the private fields of the object and of its parts."""
    parts = value_of(look.value) if isinstance(look, Returned) else None
    if not isinstance(look, Returned) or not isinstance(parts, tuple):
        return look
    receiver, *rest = cast("tuple[Value, ...]", parts)
    return Returned(encode((_without_private(receiver), *rest)), stdout=look.stdout)


def _without_private(value: Value) -> Value:
    if isinstance(value, Instance):
        public = ((name, part) for name, part in value.fields if not name.startswith("_"))
        return Instance(value.type_name, tuple((n, _without_private(part)) for n, part in public))
    parts = parts_of(value)
    return with_parts(value, [_without_private(part) for part in parts]) if parts else value


def _answer(observation: Observation) -> Observation:
    """The outcome without what became of the arguments."""
    if isinstance(observation, Returned | Raised):
        return replace(observation, args_after=None)
    return observation


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
    members: tuple[PublicMember, ...]
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
        for step in statements_of(receiver.source):
            match step:
                case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name()), args=args)) | ast.Expr(
                    ast.Await(ast.Call(func=ast.Attribute(value=ast.Name()), args=args))
                ):
                    yield tuple(Expression(ast.unparse(each)) for each in args)
                case _:
                    pass
