"""The programs of one trial, and their votes on inputs. What each program does is its vote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import same_behaviour
from assay_engine.compare.evidence import Instability
from assay_engine.compare.executor import Executor, Row, program_of
from assay_engine.compare.nondeterminism import Places, is_unsteady, may_draw, varying_of, without
from assay_engine.compare.policy import USUAL, Policy
from assay_engine.compare.private_fields import without_unseen
from assay_engine.compare.votes import (
    ACCUSING,
    Standing,
    Vote,
    agreed_exceptions,
    is_kept_from,
    passed_on,
    raised_by,
    vote,
    was_seen,
)
from assay_engine.types import Input, Origin, Specification
from assay_engine.values.carried import call_key
from assay_engine.values.parts import nodes_of
from assay_sandbox import Call, Observation, Program, Raised, Returned, Value


class Ensemble(Struct, frozen=True):
    """The programs of one trial: the original first, then the voters with their weights.

    `policy` says what counts when they are compared. `varying` are the places that are not
    compared, by the key of a call. `has_receiver` tells whether the programs are methods, which are
    there to change their object. If `strict`, votes are the strict ones where these differ.
    """

    programs: tuple[Program, ...]
    weights: tuple[int, ...]
    documented: tuple[str, ...]
    policy: Policy = USUAL
    varying: Mapping[str, Places] = {}
    has_receiver: bool = False
    strict: bool = False

    @classmethod
    def between(
        cls,
        specification: Specification,
        sources: Sequence[str],
        weights: Sequence[int],
        *,
        documented: tuple[str, ...],
    ) -> Ensemble:
        """The ensemble of the function and these programs in its place."""
        return cls(
            programs=tuple(program_of(specification, source) for source in (None, *sources)),
            weights=tuple(weights),
            documented=documented,
            has_receiver=specification.has_receiver,
        )

    @property
    def strictly(self) -> Ensemble:
        return replace(self, strict=True)

    def comparable(self, calls: Sequence[Call], row: Row) -> Row:
        """The observations of a program, without the parts that differ from run to run."""
        if not self.varying:
            return row
        places = [self.varying.get(call_key(call), frozenset()) for call in calls]
        return tuple(map(without, row, places))

    def votes(self, inputs: Sequence[Input], rows: Sequence[Row]) -> tuple[Vote, ...]:
        """One vote per input. `rows` holds a row of comparable observations for each program.

        Where the docstring decides nothing, every exception is an answer.
        """
        return tuple(self._vote(entry, seen) for entry, *seen in zip(inputs, *rows, strict=True))

    def _vote(self, entry: Input, seen: Sequence[Observation]) -> Vote:
        original, *candidates = seen
        is_open = entry.origin is Origin.OPEN
        documented = self.documented + (raised_by(seen) if is_open else passed_on(candidates))
        lenient, leaving_alone = self.policy.lenient, self.policy.leaving_alone
        changes = isinstance(original, Returned | Raised) and original.args_after is not None
        usual = lenient if self.has_receiver or changes else leaving_alone
        found = vote(entry, original, candidates, self.weights, documented, usual)
        if found.standing is Standing.ALONE and usual is lenient:
            # How arguments are left is a ground only for a consensus.
            returning = vote(entry, original, candidates, self.weights, documented, leaving_alone)
            found = found if returning.standing in ACCUSING else returning
        if is_kept_from(original, self.documented):
            return replace(found, standing=Standing.OUTSIDE)
        if is_open or found.standing in ACCUSING:
            return found
        documented += agreed_exceptions(candidates, self.weights)
        strict = vote(entry, original, candidates, self.weights, documented, self.policy.strict)
        if strict.standing is not Standing.DIFFERS:
            return found
        return strict if self.strict else replace(found, strictly=strict)


async def voted(
    executor: Executor, ensemble: Ensemble, inputs: Sequence[Input], rows: Sequence[Row]
) -> tuple[Vote, ...]:
    """The votes, without differences that show in private fields only."""
    calls = [entry.call for entry in inputs]
    compared = [ensemble.comparable(calls, row) for row in rows]
    seen = await without_unseen(executor, ensemble.programs, calls, compared, ensemble.policy)
    return ensemble.votes(inputs, seen)


async def votes_on(
    executor: Executor,
    ensemble: Ensemble,
    inputs: Sequence[Input],
    *,
    second: bool = False,
    anew: bool = False,
) -> tuple[Vote, ...]:
    """The votes after running all programs, in the second sandbox if `second`."""
    calls = [entry.call for entry in inputs]
    rows = await executor.run(
        ensemble.programs, calls, ensemble.documented, second=second, anew=anew
    )
    return await voted(executor, ensemble, inputs, rows)


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
    order = sorted(
        range(len(inputs)),
        key=lambda number: (
            inputs[number].origin is Origin.OPEN,
            len(call_key(inputs[number].call)),
        ),
    )
    calls = [inputs[number].call for number in order]
    own, again = await executor.run_twice(original, calls, ensemble.documented)
    varying: dict[str, Places] = {}
    third = own
    if any(is_unsteady(*both, ensemble.policy) for both in zip(own, again, strict=True)):
        (third,) = await executor.run([original], calls, ensemble.documented, anew=True)
        varying = varying_of(calls, own, again, third, ensemble.policy)
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
    steady = [
        number
        for number in sorted(tried)
        if same_behaviour(thrice[number][0], thrice[number][1], ensemble.policy)
    ]
    instability, disorder = _unsteady(
        ensemble, [(inputs[number], thrice[number]) for number in sorted(order)]
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


def _unsteady(
    ensemble: Ensemble, seen: Iterable[tuple[Input, tuple[Observation, ...]]]
) -> tuple[Instability | None, Instability | None]:
    """The first input that the original answered by chance, and the first where a set may be why.

    Each input comes with three runs, of which the third has the seeds of the first. The second run
    differs in both its hash seed and its random seed. If the program may draw random numbers,
    nobody knows which of the two seeds made the difference, and it is taken for chance.
    """
    instability = disorder = None
    draws = may_draw(ensemble.programs[0])
    for entry, (one, other, again) in seen:
        if not is_unsteady(one, other, ensemble.policy):
            continue
        found = Instability(entry, one, other)
        # The order of a set of strings or bytes depends on the hash seed; of numbers it does not.
        is_in_no_order = any(
            isinstance(node, str | bytes)
            for each in _sets_in(entry.call)
            for node in nodes_of(each)
        )
        if draws or is_unsteady(one, again, ensemble.policy) or not is_in_no_order:
            instability = instability or found
        else:
            disorder = disorder or found
    return instability, disorder


def _sets_in(call: Call) -> list[Value]:
    return [
        node
        for value in call.values
        for node in nodes_of(value)
        if isinstance(node, set | frozenset)
    ]
