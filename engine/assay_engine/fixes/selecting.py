"""Selects the candidates to offer, and says what choosing one of them would mean.

Measures how much of a text a change affects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from assay_engine.compare.evidence import Evidence
from assay_engine.compare.votes import Vote, consensus_agreement, equivalence_classes
from assay_engine.messages.findings import behaviour_phrase
from assay_engine.sampling.candidates import Voter
from assay_engine.syntax.balanced import LEFT_OUT
from assay_engine.types import (
    Behaviour,
    Finding,
    Origin,
    Problem,
    Reading,
    Specification,
    Status,
    Verdict,
    text_of,
)
from assay_engine.words import share
from assay_sandbox import TimedOut


class Selection(Struct, frozen=True):
    """Voters of which one is to be offered, the best first.

    `behaviour` completes "the candidate that …". `is_confirmed` tells that witnesses confirm the
    voter, whatever other candidates do.
    """

    voters: tuple[Voter, ...]
    behaviour: str
    is_confirmed: bool = False


class Decision(Struct, frozen=True):
    """A verdict with its findings and the selections to offer.

    `problems` are those that kept the verdict from saying more.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    selections: tuple[Selection, ...]
    problems: tuple[Problem, ...] = ()


def select(evidence: Evidence, status: Status) -> tuple[Selection, ...]:
    """The voters that do what the original should do; often there are none.

    Where candidates are divided, none would be found right in the original's place either.
    """
    shown = evidence.shown
    if evidence.is_disputed or evidence.promises_neither:
        # If an example is wrong, a candidate that meets it has only bent to it. If the docstring
        # promises neither outcome, no candidate shown is right.
        return ()
    if status is Status.SUSPECT and shown is None:
        if not any(failure.candidates_passing for failure in evidence.failures):
            return ()
        best = _best(evidence, range(len(evidence.voters)))
        return (Selection(best, "meets the example"),)
    if shown is None or evidence.left_open is Reading.OWN:
        return ()
    if status is not Status.SUSPECT and evidence.left_open is None:
        return ()
    leading = shown.leading
    in_short = _in_short(leading, shown, evidence.specification)
    return (Selection(_best(evidence, leading.candidates), in_short),)


def _in_short(behaviour: Behaviour, shown: Vote, specification: Specification) -> str:
    """What programs of a behaviour do, or how many candidates do it.

    The number is told if the behaviour is too long to describe, and no other behaviour has the same
    number of candidates.
    """
    phrase = text_of(behaviour_phrase(behaviour, shown, specification))
    alike = [each for each in shown.behaviours if each.weight == behaviour.weight]
    if LEFT_OUT not in phrase or len(alike) > 1:
        return phrase
    verb = "does" if behaviour.weight == 1 else "do"
    return f"does what {share(behaviour.weight, shown.total, 'candidate')} {verb}"


def _best(evidence: Evidence, members: Iterable[int]) -> tuple[Voter, ...]:
    """Some voters, the best first.

    This is the voter that is part of the consensus most often. Among equals, one that ends
    wherever the original ends comes first, then one of the heaviest class on inputs that the model
    proposed, then the one that changes least of the user's text, then the first drawn. If no
    proposed input counts, the classes are those on all inputs.
    """
    candidates = [voter.candidate for voter in evidence.voters]
    weights = {
        index: each.weight
        for each in equivalence_classes(_proposed(evidence) or evidence.votes, candidates)
        for index in each.members
    }
    before = evidence.specification.running_text
    endless = _overdue(evidence)

    def worth(index: int) -> tuple[int, bool, int, int, int]:
        return (
            -consensus_agreement(evidence.votes, index),
            index in endless,
            -weights[index],
            changed(before, evidence.voters[index].source),
            index,
        )

    return tuple(evidence.voters[index] for index in sorted(members, key=worth))


def _overdue(evidence: Evidence) -> set[int]:
    """The voters that ran out of time on an input on which the original did not.

    A user who takes one of them gets a function that hangs where the user's own did not.
    """
    return {
        index
        for vote in evidence.votes
        if not isinstance(vote.original.observation, TimedOut)
        for behaviour in vote.behaviours
        if isinstance(behaviour.observation, TimedOut)
        for index in behaviour.candidates
    }


def _proposed(evidence: Evidence) -> list[Vote]:
    return [vote for vote in evidence.counted if vote.input.origin is Origin.PROPOSED]


# A word, a number, the white space at the start of a line, or one sign.
_PART = re.compile(r"\w+|^[ \t]+|[^\w\s]", re.MULTILINE)


def changed(before: str, after: str) -> int:
    """How many parts are taken from the text or added to it."""
    was, now = _PART.findall(before), _PART.findall(after)
    # Most of a program stays as it is. Strip the common start and end first, since a comparison may
    # cost the product of both lengths.
    for _ in range(2):
        same = _shared(was, now)
        was, now = was[same:][::-1], now[same:][::-1]
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    return len(was) + len(now) - 2 * sum(each.size for each in matcher.get_matching_blocks())


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the common start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (its, own) in pairs if its != own), min(len(one), len(other)))
