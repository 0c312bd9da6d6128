"""Asks whether the docstring says what candidates hold against a function, before it is accused.

Samples of one model share conventions that nobody wrote down, for instance for a text of blanks. If
all samples agree on such an input, that tells nothing about the function. The question is the
judge's (`preferred`), about inputs that were found already: a model reads the docstring and both
outcomes, and never the code.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.incidental import LATER
from assay_engine.compare.votes import ACCUSING, Standing, Vote
from assay_engine.sampling.asking import Asking
from assay_engine.settling.questions import Questions, own_comes_first, preferred
from assay_engine.settling.serialising import input_text, is_whole, output_text
from assay_engine.types import Problem, Reading, Settling
from assay_engine.values.carried import call_key
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text


class Settled(Struct, frozen=True):
    """`asked` holds what the model said of each case that was asked about. `problems` say what kept
    replies from coming."""

    evidence: Evidence
    asked: tuple[Settling, ...] = ()
    problems: tuple[Problem, ...] = ()


async def settle(asking: Asking, evidence: Evidence, *, max_tokens: int) -> Settled:
    """Ask about one case of the evidence after the other, until one stands. A reply has at most
    `max_tokens`.

    A case stands if the model finds twice that the docstring is against the function's outcome;
    each of the two outcomes is shown first once. An incidental case stands only if it finds that
    the docstring promises what the candidates do. Where candidates are divided, and the model finds
    twice that the function is right, the others have no say. Without an answer nothing stands, and
    a model that answers otherwise when the order changes is asked nothing further. It is not asked
    about a case of which it would see only a part.

    The evidence is then without the cases before the one that stands, or says that none does.
    """
    questions = Questions(evidence.specification, max_tokens)
    asked: list[Settling] = []
    agreed: list[Reading | None] = []
    cases = evidence.to_be_settled
    held = len(cases) - len(evidence.incidental)
    for number, case in enumerate(cases):
        incidental = number >= held
        settling = await _settled(asking, questions, case, incidental=incidental)
        reading = None if settling is None else settling.agreed
        asked += [] if settling is None else [settling]
        if reading is Reading.THEIRS or (reading is Reading.NEITHER and not incidental):
            stand = cases[number:]
            if case.standing is Standing.SPLIT:
                stand = (case.led_by(case.rival),)
            found = replace(evidence, counterexamples=stand, incidental=(), reading=reading)
            return Settled(found, tuple(asked), asking.problems)
        if case.standing is Standing.SPLIT and reading is Reading.OWN and case.original.weight:
            evidence = _without(evidence, case)
        elif case.standing in ACCUSING and not incidental:
            agreed.append(reading)
        if settling is not None and reading is None and None not in settling.readings:
            break
    evidence = replace(evidence, incidental=())
    if agreed:
        reading = Reading.OWN if set(agreed) == {Reading.OWN} else Reading.OPEN
        evidence = replace(evidence, reading=reading, unsettled=None in agreed)
    return Settled(evidence, tuple(asked), asking.problems)


def _without(evidence: Evidence, case: Vote) -> Evidence:
    """The evidence in which candidates that differ from the function have no say on the case."""
    key = call_key(case.input.call)
    left = tuple(each for each in evidence.counterexamples if each is not case)
    votes = tuple(
        each.led_by(each.original)
        if each.standing is Standing.SPLIT and call_key(each.input.call) == key
        else each
        for each in evidence.votes
    )
    return replace(evidence, counterexamples=left, votes=votes)


async def _settled(
    asking: Asking, questions: Questions, counterexample: Vote, *, incidental: bool
) -> Settling | None:
    specification, call = questions.specification, counterexample.input.call
    outcomes = (counterexample.original.observation, counterexample.rival.observation)
    own, theirs = output_text(*outcomes), output_text(*reversed(outcomes))
    shown = input_text(call, specification)
    if LATER in own or LATER in theirs:
        shown += f"\nafterwards: {LATER!r} is added to what it returned, wherever that is possible"
    whole = questions.shows_promise and all(map(is_whole, (shown, own, theirs)))
    if not whole or own == theirs:
        return None
    settling = Settling(call_text(call, specification, WHOLE_CHARACTERS), (), "")
    lost = asking.lost
    first = own_comes_first(shown)
    for own_first in (first, not first):
        said = await asking.answer(
            preferred(asking, questions, shown, own, theirs, own_first=own_first)
        )
        reading = None if said is None else said.reading
        settling = replace(settling, readings=(*settling.readings, reading))
        if said is not None:
            settling = replace(settling, reason=said.reason, own_first=own_first)
        if said is None or (incidental and reading is not Reading.THEIRS):
            break
    return replace(settling, is_answered=asking.lost == lost)
