"""The evidence that one trial established, before it is put into words."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from assay_engine.compare.statistics import is_consensus
from assay_engine.compare.votes import ACCUSING, Standing, Vote
from assay_engine.sampling.candidates import Voter
from assay_engine.types import (
    ExampleFailure,
    Input,
    Origin,
    Partition,
    Reading,
    Specification,
)
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Observation, Raised, Returned, Value


class Instability(Struct, frozen=True):
    """An input on which two runs of the original, with different seeds, were seen to differ."""

    input: Input
    first: Observation
    second: Observation


class Evidence(Struct, frozen=True):
    """Everything that one trial established about a function.

    `voters` are the candidates that vote, and `failed_examples` those that the function fails.
    `counterexamples` are votes on the inputs that show most, each reproduced; the first one
    is told to the user. `incidental` are votes that show a difference only if everything counts
    that can be observed. `reading` is what the model says of the counterexamples, if it was asked:
    that the docstring decides none of them (OPEN), or promises what the function does (OWN), or of
    the first one, what it promises instead. `unsettled` is set if the model gave no answer on one
    of them, or contradicted itself, and the function is therefore not accused. `by_chance` is set
    if most candidates answer by what they draw at random. `receivers` are, for a method, the
    objects that it was called on where that counts. `unseen` is as in `VoteTable`.
    """

    specification: Specification
    voters: tuple[Voter, ...] = ()
    failed_examples: tuple[ExampleFailure, ...] = ()
    votes: tuple[Vote, ...] = ()
    counterexamples: tuple[Vote, ...] = ()
    incidental: tuple[Vote, ...] = ()
    reading: Reading | None = None
    unsettled: bool = False
    instability: Instability | None = None
    by_chance: bool = False
    receivers: tuple[Value, ...] = ()
    unseen: int = 0

    @property
    def models(self) -> int:
        """How many models the candidates are by."""
        return len({model for each in self.voters for model in each.candidate.models}) or 1

    @property
    def counted(self) -> tuple[Vote, ...]:
        """The votes on inputs that are in the function's domain."""
        return tuple(vote for vote in self.votes if vote.standing is not Standing.OUTSIDE)

    @property
    def failures(self) -> tuple[ExampleFailure, ...]:
        """The failed examples that speak against the function."""
        return tuple(each for each in self.failed_examples if not is_doubtful(each))

    @property
    def doubtful(self) -> tuple[ExampleFailure, ...]:
        """The failed examples that are likelier to be wrong than the function is."""
        return tuple(filter(is_doubtful, self.failed_examples))

    @property
    def left_open(self) -> Reading | None:
        """The reading, if it holds nothing against the function."""
        return self.reading if self.reading in (Reading.OPEN, Reading.OWN) else None

    @property
    def promises_neither(self) -> bool:
        """Whether the docstring promises neither what the function does nor what candidates do."""
        return self.reading is Reading.NEITHER

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
        """On how many inputs the function differed from the candidates, but not again.

        The difference could not be reproduced on any of these inputs. State that the function or
        the candidates keep from call to call does not show in a single call. The number is 0 if
        something else is held against the function.
        """
        if self.left_open is not None or any(
            each.standing in ACCUSING for each in self.counterexamples
        ):
            return 0
        return sum(_answers_otherwise(vote) for vote in self.votes)

    @property
    def is_told_of(self) -> bool:
        """Whether there is anything to tell the user."""
        held = (*self.counterexamples, *self.incidental)
        return bool(held or self.instability or self.by_chance)

    @property
    def shown(self) -> Vote | None:
        """The counterexample that is told to the user."""
        return self.counterexamples[0] if self.counterexamples else None

    @property
    def is_contradicted(self) -> bool:
        """Whether the docstring is found to be against the function where candidates divide."""
        return self.shown is not None and self.shown.standing is Standing.CONTRADICTED

    @property
    def is_one_against_all(self) -> bool:
        """Whether all candidates do the same on the input that is shown, and the function does
        something else."""
        return self.shown is not None and self.shown.leading.weight == self.shown.total

    @property
    def is_split(self) -> bool:
        """Whether there is nothing to tell but that the candidates divide."""
        split = self.shown is not None and self.shown.standing is Standing.SPLIT
        return split and not self.incidental and self.is_deterministic

    @property
    def to_be_settled(self) -> tuple[Vote, ...]:
        """The votes that show a difference, which the docstring may settle or leave open.

        There are none if the function fails its examples.
        """
        if self.failures:
            return ()
        return (*(() if self.is_open else self.counterexamples), *self.incidental)

    def leaves_open(self, call: Call) -> bool:
        """Whether the model was asked about this very call and acquitted the function."""
        if self.left_open is None or self.unsettled:
            return False
        return call_key(call) in {call_key(each.input.call) for each in self.counterexamples}

    @property
    def is_open(self) -> bool:
        """Whether the docstring does not decide the input that is shown, as its proposer says."""
        return self.shown is not None and self.shown.input.origin is Origin.OPEN

    def partitions(self, named: Mapping[str, Collection[str]]) -> tuple[Partition, ...]:
        """For each name, how many of the calls with its keys were run, and how many count."""
        counts = {
            call_key(vote.input.call): vote.standing is not Standing.OUTSIDE for vote in self.votes
        }
        run = {name: [counts[key] for key in keys if key in counts] for name, keys in named.items()}
        return tuple(Partition(name, len(each), sum(each)) for name, each in run.items())


def _answers_otherwise(vote: Vote) -> bool:
    """Whether both sides answered, and differently. A missing answer may be the machine's doing."""
    sides = (vote.original.observation, vote.leading.observation)
    return vote.standing in ACCUSING and all(isinstance(each, Returned | Raised) for each in sides)


def is_doubtful(failure: ExampleFailure) -> bool:
    """Whether a consensus of candidates returns what the function does, and none meets the example.

    All candidates were shown the example. A candidate that meets it is a sign that the example can
    be met, and that the other candidates share the function's mistake. Even if no candidate meets
    it, they may share that mistake, so such a function is not trusted. docs/findings/ASY203.md says
    how often this happens.
    """
    return failure.candidates_passing == 0 and is_consensus(
        failure.candidates_agreeing, failure.candidates_total
    )
