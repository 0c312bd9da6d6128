"""What programs are known to do: each is asked about the same arguments once.

A function made here answers from what is known. Asked for more, it notes the call and answers
`PENDING`; whoever evaluates takes the notes, has the calls made, and asks again.
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

# What a program does beyond is taken as demonic, so that exploding answers end.
CALLS_PER_PROGRAM_MAX = 20_000
# A batch is given up after a few timeouts, and its other calls are asked again, until then.
TIMEOUTS_PER_PROGRAM_MAX = 12


class Behaviour(Struct, frozen=True):
    """What is known of one program, by arguments. `texts` tells outcomes apart exactly; `late` are
    the arguments on which it hit the time limit."""

    outcomes: dict[Encoded, Value | Special] = field(default_factory=dict[Encoded, "Value"])
    texts: dict[Encoded, str] = field(default_factory=dict[Encoded, str])
    answers: dict[Encoded, Term] = field(default_factory=dict[Encoded, "Term"])
    late: set[Encoded] = field(default_factory=set[Encoded])


class Memo:
    """Mutable, and meant to be shared by all schemes that are tried on the same samples."""

    def __init__(self) -> None:
        self._behaviours: dict[Program, Behaviour] = {}
        self._timeouts: dict[Program, int] = {}
        self._asked: dict[Program, dict[Encoded, Arguments]] = {}

    def function(
        self, program: Program, kind: ResultKind = ResultKind.VALUE, *, patient: bool = False
    ) -> Function:
        """The program as a function on terms: not run on a special value, which it passes on.

        `patient`: where it hit the time limit nobody can tell, and it is not demonic.
        """
        behaviour = self._behaviour(program)

        def function(*arguments: Term) -> Term:
            special = strongest(arguments)
            if special is not None:
                return special
            try:
                encoded = encoded_arguments(arguments)
            except TypeError:  # nested too deeply, or too large, to be handed on
                return DEMONIC
            if encoded not in behaviour.outcomes:
                return self._ask(program, encoded, arguments)
            if patient and encoded in behaviour.late:
                return ANGELIC
            if kind is ResultKind.VALUE:
                return behaviour.outcomes[encoded]
            if encoded not in behaviour.answers:
                behaviour.answers[encoded] = read(behaviour.outcomes[encoded], kind)
            return behaviour.answers[encoded]

        return function

    def taken(self) -> dict[Program, dict[Encoded, Arguments]]:
        """The calls asked for and not known since this was asked last."""
        asked, self._asked = self._asked, {}
        return asked

    def knows(self, program: Program, encoded: Encoded) -> bool:
        return encoded in self._behaviour(program).outcomes

    def learn(
        self, program: Program, calls: Sequence[Call], observations: Sequence[Observation]
    ) -> None:
        behaviour = self._behaviour(program)
        timeouts = sum(isinstance(each, TimedOut) for each in observations[: len(calls)])
        skipped = sum(isinstance(each, TimedOut) and each.whole_batch for each in observations)
        if skipped:
            # At least one: a batch can run out of time without any call doing so.
            spent = self._timeouts.get(program, 0) + max(1, timeouts - skipped)
            self._timeouts[program] = spent
        hopeless = self._timeouts.get(program, 0) >= TIMEOUTS_PER_PROGRAM_MAX
        for call, observation in zip(calls, observations, strict=True):
            if isinstance(observation, TimedOut) and observation.whole_batch and not hopeless:
                continue
            encoded = encoded_arguments(call.args)
            found = outcome(observation)
            behaviour.outcomes[encoded] = found
            if isinstance(observation, TimedOut):
                behaviour.late.add(encoded)
                behaviour.texts[encoded] = "late"
            elif isinstance(found, Special):
                behaviour.texts[encoded] = repr(found)
            else:
                behaviour.texts[encoded] = getattr(observation, "value", "")

    def likeness(self, program: Program) -> frozenset[tuple[Encoded, str]]:
        """Programs that are alike gave identical outcomes to all they were asked."""
        return frozenset(self._behaviour(program).texts.items())

    def _behaviour(self, program: Program) -> Behaviour:
        return self._behaviours.setdefault(program, Behaviour())

    def _ask(self, program: Program, encoded: Encoded, arguments: Arguments) -> Term:
        if len(self._behaviour(program).outcomes) >= CALLS_PER_PROGRAM_MAX:
            return DEMONIC
        self._asked.setdefault(program, {})[encoded] = arguments
        return PENDING


def encoded_arguments(arguments: Arguments) -> Encoded:
    """The arguments as the sandbox will write them; TypeError if it could not."""
    return encode([list(arguments), {}])
