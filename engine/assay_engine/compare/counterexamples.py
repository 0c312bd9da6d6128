"""Finds inputs that show what the votes say, and reproduces each.

An input is shown as somebody meant it: a smaller one might be an input that nobody means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.compare.behaviours import LEAVING_ALONE, LENIENT, STRICT, same_behaviour
from assay_engine.compare.domain import agreed_exceptions, is_kept_from, passed_on, raised_by
from assay_engine.compare.executor import Executor, Row, program_of
from assay_engine.compare.nondeterminism import Places, without
from assay_engine.compare.private_fields import without_unseen
from assay_engine.compare.ranking import most_telling
from assay_engine.compare.same_values import USUAL
from assay_engine.compare.votes import ACCUSING, Standing, Vote, vote
from assay_engine.types import Input, Origin, Specification
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Observation, Program, Raised, Returned

# How many inputs are tried before giving up. The first one reproduces unless chance is at work.
TRIES_MAX = 5
# How many accusing inputs are found at most. The docstring may leave the first of them open.
COUNTEREXAMPLES_MAX = 3


class Ensemble(Struct, frozen=True):
    """The programs of one trial: the original first, then the voters with their weights.

    `varying` are the places that are not compared, by the key of a call. `has_receiver` tells
    whether the programs are methods, which are there to change their object. If `strict`, votes are
    the strict ones where these differ.
    """

    programs: tuple[Program, ...]
    weights: tuple[int, ...]
    documented: tuple[str, ...]
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
        usual = LENIENT if self.has_receiver or _changes(original) else LEAVING_ALONE
        found = vote(entry, original, candidates, self.weights, documented, usual)
        if found.standing is Standing.ALONE and usual is LENIENT:
            # How arguments are left is a ground only for a consensus.
            returning = vote(entry, original, candidates, self.weights, documented, LEAVING_ALONE)
            found = found if returning.standing in ACCUSING else returning
        if is_kept_from(original, self.documented):
            return replace(found, standing=Standing.OUTSIDE)
        if is_open or found.standing in ACCUSING:
            return found
        documented += agreed_exceptions(candidates, self.weights)
        strict = vote(entry, original, candidates, self.weights, documented, STRICT)
        if strict.standing is not Standing.DIFFERS:
            return found
        return strict if self.strict else replace(found, strictly=strict)


def _changes(observation: Observation) -> bool:
    """Whether the program changed an argument."""
    return isinstance(observation, Returned | Raised) and observation.args_after is not None


async def voted(
    executor: Executor, ensemble: Ensemble, inputs: Sequence[Input], rows: Sequence[Row]
) -> tuple[Vote, ...]:
    """The votes, without differences that show in private fields only."""
    calls = [entry.call for entry in inputs]
    compared = [ensemble.comparable(calls, row) for row in rows]
    seen = await without_unseen(executor, ensemble.programs, calls, compared)
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


async def counterexamples(
    executor: Executor, ensemble: Ensemble, votes: Sequence[Vote], standings: Sequence[Standing]
) -> tuple[Vote, ...]:
    """The most telling votes with one of these standings, as far as they reproduce.

    Those on other kinds of input come first. Of inputs that the docstring does not decide, there is
    at most one.
    """
    found: list[Vote] = []
    telling = most_telling(votes, standings, ensemble.documented)
    for seen in _of_many_kinds(telling)[:TRIES_MAX]:
        again = await _reproduced(executor, ensemble, seen)
        if again is None:
            continue
        found.append(again)
        if len(found) == COUNTEREXAMPLES_MAX or seen.input.origin is Origin.OPEN:
            break
    return tuple(found)


def _of_many_kinds(votes: Sequence[Vote]) -> list[Vote]:
    """The votes in order, but one of each partition first."""
    known: set[str] = set()
    first: list[Vote] = []
    others: list[Vote] = []
    for each in votes:
        name = each.input.partition
        (others if name in known else first).append(each)
        known.update(filter(None, [name]))
    return first + others


async def _reproduced(executor: Executor, ensemble: Ensemble, seen: Vote) -> Vote | None:
    """The vote again, if a run in fresh processes, with other seeds, agrees.

    If it does not, earlier calls may have made the difference. Then the vote is what this run and
    another in fresh processes show. The message of an exception is part of it only if all runs
    repeat it: a message may name an address.
    """
    shown = seen
    (again,) = await votes_on(executor, ensemble, [seen.input], second=True, anew=True)
    if not _is_the_same(ensemble, again, seen):
        (shown,) = await votes_on(executor, ensemble, [seen.input], anew=True)
        if shown.standing is not seen.standing or not _is_the_same(ensemble, again, shown):
            return None
    messages = {_message(each.original.observation) for each in (seen, shown, again)}
    return replace(shown, message=messages.pop() if len(messages) == 1 else "")


def _is_the_same(ensemble: Ensemble, vote: Vote, seen: Vote) -> bool:
    # If the function may differ only in the order of items, the candidates' order has to be the
    # same in every run, whatever the seeds.
    policy = STRICT if ensemble.strict else USUAL
    return (
        vote.standing is seen.standing
        and same_behaviour(vote.original.observation, seen.original.observation)
        and same_behaviour(vote.leading.observation, seen.leading.observation, policy)
    )


def _message(observation: Observation) -> str:
    return observation.message if isinstance(observation, Raised) else ""
