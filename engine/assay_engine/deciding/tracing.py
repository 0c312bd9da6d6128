"""Traces the branches of a few programs: a sign that an input is on its way to something rare.

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
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from assay_engine.running.laboratory import Laboratory
from assay_sandbox import Call, Covered, Limits, Program, TimedOut

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


class Tracer(Struct):
    """Traces programs. `programs`, by number, are those still traced; `calls` counts calls made."""

    laboratory: Laboratory
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
        hasty = structs.replace(self.laboratory, limits=_hasty(self.laboratory.limits))
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
    laboratory: Laboratory, program: Program, calls: Sequence[Call]
) -> tuple[Covered, ...]:
    """The branches that calls run through, after the few slow calls were made once more."""
    entries = await laboratory.covered(program, calls)
    slow = _slow(entries)
    if not 0 < len(slow) <= SLOW_MAX:
        return entries
    # These calls are not counted: if they came out of the budget, they would change where a search
    # ends.
    again = await laboratory.counting().covered(program, [calls[place] for place in slow])
    better = dict(zip(slow, again, strict=True))
    return tuple(better.get(place, entry) for place, entry in enumerate(entries))


def _slow(entries: Sequence[Covered]) -> list[int]:
    return [place for place, entry in enumerate(entries) if isinstance(entry.observation, TimedOut)]


def _hasty(limits: Limits) -> Limits:
    return replace(limits, call_seconds=min(limits.call_seconds, CALL_SECONDS))
