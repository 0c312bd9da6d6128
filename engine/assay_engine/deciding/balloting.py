"""One ballot: the programs of a trial are run on inputs, and what each does is its vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.domain import was_seen
from assay_engine.deciding.evidence import Instability
from assay_engine.deciding.separating import Contest, voted
from assay_engine.deciding.varying import Places, is_unsteady, varying_of
from assay_engine.deciding.voting import Vote
from assay_engine.inputs.choose import call_key
from assay_engine.inputs.parts import nodes_of
from assay_engine.running.comparing import same_behaviour
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import MEANT, Input
from assay_sandbox import Observation, Returned, TimedOut


class Ballot(Struct, frozen=True):
    """The votes on those inputs that the original was run on and answered the same way twice.

    `instability` is the first of the others, one without a set in it if there is any. `varying`: as
    of `Contest`. `overdue`: whether a program needed too long for one of them.
    """

    inputs: tuple[Input, ...]
    votes: tuple[Vote, ...]
    instability: Instability | None
    varying: Mapping[str, Places]
    overdue: bool = False

    def with_more(self, other: Ballot) -> Ballot:
        return Ballot(
            (*self.inputs, *other.inputs),
            (*self.votes, *other.votes),
            _first_of_its_own((self.instability, other.instability)),
            {**self.varying, **other.varying},
            self.overdue or other.overdue,
        )


def instability(ballot: Ballot) -> Instability | None:
    """An input that the original answers by chance: none where it does so only for sets, whose
    order is nobody's doing, and answers others the same way every time."""
    found = ballot.instability
    if found is None or not _has_sets(found.input):
        return found
    steady = zip(ballot.inputs, ballot.votes, strict=True)
    is_given_others = any(
        not _has_sets(entry) and isinstance(vote.original.observation, Returned)
        for entry, vote in steady
    )
    return None if is_given_others else found


async def balloted(laboratory: Laboratory, contest: Contest, inputs: Sequence[Input]) -> Ballot:
    """Runs the original under both seeds at once, and then its rivals on what it was seen on.

    What somebody meant comes first, and small inputs before large ones: a program that is given up,
    because it needs too long, shall have as little as possible left.
    """
    original, *rivals = contest.programs
    order = sorted(range(len(inputs)), key=lambda number: _urgency(inputs[number]))
    calls = [inputs[number].call for number in order]
    own, again = await laboratory.run_twice(original, calls, contest.documented)
    varying: dict[str, Places] = {}
    if any(map(is_unsteady, own, again)):
        (third,) = await laboratory.run([original], calls, contest.documented)
        varying = varying_of(calls, own, again, third)
    contest = replace(contest, varying=varying)
    pairs = zip(contest.comparable(calls, own), contest.comparable(calls, again), strict=True)
    twice = dict(zip(order, pairs, strict=True))
    # The unsteady ones, too: what a program keeps from call to call, its rivals shall keep alike.
    tried = [number for number in order if was_seen(twice[number][0])]
    rows = await laboratory.run(
        rivals, [inputs[number].call for number in tried], contest.documented
    )
    seen = {
        number: (twice[number][0], *(row[place] for row in rows))
        for place, number in enumerate(tried)
    }
    steady = sorted(number for number in tried if same_behaviour(*twice[number]))
    return Ballot(
        tuple(inputs[number] for number in steady),
        await voted(
            laboratory,
            contest,
            [inputs[number].call for number in steady],
            [
                tuple(seen[number][program] for number in steady)
                for program in range(len(contest.programs))
            ],
        ),
        _instability([(inputs[number], *twice[number]) for number in sorted(order)]),
        varying,
        overdue=any(isinstance(each, TimedOut) for row in (own, *rows) for each in row),
    )


def _urgency(entry: Input) -> tuple[bool, int]:
    return entry.origin not in MEANT, len(call_key(entry.call))


def _instability(
    seen: Iterable[tuple[Input, Observation, Observation]],
) -> Instability | None:
    """An input on which the original gave different answers in its two runs."""
    return _first_of_its_own(
        Instability(entry, one, other) for entry, one, other in seen if is_unsteady(one, other)
    )


def _first_of_its_own(found: Iterable[Instability | None]) -> Instability | None:
    known = [each for each in found if each is not None]
    return next((each for each in known if not _has_sets(each.input)), known[0] if known else None)


def _has_sets(entry: Input) -> bool:
    """Whether a set of texts is given, or the like: in which order it comes is up to the run."""
    return any(
        isinstance(node, set | frozenset) for value in entry.call.values for node in nodes_of(value)
    )
