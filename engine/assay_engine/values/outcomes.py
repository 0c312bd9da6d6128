"""Says in a few words what a program did, and which of the words are code.

Says which of a call's arguments two programs left in different states, and in which.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from assay_engine.syntax.expressions import statements_of, step_text
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
from assay_engine.values.carried import (
    arguments_of,
    files_of,
    holds,
    is_expression,
    is_script,
    value_of,
)
from assay_engine.values.describing import VALUE_CHARACTERS, arguments_text, as_imported
from assay_engine.words import set_apart, short
from assay_sandbox import (
    Call,
    Crashed,
    Encoded,
    Expression,
    Instance,
    LoadFailed,
    Member,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    Scalar,
    Script,
    TimedOut,
    Unserialisable,
    Value,
    render,
)

_NOTHING_IN: Mapping[type, Value] = {list: [], dict: {}, set: set(), int: 0, float: 0.0}
# What CPython says of an UnboundLocalError.
_UNSET = re.compile(r"local variable '(\w+)'")
_OF_SEVERAL = {
    "changes": "change",
    "crashes": "crash",
    "does": "do",
    "is": "are",
    "leaves": "leave",
    "needs": "need",
    "prints": "print",
    "produces": "produce",
    "raises": "raise",
    "returns": "return",
}


def outcome_phrases(
    one: Observation, other: Observation, limit: int, given: GivenCall
) -> tuple[Phrase, Phrase]:
    """What each of two programs did on an input, set against what the other did."""
    return (
        outcome_phrase(one, other, limit, given=given),
        outcome_phrase(other, one, limit, given=given),
    )


def outcome_phrase(
    observation: Observation,
    other: Observation | None = None,
    limit: int = VALUE_CHARACTERS,
    *,
    number: int = 1,
    given: GivenCall | None = None,
) -> Phrase:
    """An observation as a verb phrase: ``returns 3``, ``raises ValueError``.

    Of several programs (`number`), the phrase is ``return 3``. `other` is an observation to set
    this one against: what both share (the same return value when only the arguments were changed
    differently) does not hide what they differ in. `given` is the call: with it, arguments are told
    by name, and only those in which the two differ.
    """
    match observation:
        case Returned():
            return _returned(observation, other, limit, number, given)
        case Raised():
            return _raised(observation, other, limit, number, given)
        case TimedOut():
            return (_doing("does", number, f"not finish within {observation.seconds:g} s"),)
        case OutOfMemory():
            memory = observation.limit_bytes >> 20
            return (_doing("needs", number, f"more than {memory} MB of memory"),)
        case OutputExceeded():
            output = observation.limit_bytes >> 10
            return (_doing("produces", number, f"more than {output} kB of output"),)
        case Refused():
            return (_doing("is", number, "refused "), Verbatim(short(observation.what)))
        case Crashed():
            return _in_brackets(_doing("crashes", number), observation.how)
        case Unserialisable():
            what = _doing("returns", number, "something that cannot be compared ")
            return _in_brackets(what, observation.what)
        case LoadFailed():
            return _in_brackets(
                Words("cannot be loaded "), observation.type_name.rsplit(".", 1)[-1]
            )


def with_message(raised: Phrase, message: str, limit: int) -> Phrase:
    """The phrase of an observation that raised, with the exception's message at its end."""
    *before, exception = raised
    if not isinstance(exception, Verbatim):
        # No exception is told.
        return raised
    said = f": {short(message, limit)}"
    # The message is there already if it is what the two observations differ in.
    if exception.text.endswith(said):
        return raised
    return (*before, Verbatim(f"{exception.text}{said}"))


def _doing(singular: str, number: int, rest: str = "") -> Words:
    return Words(f"{singular if number == 1 else _OF_SEVERAL[singular]} {rest}")


def _in_brackets(what: Words, detail: str) -> Phrase:
    return (what, Words("("), Verbatim(short(detail)), Words(")"))


def _returned(
    observation: Returned,
    other: Observation | None,
    limit: int,
    number: int,
    given: GivenCall | None,
) -> Phrase:
    counterpart = other if isinstance(other, Returned) else None
    value = _value(observation, given)
    beside = value if counterpart is None else _value(counterpart, given)
    phrase = _doing("returns", number), Verbatim(contrasted(value, beside, limit))
    effects = _effects(observation, counterpart, limit, number, given)
    if counterpart is None or counterpart.value != observation.value:
        return joined([phrase, *effects])
    return joined([*_silence(observation, counterpart, number), *effects] or [phrase])


def _value(observation: Returned, given: GivenCall | None) -> str:
    text = render(value_of(observation.value))
    return text if given is None else as_imported(text, given.specification.program)


def _raised(
    observation: Raised, other: Observation | None, limit: int, number: int, given: GivenCall | None
) -> Phrase:
    """The phrase of an observation that raised.

    If `other` raised the same, the phrase tells what was done before and where that differs.
    """
    verb: Phrase = (_doing("raises", number),)
    if observation.step is not None:
        # Before the call: in which step, as far as that can be told.
        values = () if given is None else given.call.values
        sources = [value.source for value in values if is_expression(value)]
        step = next(filter(None, (step_text(each, observation.step) for each in sources)), "")
        verb = (_doing("raises", number, "before the call "),)
        if step:
            verb = (_doing("raises", number, "already at "), Verbatim(short(step)), Words(": "))
    unset = "" if given is None else left_unset(observation, given.call)
    if unset:
        return (_doing("leaves", number), Verbatim(unset), Words(" unset in the script"))
    exception = short(observation.type_name.rsplit(".", 1)[-1])
    if not isinstance(other, Raised) or other.type_name != observation.type_name:
        return (*verb, Verbatim(exception))
    if observation.passed_on and other.passed_on and other.message != observation.message:
        exception += f": {set_apart(observation.message, other.message, limit)}"
    effects = _effects(observation, other, limit, number, given)
    silence = _silence(observation, other, number)
    return joined([*silence, *effects, (*verb, Verbatim(exception))])


