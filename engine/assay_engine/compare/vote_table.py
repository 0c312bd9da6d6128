"""One vote table: runs the programs of a trial on inputs. What each program does is its vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.counterexamples import Ensemble, voted
from assay_engine.compare.domain import was_seen
from assay_engine.compare.evidence import Instability
from assay_engine.compare.executor import Executor
from assay_engine.compare.nondeterminism import Places, is_unsteady, varying_of
from assay_engine.compare.randomness import may_draw
from assay_engine.compare.votes import Vote
from assay_engine.types import Input, Origin
from assay_engine.values.carried import call_key
from assay_engine.values.parts import nodes_of
from assay_sandbox import Call, Observation, Program, Returned, Value


class VoteTable(Struct, frozen=True):
    """The votes on those inputs that the original answered the same way in two runs.

    `instability` is the first input that the original was seen to answer by chance. `disorder` is
    the first input on which the order of a given set may explain different answers. No input is
    both. `varying` is as in `Ensemble`. `unseen` is how many inputs the original was not
    run on, because it had used up its time on others.
    """

    votes: tuple[Vote, ...]
    instability: Instability | None
    disorder: Instability | None
    varying: Mapping[str, Places]
    unseen: int = 0


def told_instability(vote_table: VoteTable) -> Instability | None:
    """An input that the original answers by chance, if there is one to tell of.

    An input on which the order of a set may explain the difference is told only if the original was
    not seen to return the same value twice on any input without sets: that order is nobody's doing.
    """
    if vote_table.instability is not None or vote_table.disorder is None:
        return vote_table.instability
    is_given_others = any(
        not _sets_in(vote.input.call) and isinstance(vote.original.observation, Returned)
        for vote in vote_table.votes
    )
    return None if is_given_others else vote_table.disorder


async def tabulated(executor: Executor, ensemble: Ensemble, inputs: Sequence[Input]) -> VoteTable:
    """Run the original under both seeds at once, then the voters on the inputs that it was run on.

    Small inputs come before large ones. If a program is given up because it needs too long, as few
    inputs as possible should be left.
    """
    original, *voters = ensemble.programs
    order = sorted(range(len(inputs)), key=lambda number: _urgency(inputs[number]))
    calls = [inputs[number].call for number in order]
    own, again = await executor.run_twice(original, calls, ensemble.documented)
    varying: dict[str, Places] = {}
    third = own
    if any(map(is_unsteady, own, again)):
        (third,) = await executor.run([original], calls, ensemble.documented, anew=True)
        varying = varying_of(calls, own, again, third)
    ensemble = replace(ensemble, varying=varying)
    runs = (ensemble.comparable(calls, row) for row in (own, again, third))
    thrice = dict(zip(order, zip(*runs, strict=True), strict=True))
    # The voters are run on unsteady inputs, too. If programs keep state from call to call, all of
    # them then see the same calls.
    tried = [number for number in order if was_seen(thrice[number][0])]
    rows = await executor.run(
        voters, [inputs[number].call for number in tried], ensemble.documented
    )
    seen = {
        number: (thrice[number][0], *(row[place] for row in rows))
        for place, number in enumerate(tried)
    }
    steady = sorted(number for number in tried if same_behaviour(*thrice[number][:2]))
    instability, disorder = _unsteady(
        original, [(inputs[number], thrice[number]) for number in sorted(order)]
    )
    return VoteTable(
        await voted(
            executor,
            ensemble,
            [inputs[number] for number in steady],
            [
                tuple(seen[number][program] for number in steady)
                for program in range(len(ensemble.programs))
            ],
        ),
        instability,
        disorder,
        varying,
        unseen=sum(inputs[number].origin is not Origin.OPEN for number in set(order) - set(tried)),
    )


def _urgency(entry: Input) -> tuple[bool, int]:
    return entry.origin is Origin.OPEN, len(call_key(entry.call))


def _unsteady(
    original: Program, seen: Iterable[tuple[Input, tuple[Observation, ...]]]
) -> tuple[Instability | None, Instability | None]:
    """The first input that the original answered by chance, and the first where a set may be why.

    Each input comes with three runs, of which the third has the seeds of the first. The second run
    differs in both its hash seed and its random seed. If the program may draw random numbers,
    nobody knows which of the two seeds made the difference, and it is taken for chance.
    """
    instability = disorder = None
    draws = may_draw(original)
    for entry, (one, other, again) in seen:
        if not is_unsteady(one, other):
            continue
        found = Instability(entry, one, other)
        if draws or is_unsteady(one, again) or not _is_in_no_order(entry.call):
            instability = instability or found
        else:
            disorder = disorder or found
    return instability, disorder


def _is_in_no_order(call: Call) -> bool:
    """Whether the call is given a set of strings or bytes, whose order depends on the hash seed.

    The order of a set of numbers does not.
    """
    return any(isinstance(node, str | bytes) for each in _sets_in(call) for node in nodes_of(each))


def _sets_in(call: Call) -> list[Value]:
    return [
        node
        for value in call.values
        for node in nodes_of(value)
        if isinstance(node, set | frozenset)
    ]
