"""Searches for inputs that set programs apart, by mutating the inputs that tell most so far.

An input tells more if it shows something rarer: which programs part ways on it, what sort of
outcomes there are (a type, nothing, a sign, an exception), and, where that was traced, which
branches of a program it runs through. Rare inputs are mutated more often, and the mutants are
judged in turn, as grey-box fuzzers do. Branches are traced because outcomes alone do not tell that
an input is half the way to a branch.

The search is a generator of rounds, and uses neither a sandbox nor a clock. It ends when its budget
of inputs is spent, or when nothing new was seen for a while. The caller runs the inputs, and sends
in what each of them shows.

Traces the branches of a few programs: a sign that an input is on its way to something rare.

Programs that have behaved alike so far form a class, and one program of each class is traced. A
second program of the same class would mostly repeat the trace. The largest class comes first, since
a search is to split that one. Tracing is slow, so few programs are traced, and on few of the inputs
that are there already. Each call has a short limit on its own time. Time that a busy machine gives
to other processes does not count, or a search would find other inputs on such a machine. A clock
can err all the same, so a call that took longer is made again. A program that takes longer on
several calls is given up, and the search goes on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from msgspec import Struct, field, structs

from assay_engine.executor.executor import Executor
from assay_engine.inputs.mutated import weighted_mutations
from assay_engine.values.carried import call_key
from assay_sandbox import (
    Call,
    Covered,
    Limits,
    Observation,
    Program,
    Raised,
    Returned,
    TimedOut,
    Value,
)

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


PROGRAMS_MAX = 3
# Of the inputs that a search begins with, at most the first `BEGINNING_MAX` are traced. Tracing
# them takes at most `BEGINNING_SHARE` of the search's calls.
BEGINNING_MAX = 30
BEGINNING_SHARE = 0.25
# The time limit of a traced call. A call that takes longer shows no branches.
CALL_SECONDS = 0.1
# How many calls of one program in one round may take longer before the program is given up.
SLOW_MAX = 2

Branches = frozenset[object]


def representatives(behaviours: Sequence[Hashable], weights: Sequence[int]) -> tuple[int, ...]:
    """The numbers of the programs to trace, at most `PROGRAMS_MAX`.

    `behaviours` says what each program did on all inputs so far. The first program of each class is
    chosen, and the class of most weight leads.
    """
    classes: dict[Hashable, list[int]] = {}
    for number, behaviour in enumerate(behaviours):
        classes.setdefault(behaviour, []).append(number)
    by_weight = sorted(classes.values(), key=lambda each: -sum(weights[one] for one in each))
    return tuple(members[0] for members in by_weight[:PROGRAMS_MAX])


class BranchTracer(Struct):
    """Traces programs. `programs`, by number, are those still traced; `calls` counts calls made."""

    executor: Executor
    programs: Mapping[int, Program]
    calls: int = 0

    def beginning(self, calls: int) -> int:
        """How many of the inputs that a search of `calls` calls begins with are to be traced."""
        if not self.programs:
            return 0
        return min(BEGINNING_MAX, int(calls * BEGINNING_SHARE) // len(self.programs))

    async def added(
        self, calls: Sequence[Call], shown: Sequence[Branches], traced_max: int
    ) -> tuple[Branches, ...]:
        """By call, `shown` with the branches of the first `traced_max` calls that show anything."""
        found = list(shown)
        traced = [number for number, features in enumerate(shown) if features][:traced_max]
        branches = await self.branches([calls[number] for number in traced])
        for number, more in zip(traced, branches, strict=True):
            found[number] |= more
        return tuple(found)

    async def branches(self, calls: Sequence[Call]) -> tuple[Branches, ...]:
        """The branches that each call runs through, in all programs that are not given up."""
        self.calls += len(calls) * len(self.programs)
        hasty = structs.replace(self.executor, limits=_hasty(self.executor.limits))
        seen = await asyncio.gather(
            *(_covered(hasty, program, calls) for program in self.programs.values())
        )
        found: list[set[object]] = [set() for _ in calls]
        kept: dict[int, Program] = {}
        for (number, program), entries in zip(self.programs.items(), seen, strict=True):
            slow = _slow(entries)
            if len(slow) > SLOW_MAX:
                continue
            kept[number] = program
            for place, (own, entry) in enumerate(zip(found, entries, strict=True)):
                if place not in slow:
                    own.update((number, *branch) for branch in entry.branches)
        self.programs = kept
        return tuple(map(frozenset, found))


async def _covered(
    executor: Executor, program: Program, calls: Sequence[Call]
) -> tuple[Covered, ...]:
    """The branches that calls run through, after the few slow calls were made once more."""
    entries = await executor.covered(program, calls)
    slow = _slow(entries)
    if not 0 < len(slow) <= SLOW_MAX:
        return entries
    # These calls are not counted: if they came out of the budget, they would change where a search
    # ends.
    again = await executor.counting().covered(program, [calls[place] for place in slow])
    better = dict(zip(slow, again, strict=True))
    return tuple(better.get(place, entry) for place, entry in enumerate(entries))


def _slow(entries: Sequence[Covered]) -> list[int]:
    return [place for place, entry in enumerate(entries) if isinstance(entry.observation, TimedOut)]


def _hasty(limits: Limits) -> Limits:
    return replace(limits, call_seconds=min(limits.call_seconds, CALL_SECONDS))
