"""Tries one scheme on one problem: draws batches of witnesses until more could change nothing.

The state that all attempts on one problem share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.methods.triangulation.formulas.compositions import (
    Cascade,
    cascaded,
    composed,
    payload_of_type,
)
from assay_engine.methods.triangulation.formulas.evaluate import (
    Agreement,
    Rounds,
    Subject,
    agreements,
    as_it_is,
    carried_out,
)
from assay_engine.methods.triangulation.formulas.outcomes import Memo
from assay_engine.methods.triangulation.formulas.properties import Points
from assay_engine.methods.triangulation.formulas.values import Arguments, Function, Special, Term
from assay_engine.methods.triangulation.plans import SchemePlan
from assay_engine.methods.triangulation.rewriting import Transformation
from assay_engine.methods.triangulation.samples import (
    Forward,
    Observed,
    elements_of,
    reached_outputs,
)
from assay_engine.methods.triangulation.selection import Trusted, is_settled, trusted_by
from assay_engine.methods.triangulation.solving import Pool, Solution, Wanted, grow
from assay_engine.sampling.asking import Asking
from assay_engine.types import Problem, ProblemKind, Specification

# Enumerators take exponential time, so they get only the smallest inputs, at most this many.
ENUMERATED_INPUTS_MAX = 12


# A witness as it was drawn: one solution, or one for each branch of a union.
Witnessed: TypeAlias = tuple[Solution, ...]


class Refuted(Struct, frozen=True):
    """A forward program, an input on which witnesses refute it, and the values that it (`got`) and
    the chosen program return there. `further` are the other inputs on which they refute it."""

    forward: int
    arguments: Arguments
    got: Term
    chosen: Term
    further: tuple[Arguments, ...] = ()


class Attempt(Struct, frozen=True):
    """The outcome of one scheme. `agreed` are the inputs on which the chosen program and all
    trusted witnesses agree with evidence."""

    plan: SchemePlan
    witnesses: tuple[Witnessed, ...]
    enumerators: tuple[Solution, ...]
    agreement: Agreement
    trusted: Trusted
    agreed: tuple[Arguments, ...]
    refuted: tuple[Refuted, ...]
    problems: tuple[Problem, ...]


async def attempted(
    workshop: Workshop, plan: SchemePlan, *, most_witnesses: int, batch: int
) -> Attempt:
    """Try the plan with at most so many witness samples, of which `batch` are drawn at a time.

    Never raises because of what a program, a reply or the model does.
    """
    parts, listing = workshop.parts(plan), workshop.listing(plan)
    pools = dict.fromkeys(workshop.needed(plan), frozenset[int]())
    points = _points(workshop, plan)
    total = 0
    while True:
        total = min(total + batch, most_witnesses)
        await grow(workshop.asking, pools, total)
        attempt = await _evaluated(workshop, plan, parts, listing, points)
        agrees = any(attempt.agreement)
        if total >= most_witnesses or not agrees:
            break
        remaining = most_witnesses - total
        if is_settled(
            attempt.trusted,
            attempt.agreement,
            workshop.seen.weights,
            workshop.seen.classes,
            remaining,
            is_exact=plan.is_exact,
        ):
            break
        pools |= dict.fromkeys(parts, _useless(attempt))
    problems = dict.fromkeys(problem for pool in pools for problem in pool.troubles)
    if attempt.trusted.chosen is None:
        problems[_no_agreement(plan, attempt)] = None
        return replace(attempt, problems=tuple(problems))
    explained = await carried_out(_explained(workshop, plan, attempt, points), workshop.executor)
    return replace(explained, problems=tuple(problems))


def _points(workshop: Workshop, plan: SchemePlan) -> Points:
    seen = workshop.seen
    inputs = plan.view.split(seen.inputs)
    if isinstance(plan.scheme, Cascade):
        inputs = inputs[:ENUMERATED_INPUTS_MAX]
    if plan.is_baseline:
        return Points(inputs)
    reached = reached_outputs(seen, workshop.result_types)
    if plan.is_pointwise:
        return Points(inputs, elements_of(reached), plan.inverted)
    index = plan.inverted
    split = plan.view.split(seen.inputs)
    outputs = [(o, *split[at][:index], *split[at][index + 1 :]) for at, o in reached]
    return Points(inputs, tuple(outputs), index)


async def _evaluated(
    workshop: Workshop,
    plan: SchemePlan,
    parts: Sequence[Pool],
    listing: Pool | None,
    points: Points,
) -> Attempt:
    witnesses = tuple(zip(*(part.solutions for part in parts), strict=False))
    enumerators = () if listing is None else tuple(listing.solutions)
    rounds = _agreement(workshop, plan, witnesses, enumerators, points)
    agreement = await carried_out(rounds, workshop.executor)
    alike: dict[object, int] = {}
    classes = [
        alike.setdefault(
            tuple(workshop.memo.likeness(each.program) for each in witness), len(alike)
        )
        for witness in witnesses
    ]
    seen = workshop.seen
    trusted = trusted_by(
        agreement,
        seen.weights,
        seen.classes,
        classes,
        seen.contradict,
        is_exact=plan.is_exact,
    )
    return Attempt(plan, witnesses, enumerators, agreement, trusted, (), (), ())


def _adapted(plan: SchemePlan, samples: Sequence[Forward | Solution]) -> list[Subject]:
    """Programs for the whole problem as programs for the plan's view of it."""
    build = as_it_is if plan.is_pointwise else plan.view.adapt
    return [Subject((each.program,), build) for each in samples]


