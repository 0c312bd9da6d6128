"""Interprets the outcome of a run for a property: a value, an answer, or a special value.

Paper, section 5.3: a program that calls its input invalid is undefined there, and every other
failure is demonic. Calls that were not made for want of time are demonic, too.

Remembers what programs did, so that each runs on the same arguments only once.

A function made here answers from the remembered outcomes. If it lacks one, it notes the call and
answers `PENDING`. The evaluator takes the notes, has the calls made, and evaluates again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import cast

from msgspec import Struct, field

from assay_engine.compare.same_values import is_number_of_numpy
from assay_engine.methods.triangulation.formulas.values import (
    ANGELIC,
    DEMONIC,
    PENDING,
    UNDEFINED,
    Answer,
    Arguments,
    FullAnswer,
    Function,
    PartialAnswer,
    Special,
    Term,
    listed,
    strongest,
)
from assay_engine.values.carried import value_of
from assay_sandbox import (
    Call,
    Container,
    Cycle,
    Encoded,
    Instance,
    Iterated,
    Observation,
    Opaque,
    Program,
    Raised,
    Returned,
    TimedOut,
    Told,
    Value,
    encode,
)

# How the message of a ValueError that rejects an input begins, in any case. An accidental
# ValueError, from `int("x")` or `list.index`, is a bug and no claim about the input.
INVALID_INPUT = "invalid input"

# Containers that differ from a built-in one in how they are made, not in what they hold.
_PLAIN_CONTAINERS = frozenset(
    f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")
)

# Views of a dict that stays in its own process, so they cannot be given to another program.
_VIEWS = frozenset(("dict_keys", "dict_values", "dict_items"))

# A class made in a function is a new class at each call, so no other program can make its values.
_LOCAL = "<locals>"


class ResultKind(Enum):
    """How to interpret a program's return value."""

    VALUE = "value"
    ANSWER = "answer"


def outcome(observation: Observation) -> Value | Special:
    """What the program did, as a value or a special value."""
    match observation:
        case Returned():
            try:
                return _plain(value_of(observation.value))
            except RecursionError:  # a program forged the reply: no real value is this deep
                return DEMONIC
        case Raised() if _rejects_input(observation):
            return UNDEFINED
        case _:
            return DEMONIC


def read(found: Value | Special, kind: ResultKind) -> Term:
    if kind is ResultKind.VALUE or isinstance(found, Special):
        return found
    return answer(found)


def answer(value: Value) -> Answer | Special:
    """The set that a set-valued program returned; demonic if the value is no set.

    A list or a set is exhaustive unless paired with False: ``(False, [1, 2])``.
    """
    match value:
        case (bool(complete), values) if isinstance(value, tuple):
            pass
        case _:
            complete, values = True, value
    if not isinstance(values, list | set | frozenset):
        return DEMONIC
    all_listed = listed(cast("Iterable[Value]", values))
    return FullAnswer(all_listed) if complete else PartialAnswer(all_listed)


def _rejects_input(raised: Raised) -> bool:
    if "ValueError" not in (raised.type_name, *raised.lineage):
        return False
    return raised.message.casefold().startswith(INVALID_INPUT)


def _plain(value: Value) -> Value | Special:
    """The value, in built-in types where possible; demonic if no other program can be given it."""
    match value:
        case list() | tuple() | set() | frozenset():
            return _all_plain(cast("Iterable[Value]", value), type(cast("list[Value]", value)))
        case dict():
            mapping = cast("Mapping[Value, Value]", value)
            return _all_plain(mapping.items(), dict)
        case Container(type_name=name, items=items):
            return _in_built_in_types(name, _plain(items))
        case Instance(type_name=name, fields=fields):
            if _LOCAL in name:
                return DEMONIC
            return _all_plain(fields, lambda plain: Instance(name, tuple(plain)))
        case Iterated() | Opaque() | Told() | Cycle():
            return DEMONIC
        case _:
            return value


def _all_plain(parts: Iterable[Value], rebuilt: Callable[[Iterable[Value]], Value]) -> Value:
    plain = [_plain(part) for part in parts]
    return DEMONIC if any(part is DEMONIC for part in plain) else rebuilt(plain)


def _in_built_in_types(name: str, held: Value | Special) -> Value | Special:
    if name in _VIEWS:
        return DEMONIC
    if held is DEMONIC or name in _PLAIN_CONTAINERS:
        return held
    if is_number_of_numpy(name, held):
        return held
    if name.startswith("numpy.ndarray:") and isinstance(held, list):
        parts = cast("list[Value]", held)
        # The parts are shape and items, if the worker wrote the list and not the program.
        if len(parts) > 1:
            return parts[1]
    return Container(name, held)


