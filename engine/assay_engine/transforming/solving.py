"""Solutions of transformed problems: drawn from several rewritings, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from assay_engine.drawing.candidates import rivals
from assay_engine.drawing.prompting import context_part, filled, stub, template
from assay_engine.drawing.sampling import draw
from assay_engine.transforming.asking import Asking
from assay_engine.transforming.rewriting import Transformation, rewritten
from assay_engine.types import Problem, ProblemKind, Prompt, Specification
from assay_sandbox import Program

SOLUTION_VERSION = 1
# Two rewritings share the samples, so that one bad rewriting is no single point of failure.
REWRITINGS = 2


# What is to be restated, or a problem that needs no restating.
Wanted: TypeAlias = Transformation | Specification


class Solution(Struct, frozen=True):
    """One sample: a program for the transformed problem, and which of its rewritings it read."""

    problem: Specification
    text: str
    program: Program
    rewriting: int
    sample: int


class Pool:
    """The solutions drawn so far of one transformed problem. Mutable; shared between schemes."""

    def __init__(self, asking: Asking, original: Specification, wanted: Wanted) -> None:
        self._asking = asking
        self._original = original
        self._wanted = wanted
        self._problems: list[Specification] | None = None
        self._drawn: list[int] = []
        self._growing = asyncio.Lock()
        self.solutions: list[Solution] = []
        self.troubles: list[Problem] = []

    @property
    def rewritings(self) -> Sequence[Specification]:
        return self._problems or ()

    @property
    def drawn(self) -> int:
        """How many samples were asked for."""
        return sum(self._drawn)

    async def grow(self, total: int, useless: frozenset[int] = frozenset()) -> None:
        """Draw until so many samples were asked for, evenly from all useful rewritings."""
        async with self._growing:
            if self._problems is None:
                self._problems = await self._restated(self._wanted)
                self._drawn = [0] * len(self._problems)
            useful = [n for n in range(len(self.rewritings)) if n not in useless]
            missing = total - self.drawn
            if missing <= 0 or not useful:
                return
            shares = {n: len(range(place, missing, len(useful))) for place, n in enumerate(useful)}
            solved = await asyncio.gather(
                *(self._solve(n, share) for n, share in shares.items() if share)
            )
            # In the order of the rewritings, whichever of them was answered first.
            for solutions, troubles in solved:
                self.solutions.extend(solutions)
                self.troubles.extend(troubles)
            self.solutions.sort(key=lambda each: (each.rewriting, each.sample))

    async def _restated(self, wanted: Wanted) -> list[Specification]:
        if isinstance(wanted, Specification):
            return [wanted]
        answers = await asyncio.gather(
            *(
                rewritten(self._asking, self._original, wanted, sample)
                for sample in range(REWRITINGS)
            )
        )
        distinct: dict[str, Specification] = {}
        for answer in answers:
            if answer.problem is not None and answer.problem not in self.troubles:
                self.troubles.append(answer.problem)
            if answer.value is not None:
                distinct.setdefault(answer.value.docstring, answer.value)
        return list(distinct.values())

    async def _solve(self, rewriting: int, count: int) -> tuple[list[Solution], list[Problem]]:
        """The solutions among so many more samples, and what kept others from being any."""
        problem = self.rewritings[rewriting]
        first = self._drawn[rewriting]
        self._drawn[rewriting] += count
        drawn = await draw(
            self._asking.model,
            _solution_prompt(problem, self._asking),
            range(first, first + count),
            deadline_seconds=self._asking.sampling.draw_seconds,
            concurrency=self._asking.sampling.concurrency,
        )
        found, rejected = rivals(problem, drawn)
        troubles = list(drawn.problems)
        if rejected and not found:
            troubles.append(
                Problem(
                    ProblemKind.NOT_TRANSFORMED,
                    f"No reply solves `{problem.unit.name}`. {rejected[0].message} "
                    "Try a larger model.",
                )
            )
        solutions = [
            Solution(
                problem,
                rival.candidate.source,
                Program(rival.source, problem.entry, problem.modules),
                rewriting,
                sample,
            )
            for rival in found
            for sample in rival.candidate.samples
        ]
        return solutions, troubles


def _solution_prompt(problem: Specification, asking: Asking) -> Prompt:
    """Asks for a program; says how to reject invalid input (paper, section 5.3)."""
    system, user = template(__package__, "solution", SOLUTION_VERSION)
    fields = {"context_part": context_part(problem), "stub": stub(problem)}
    return Prompt(
        "solution",
        SOLUTION_VERSION,
        system,
        filled(user, fields),
        asking.sampling.temperature,
        asking.sampling.max_tokens,
    )