def left_unset(observation: Observation, call: Call) -> str:
    """The variable of a script that has no value at its end, since something did not happen that
    the script waits for: mostly an exception that it catches. Empty if that is not what ended it.

    The program has not raised this, and nobody would expect it of a test.
    """
    found = _UNSET.search(observation.message) if isinstance(observation, Raised) else None
    if found is None or not is_script(call):
        return ""
    scripts = [each.source for each in call.values if isinstance(each, Script)]
    names = (
        node.id
        for source in scripts
        for step in statements_of(source)
        for node in ast.walk(step)
        if isinstance(node, ast.Name)
    )
    return found[1] if found[1] in names else ""


def _silence(
    observation: Returned | Raised, other: Returned | Raised, number: int
) -> tuple[Phrase, ...]:
    """A phrase for printing nothing, where another that ends in the same way printed something."""
    silent = other.stdout and not observation.stdout
    return ((_doing("prints", number, "nothing"),),) if silent else ()


def _effects(
    observation: Returned | Raised,
    other: Returned | Raised | None,
    limit: int,
    number: int,
    given: GivenCall | None,
) -> list[Phrase]:
    """Phrases for what a program printed and left behind, where `other` did not do the same."""
    effects: list[Phrase] = []
    if observation.stdout and (other is None or other.stdout != observation.stdout):
        beside = "" if other is None else repr(other.stdout)
        printed = contrasted(repr(observation.stdout), beside, limit)
        effects.append((_doing("prints", number), Verbatim(printed)))
    if other is None:
        return effects
    if other.args_after != observation.args_after:
        sides = observation.args_after, other.args_after
        named = None if given is None else arguments_left(*sides, given, limit)
        told = _changed(*sides, limit, number)
        effects.append(told if named is None else (_doing("leaves", number), *named))
    if other.files_after != observation.files_after:
        files, beside = (
            ", ".join(
                f"{render(name)}: {'gone' if content is None else render(content)}"
                for name, content in files_of(each.files_after).items()
            )
            for each in (observation, other)
        )
        told = (Words("the files "), Verbatim(contrasted(files, beside, limit)))
        told = told if files else (Words("all files alone"),)
        effects.append((_doing("leaves", number), *told))
    return effects


def _changed(args_after: Encoded | None, others: Encoded | None, limit: int, number: int) -> Phrase:
    whose = f"{'its' if number == 1 else 'their'} arguments"
    if args_after is None:
        return (_doing("leaves", number, f"{whose} alone"),)
    found = arguments_of(args_after)
    if found is None:
        return (_doing("changes", number, whose),)
    other = None if others is None else arguments_of(others)
    shown, beside = (
        "" if each is None else arguments_text(each[0], each[1].items()) for each in (found, other)
    )
    value = f"({contrasted(shown, beside, limit)})"
    return (_doing("leaves", number), Words(f"{whose} as "), Verbatim(value))


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
    after: list[Mapping[Name | Words, Value]] = []
    for each in (own, other):
        found = None if each is None else arguments_of(each)
        if each is None:
            after.append(before)
        elif found is not None:
            after.append(_named(*found, given))
    if any(before.keys() != each.keys() for each in after) or len(after) < 2:
        return None
    mine, theirs = after
    program = given.specification.program
    texts = {
        name: (as_imported(render(mine[name]), program), as_imported(render(theirs[name]), program))
        for name in before
    }
    differing = [
        name
        for name, (one, its) in texts.items()
        # Only the sandbox knows how the value of an expression looked before the call. It is still
        # as it was if values of its type cannot change.
        if one != its
        and not (
            holds(before[name], is_expression)
            and isinstance(mine[name], _CANNOT_CHANGE)
            and isinstance(theirs[name], _CANNOT_CHANGE)
        )
    ]
    if not differing:
        return None
    alone = [n for n in differing if own is None or render(mine[n]) == render(before[n])]
    changed = [name for name in differing if name not in alone]
    room = limit // max(1, len(changed))
    told: list[Phrase] = []
    for name in changed:
        text, beside = texts[name]
        if other is None and holds(before[name], is_expression):
            # How the other one looks is not known. What has come into this one is to be shown.
            beside = as_imported(render(_emptied(mine[name])), program)
        told.append((name, Words(" as "), Verbatim(contrasted(text, beside, room))))
    if alone:
        told.append((*joined((name,) for name in alone), Words(" alone")))
    return joined(told)


def _emptied(value: Value) -> Value:
    """The object without what its fields hold."""
    if not isinstance(value, Instance):
        return value
    bare = (
        (name, _NOTHING_IN.get(type(cast("object", held)), held)) for name, held in value.fields
    )
    return Instance(value.type_name, tuple(bare))


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
