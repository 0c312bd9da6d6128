"""Says in a few words what a program did."""

from __future__ import annotations

from typing import cast

from assay_engine.running.arguments_left import Given, arguments_left
from assay_engine.running.carried import arguments_of, value_of
from assay_engine.running.describing import VALUE_CHARACTERS, arguments_text
from assay_engine.running.imported import as_imported
from assay_engine.syntax.shortening import contrasted
from assay_engine.words import set_apart, short
from assay_sandbox import (
    Crashed,
    Encoded,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
    Unserialisable,
    Value,
    render,
)

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
    one: Observation, other: Observation, limit: int, given: Given
) -> tuple[str, str]:
    """What each of two did on an input, set against the other."""
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
    given: Given | None = None,
) -> str:
    """What was seen, as a verb phrase: ``returns 3``, ``raises ValueError``; of several programs,
    ``return 3``.

    `other` is what it is set against: what both share (the same return value when only the
    arguments were changed differently) does not hide what they differ in. `given` is the call: with
    it, arguments are told by name, and only those in which the two differ.
    """
    match observation:
        case Returned():
            return _returned(observation, other, limit, number, given)
        case Raised():
            return _raised(observation, other, limit, number, given)
        case TimedOut():
            return f"{_verb('does', number)} not finish within {observation.seconds:g} s"
        case OutOfMemory():
            memory = observation.limit_bytes >> 20
            return f"{_verb('needs', number)} more than {memory} MB of memory"
        case OutputExceeded():
            output = observation.limit_bytes >> 10
            return f"{_verb('produces', number)} more than {output} kB of output"
        case Refused():
            return f"{_verb('is', number)} refused {short(observation.what)}"
        case Crashed():
            return f"{_verb('crashes', number)} ({short(observation.how)})"
        case Unserialisable():
            what = short(observation.what)
            return f"{_verb('returns', number)} something that cannot be compared ({what})"
        case LoadFailed():
            return f"cannot be loaded ({short(observation.type_name.rsplit('.', 1)[-1])})"


def _verb(singular: str, number: int) -> str:
    return singular if number == 1 else _OF_SEVERAL[singular]


def _returned(
    observation: Returned, other: Observation | None, limit: int, number: int, given: Given | None
) -> str:
    counterpart = other if isinstance(other, Returned) else None
    value = _value(observation, given)
    beside = value if counterpart is None else _value(counterpart, given)
    phrase = f"{_verb('returns', number)} {contrasted(value, beside, limit)}"
    effects = _effects(observation, counterpart, limit, number, given)
    if counterpart is None or counterpart.value != observation.value:
        return " and ".join([phrase, *effects])
    return " and ".join([*_silence(observation, counterpart, number), *effects] or [phrase])


def _value(observation: Returned, given: Given | None) -> str:
    text = render(value_of(observation.value))
    return text if given is None else as_imported(text, given.specification.program)


def _raised(
    observation: Raised, other: Observation | None, limit: int, number: int, given: Given | None
) -> str:
    """With what was done before, where that is what it differs in from one that raises the same."""
    phrase = f"{_verb('raises', number)} {short(observation.type_name.rsplit('.', 1)[-1])}"
    if not isinstance(other, Raised) or other.type_name != observation.type_name:
        return phrase
    if observation.passed_on and other.passed_on and other.message != observation.message:
        phrase += f": {set_apart(observation.message, other.message, limit)}"
    effects = _effects(observation, other, limit, number, given)
    return " and ".join([*_silence(observation, other, number), *effects, phrase])


def _silence(
    observation: Returned | Raised, other: Returned | Raised, number: int
) -> tuple[str, ...]:
    """That it printed nothing, where one that ends alike printed something."""
    silent = other.stdout and not observation.stdout
    return (f"{_verb('prints', number)} nothing",) if silent else ()


def _effects(
    observation: Returned | Raised,
    other: Returned | Raised | None,
    limit: int,
    number: int,
    given: Given | None,
) -> list[str]:
    """What it printed and left behind, where that is not what `other` did."""
    effects: list[str] = []
    if observation.stdout and (other is None or other.stdout != observation.stdout):
        beside = "" if other is None else repr(other.stdout)
        printed = contrasted(repr(observation.stdout), beside, limit)
        effects.append(f"{_verb('prints', number)} {printed}")
    if other is None:
        return effects
    if other.args_after != observation.args_after:
        sides = observation.args_after, other.args_after
        named = None if given is None else arguments_left(*sides, given, limit)
        told = _changed(*sides, limit, number)
        effects.append(told if named is None else f"{_verb('leaves', number)} {named}")
    if other.files_after != observation.files_after:
        files, beside = _files(observation.files_after), _files(other.files_after)
        left = f"the files {contrasted(files, beside, limit)}" if files else "all files alone"
        effects.append(f"{_verb('leaves', number)} {left}")
    return effects


def _files(files_after: Encoded | None) -> str:
    """Those that were changed; nothing if there are none."""
    files: Value = {} if files_after is None else value_of(files_after)
    if not isinstance(files, dict):
        return ""
    listed = cast("dict[Value, Value]", files).items()
    return ", ".join(f"{render(name)}: {'gone' if c is None else render(c)}" for name, c in listed)


def _changed(args_after: Encoded | None, others: Encoded | None, limit: int, number: int) -> str:
    whose = f"{'its' if number == 1 else 'their'} arguments"
    if args_after is None:
        return f"{_verb('leaves', number)} {whose} alone"
    shown = _arguments(args_after)
    if shown is None:
        return f"{_verb('changes', number)} {whose}"
    beside = None if others is None else _arguments(others)
    return f"{_verb('leaves', number)} {whose} as ({contrasted(shown, beside or '', limit)})"


def _arguments(args_after: Encoded) -> str | None:
    arguments = arguments_of(args_after)
    if arguments is None:
        return None
    args, kwargs = arguments
    return arguments_text(args, kwargs.items())
