"""Says in a few words what a program did, and which of the words are code."""

from __future__ import annotations

from assay_engine.syntax.expressions import step_text
from assay_engine.syntax.shortening import contrasted
from assay_engine.types import Phrase, Verbatim, Words, joined
from assay_engine.values.arguments_left import GivenCall, arguments_left
from assay_engine.values.carried import arguments_of, files_of, is_expression, value_of
from assay_engine.values.describing import VALUE_CHARACTERS, arguments_text, as_imported
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
    verb = _raises(observation, number, given)
    exception = short(observation.type_name.rsplit(".", 1)[-1])
    if not isinstance(other, Raised) or other.type_name != observation.type_name:
        return (*verb, Verbatim(exception))
    if observation.passed_on and other.passed_on and other.message != observation.message:
        exception += f": {set_apart(observation.message, other.message, limit)}"
    effects = _effects(observation, other, limit, number, given)
    silence = _silence(observation, other, number)
    return joined([*silence, *effects, (*verb, Verbatim(exception))])


def _raises(observation: Raised, number: int, given: GivenCall | None) -> Phrase:
    """The verb, and in which step before the call it was, if in any."""
    if observation.step is None:
        return (_doing("raises", number),)
    values = () if given is None else given.call.values
    sources = [value.source for value in values if is_expression(value)]
    step = next(filter(None, (step_text(each, observation.step) for each in sources)), "")
    if not step:
        return (_doing("raises", number, "before the call "),)
    return (_doing("raises", number, "already at "), Verbatim(short(step)), Words(": "))


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
        files = _files_left(observation.files_after, other.files_after, limit)
        effects.append((_doing("leaves", number), *files))
    return effects


def _files_left(files_after: Encoded | None, others: Encoded | None, limit: int) -> Phrase:
    files = _files(files_after)
    if not files:
        return (Words("all files alone"),)
    return (Words("the files "), Verbatim(contrasted(files, _files(others), limit)))


def _files(files_after: Encoded | None) -> str:
    """The files that were changed, as a text; empty if there are none."""
    listed = files_of(files_after).items()
    return ", ".join(f"{render(name)}: {'gone' if c is None else render(c)}" for name, c in listed)


def _changed(args_after: Encoded | None, others: Encoded | None, limit: int, number: int) -> Phrase:
    whose = f"{'its' if number == 1 else 'their'} arguments"
    if args_after is None:
        return (_doing("leaves", number, f"{whose} alone"),)
    shown = _arguments(args_after)
    if shown is None:
        return (_doing("changes", number, whose),)
    beside = None if others is None else _arguments(others)
    value = f"({contrasted(shown, beside or '', limit)})"
    return (_doing("leaves", number), Words(f"{whose} as "), Verbatim(value))


def _arguments(args_after: Encoded) -> str | None:
    arguments = arguments_of(args_after)
    if arguments is None:
        return None
    args, kwargs = arguments
    return arguments_text(args, kwargs.items())