# Further calls of a program are taken as demonic, so that exploding answers come to an end.
CALLS_PER_PROGRAM_MAX = 20_000
# A batch is given up after a few timeouts. Its other calls are tried again, until the program has
# had this many timeouts.
TIMEOUTS_PER_PROGRAM_MAX = 12


class KnownProgram(Struct, frozen=True):
    """The known outcomes of one program, by arguments. `texts` tells outcomes apart exactly; `late`
    are the arguments on which the program hit the time limit."""

    outcomes: dict[Encoded, Value | Special] = field(default_factory=dict[Encoded, "Value"])
    texts: dict[Encoded, str] = field(default_factory=dict[Encoded, str])
    answers: dict[Encoded, Term] = field(default_factory=dict[Encoded, "Term"])
    late: set[Encoded] = field(default_factory=set[Encoded])


class Memo:
    """The memory. Mutable, and meant to be shared by all schemes tried on the same samples."""

    def __init__(self) -> None:
        self._known: dict[Program, KnownProgram] = {}
        self._timeouts: dict[Program, int] = {}
        self._asked: dict[Program, dict[Encoded, Arguments]] = {}

    def function(
        self, program: Program, kind: ResultKind = ResultKind.VALUE, *, patient: bool = False
    ) -> Function:
        """The program as a function on terms. It passes on special values without a run.

        `patient`: a run that hit the time limit is angelic (nobody knows its result), not demonic.
        """
        known = self._known_of(program)

        def function(*arguments: Term) -> Term:
            special = strongest(arguments)
            if special is not None:
                return special
            try:
                encoded = encoded_arguments(arguments)
            except TypeError:  # nested too deeply, or too large, to be handed on
                return DEMONIC
            if encoded not in known.outcomes:
                return self._ask(program, encoded, arguments)
            if patient and encoded in known.late:
                return ANGELIC
            if kind is ResultKind.VALUE:
                return known.outcomes[encoded]
            if encoded not in known.answers:
                known.answers[encoded] = read(known.outcomes[encoded], kind)
            return known.answers[encoded]

        return function

    def taken(self) -> dict[Program, dict[Encoded, Arguments]]:
        """The unknown calls that were asked for since the last call of this method."""
        asked, self._asked = self._asked, {}
        return asked

    def knows(self, program: Program, encoded: Encoded) -> bool:
        return encoded in self._known_of(program).outcomes

    def learn(
        self, program: Program, calls: Sequence[Call], observations: Sequence[Observation]
    ) -> None:
        known = self._known_of(program)
        timeouts = sum(isinstance(each, TimedOut) for each in observations[: len(calls)])
        skipped = sum(isinstance(each, TimedOut) and each.whole_batch for each in observations)
        if skipped:
            # At least one, because a batch can run out of time although no single call does.
            spent = self._timeouts.get(program, 0) + max(1, timeouts - skipped)
            self._timeouts[program] = spent
        hopeless = self._timeouts.get(program, 0) >= TIMEOUTS_PER_PROGRAM_MAX
        for call, observation in zip(calls, observations, strict=True):
            if isinstance(observation, TimedOut) and observation.whole_batch and not hopeless:
                continue
            encoded = encoded_arguments(call.args)
            found = outcome(observation)
            known.outcomes[encoded] = found
            if isinstance(observation, TimedOut):
                known.late.add(encoded)
                known.texts[encoded] = "late"
            elif isinstance(found, Special):
                known.texts[encoded] = repr(found)
            else:
                known.texts[encoded] = getattr(observation, "value", "")

    def likeness(self, program: Program) -> frozenset[tuple[Encoded, str]]:
        """The known outcomes by arguments: equal for programs that did the same on all of them."""
        return frozenset(self._known_of(program).texts.items())

    def _known_of(self, program: Program) -> KnownProgram:
        return self._known.setdefault(program, KnownProgram())

    def _ask(self, program: Program, encoded: Encoded, arguments: Arguments) -> Term:
        if len(self._known_of(program).outcomes) >= CALLS_PER_PROGRAM_MAX:
            return DEMONIC
        self._asked.setdefault(program, {})[encoded] = arguments
        return PENDING


def encoded_arguments(arguments: Arguments) -> Encoded:
    """The arguments as the sandbox will write them. Raises TypeError if it cannot write them."""
    return encode([list(arguments), {}])