def _witnesses(plan: SchemePlan, witnesses: Sequence[Witnessed]) -> list[Subject]:
    build: Callable[..., Function] = as_it_is
    if isinstance(plan.witnesses, tuple):
        payloads = [partial(payload_of_type, name) for name, _ in plan.witnesses]

        def composing(*parts: Function) -> Function:
            return composed(payloads, parts)

        build = composing
    return [Subject(tuple(part.program for part in each), build) for each in witnesses]


def _agreement(
    workshop: Workshop,
    plan: SchemePlan,
    witnesses: Sequence[Witnessed],
    enumerators: Sequence[Solution],
    points: Points,
) -> Rounds[Agreement]:
    left, right = _adapted(plan, workshop.seen.forwards), _witnesses(plan, witnesses)
    if isinstance(plan.scheme, Cascade):
        between = _adapted(plan, enumerators)
        return cascaded(plan.scheme, left, between, right, points, points, workshop.memo)
    return agreements(plan.scheme, left, right, points, workshop.memo)


def _explained(
    workshop: Workshop, plan: SchemePlan, attempt: Attempt, points: Points
) -> Rounds[Attempt]:
    """The attempt, completed with the inputs that show the agreement and the refutations."""
    chosen = attempt.trusted.chosen
    if chosen is None:
        return attempt
    left = _adapted(plan, workshop.seen.forwards)
    trusted = [attempt.witnesses[index] for index in attempt.trusted.witnesses]
    scheme, right = plan.scheme, _witnesses(plan, trusted)
    if isinstance(scheme, Cascade):
        # Only the second stage involves programs. There, the enumerators that the trusted witnesses
        # confirm stand in for the witnesses.
        between = _adapted(plan, attempt.enumerators)
        confirmed = yield from agreements(scheme.confirming, between, right, points, workshop.memo)
        listing = [each for each, found in zip(between, confirmed, strict=True) if found]
        full = yield from agreements(
            scheme.selecting, [left[chosen]], listing, points, workshop.memo
        )
        scheme, right = scheme.selecting, [listing[index] for index in full[0]]
    by_input: list[Agreement] = []
    for each in points.inputs:
        alone = replace(points, inputs=(each,), outputs=())
        by_input.append((yield from agreements(scheme, left, right, alone, workshop.memo)))
    everybody = tuple(range(len(right)))
    agreed = [at for at, found in enumerate(by_input) if found[chosen] == everybody]
    seen = workshop.seen
    refuted = [
        Refuted(
            forward,
            seen.inputs[refuting[0]],
            seen.rows[forward][refuting[0]],
            seen.rows[chosen][refuting[0]],
            tuple(seen.inputs[at] for at in refuting[1:]),
        )
        for forward in range(len(left))
        if (refuting := _refuting(forward, chosen, by_input, agreed, seen))
    ]
    return replace(attempt, agreed=tuple(seen.inputs[at] for at in agreed), refuted=tuple(refuted))


def _refuting(
    forward: int, chosen: int, by_input: Sequence[Agreement], agreed: Sequence[int], seen: Observed
) -> list[int]:
    """The indices of the inputs on which all witnesses agree with `chosen`, none agrees with
    `forward`, and the two programs return different values."""
    return [
        at
        for at in agreed
        if not by_input[at][forward]
        and not isinstance(seen.rows[forward][at], Special)
        and seen.contradict_at(forward, chosen, at)
    ]


def _useless(attempt: Attempt) -> frozenset[int]:
    """The rewritings of which no witness agrees with a program, while witnesses of others do."""
    if any(len(each) > 1 for each in attempt.witnesses):
        return frozenset()  # nothing shows which of the parts was restated badly
    agreeing = {index for found in attempt.agreement for index in found}
    of = [{part.rewriting for part in each} for each in attempt.witnesses]
    useful = {rewriting for index in agreeing for rewriting in of[index]}
    return frozenset({rewriting for each in of for rewriting in each} - useful)


def _no_agreement(plan: SchemePlan, attempt: Attempt) -> Problem:
    if attempt.trusted.conflict:
        said = "confirms groups of equal weight that contradict each other"
    elif not attempt.witnesses:
        said = "has no witness to ask"
    elif any(attempt.agreement):
        said = "confirms no sample with two witnesses"
    else:
        said = f"confirms no sample with any of {len(attempt.witnesses)} witnesses"
    found = "groups that contradict each other" if attempt.trusted.conflict else "no agreement"
    told = (
        f"The thorough check found {found}, so it adds nothing. Say more in the docstring, or try "
        "another model."
    )
    return Problem(ProblemKind.NOT_CONFIRMED, f"{told} ({plan.name} {said}.)", brief=told)


class Workshop(Struct, frozen=True):
    """Samples, the memo of program runs, and one pool of solutions per transformed problem."""

    asking: Asking
    executor: Executor
    original: Specification
    seen: Observed
    result_types: tuple[str, ...]
    memo: Memo
    pools: dict[object, Pool]

    def pool(self, wanted: Wanted) -> Pool:
        key: object = wanted
        if isinstance(wanted, Transformation):
            key = (wanted.template, wanted.target, wanted.notes)
        if key not in self.pools:
            self.pools[key] = Pool(self.original, wanted)
        return self.pools[key]

    def parts(self, plan: SchemePlan) -> list[Pool]:
        """The pools of witnesses: one for each branch of a union, or a single one."""
        if isinstance(plan.witnesses, tuple):
            return [self.pool(transformation) for _, transformation in plan.witnesses]
        return [self.pool(plan.witnesses)]

    def listing(self, plan: SchemePlan) -> Pool | None:
        """The pool of enumerators; None for a scheme that has none."""
        return None if plan.enumerators is None else self.pool(plan.enumerators)

    def needed(self, plan: SchemePlan) -> list[Pool]:
        """All pools of a plan."""
        return [*self.parts(plan), *filter(None, [self.listing(plan)])]
