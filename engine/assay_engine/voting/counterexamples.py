"""Finds inputs that show what the votes say, shrinks made-up ones and reproduces each twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.comparing.behaviours import LEAVING_ALONE, LENIENT, STRICT, same_behaviour
from assay_engine.comparing.same_values import USUAL
from assay_engine.executor.executor import Executor, Row, program_of
from assay_engine.search.shrinking import shrink
from assay_engine.types import Input, Origin, Separation, Specification
from assay_engine.values.carried import call_key
from assay_engine.voting.domain import agreed_exceptions, lacks_module, passed_on, raised_by
from assay_engine.voting.machine_limits import Extent, extent_of, ran_into_limit, reach
from assay_engine.voting.nondeterminism import Places, without
from assay_engine.voting.private_fields import without_unseen
from assay_engine.voting.ranking import most_telling
from assay_engine.voting.votes import ACCUSING, Standing, Vote, vote
from assay_sandbox import Call, Observation, Program, Raised, Returned

# How many inputs are tried before giving up. The first one reproduces unless chance is at work.
TRIES_MAX = 5
# How many accusing inputs are found at most. The docstring may leave the first of them open.
COUNTEREXAMPLES_MAX = 3


class Counterexample(Struct, frozen=True):
    """An input that shows what the votes say, reproduced twice, with the vote on it."""

    separation: Separation
    vote: Vote


class Ensemble(Struct, frozen=True):
    """The programs of one trial: the original first, then the voters with their weights.

    On inputs larger than `reach`, the original is not held to our limits. `meant` are the keys of
    the calls that somebody meant. `varying` are the places that are not compared, by the key of a
    call. `open` are the keys of calls that the docstring does not decide: every exception is an
    answer there. `has_receiver` tells whether the programs are methods, which are there to change
    their object, and `takes_values` whether a call is of the function itself. If `strict`, votes
    are the strict ones where these differ.
    """

    programs: tuple[Program, ...]
    weights: tuple[int, ...]
    documented: tuple[str, ...]
    reach: Extent
    meant: frozenset[str] = frozenset()
    varying: Mapping[str, Places] = {}
    open: frozenset[str] = frozenset()
    has_receiver: bool = False
    takes_values: bool = True
    strict: bool = False

    @classmethod
    def between(
        cls,
        specification: Specification,
        sources: Sequence[str],
        weights: Sequence[int],
        meant: Sequence[Call],
        *,
        documented: tuple[str, ...],
    ) -> Ensemble:
        """The ensemble of the function and these programs in its place.

        `meant` are the calls that somebody meant.
        """
        return cls(
            programs=tuple(program_of(specification, source) for source in (None, *sources)),
            weights=tuple(weights),
            documented=documented,
            reach=reach(meant),
            meant=frozenset(map(call_key, meant)),
            has_receiver=specification.has_receiver,
            takes_values=not specification.gives_functions,
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

    def votes(self, calls: Sequence[Call], rows: Sequence[Row]) -> tuple[Vote, ...]:
        """One vote per input. `rows` holds a row of comparable observations for each program."""
        return tuple(self._vote(call, seen) for call, *seen in zip(calls, *rows, strict=True))

    def _vote(self, call: Call, seen: Sequence[Observation]) -> Vote:
        original, *candidates = seen
        key, documented = call_key(call), self.documented
        if key in self.meant:
            documented += passed_on(candidates)
        if key in self.open:
            documented += raised_by(seen)
        usual = LENIENT if self.has_receiver or _changes(original) else LEAVING_ALONE
        found = vote(original, candidates, self.weights, documented, usual)
        if found.standing is Standing.ALONE and usual is LENIENT:
            # How arguments are left is a ground only for a consensus.
            returning = vote(original, candidates, self.weights, documented, LEAVING_ALONE)
            found = found if returning.standing in ACCUSING else returning
        if lacks_module(original, self.documented):
            return replace(found, standing=Standing.OUTSIDE)
        within = self.reach.covers(extent_of(call))
        if ran_into_limit(original, self.documented) and not within:
            return replace(found, standing=Standing.OUTSIDE)
        if key not in self.meant or found.standing in ACCUSING:
            return found
        documented += agreed_exceptions(candidates, self.weights)
        strict = vote(original, candidates, self.weights, documented, STRICT)
        if strict.standing is not Standing.DIFFERS:
            return found
        return strict if self.strict else replace(found, strictly=strict)


def _changes(observation: Observation) -> bool:
    """Whether the program changed an argument."""
    return isinstance(observation, Returned | Raised) and observation.args_after is not None


async def voted(
    executor: Executor, ensemble: Ensemble, calls: Sequence[Call], rows: Sequence[Row]
) -> tuple[Vote, ...]:
    """The votes, without differences that show in private fields only."""
    compared = [ensemble.comparable(calls, row) for row in rows]
    seen = await without_unseen(executor, ensemble.programs, calls, compared)
    return ensemble.votes(calls, seen)


async def votes_on(
    executor: Executor, ensemble: Ensemble, calls: Sequence[Call], *, second: bool = False
) -> tuple[Vote, ...]:
    """The votes after running all programs, in the second sandbox if `second`."""
    rows = await executor.run(ensemble.programs, calls, ensemble.documented, second=second)
    return await voted(executor, ensemble, calls, rows)


async def separate(
    executor: Executor,
    ensemble: Ensemble,
    inputs: Sequence[Input],
    votes: Sequence[Vote],
    standings: Sequence[Standing],
    *,
    admits: Callable[[Call], bool] = lambda _: True,
) -> tuple[Counterexample, ...]:
    """The most telling inputs with one of these standings, as far as they reproduce.

    There is at most one, unless somebody meant it and it accuses. Then further such inputs may
    follow, and other kinds of input come first. `admits` tells whether a call keeps what
    annotations promise of the arguments; an input made smaller has to keep that.
    """
    found: list[Counterexample] = []
    telling = most_telling(votes, inputs, standings, ensemble.documented)
    for index in _of_many_kinds(telling, inputs)[:TRIES_MAX]:
        chosen, seen = inputs[index], votes[index]
        if found and chosen.origin.is_made_up:
            break
        counterexample = await _reproduced(executor, ensemble, chosen, seen)
        if counterexample is None:
            continue
        if chosen.origin.is_made_up:
            return (await _smallest(executor, ensemble, counterexample, admits),)
        found.append(counterexample)
        if len(found) == COUNTEREXAMPLES_MAX or seen.standing not in ACCUSING:
            break
    return tuple(found)


def _of_many_kinds(telling: Sequence[int], inputs: Sequence[Input]) -> list[int]:
    """Order inputs: those that somebody meant first, and of these one of each partition first."""
    known: set[str] = set()
    again: set[int] = set()
    for index in telling:
        name = inputs[index].partition
        if name in known:
            again.add(index)
        elif name:
            known.add(name)
    return sorted(telling, key=lambda index: (inputs[index].origin.is_made_up, index in again))


async def _smallest(
    executor: Executor,
    ensemble: Ensemble,
    counterexample: Counterexample,
    admits: Callable[[Call], bool],
) -> Counterexample:
    """The case of a made-up input, with the input made smaller while it shows the same.

    An input that somebody meant stays as it is: a smaller one might be an input that nobody means.
    """
    chosen, seen = counterexample.separation.input, counterexample.vote

    async def still_shows(calls: Sequence[Call]) -> list[bool]:
        admitted = list(filter(admits, calls))
        votes = await votes_on(executor, ensemble, admitted)
        showing = {
            call_key(call)
            for call, vote in zip(admitted, votes, strict=True)
            if _shows_the_same(vote, seen)
        }
        return [call_key(call) in showing for call in calls]

    call = await shrink(chosen.call, still_shows)
    if call_key(call) == call_key(chosen.call):
        return counterexample
    (smaller,) = await votes_on(executor, ensemble, [call])
    if smaller.standing is not seen.standing:
        return counterexample
    return (
        await _reproduced(executor, ensemble, Input(call, Origin.SHRUNK), smaller) or counterexample
    )


def _shows_the_same(smaller: Vote, seen: Vote) -> bool:
    """Whether a smaller input shows the same as the one seen.

    It may neither weaken the evidence nor set other candidates against each other.
    """
    if smaller.standing is not seen.standing:
        return False
    if _kind(smaller.original.observation) != _kind(seen.original.observation):
        return False
    if seen.standing in ACCUSING:
        return smaller.leading.weight >= seen.leading.weight
    return [b.candidates for b in smaller.behaviours[:2]] == [
        b.candidates for b in seen.behaviours[:2]
    ]


def _kind(observation: Observation) -> tuple[str, str]:
    """The kind of an outcome: that it returns, or which exception it raises.

    What a function does on an input tells whether that input is meant.
    """
    raised = observation.type_name if isinstance(observation, Raised) else ""
    return type(observation).__name__, raised


async def _reproduced(
    executor: Executor, ensemble: Ensemble, entry: Input, seen: Vote
) -> Counterexample | None:
    """The case of an input, if two more runs in fresh processes, one with other seeds, agree.

    If the first observation differs because of earlier calls, the case has what the two runs show.
    The message of an exception is part of the case only if all runs repeat it: a message may name
    an address.
    """
    (alone,) = await votes_on(executor, ensemble, [entry.call])
    if alone.standing is not seen.standing:
        return None
    shown = seen if _is_the_same(ensemble, alone, seen) else alone
    (again,) = await votes_on(executor, ensemble, [entry.call], second=True)
    if again.standing is not shown.standing or not _is_the_same(ensemble, again, shown):
        return None
    messages = {_message(each.original.observation) for each in (shown, alone, again)}
    message = messages.pop() if len(messages) == 1 else ""
    return Counterexample(Separation(entry, shown.behaviours, shown.total, message), shown)


def _is_the_same(ensemble: Ensemble, vote: Vote, seen: Vote) -> bool:
    # If the function may differ only in the order of items, the candidates' order has to be the
    # same in every run, whatever the seeds.
    policy = STRICT if ensemble.strict else USUAL
    return same_behaviour(vote.original.observation, seen.original.observation) and same_behaviour(
        vote.leading.observation, seen.leading.observation, policy
    )


def _message(observation: Observation) -> str:
    return observation.message if isinstance(observation, Raised) else ""
