"""Says which of a call's arguments two programs left in different states, and in which."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from assay_engine.syntax.shortening import contrasted
from assay_engine.types import (
    Name,
    ParameterKind,
    Phrase,
    Specification,
    UnitKind,
    Verbatim,
    Words,
    joined,
)
from assay_engine.values.carried import arguments_of, holds, is_expression, is_script
from assay_engine.values.describing import as_imported
from assay_sandbox import Call, Encoded, Expression, Member, Scalar, Value, render

_THE_OBJECT = Words("the object")
_CANNOT_CHANGE = (bool, bytes, complex, float, int, str, type(None), Expression, Member, Scalar)


class GivenCall(Struct, frozen=True):
    """A call of a specified function: it tells the arguments' names and their values before it."""

    call: Call
    specification: Specification


def arguments_left(
    own: Encoded | None, other: Encoded | None, given: GivenCall, limit: int
) -> Phrase | None:
    """The arguments in which two outcomes differ, as left by the first.

    ``the object as Stack([1])`` and ```base` as {} and `extra` alone`` are examples. `own` and
    `other` are the arguments after the call, None if unchanged. The result is None if the names of
    the arguments, or the arguments that differ, cannot be told.
    """
    if is_script(given.call):
        return None
    before = _named(given.call.args, dict(given.call.kwargs), given)
    mine, theirs = (before if each is None else _after(each, given) for each in (own, other))
    if mine is None or theirs is None or not (before.keys() == mine.keys() == theirs.keys()):
        return None
    program = given.specification.program
    texts = {
        name: (as_imported(render(mine[name]), program), as_imported(render(theirs[name]), program))
        for name in before
    }
    differing = [
        name
        for name, (one, its) in texts.items()
        # Only the sandbox knows how the value of an expression looked before the call.
        if one != its
        and not (holds(before[name], is_expression) and _stays(mine[name], theirs[name]))
    ]
    if not differing:
        return None
    alone = [n for n in differing if own is None or render(mine[n]) == render(before[n])]
    changed = [name for name in differing if name not in alone]
    room = limit // max(1, len(changed))
    told: list[Phrase] = [
        (name, Words(" as "), Verbatim(contrasted(*texts[name], room))) for name in changed
    ]
    if alone:
        told.append((*joined((name,) for name in alone), Words(" alone")))
    return joined(told)


def _after(arguments: Encoded, given: GivenCall) -> Mapping[Name | Words, Value] | None:
    found = arguments_of(arguments)
    return None if found is None else _named(*found, given)


def _named(
    args: tuple[Value, ...], kwargs: Mapping[str, Value], given: GivenCall
) -> Mapping[Name | Words, Value]:
    """The arguments by the names under which a reader knows them."""
    specification = given.specification
    parameters = specification.given_parameters
    by_place: list[Name | Words] = [
        Name(each.name) for each in parameters if each.kind.is_positional
    ]
    if by_place and specification.unit.kind is UnitKind.METHOD:
        by_place[0] = _THE_OBJECT
    kinds = {each.kind: each.name for each in parameters}
    rest = kinds.get(ParameterKind.VAR_POSITIONAL, "arguments")
    by_place += [Name(f"{rest}[{index}]") for index in range(len(args) - len(by_place))]
    # There are fewer arguments than parameters where some parameters have defaults.
    return {
        **dict(zip(by_place, args, strict=False)),
        **{Name(name): value for name, value in kwargs.items()},
    }


def _stays(mine: Value, theirs: Value) -> bool:
    """Whether two values are still as they were made, since values of their types cannot change."""
    return isinstance(mine, _CANNOT_CHANGE) and isinstance(theirs, _CANNOT_CHANGE)
