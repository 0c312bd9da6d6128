"""Traces branches of a few programs: the sign that an input is on its way to something rare.

Traced is one program of each class of those that have behaved alike so far, the largest class
first: what a class shares would be traced twice, and it is the largest that a search is to split.
Tracing is slow, so few programs are traced, on few of the inputs that are there already, and each
call for a short time of its own: what a busy machine gives to others does not count, or a search
would find other inputs on it. As a clock can err all the same, a call that took longer is made
again. A program that takes longer on several is given up, and the search goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from assay_engine.running.laboratory import Laboratory
from assay_sandbox import Call, Covered, Limits, Program, TimedOut

PROGRAMS_MAX = 3
# Of the inputs that a search begins with, the first so many, for a share of its calls at most.
BEGINNING_MAX = 30
BEGINNING_SHARE = 0.25
# What a traced call may take; one that takes longer shows no branches.
CALL_SECONDS = 0.1
# Of the calls of one program in one round, those that may take longer.
SLOW_MAX = 2

Branches = frozenset[object]


def representatives(behaviours: Sequence[Hashable], weights: Sequence[int]) -> tuple[int, ...]:
    """The programs to trace, by number: `behaviours` says what each did on all inputs so far.

    At most `PROGRAMS_MAX`, the first of the class of most weight leading.
    """
    classes: dict[Hashable, list[int]] = {}
    for number, behaviour in enumerate(behaviours):
        classes.setdefault(behaviour, []).append(number)
    by_weight = sorted(classes.values(), key=lambda each: -sum(weights[one] for one in each))
    return tuple(members[0] for members in by_weight[:PROGRAMS_MAX])


class Tracer(Struct):
    """`programs`, by number, are those still traced; `calls` counts what was run for it."""

    laboratory: Laboratory
    programs: Mapping[int, Program]
    calls: int = 0

    def beginning(self, calls: int) -> int:
        """Of the inputs that a search of so many calls begins with, how many are to be traced."""
        if not self.programs:
            return 0
        return min(BEGINNING_MAX, int(calls * BEGINNING_SHARE) // len(self.programs))

    async def added(
        self, calls: Sequence[Call], shown: Sequence[Branches], traced_max: int
    ) -> tuple[Branches, ...]:
        """By call, `shown`, with the branches of those calls that show anything, up to so many."""
        found = list(shown)
        traced = [number for number, features in enumerate(shown) if features][:traced_max]
        branches = await self.branches([calls[number] for number in traced])
        for number, more in zip(traced, branches, strict=True):
            found[number] |= more
        return tuple(found)

    async def branches(self, calls: Sequence[Call]) -> tuple[Branches, ...]:
        """By call, the branches of all programs that it runs through, but of those given up."""
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
    """What calls run through, where the few that are slow have been made once more."""
    entries = await laboratory.covered(program, calls)
    slow = _slow(entries)
    if not 0 < len(slow) <= SLOW_MAX:
        return entries
    # Not counted: a budget that it came out of would end a search elsewhere.
    again = await laboratory.counting().covered(program, [calls[place] for place in slow])
    better = dict(zip(slow, again, strict=True))
    return tuple(better.get(place, entry) for place, entry in enumerate(entries))


def _slow(entries: Sequence[Covered]) -> list[int]:
    return [place for place, entry in enumerate(entries) if isinstance(entry.observation, TimedOut)]


def _hasty(limits: Limits) -> Limits:
    return replace(limits, call_seconds=min(limits.call_seconds, CALL_SECONDS))
