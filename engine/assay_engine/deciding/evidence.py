"""The evidence that one trial established, before it is put into words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.deciding.ground import Ground, ground_of
from assay_engine.deciding.separating import Case
from assay_engine.deciding.voting import ACCUSING, Standing, Vote
from assay_engine.drawing.candidates import Rival
from assay_engine.running.call_keys import call_key
from assay_engine.types import (
    MEANT,
    ExampleFailure,
    Input,
    Origin,
    Partition,
    Reading,
    Separation,
    Specification,
)
from assay_sandbox import Call, Observation, Raised, Returned, Value


class Instability(Struct, frozen=True):
    """An input on which two runs of the original, with different seeds, were seen to differ."""

    input: Input
    first: Observation
    second: Observation


class Evidence(Struct, frozen=True):
    """Everything that one trial established about a function.

    `rivals` are the candidates that vote; `excluded` is how many samples failed an example.
    `failures` are failed examples that speak against the function. `doubtful` are failed examples
    that are likelier to be wrong than the function is. `cases` are the inputs that show most; the
    first one is told to the user. `left_open` is set if the docstring, as the model reads it,
    decides none of the cases (OPEN), or promises what the function does (OWN). `promises_neither`
    is set if, in the first case, the docstring promises an outcome other than the function's and
    the candidates'. `by_chance` is set if most candidates answer by what they draw at random.
    `receivers` are, for a method, the objects that it was called on, one per input. `unseen` is as
    in `Ballot`.
    """

    specification: Specification
    rivals: tuple[Rival, ...] = ()
    excluded: int = 0
    failures: tuple[ExampleFailure, ...] = ()
    doubtful: tuple[ExampleFailure, ...] = ()
    inputs: tuple[Input, ...] = ()
    votes: tuple[Vote, ...] = ()
    cases: tuple[Case, ...] = ()
    left_open: Reading | None = None
    promises_neither: bool = False
    instability: Instability | None = None
    by_chance: bool = False
    receivers: tuple[Value, ...] = ()
    unseen: int = 0

    @property
    def is_disputed(self) -> bool:
        """Whether the function fails examples, and all the failures are disputed.

        A failure is disputed if either the example or the function may be wrong.
        """
        return bool(self.failures) and all(failure.is_disputed for failure in self.failures)

    @property
    def is_deterministic(self) -> bool:
        return self.instability is None and not self.by_chance

    @property
    def not_recurring(self) -> int:
        """On how many meant inputs the function differed from the candidates, but not again.

        The difference could not be reproduced on any of these inputs. State that the function or
        the candidates keep from call to call does not show in a single call. The number is 0 if
        something else is held against the function.
        """
        if self.left_open is not None or any(each.vote.standing in ACCUSING for each in self.cases):
            return 0
        return sum(_answers_otherwise(vote) for vote in self.meant_votes)

    @property
    def separation(self) -> Separation | None:
        return self.cases[0].separation if self.cases else None

    @property
    def shown(self) -> Vote | None:
        """The vote on the separation's input."""
        return self.cases[0].vote if self.cases else None

    @property
    def is_accused(self) -> bool:
        """Whether candidates hold inputs against the function that the docstring may leave open.

        The function meets its examples. Either somebody meant the input that accuses it, or the
        input is made up while the meant inputs show nothing of the kind. If no meant input counts,
        the result is False: made-up inputs then stand for everything that there is to see.
        """
        accused = self.shown is not None and self.shown.standing in ACCUSING
        return accused and not self.failures and self.ground is not Ground.MADE_UP

    def leaves_open(self, call: Call) -> bool:
        """Whether the model was asked about this very call and acquitted the function."""
        if self.left_open is None:
            return False
        return call_key(call) in {call_key(case.separation.input.call) for case in self.cases}

    @property
    def but_for_order(self) -> Evidence | None:
        """The evidence without the order of dicts' items.

        None if anything besides this order is held against the function.
        """
        votes = tuple(vote.but_for_order or vote for vote in self.votes)
        held = [*votes, *(case.vote.but_for_order or case.vote for case in self.cases)]
        if any(vote.standing in (*ACCUSING, Standing.SPLIT) for vote in held):
            return None
        return replace(self, votes=votes, cases=())

    @property
    def ground(self) -> Ground:
        """How much the separation's input is worth as evidence."""
        separation = self.separation
        return ground_of(None if separation is None else separation.input, self.meant_alike)

    @property
    def meant_alike(self) -> int:
        """How many meant inputs count and show no difference like the separation's.

        The number is 0 if one of them shows such a difference, or if the separation's input is a
        meant one itself.
        """
        if self.separation is None or self.separation.input.origin in MEANT:
            return 0
        return self.alike_where_meant(lambda vote: vote.standing in (*ACCUSING, Standing.SPLIT))

    @property
    def meant_votes(self) -> tuple[Vote, ...]:
        """The votes on inputs that somebody meant."""
        pairs = zip(self.inputs, self.votes, strict=True)
        return tuple(vote for entry, vote in pairs if entry.origin in MEANT)

    def partitions(self, named: Mapping[str, Collection[str]]) -> tuple[Partition, ...]:
        """For each name, how many of the calls with its keys were run, and how many count."""
        counts = {
            call_key(entry.call): vote.standing is not Standing.OUTSIDE
            for entry, vote in zip(self.inputs, self.votes, strict=True)
        }
        run = {name: [counts[key] for key in keys if key in counts] for name, keys in named.items()}
        return tuple(Partition(name, len(each), sum(each)) for name, each in run.items())

    def alike_where_meant(self, shows: Callable[[Vote], bool]) -> int:
        """How many meant inputs count, if `shows` holds for none of their votes.

        The number is 0 if `shows` holds for one of them, or if the model proposed none of them.
        Examples that show nothing are no sign by themselves: the function was written to meet them.
        """
        meant = [
            (entry.origin, vote)
            for entry, vote in zip(self.inputs, self.votes, strict=True)
            if entry.origin in MEANT and vote.standing is not Standing.OUTSIDE
        ]
        if any(shows(vote) for _, vote in meant):
            return 0
        return len(meant) if any(origin is Origin.PROPOSED for origin, _ in meant) else 0


def _answers_otherwise(vote: Vote) -> bool:
    """Whether both sides answered, and differently. A missing answer may be the machine's doing."""
    sides = (vote.original.observation, vote.leading.observation)
    return vote.standing in ACCUSING and all(isinstance(each, Returned | Raised) for each in sides)
