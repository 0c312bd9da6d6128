"""Semantic triangulation of one function: selects one of its samples to trust, or none.

Paper, sections 5 and 6. The samples exist already. Questions, rewritings and witnesses are drawn as
they are needed, cheap schemes first, until nothing more could change the decision or a bound is
reached.

Chooses the parameter to invert by measuring samples, not only by asking the model.

See B.5 of the close reading. For each parameter, values from the inputs are combined with contexts
from the inputs (the other arguments), and the samples run on them. The share of different results
among different values says how much of the parameter the result keeps. At 1 the problem is
one-to-one in the parameter; at 0 it does not depend on the parameter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from fractions import Fraction

from msgspec import Struct, field
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Sampling, Thorough
from assay_engine.methods.triangulation.attempts import Attempt, Workshop, attempted
from assay_engine.methods.triangulation.formulas.evaluate import carried_out, until_known
from assay_engine.methods.triangulation.formulas.operators import spread
from assay_engine.methods.triangulation.formulas.outcomes import Memo, encoded_arguments
from assay_engine.methods.triangulation.formulas.values import (
    Arguments,
    Function,
    Special,
    Unknown,
    key,
)
from assay_engine.methods.triangulation.plans import Measured, SchemePlan, plans_for
from assay_engine.methods.triangulation.problems import Header, header_of
from assay_engine.methods.triangulation.rewriting import shown_by
from assay_engine.methods.triangulation.samples import (
    Forward,
    Observed,
    maps_elements,
    observed,
    on_elements,
    result_types,
    usable_inputs,
)
from assay_engine.methods.triangulation.solving import grow
from assay_engine.methods.triangulation.survey import Survey, surveyed
from assay_engine.methods.triangulation.views import View, invertible_view, pointwise_view
from assay_engine.models import Allowance, Ration, RationedModel
from assay_engine.sampling.asking import Asking
from assay_engine.types import Model, Problem, ProblemKind, Specification, Usage
from assay_sandbox import Value

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
    executor: Executor,
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
    allowance = Allowance.of_triangulation(bounds.thorough)
    rationed = RationedModel(model, Ration(allowance, bounds.sampling.concurrency))
    asking = Asking(rationed, bounds.sampling)
    triangulating = _Triangulating(asking, executor, original, header, bounds, stage)
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
    return replace(triangulating.result(), drawn=rationed.drawn)


class _Triangulating:
    """A running triangulation. When time is up, it still holds the attempts that are finished."""

    def __init__(
        self,
        asking: Asking,
        executor: Executor,
        original: Specification,
        header: Header,
        bounds: Bounds,
        stage: Callable[[str], None],
    ) -> None:
        self._asking = asking
        self._executor = executor
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
            carried_out(observed(forwards, inputs, self._memo), self._executor),
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
            self._asking, self._executor, self._original, seen, types, self._memo, {}
        )
        if self._bounds.exhaust:
            # All that the plans need is drawn in step. Otherwise plans that are tried at the same
            # time would ask in an order that depends on their progress.
            pools = dict.fromkeys(
                (pool for plan in plans for pool in workshop.needed(plan)), frozenset[int]()
            )
            await grow(self._asking, pools, self._bounds.thorough.witnesses)
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

    async def _attempt(self, workshop: Workshop, plan: SchemePlan) -> bool:
        """Try the plan; return whether it selected a program."""
        self._stage(f"triangulating by {plan.name}")
        thorough = self._bounds.thorough
        at_once = thorough.witnesses if self._bounds.exhaust else thorough.batch
        attempt = await attempted(workshop, plan, most_witnesses=thorough.witnesses, batch=at_once)
        self._attempts[plan.name] = attempt
        return attempt.trusted.chosen is not None

    async def _plans(
        self, survey: Survey, seen: Observed, types: tuple[str, ...]
    ) -> tuple[SchemePlan, ...]:
        whole = View(self._header, shown_by(self._original))
        streaming = await carried_out(
            maps_elements(survey, seen, types, self._memo), self._executor
        )
        view = pointwise_view(whole) if streaming else invertible_view(whole, survey, seen.inputs)
        inputs = view.split(seen.inputs)
        adapt = view.adapt
        if streaming:
            inputs, adapt = on_elements(inputs)
        programs = [
            adapt(self._memo.function(seen.forwards[index].program)) for index in seen.largest(2)
        ]
        kept = await carried_out(
            until_known(
                lambda: kept_shares(programs, inputs, len(view.header.parameters)), self._memo
            ),
            self._executor,
        )
        inverted = chosen(view, survey, kept)
        return plans_for(
            self._original, whole, view, inverted, survey, Measured(types, kept, streaming)
        )


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

CONTEXTS_MAX = 5
VALUES_MAX = 8
# The model's first choice stands unless results keep more than this many times as much of another
# parameter.
CLEARLY_BETTER = 2.0


def kept_shares(
    programs: Sequence[Function], inputs: Sequence[Arguments], parameters: int
) -> tuple[float, ...]:
    """For each parameter, the mean share of different results among its different values."""
    return tuple(_kept(programs, inputs, index) for index in range(parameters))


def chosen(view: View, survey: Survey, kept: Sequence[float]) -> int:
    """The index of the parameter to invert."""
    if view.inverted is not None:
        return view.inverted
    names = view.header.names
    asked = [names.index(each.name) for each in survey.parameters if each.name in names]
    order = asked or list(range(len(names)))
    best = max(order, key=lambda index: kept[index])
    return order[0] if kept[order[0]] * CLEARLY_BETTER >= kept[best] else best


def _kept(programs: Sequence[Function], inputs: Sequence[Arguments], index: int) -> float:
    distinct = {encoded_arguments(each[index : index + 1]): each[index] for each in inputs}
    values = spread(list(distinct.values()), VALUES_MAX)
    around = {encoded_arguments(each[:index] + each[index + 1 :]): each for each in inputs}
    contexts = spread(list(around.values()), CONTEXTS_MAX)
    if len(values) < 2:
        return 0.0
    shares = [_share(p, context, index, values) for p in programs for context in contexts]
    measured = [share for share in shares if share is not None]
    # Fractions are summed, since a sum of floats would depend on the version of Python.
    return float(sum(measured, Fraction()) / len(measured)) if measured else 0.0


def _share(
    program: Function, context: Arguments, index: int, values: Sequence[Value]
) -> Fraction | None:
    """The share in one context; None if fewer than two values have a result there."""
    outputs = [program(*context[:index], value, *context[index + 1 :]) for value in values]
    results = [each for each in outputs if not isinstance(each, Special | Unknown)]
    if len(results) < 2:
        return None
    return Fraction(len(set(map(key, results))) - 1, len(results) - 1)
