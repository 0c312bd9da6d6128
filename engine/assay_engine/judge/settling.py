"""Asks whether the docstring says what candidates hold against a function, before it is accused.

Samples of one model share conventions that nobody wrote down, for instance for a text of blanks. If
all samples agree on such an input, that tells nothing about the function. The question is the
judge's (`preferred`), about inputs that were found already: a model reads the docstring and both
outcomes, and never the code.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.judge.prompting import Questions
from assay_engine.judge.questions import preferred
from assay_engine.judge.serialising import input_text, is_whole, output_text
from assay_engine.judge.values import JudgeSettings, Question
from assay_engine.sampling.asking import Asking
from assay_engine.types import Problem, Reading, Settling
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text
from assay_engine.voting.evidence import Evidence
from assay_engine.voting.incidental import LATER
from assay_engine.voting.votes import Vote

_AGAINST = (Reading.THEIRS, Reading.NEITHER)


class Settled(Struct, frozen=True):
    """`evidence` lacks the cases before the first that stands: the docstring leaves them open. If
    none stands, `evidence` says that all are left open; if they were incidental, it is without
    them. `asked` holds what the model said of each case that was asked about. `problems` say what
    kept replies from coming."""

    evidence: Evidence
    asked: tuple[Settling, ...] = ()
    problems: tuple[Problem, ...] = ()


async def settle(asking: Asking, evidence: Evidence, *, max_tokens: int) -> Settled:
    """Ask about one case of the evidence after the other, until one stands. A reply has at most
    `max_tokens`.

    A case stands unless the model finds twice that the docstring says nothing against the
    function's outcome; each of the two outcomes is shown first once. A model that cannot be asked,
    or answers otherwise when the order changes, acquits nobody. An incidental case stands only if
    the model finds that the docstring promises what the candidates do. No model is asked
    about a case of which it would see only a part.
    """
    questions = Questions(evidence.specification, JudgeSettings(max_tokens=max_tokens))
    asked: list[Settling] = []
    counterexamples = evidence.to_be_settled
    incidental = counterexamples is evidence.incidental
    for number, counterexample in enumerate(counterexamples):
        settling = await _settled(asking, questions, counterexample, incidental=incidental)
        if settling is not None:
            asked.append(settling)
        if _is_promised(settling) if incidental else not _is_left_open(settling):
            left = replace(
                evidence,
                counterexamples=counterexamples[number:],
                incidental=(),
                reading=None if settling is None else settling.readings[-1],
            )
            break
    else:
        reading = None if incidental else _reading_of(asked)
        left = replace(evidence, incidental=(), reading=reading)
    return Settled(left, tuple(asked), asking.problems)


async def _settled(
    asking: Asking, questions: Questions, counterexample: Vote, *, incidental: bool
) -> Settling | None:
    specification, call = questions.specification, counterexample.input.call
    outcomes = (counterexample.original.observation, counterexample.leading.observation)
    own, theirs = output_text(*outcomes), output_text(*reversed(outcomes))
    shown = input_text(call, specification)
    if LATER in own or LATER in theirs:
        shown += f"\nafterwards: {LATER!r} is added to what it returned, wherever that is possible"
    whole = questions.shows_promise and all(map(is_whole, (shown, own, theirs)))
    if not whole or own == theirs:
        return None
    readings: list[Reading | None] = []
    reason = ""
    for question in (Question.OWN_FIRST, Question.OWN_SECOND):
        said = await asking.answer(preferred(asking, questions, shown, own, theirs, question))
        readings.append(None if said is None else said.reading)
        reason = reason if said is None else said.reason
        if said is None or said.reading in _AGAINST or incidental:
            break
    return Settling(call_text(call, specification, WHOLE_CHARACTERS), tuple(readings), reason)


def _is_left_open(settling: Settling | None) -> bool:
    return settling is not None and not any(
        reading is None or reading in _AGAINST for reading in settling.readings
    )


def _is_promised(settling: Settling | None) -> bool:
    return settling is not None and settling.readings[-1] is Reading.THEIRS


def _reading_of(asked: Sequence[Settling]) -> Reading:
    """OWN if every answer was OWN, and otherwise OPEN."""
    said = {reading for settling in asked for reading in settling.readings}
    return Reading.OWN if said == {Reading.OWN} else Reading.OPEN
