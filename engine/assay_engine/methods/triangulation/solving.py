"""Draws solutions of transformed problems from several rewritings, a few at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from assay_engine.config.settings import Sampling
from assay_engine.methods.triangulation import SOLUTION_VERSION
from assay_engine.methods.triangulation.rewriting import Transformation, rewriting
from assay_engine.sampling.asking import Asking, Dialogue, in_lockstep
from assay_engine.sampling.candidates import voters
from assay_engine.sampling.prompting import context_part, fenced, filled, stub, template
from assay_engine.types import Draw, Problem, ProblemKind, Prompt, Specification
from assay_sandbox import Program

# Two rewritings share the samples, so that a bad rewriting is not a single point of failure.
REWRITINGS = 2


# A transformation that the model has to put in words, or a problem that needs no restating.
Wanted: TypeAlias = Transformation | Specification


class Solution(Struct, frozen=True):
    """One sample: a program for the transformed problem, and the rewriting it was drawn for."""

    problem: Specification
    text: str
    program: Program
    rewriting: int
    sample: int


class Pool:
    """The solutions drawn so far of one transformed problem. Mutable; shared between schemes."""

    def __init__(self, original: Specification, wanted: Wanted) -> None:
        self._original = original
        # None once the problem has been restated, or if it needs no restating.
        self._transformation = None if isinstance(wanted, Specification) else wanted
        self._drawn = Counter[int]()
        self.rewritings: tuple[Specification, ...] = (
            (wanted,) if isinstance(wanted, Specification) else ()
        )
        self.solutions: list[Solution] = []
        self.troubles: list[Problem] = []

    def restate(self, sampling: Sampling) -> Dialogue[None]:
        """Ask for rewritings, unless they were asked for already or none are needed."""
        if self._transformation is None:
            return
        answers = yield from in_lockstep(
            [
                rewriting(sampling, self._original, self._transformation, sample)
                for sample in range(REWRITINGS)
            ]
        )
        self._transformation = None
        self.troubles += dict.fromkeys(each.problem for each in answers if each.problem)
        distinct: dict[str, Specification] = {}
        for each in answers:
            if each.value is not None:
                distinct.setdefault(each.value.docstring, each.value)
        self.rewritings = tuple(distinct.values())

    def missing(self, total: int, useless: frozenset[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """The samples still to draw so that `total` have been asked for, by rewriting. They are
        spread evenly over all useful rewritings."""
        useful = [number for number in range(len(self.rewritings)) if number not in useless]
        missing = total - self._drawn.total()
        for place, number in enumerate(useful):
            first = self._drawn[number]
            if share := len(range(place, missing, len(useful))):
                yield number, range(first, first + share)

    def take(self, number: int, samples: Sequence[int], drawn: Draw) -> None:
        """Add the solutions that were drawn, and the problems that kept samples from giving one."""
        problem = self.rewritings[number]
        self._drawn[number] += len(samples)
        found, rejected = voters(problem, drawn)
        self.troubles.extend(drawn.problems)
        if rejected and not found:
            self.troubles.append(
                Problem(
                    ProblemKind.NOT_TRANSFORMED,
                    f"No reply solves `{problem.unit.name}`. {rejected[0].message} "
                    "Try a larger model.",
                )
            )
        self.solutions.extend(
            Solution(
                problem,
                voter.candidate.source,
                Program(voter.source, problem.entry, problem.place),
                number,
                sample,
            )
            for voter in found
            for sample in voter.candidate.samples
        )
        self.solutions.sort(key=lambda each: (each.rewriting, each.sample))


async def grow(asking: Asking, pools: Mapping[Pool, frozenset[int]], total: int) -> None:
    """Draw until `total` samples of each pool were asked for, from all but its useless rewritings.

    The pools keep in step: solutions are asked for only when all rewritings have come, and both are
    asked for in the order of the pools. So the requests that a limit still allows go to the same
    pools, whichever reply comes first.
    """
    await asking.answers(*(pool.restate(asking.sampling) for pool in pools))
    missing = [
        (pool, number, samples)
        for pool, useless in pools.items()
        for number, samples in pool.missing(total, useless)
    ]
    drawn = await asking.draws(
        [
            (_solution_prompt(pool.rewritings[number], asking.sampling), samples)
            for pool, number, samples in missing
        ]
    )
    for (pool, number, samples), each in zip(missing, drawn, strict=True):
        pool.take(number, samples, each)


def _solution_prompt(problem: Specification, sampling: Sampling) -> Prompt:
    """The prompt for a program; it says how to reject invalid input (paper, section 5.3)."""
    system, user = template(__package__, "solution", SOLUTION_VERSION)
    fields = {"context_part": context_part(problem), "stub": fenced(stub(problem))}
    return Prompt(
        "solution",
        SOLUTION_VERSION,
        system,
        filled(user, fields),
        sampling.temperature,
        sampling.max_tokens,
    )
