"""Semantic triangulation of one function: selects one of its samples to trust, or none.

Paper, sections 5 and 6. The samples exist already. Questions, rewritings and witnesses are drawn as
they are needed, cheap schemes first, until nothing more could change the decision or a bound is
reached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from assay_engine.drawing.asking import Asking
from assay_engine.models import Allowance, CountingModel, Ration, RationedModel
from assay_engine.running.laboratory import Laboratory
from assay_engine.settings import Sampling, Thorough
from assay_engine.transforming.attempts import Attempt, Effort, attempted
from assay_engine.transforming.choosing import chosen, kept_shares
from assay_engine.transforming.consistency import shown_by
from assay_engine.transforming.plans import Measured, SchemePlan, plans_for
from assay_engine.transforming.problems import Header, header_of
from assay_engine.transforming.samples import (
    Forward,
    Observed,
    observed,
    result_types,
    usable_inputs,
)
from assay_engine.transforming.solving import grow
from assay_engine.transforming.streams import maps_elements, on_elements
from assay_engine.transforming.survey import Survey, surveyed
from assay_engine.transforming.views import View, invertible_view, pointwise_view
from assay_engine.transforming.workshop import Workshop
from assay_engine.triangulation import Memo, Rounds, carried_out
from assay_engine.triangulation.evaluate import until_known
from assay_engine.triangulation.values import Arguments
from assay_engine.types import Model, Problem, ProblemKind, Specification, Usage

_T = TypeVar("_T")

# Fewer inputs tell too little: agreement on two inputs is easily chance.
INPUTS_MIN = 3


class Bounds(Struct, frozen=True):
    """The limits of one triangulation, and how its replies are drawn.

    `exhaust`: try every scheme to the end, and all at the same time. This is for measurements.
    """

    thorough: Thorough
    sampling: Sampling
    exhaust: bool = False


class Triangulation(Struct, frozen=True):
    """The outcome of a triangulation. `decisive` is the attempt that selected a program; without
    one, the triangulation abstained. `drawn` is the cost of the replies when they were drawn."""

    attempts: tuple[Attempt, ...]
    decisive: Attempt | None
    problems: tuple[Problem, ...]
    drawn: Usage = field(default_factory=Usage)

    @property
    def selected(self) -> int | None:
        """The index of the forward program that is trusted."""
        return None if self.decisive is None else self.decisive.trusted.chosen


async def triangulate(
    model: Model,
    laboratory: Laboratory,
    original: Specification,
    forwards: Sequence[Forward],
    inputs: Sequence[Arguments],
    bounds: Bounds,
    stage: Callable[[str], None] = lambda _: None,
) -> Triangulation:
    """Triangulate one function. `inputs` are positional arguments in its domain.

    Never raises because of what a program, a reply or the model does: that becomes a problem.
    """
    header = header_of(original)
    if header is None:
        return _abstained(_SHAPE)
    usable = usable_inputs(inputs, len(header.parameters))
    if len(usable) < INPUTS_MIN:
        return _abstained(_INPUTS)
    asked = CountingModel(model)
    allowance = Allowance.of_triangulation(bounds.thorough)
    rationed = RationedModel(asked, Ration(allowance, bounds.sampling.concurrency))
    asking = Asking(rationed, bounds.sampling)
    triangulating = _Triangulating(asking, laboratory, original, header, bounds, stage)
    try:
        async with asyncio.timeout(bounds.thorough.seconds):
            await triangulating.run(forwards, usable)
    except TimeoutError:
        triangulating.problems.append(
            Problem(
                ProblemKind.DEADLINE,
                f"Triangulation was not done after {bounds.thorough.seconds:g} s; what was found "
                "by then counts. Choose a faster model.",
            )
        )
    return replace(triangulating.result(), drawn=asked.drawn)


class _Triangulating:
    """A running triangulation. When time is up, it still holds the attempts that are finished."""

    def __init__(
        self,
        asking: Asking,
        laboratory: Laboratory,
        original: Specification,
        header: Header,
        bounds: Bounds,
        stage: Callable[[str], None],
    ) -> None:
        self._asking = asking
        self._laboratory = laboratory
        self._original = original
        self._header = header
        self._bounds = bounds
        self._stage = stage
        self._memo = Memo()
        self._attempts: dict[str, Attempt] = {}
        self._order: tuple[str, ...] = ()
        self.problems: list[Problem] = []

    async def run(self, forwards: Sequence[Forward], inputs: tuple[Arguments, ...]) -> None:
        self._stage("looking for a way to triangulate")
        answer, seen = await asyncio.gather(
            surveyed(self._asking, self._original, self._header),
            self._carried_out(observed(forwards, inputs, self._memo)),
        )
        if answer.value is None:
            if answer.problem is not None:
                self.problems.append(answer.problem)
            return
        types = result_types(seen)
        if not types or types == ("NoneType",):
            self.problems.append(_NO_RESULT)
            return
        plans = await self._plans(answer.value, seen, types)
        self._order = tuple(plan.name for plan in plans)
        workshop = Workshop(
            self._asking, self._laboratory, self._original, seen, types, self._memo, {}
        )
        if self._bounds.exhaust:
            await self._draw_everything(workshop, plans)
            await asyncio.gather(*(self._attempt(workshop, plan) for plan in plans))
            return
        for plan in plans:
            if await self._attempt(workshop, plan):
                break

    def result(self) -> Triangulation:
        attempts = tuple(self._attempts[name] for name in self._order if name in self._attempts)
        decisive = next((each for each in attempts if each.trusted.chosen is not None), None)
        problems = [*self.problems]
        if decisive is None:
            problems.extend(problem for each in attempts for problem in each.problems)
        return Triangulation(attempts, decisive, tuple(dict.fromkeys(problems)))

    async def _draw_everything(self, workshop: Workshop, plans: Sequence[SchemePlan]) -> None:
        """Draw all that the plans need, in step. Otherwise plans that are tried at the same time
        would ask in an order that depends on their progress."""
        pools = [pool for plan in plans for pool in workshop.needed(plan)]
        await grow(
            self._asking,
            dict.fromkeys(pools, frozenset[int]()),
            self._bounds.thorough.witnesses,
        )

    async def _attempt(self, workshop: Workshop, plan: SchemePlan) -> bool:
        """Try the plan; return whether it selected a program."""
        self._stage(f"triangulating by {plan.name}")
        thorough = self._bounds.thorough
        at_once = thorough.witnesses if self._bounds.exhaust else thorough.batch
        effort = Effort(thorough.witnesses, at_once)
        attempt = await attempted(workshop, plan, effort)
        self._attempts[plan.name] = attempt
        return attempt.trusted.chosen is not None

    async def _plans(
        self, survey: Survey, seen: Observed, types: tuple[str, ...]
    ) -> tuple[SchemePlan, ...]:
        whole = View(self._header, shown_by(self._original))
        streaming = await self._carried_out(maps_elements(survey, seen, types, self._memo))
        view = pointwise_view(whole) if streaming else invertible_view(whole, survey, seen.inputs)
        inputs = view.split(seen.inputs)
        adapt = view.adapt
        if streaming:
            inputs, adapt = on_elements(inputs)
        programs = [
            adapt(self._memo.function(seen.forwards[index].program)) for index in seen.largest(2)
        ]
        kept = await self._carried_out(
            until_known(
                lambda: kept_shares(programs, inputs, len(view.header.parameters)), self._memo
            )
        )
        inverted = chosen(view, survey, kept)
        return plans_for(
            self._original, whole, view, inverted, survey, Measured(types, kept, streaming)
        )

    async def _carried_out(self, rounds: Rounds[_T]) -> _T:
        return await carried_out(rounds, self._laboratory)


def _abstained(problem: Problem) -> Triangulation:
    return Triangulation((), None, (problem,))


_SHAPE = Problem(
    ProblemKind.NOT_TRANSFORMED,
    "Only plain functions of positional parameters can be triangulated; move the logic into one.",
)
_INPUTS = Problem(
    ProblemKind.NO_INPUTS,
    f"Triangulation needs at least {INPUTS_MIN} inputs that the samples accept and that give every "
    "parameter. Add examples to the docstring.",
)
_NO_RESULT = Problem(
    ProblemKind.NOT_TRANSFORMED,
    "The samples return nothing that could be inverted. Let the function return its result.",
)
