"""Phrases that several messages share: witnesses, inputs and agreement; costs in one line; how long
the lines of findings are, where they are shown, and their caveats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.syntax.shortening import contrasted, could_be, shortened
from assay_engine.types import (
    Code,
    Cost,
    EquivalenceClass,
    Finding,
    Origin,
    Outcome,
    Partition,
    Phrase,
    Price,
    Problem,
    Report,
    Severity,
    Span,
    Specification,
    Support,
    Usage,
    Verdict,
    Witness,
    Words,
)
from assay_engine.words import alike_up_to, count, listed

LINE_CHARACTERS = 100
# The input gets more room than other values, since the finding is about it.
INPUT_CHARACTERS = 400
# With less room than this, a part of a value tells nothing.
ROOM_MIN = 20
PARTITIONS_SHOWN = 3


def witness_call(witness: Witness, limit: int) -> str:
    """The call of a witness, cut only if it is too long to be read even for an input."""
    return shortened(witness.call, max(limit, INPUT_CHARACTERS))


def witness_outcomes(witness: Witness, limit: int) -> Iterator[tuple[str, Phrase]]:
    """Who did what, with each outcome cut so that it still differs from the others, and above all
    from what the function did."""
    by_weight = sorted(witness.outcomes, key=lambda each: not each.is_original)
    for outcome in witness.outcomes:
        rivals = [other.parts for other in by_weight if other is not outcome]
        yield outcome.who, _cut(outcome.parts, rivals, limit)


def told_apart(one: Outcome, other: Outcome, limit: int) -> tuple[Phrase, Phrase]:
    """Both outcomes, cut together: what is left out of either is not where they first differ."""
    return _cut(one.parts, [other.parts], limit), _cut(other.parts, [one.parts], limit)


def provenance(witness: Witness, set_as: Callable[[str], str]) -> str:
    """Where the input came from, and for a proposed one, what kind the model proposed it for.

    `set_as` sets the model's words.
    """
    origin = witness.origin.phrase
    named = witness.partition and witness.origin is Origin.PROPOSED
    return f"{origin} for {set_as(witness.partition)}" if named else origin


def partition_phrase(partition: Partition, set_as: Callable[[str], str]) -> str:
    """How many inputs of a partition were run, and how many of them count if not all do."""
    if not partition.inputs_run:
        return f"{set_as(partition.name)}: no input that was run"
    refused = partition.inputs_run - partition.inputs_in_domain
    accepted = f", {partition.inputs_in_domain or 'none'} of them accepted" if refused else ""
    return f"{set_as(partition.name)}: {count(partition.inputs_run, 'input')}{accepted}"


def refused_phrase(partitions: Sequence[Partition], set_as: Callable[[str], str]) -> str:
    """A sentence on the partitions of which inputs were run but none counts; empty without any."""
    refused = [each for each in partitions if each.inputs_run and not each.inputs_in_domain]
    names = [set_as(each.name) for each in refused]
    shown = listed(names, PARTITIONS_SHOWN)
    if not names:
        return ""
    return f"most candidates accept none of the inputs proposed for {shown}"


def accepted_phrase(verdict: Verdict) -> str:
    """How many inputs count (docs/inputs.md, "The domain")."""
    return f"{verdict.inputs_in_domain} of {count(verdict.inputs_run, 'input')} used"


def agreement_phrase(support: Support, *, at_length: bool) -> str:
    """How many candidates agree; `at_length` adds how sure that share is."""
    candidates = count(support.total, "candidate")
    agree = f"{support.agreeing} of {candidates} agree on the input that decides"
    interval = f"{support.low:.2f} to {support.high:.2f}"
    return f"{agree} (95 % interval of that share: {interval})" if at_length else agree


def panel_phrase(classes: Sequence[EquivalenceClass], name: Callable[[str], str]) -> str:
    """Which models wrote candidates that always do as the function does; empty if one was asked."""
    drawn, agreeing = Counter[str](), Counter[str]()
    for each in classes:
        drawn.update(each.models)
        agreeing.update(each.models if each.has_original else {})
    shares = [f"{name(model)} {agreeing[model]} of {drawn[model]}" for model in sorted(drawn)]
    return f"as this function does on every input: {', '.join(shares)}" if shares else ""


def confidence_phrase(verdict: Verdict) -> str:
    """The confidence and what it is the probability of (docs/json.md); empty without one."""
    if verdict.confidence is None:
        return ""
    return f"confidence {verdict.confidence:.2f} {verdict.status.likely}".rstrip()


def _cut(phrase: Phrase, rivals: Sequence[Phrase], limit: int) -> Phrase:
    """The phrase with the part after the verb cut to the limit. Our own words are not cut.

    Where there is no room for what tells it from all rivals, the first of them go first.
    """
    texts = _quoted_in(phrase)
    ours = sum(len(part.text) for part in phrase[1:] if isinstance(part, Words))
    rooms = _rooms(texts, limit - ours)

    def cut(at: int, text: str) -> str:
        beside = [other for rival in rivals for other in _counterpart(at, phrase, rival)]
        shown = dict.fromkeys(contrasted(text, other, rooms[text]) for other in beside)
        # Of equal ones, this is the first.
        return max(
            shown,
            key=lambda each: [not could_be(each, other) for other in beside if other != text],
            default=contrasted(text, "", rooms[text]),
        )

    cuts = iter([cut(at, text) for at, text in enumerate(texts)])
    return tuple(
        part if isinstance(part, Words) else replace(part, text=next(cuts)) for part in phrase
    )


def _quoted_in(phrase: Phrase) -> list[str]:
    return [part.text for part in phrase if not isinstance(part, Words)]


def _counterpart(at: int, phrase: Phrase, rival: Phrase) -> Sequence[str]:
    """The text of the rival that a text of the phrase could be taken for, if the rival has any."""
    texts = _quoted_in(rival)
    if [*map(type, phrase)] == [*map(type, rival)]:
        return texts[at : at + 1]
    # It is the one that begins most alike.
    return sorted(texts, key=partial(alike_up_to, _quoted_in(phrase)[at]))[-1:]


def _rooms(texts: Sequence[str], limit: int) -> dict[str, int]:
    """The room for each text: room that shorter texts do not need goes to the longer ones."""
    rooms: dict[str, int] = {}
    spare = limit
    for served, text in enumerate(sorted(texts, key=len)):
        rooms[text] = max(ROOM_MIN, spare // (len(texts) - served))
        spare -= min(len(text), rooms[text])
    return rooms


def cost_phrase(reports: Sequence[Report]) -> str:
    costs = [report.cost for report in reports]
    total = sum(costs, Cost())
    paid, drawn, failed = total.paid, total.drawn, total.failed
    if drawn == paid == Usage():
        return "no model was asked"
    now = f"{_usage(paid, total.price)} now"
    if failed or drawn == Usage():
        answered = f"{paid.requests - failed} answered, {failed} failed"
        sent = f"{count(paid.requests, 'request')} sent ({answered})"
        now = f"{_together(sent, paid, total.price)} now"
    if drawn == Usage():
        return f"{now}; no reply could be used"
    # Replies came out of a cache or a transcript if there are more than were answered now.
    if not any(each.drawn.requests > each.paid.requests - each.failed for each in costs):
        return now
    return f"{now}; its replies cost {_usage(drawn, total.drawn_price)} when they were requested"


def priced(told: str, price: Price | None) -> str:
    """What is told of tokens, followed by their price if it is known."""
    return told if price is None else f"{told}, {price}"


def _usage(usage: Usage, price: Price | None) -> str:
    return _together(count(usage.requests, "request"), usage, price)


def _together(requests: str, usage: Usage, price: Price | None) -> str:
    """Requests, tokens (and how many of them the provider had cached, which costs less), price.

    Where nobody pays by the token, there are only requests.
    """
    if usage.requests and not usage.tokens:
        return requests
    cached = f" ({usage.cached_tokens:,} of them cached)" if usage.cached_tokens else ""
    tokens = f"{usage.tokens:,} tokens{cached}"
    return f"{requests} and {tokens}" if price is None else f"{requests}, {tokens} and {price}"


# The first line of a diagnostic should fit an editor's problems list.
CALL_CHARACTERS = 60
VALUE_CHARACTERS = 40


def name_span(specification: Specification) -> Span:
    """The span of the unit's name, relative to the unit's start."""
    unit = specification.unit
    return Span(unit.name_span.start - unit.span.start, unit.name_span.end - unit.span.start)


def not_checked(span: Span, problem: Problem) -> Finding:
    return Finding(Code.NOT_CHECKED, Severity.HINT, problem.message, span)


def as_information(finding: Finding, caveat: str) -> Finding:
    return replace(
        finding,
        severity=Severity.INFORMATION,
        message=f"{finding.message}; {caveat}",
        caveat=caveat,
    )
