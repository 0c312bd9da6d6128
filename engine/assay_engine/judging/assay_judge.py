"""The judge that Assay itself uses: TRAILS with its known limits (section 5) mended.

- An input that only the function crashes on, while a consensus of candidates accepts it, is judged
  like any other: the crash is the output.
- Inputs on which candidates disagree complete the scenarios.
- An objection accuses only if the judge still objects when asked again, with the outputs of two
  classes of programs in both orders (or twice, where there is one class).
- The judge abstains if it cannot decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.deciding.separating import votes_on
from assay_engine.drawing.asking import Asking
from assay_engine.judging.conforming import judged, share_of_correct
from assay_engine.judging.disputing import contest_of, disputed
from assay_engine.judging.framing import frame
from assay_engine.judging.generating import (
    Bench,
    bench_for,
    exercised_in_turn,
    with_scenarios,
)
from assay_engine.judging.prompting import Questions
from assay_engine.judging.rejudging import rejudged, rival_output
from assay_engine.judging.values import (
    JudgedPair,
    Judgement,
    JudgeSettings,
    Jury,
    Opinion,
    Ruling,
)
from assay_engine.running.comparing import same_behaviour
from assay_engine.running.laboratory import Laboratory, program_of
from assay_engine.types import Specification

NAME = "assay"
# Confirming more objections would cost tokens and add nothing: a single one that stands accuses.
CONFIRMATIONS_MAX = 2


async def judge_by_assay(
    asking: Asking,
    laboratory: Laboratory,
    specification: Specification,
    jury: Jury,
    settings: JudgeSettings,
) -> Judgement:
    """INCORRECT if an objection stands, CORRECT if there is none and the score reaches the
    threshold, and otherwise an abstention. Never raises because of what a program or a reply does.

    With an empty jury, the steps that need candidates are left out.
    """
    questions = Questions(specification, settings)
    framing = await frame(asking, questions)
    bench = bench_for(laboratory, specification, jury, framing)
    found = await exercised_in_turn(asking, questions, bench, framing.scenarios, framing.properties)
    inputs = with_scenarios(framing, found)
    further = await disputed(
        bench,
        [tried.call for _, tried in inputs],
        limit=settings.disputed,
        seed=settings.seed,
    )
    pairs = await judged(asking, questions, [*inputs, *((None, tried) for tried in further)])
    pairs = await _asked_again(asking, questions, bench, pairs)
    objection = next((pair for pair in pairs if _stands(pair)), None)
    score = share_of_correct(pairs)
    return Judgement(
        NAME,
        _ruling(objection, score, settings.threshold),
        score,
        settings.threshold,
        pairs,
        objection=objection,
        usage=asking.usage,
        problems=asking.problems,
    )


def _ruling(objection: JudgedPair | None, score: float | None, threshold: float) -> Ruling:
    if objection is not None:
        return Ruling.INCORRECT
    return Ruling.CORRECT if score is not None and score >= threshold else Ruling.ABSTAINED


def _stands(pair: JudgedPair) -> bool:
    return pair.opinion is Opinion.INCORRECT and len(pair.votes) > 1


async def _asked_again(
    asking: Asking, questions: Questions, bench: Bench, pairs: Sequence[JudgedPair]
) -> tuple[JudgedPair, ...]:
    """The pairs, with further votes on the first objections. Objections to inputs on which programs
    differ come before others."""
    objected = [index for index, pair in enumerate(pairs) if pair.opinion is Opinion.INCORRECT]
    rivals = await _rivals(bench, [pairs[index] for index in objected])
    ranked = sorted(zip(objected, rivals, strict=True), key=lambda each: each[1] is None)
    chosen = ranked[:CONFIRMATIONS_MAX]
    again = await asking.answers(
        *(rejudged(asking, questions, pairs[index], rival) for index, rival in chosen)
    )
    result = list(pairs)
    for (index, _), pair in zip(chosen, again, strict=True):
        result[index] = pair
    for index, steady in zip(
        objected, await _reproduced(bench, [pairs[each] for each in objected]), strict=True
    ):
        if not steady:  # the output is a matter of chance, which accuses nobody
            result[index] = replace(result[index], opinion=None)
    return tuple(result)


async def _rivals(bench: Bench, pairs: Sequence[JudgedPair]) -> list[str | None]:
    if not bench.jury.sources:
        return [None for _ in pairs]
    calls = [pair.call for pair in pairs]
    votes = await votes_on(bench.laboratory, contest_of(bench, calls), calls)
    return [rival_output(vote, bench.exceptions) for vote in votes]


async def _reproduced(bench: Bench, pairs: Sequence[JudgedPair]) -> list[bool]:
    """Whether the function does the same again on each input, in a process with other seeds."""
    (again,) = await bench.laboratory.run(
        [program_of(bench.specification)],
        [pair.call for pair in pairs],
        bench.exceptions,
        second=True,
    )
    return [same_behaviour(pair.observation, seen) for pair, seen in zip(pairs, again, strict=True)]
