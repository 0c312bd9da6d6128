"""What one trial established, before it is put into words."""

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
    """An input on which two runs of the original, with other seeds, were observed to differ."""

    input: Input
    first: Observation
    second: Observation


class Evidence(Struct, frozen=True):
    """`rivals` are the candidates that vote; `excluded` is how many samples failed an example.

    `failures` are the examples that the function fails; `doubtful` those of which it is likelier
    that they are wrong than that the function is. `cases` are the inputs that show most, the first
    of which is told. `left_open`: the docstring, as the model reads it, decides none of them
    (OPEN), or says what the function does (OWN); `promises_neither`: it promises another outcome
    than these two in the first of them. `by_chance`: most candidates answer by what they
    draw. `receivers`: of a method, what it was called on, by input.
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

    @property
    def is_disputed(self) -> bool:
        """Whether the function fails examples, and of each it is open whether it or the function is
        wrong."""
        return bool(self.failures) and all(failure.is_disputed for failure in self.failures)

    @property
    def is_deterministic(self) -> bool:
        return self.instability is None and not self.by_chance

    @property
    def not_recurring(self) -> int:
        """On how many inputs that somebody meant the function answered otherwise than the
        candidates, if that could not be seen again on any: what is kept from call to call, by it or
        by them, shows in no call alone. 0 where something else is held against it."""
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
        """Whether the candidates hold inputs against a function that meets its examples, of which
        the docstring may not speak: such that somebody meant, or none of these but made-up ones.

        Where nobody meant any that counts, what is made up stands for all that there is to see.
        """
        accused = self.shown is not None and self.shown.standing in ACCUSING
        return accused and not self.failures and self.ground is not Ground.MADE_UP

    def leaves_open(self, call: Call) -> bool:
        """Whether the model was asked about this very call, and acquitted the function."""
        if self.left_open is None:
            return False
        return call_key(call) in {call_key(case.separation.input.call) for case in self.cases}

    @property
    def but_for_order(self) -> Evidence | None:
        """What there is without the order of dicts' items; None if that is not all there is against
        the function."""
        votes = tuple(vote.but_for_order or vote for vote in self.votes)
        held = [*votes, *(case.vote.but_for_order or case.vote for case in self.cases)]
        if any(vote.standing in (*ACCUSING, Standing.SPLIT) for vote in held):
            return None
        return replace(self, votes=votes, cases=())

    @property
    def ground(self) -> Ground:
        """What the separation's input is worth."""
        separation = self.separation
        return ground_of(None if separation is None else separation.input, self.meant_alike)

    @property
    def meant_alike(self) -> int:
        """How many inputs that somebody meant count, where they show nothing of what the separation
        does; 0 if that is on such an input itself."""
        if self.separation is None or self.separation.input.origin in MEANT:
            return 0
        return self.alike_where_meant(lambda vote: vote.standing in (*ACCUSING, Standing.SPLIT))

    @property
    def meant_votes(self) -> tuple[Vote, ...]:
        """The votes on inputs that somebody meant."""
        pairs = zip(self.inputs, self.votes, strict=True)
        return tuple(vote for entry, vote in pairs if entry.origin in MEANT)

    def partitions(self, named: Mapping[str, Collection[str]]) -> tuple[Partition, ...]:
        """How many of the calls with these keys were run, and how many count, by name."""
        counts = {
            call_key(entry.call): vote.standing is not Standing.OUTSIDE
            for entry, vote in zip(self.inputs, self.votes, strict=True)
        }
        run = {name: [counts[key] for key in keys if key in counts] for name, keys in named.items()}
        return tuple(Partition(name, len(each), sum(each)) for name, each in run.items())

    def alike_where_meant(self, shows: Callable[[Vote], bool]) -> int:
        """How many inputs that somebody meant count: 0 if one of them shows it, or if the model
        proposed none.

        That examples show nothing is no sign of anything by itself: the function was written to
        meet them.
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
    """Having no answer may be the machine's doing."""
    sides = (vote.original.observation, vote.leading.observation)
    return vote.standing in ACCUSING and all(isinstance(each, Returned | Raised) for each in sides)
