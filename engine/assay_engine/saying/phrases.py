"""What the hover and the terminal say in the same words: the witness, and what agreed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from assay_engine.running.describing import origin_phrase
from assay_engine.syntax.shortening import contrasted, shortened
from assay_engine.syntax.uses import CAUGHT, INSIDE
from assay_engine.types import (
    Origin,
    Partition,
    Phrase,
    Report,
    Status,
    Support,
    Verdict,
    Witness,
    Words,
)
from assay_engine.words import alike_up_to, count, listed

LINE_CHARACTERS = 100
# The input is what a finding is about.
INPUT_CHARACTERS = 400
# Less of a value tells nothing.
ROOM_MIN = 20
PARTITIONS_SHOWN = 3

_CONFIDENCE = {
    Status.TRUSTED: "that it is right",
    Status.SUSPECT: "that it is wrong",
    Status.AMBIGUOUS: "that its docstring is read in two ways",
    Status.ABSTAINED: "",
    Status.UNSUPPORTED: "",
}


def witness_call(witness: Witness, limit: int) -> str:
    """The call that shows it, cut where even an input is too long to be read."""
    return shortened(witness.call, max(limit, INPUT_CHARACTERS))


def witness_outcomes(witness: Witness, limit: int) -> Iterator[tuple[str, Phrase]]:
    """Who did what, cut so that it still differs from its strongest rival."""
    for outcome in witness.outcomes:
        rival = next((other for other in witness.outcomes if other is not outcome), outcome)
        yield outcome.who, _cut(outcome.parts, rival.parts, limit)


def provenance(witness: Witness, set_as: Callable[[str], str]) -> str:
    """Where the input came from, and what the model said that it stands for, set as told."""
    origin = origin_phrase(witness.origin)
    named = witness.partition and witness.origin is Origin.PROPOSED
    return f"{origin} for {set_as(witness.partition)}" if named else origin


def helpers_phrase(report: Report, set_as: Callable[[str], str]) -> str:
    """What those names in the inputs shown stand for that are neither the program's nor Python's;
    empty if there are none."""
    witnesses = [*(each.witness for each in report.findings), report.dissent]
    calls = [witness.call for witness in witnesses if witness is not None]
    calls += [settling.call for settling in report.settling]
    told = {
        CAUGHT: (
            f"{set_as(f'{CAUGHT}(f, …)')} is {set_as('f(…)')}, or the type of the exception that "
            "it raises"
        ),
        INSIDE: (
            f"{set_as(f'{INSIDE}(m, f)')} is {set_as('f(entered)')} in a block "
            f"{set_as('with m as entered')}"
        ),
    }
    own = report.qualname.rpartition(".")[2]
    said = [told[name] for name in told if name != own and any(_has(name, call) for call in calls)]
    return f"here, {', and '.join(said)}" if said else ""


def partition_phrase(partition: Partition, set_as: Callable[[str], str]) -> str:
    """How many inputs the model proposed for it, and how many count if not all do."""
    if not partition.inputs_run:
        return f"{set_as(partition.name)}: no input that was run"
    refused = partition.inputs_run - partition.inputs_in_domain
    accepted = f", {partition.inputs_in_domain or 'none'} of them accepted" if refused else ""
    return f"{set_as(partition.name)}: {count(partition.inputs_run, 'input')}{accepted}"


def refused_phrase(partitions: Sequence[Partition], set_as: Callable[[str], str]) -> str:
    """For which of them inputs were run, and none counts; empty if there are none such."""
    refused = [each for each in partitions if each.inputs_run and not each.inputs_in_domain]
    names = [set_as(each.name) for each in refused]
    shown = listed(names, PARTITIONS_SHOWN)
    if not names:
        return ""
    return f"none of those that the model proposed for {shown} is accepted by most candidates"


def accepted_phrase(verdict: Verdict) -> str:
    """How many inputs count, in terms of why they do (docs/inputs.md, "The domain")."""
    inputs = count(verdict.inputs_run, "input")
    verb, them = ("counts", "it") if verdict.inputs_in_domain == 1 else ("count", "them")
    return f"{verdict.inputs_in_domain} of {inputs} {verb} (most candidates accept {them})"


def stated_phrase(stated: Sequence[str]) -> str:
    """What inputs keep to, for whoever reads the docstring otherwise."""
    return f"inputs keep to what the docstring states: {'; '.join(stated)}"


def agreement_phrase(support: Support, *, at_length: bool) -> str:
    """How many candidates agree, and, at length, how sure that share is."""
    candidates = count(support.total, "candidate")
    agree = f"{support.agreeing} of {candidates} agree on the input that decides"
    interval = f"{support.low:.2f} to {support.high:.2f}"
    return f"{agree} (95 % interval of that share: {interval})" if at_length else agree


def confidence_phrase(verdict: Verdict) -> str:
    """The number and what it is the probability of (docs/json.md); empty if there is none."""
    if verdict.confidence is None:
        return ""
    return f"confidence {verdict.confidence:.2f} {_CONFIDENCE[verdict.status]}".rstrip()


def _has(helper: str, call: str) -> bool:
    """Whether the call makes use of it, perhaps by the other one."""
    return re.search(rf"(?<![\w.])(?:{CAUGHT}\({helper}\b|{helper}\()", call) is not None


def _cut(phrase: Phrase, rival: Phrase, limit: int) -> Phrase:
    """The phrase with what follows the verb within the limit, and our words as they are."""
    texts = [part.text for part in phrase if not isinstance(part, Words)]
    beside = [part.text for part in rival if not isinstance(part, Words)]
    ours = sum(len(part.text) for part in phrase[1:] if isinstance(part, Words))
    rooms = _rooms(texts, limit - ours)

    def cut(text: str) -> str:
        # What it could be taken for is what begins like it.
        likest = max(beside, key=partial(alike_up_to, text), default="")
        return contrasted(text, likest, rooms[text])

    return tuple(
        part if isinstance(part, Words) else replace(part, text=cut(part.text)) for part in phrase
    )


def _rooms(texts: Sequence[str], limit: int) -> dict[str, int]:
    """A share of the room for each: what the shorter ones do not need, the longer ones have."""
    rooms: dict[str, int] = {}
    spare = limit
    for served, text in enumerate(sorted(texts, key=len)):
        rooms[text] = max(ROOM_MIN, spare // (len(texts) - served))
        spare -= min(len(text), rooms[text])
    return rooms
