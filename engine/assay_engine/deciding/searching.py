"""Searches for inputs that set programs apart, by mutating the inputs that tell most so far.

An input tells more if it shows something rarer: which programs part ways on it, what sort of
outcomes there are (a type, nothing, a sign, an exception), and, where that was traced, which
branches of a program it runs through. Rare inputs are mutated more often, and the mutants are
judged in turn, as grey-box fuzzers do. Branches are traced because outcomes alone do not tell that
an input is half the way to a branch.

The search is a generator of rounds, and uses neither a sandbox nor a clock. It ends when its budget
of inputs is spent, or when nothing new was seen for a while. The caller runs the inputs, and sends
in what each of them shows.
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
# The search ends after this many rounds in a row without anything new.
DRY_MAX = 4
# The weight with which an input outside the domain is mutated. An input that is the only one to
# show some feature has weight 1.
OUTSIDE_WEIGHT = 0.02

# Values that are limit cases, as canonical text.
_TELLING = frozenset(("null", "true", "false", "0", "0.0", "1", "-1", '""', "[]", '{"dict":[]}'))

# What one input shows; empty if the input does not count.
Features: TypeAlias = frozenset[object]
# The calls that were run, and what each of them shows. Calls that were asked for may be missing,
# since an input can turn out to be impossible.
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
    """Ask for rounds of inputs, at most `count` in all, starting from the inputs already seen."""
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
    """What the outcomes on an input show; nothing if the input is outside the domain."""
    if vote.standing is Standing.OUTSIDE:
        return frozenset()
    sides = ((entry.is_original, entry.candidates) for entry in vote.behaviours)
    return shown_by_outcomes(sides, (entry.observation for entry in vote.behaviours))


def shown_by_outcomes(sides: Iterable[Hashable], outcomes: Iterable[Observation]) -> Features:
    """The features of an input: which programs part ways, and what sorts of outcomes there are.

    `sides` has one entry per behaviour.
    """
    return frozenset([frozenset(sides), *map(_sort, outcomes)])


class _Corpus(Struct):
    """The inputs seen so far, with what each shows. `asked` are the keys of all calls asked for."""

    constants: Sequence[Value]
    calls: list[Call] = field(default_factory=list[Call])
    features: list[Features] = field(default_factory=list[Features])
    asked: set[str] = field(default_factory=set[str])

    @property
    def shown(self) -> int:
        """How many different features the inputs have shown."""
        return len(frozenset[object]().union(*self.features))

    def add(self, calls: Sequence[Call], shown: Sequence[Features]) -> None:
        self.calls += calls
        self.features += shown
        self.asked.update(map(call_key, calls))

    def mutants(self, count: int, random: Random) -> tuple[Call, ...]:
        """New calls, made mostly from calls that show what few others do."""
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
    """The sort of an outcome: there are few sorts, and each of them is telling."""
    match observation:
        case Returned():
            return "returned", _sort_of_text(observation.value), observation.args_after is not None
        case Raised():
            return "raised", observation.type_name
        case _:
            return (type(observation).__name__,)


def _sort_of_text(text: str) -> str:
    """The sort of a canonical text: a limit case (such as zero) as it is, else kind and sign."""
    if text in _TELLING:
        return text
    if text.startswith("{"):
        return text.partition(":")[0]
    return text[:1] if text.startswith(("[", '"', "-")) else ""
