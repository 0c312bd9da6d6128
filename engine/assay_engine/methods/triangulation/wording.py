"""Tells what triangulation found, in words and as part of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay_engine.compare.evidence import Evidence
from assay_engine.messages.phrases import CALL_CHARACTERS, VALUE_CHARACTERS, name_span
from assay_engine.methods.triangulation import Attempt, Refuted
from assay_engine.methods.triangulation.formulas.values import Special, Term
from assay_engine.methods.triangulation.verdict import ORIGINAL, Confirmed
from assay_engine.sampling.prompting import stub
from assay_engine.syntax.shortening import shortened
from assay_engine.types import (
    Code,
    Finding,
    Outcome,
    Refutation,
    Severity,
    TransformedSolution,
    Triangulated,
    Witness,
    text_of,
)
from assay_engine.values.arguments_left import GivenCall
from assay_engine.values.describing import WHOLE_CHARACTERS, call_text
from assay_engine.values.outcomes import outcome_phrases
from assay_engine.words import SHORT_CHARACTERS, count
from assay_sandbox import Call, render

INPUTS_SHOWN = 5
REFUTED_SHOWN = 5


def triangulated(confirmed: Confirmed, evidence: Evidence) -> Triangulated:
    """The part of the report that names the witnesses."""
    decisive = confirmed.found.decisive
    usage = confirmed.found.drawn
    if decisive is None:
        drawn = max((len(each.witnesses) for each in confirmed.found.attempts), default=0)
        return Triangulated(None, False, False, 0, (), 0, drawn, (), (), usage)
    specification = evidence.specification
    weights = [0, *(rival.candidate.weight for rival in evidence.voters)]
    return Triangulated(
        scheme=decisive.plan.name,
        is_baseline=decisive.plan.is_baseline,
        confirms_original=confirmed.supports,
        confirmed=sum(weights[index] for index in decisive.trusted.programs),
        witnesses=_witnesses(decisive),
        agreeing=len(decisive.trusted.witnesses),
        drawn=len(decisive.witnesses),
        inputs=tuple(
            call_text(Call(each), specification) for each in decisive.agreed[:INPUTS_SHOWN]
        ),
        refuted=tuple(
            _refutation(each, weights[each.forward], evidence)
            for each in decisive.refuted[:REFUTED_SHOWN]
        ),
        usage=usage,
    )


def triangulation_lines(found: Triangulated, *, at_length: bool) -> Iterator[str]:
    """What triangulation found, in sentences; `at_length` adds the name of the scheme."""
    tokens = f"{found.usage.tokens:,} tokens"
    if found.scheme is None:
        drawn = count(found.drawn, "solution")
        yield f"no agreement, so it adds nothing ({drawn} of transformed problems, {tokens})"
        return
    whom = f"{count(found.confirmed, 'candidate')}"
    if found.confirms_original:
        whom = f"this function and {whom}"
    scheme = f"{found.scheme}: " if at_length else ""
    yield (
        f"{scheme}{found.agreeing} of {found.drawn} solutions of transformed problems confirm "
        f"{whom} ({tokens})"
    )
    if found.inputs:
        yield f"they agree on {', '.join(found.inputs)}"
    for each in found.refuted:
        who = "this function" if each.is_original else count(each.weight, "candidate")
        where = f"where {each.confirmed} is confirmed"
        yield f"refuted on {each.call}: {each.returned} of {who}, {where}"


def accusations(confirmed: Confirmed, evidence: Evidence) -> tuple[Finding, ...]:
    """The finding that the original is refuted, with the input that shows it; none if it is not."""
    decisive, refuting = confirmed.found.decisive, confirmed.refuting
    if decisive is None or refuting is None or confirmed.shown is None:
        return ()
    own, rival = confirmed.shown
    specification = evidence.specification
    call = refuting.call
    agreeing, drawn = len(decisive.trusted.witnesses), len(decisive.witnesses)
    who = f"{agreeing} of {drawn} witnesses"
    given = GivenCall(call, specification)
    confirmed_phrase, own_phrase = outcome_phrases(rival, own, VALUE_CHARACTERS, given)
    confirmed_whole, own_whole = outcome_phrases(rival, own, WHOLE_CHARACTERS, given)
    finding = Finding(
        Code.DIFFERS,
        Severity.WARNING,
        f"{call_text(call, specification, CALL_CHARACTERS)}: a candidate that {who} "
        f"({decisive.plan.name}) confirm {text_of(confirmed_phrase)}, this {text_of(own_phrase)}",
        name_span(specification),
        Witness(
            call_text(call, specification, WHOLE_CHARACTERS),
            (
                Outcome.of(
                    f"a candidate confirmed by {who}", confirmed_whole, 1, is_original=False
                ),
                Outcome.of("this function", own_whole, 0, is_original=True),
            ),
            refuting.origin,
            refuting.partition,
        ),
    )
    return (finding,)


def _witnesses(decisive: Attempt) -> tuple[TransformedSolution, ...]:
    parts = [part for index in decisive.trusted.witnesses for part in decisive.witnesses[index]]
    counted = Counter((stub(part.problem), part.text) for part in parts)
    return tuple(
        TransformedSolution(problem, program, samples)
        for (problem, program), samples in counted.items()
    )


def _refutation(refuted: Refuted, weight: int, evidence: Evidence) -> Refutation:
    return Refutation(
        call_text(Call(refuted.arguments), evidence.specification),
        _text(refuted.got),
        _text(refuted.chosen),
        weight,
        refuted.forward == ORIGINAL,
    )


def _text(term: Term) -> str:
    return (
        str(term.value) if isinstance(term, Special) else shortened(render(term), SHORT_CHARACTERS)
    )
