"""Searches for inputs that set programs apart: mutations of those inputs that tell the most so far.

An input tells more the rarer what it shows: which programs part ways on it, of what sort the
outcomes are (a type, nothing, a sign, an exception), and which branches of a program it runs
through, where that was traced. Rare inputs are mutated more often, and what they give is judged in
turn, as grey-box fuzzers do. Outcomes alone do not tell that an input is half the way to a branch.

The search is a generator of rounds, which knows of no sandbox and no clock: it ends when its budget
of inputs is spent or nothing new was seen for a while. What inputs show is handed in with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Sequence
from random import Random
from typing import TypeAlias

from msgspec import Struct, field

from assay_engine.deciding.voting import Standing, Vote
from assay_engine.inputs.mutated import weighted_mutations
from assay_engine.running.call_keys import call_key
from assay_sandbox import Call, Observation, Raised, Returned, Value

ROUND = 30
# Rounds without anything new after which the search ends.
DRY_MAX = 4
# How often an input outside the domain is mutated, where one that alone shows something counts 1.
OUTSIDE_WEIGHT = 0.02

# Values that are limit cases, as canonical text.
_TELLING = frozenset(("null", "true", "false", "0", "0.0", "1", "-1", '""', "[]", '{"dict":[]}'))

# What one input shows: nothing if it does not count.
Features: TypeAlias = frozenset[object]
# What was run of what was asked for (an input can turn out to be impossible), and what it shows.
Seen: TypeAlias = tuple[Sequence[Call], Sequence[Features]]
Rounds: TypeAlias = Generator[tuple[Call, ...], Seen, None]


def search(
    calls: Sequence[Call],
    shown: Sequence[Features],
    *,
    count: int,
    seed: int,
    constants: Sequence[Value] = (),
) -> Rounds:
    """Asks for rounds of inputs, at most `count` in all, that go on from those already seen."""
    random = Random(seed)
    corpus = _Corpus(constants)
    corpus.add(calls, shown)
    dry = asked = 0
    while asked < count and dry < DRY_MAX:
        wanted = corpus.mutants(min(ROUND, count - asked), random)
        if not wanted:
            return
        asked += len(wanted)
        known = corpus.shown
        corpus.add(*(yield wanted))
        dry = 0 if corpus.shown > known else dry + 1


def shown_by_vote(vote: Vote) -> Features:
    """What the outcomes show on an input; nothing if it is outside the domain."""
    if vote.standing is Standing.OUTSIDE:
        return frozenset()
    sides = ((entry.is_original, entry.candidates) for entry in vote.behaviours)
    return shown_by_outcomes(sides, (entry.observation for entry in vote.behaviours))


def shown_by_outcomes(sides: Iterable[Hashable], outcomes: Iterable[Observation]) -> Features:
    """Which programs part ways (`sides`, one per behaviour), and of what sort outcomes are."""
    return frozenset([frozenset(sides), *map(_sort, outcomes)])


class _Corpus(Struct):
    """The inputs seen so far with what each shows; `asked` are the keys of all that were asked."""

    constants: Sequence[Value]
    calls: list[Call] = field(default_factory=list[Call])
    features: list[Features] = field(default_factory=list[Features])
    asked: set[str] = field(default_factory=set[str])

    @property
    def shown(self) -> int:
        """How many different things all inputs have shown."""
        return len(frozenset[object]().union(*self.features))

    def add(self, calls: Sequence[Call], shown: Sequence[Features]) -> None:
        self.calls += calls
        self.features += shown
        self.asked.update(map(call_key, calls))

    def mutants(self, count: int, random: Random) -> tuple[Call, ...]:
        """New calls, made of those that show what few others do."""
        if not self.calls:
            return ()
        often = Counter(each for shown in self.features for each in shown)
        weights = [
            max((1 / often[each] for each in shown), default=OUTSIDE_WEIGHT)
            for shown in self.features
        ]
        return weighted_mutations(
            self.calls, weights, count, random, known=self.asked, constants=self.constants
        )


def _sort(observation: Observation) -> Hashable:
    """Of what sort the outcome is: few sorts, each of them telling."""
    match observation:
        case Returned():
            return "returned", _sort_of_text(observation.value), observation.args_after is not None
        case Raised():
            return "raised", observation.type_name
        case _:
            return (type(observation).__name__,)


def _sort_of_text(text: str) -> str:
    """Of canonical text: what is short (nothing, truth, zero) as it is, else its kind and sign."""
    if text in _TELLING:
        return text
    if text.startswith("{"):
        return text.partition(":")[0]
    return text[:1] if text.startswith(("[", '"', "-")) else ""
