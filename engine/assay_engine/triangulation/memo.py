"""Remembers what programs did, so that each runs on the same arguments only once.

A function made here answers from the remembered outcomes. If it lacks one, it notes the call and
answers `PENDING`. The evaluator takes the notes, has the calls made, and evaluates again.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from assay_engine.triangulation.outcomes import ResultKind, outcome, read
from assay_engine.triangulation.values import (
    ANGELIC,
    DEMONIC,
    PENDING,
    Arguments,
    Function,
    Special,
    Term,
    strongest,
)
from assay_sandbox import Call, Encoded, Observation, Program, TimedOut, Value, encode

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
