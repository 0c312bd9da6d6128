"""What the hover and the terminal say in the same words: the witness, and what agreed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from assay_engine.running.describing import origin_phrase
from assay_engine.syntax.shortening import contrasted, shortened
from assay_engine.syntax.uses import CAUGHT, INSIDE
from assay_engine.types import Origin, Partition, Report, Status, Support, Verdict, Witness
from assay_engine.words import count, listed

LINE_CHARACTERS = 100
# The input is what a finding is about.
INPUT_CHARACTERS = 400
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


def witness_outcomes(witness: Witness, limit: int) -> Iterator[tuple[str, str, str]]:
    """Who, the verb and what follows it, cut so that it still differs from its strongest rival."""
    for outcome in witness.outcomes:
        rival = next((other for other in witness.outcomes if other is not outcome), outcome)
        verb, _, rest = outcome.what.partition(" ")
        yield outcome.who, verb, contrasted(rest, rival.what.partition(" ")[2], limit)


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
