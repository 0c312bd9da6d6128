"""Decides which inputs and which behaviours count: Assay's rule without an oracle.

Without an oracle, a disagreement shows that somebody is wrong only if the input is meant. Evidence
for this are the candidates' behaviours, and the seeds, which are meant. An input counts if

- at least one of the samples takes the input: the sample returns, or raises an announced exception.
  An input that all samples refuse is not meant. If only some refuse, the samples differ about what
  is meant, and somebody is wrong about that. (`deciding.domain` demands that most samples accept,
  since there a function is accused.)
- no argument is empty where no seed has an empty one. Otherwise the input is not run at all
  (`programs.calls_of`).

On such an input, a program has no say if it ran into a limit of ours, if its return value could not
be carried, or if it does not do the same under other hash and random seeds. If it breaks off with
an exception of Python's own (`BREAKING_OFF`), it was not written for the input: then it has a say
only on seeds, which are meant.

The outcome is compared: the value or the type of the exception, and arguments changed in place if
nothing is returned. Floats are equal within a thousandth, as in the experiments: a reference that
says 3.1415 does not make a sample wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from assay_bench.worker.likeness import RELATIVE_DIFFERENCE
from assay_engine.compare.behaviours import partition, same_behaviour
from assay_engine.compare.policy import Policy
from assay_engine.compare.votes import accepts
from assay_sandbox import LoadFailed, Observation, Raised, Refused, Returned

# The observed behaviour of one program on one input; None if it is not known.
Seen = Observation | None
Labels = tuple[int | None, ...]

# The exceptions that Python raises if code meets input it was not written for: a wrong type, a
# place that is not there, a division by zero. ValueError is left out: most are raised on purpose.
BREAKING_OFF = frozenset({"TypeError", "AttributeError", "LookupError", "ArithmeticError"})

_NOTHING = "null"


def counts(seen: Sequence[Seen], documented: Collection[str]) -> bool:
    """Whether some sample takes the input."""
    return any(each is not None and accepts(each, documented) for each in seen)


def outcome(observation: Observation) -> Seen:
    """The part of an observation that is compared; None if it says nothing about the program."""
    match observation:
        case Returned():
            kept = observation.args_after if observation.value == _NOTHING else None
            if not observation.stdout and observation.args_after is kept:
                # The same object: equal observations are one object, and need no comparison.
                return observation
            return replace(observation, stdout="", args_after=kept)
        case Raised():
            return replace(observation, stdout="", args_after=None)
        case LoadFailed() | Refused():
            return observation
        case _:
            return None


def labels(seen: Sequence[Seen]) -> Labels:
    """A number for every behaviour, the same number for equal behaviours; None stays None."""
    first = seen[0] if seen else None
    # Most inputs show no difference, and a sandbox gives one object for equal values of a run.
    if first is not None and all(each is first for each in seen) and _is_like_itself(first):
        return (0,) * len(seen)
    known = [index for index, observation in enumerate(seen) if observation is not None]
    groups = partition([each for each in seen if each is not None], Policy(RELATIVE_DIFFERENCE))
    numbers = {known[member]: number for number, group in enumerate(groups) for member in group}
    return tuple(map(numbers.get, range(len(seen))))


def _is_like_itself(observation: Observation) -> bool:
    """Whether the observation equals itself: not if it holds something that equals nothing."""
    return same_behaviour(observation, observation, Policy(RELATIVE_DIFFERENCE))


def with_a_say(
    seen: Sequence[Seen], documented: Collection[str], *, is_seed: bool
) -> tuple[Seen, ...]:
    """The behaviours, with None for programs that break off, unless the input is a seed."""
    if is_seed:
        return tuple(seen)
    return tuple(None if _breaks_off(each, documented) else each for each in seen)


def _breaks_off(observation: Seen, documented: Collection[str]) -> bool:
    if not isinstance(observation, Raised) or accepts(observation, documented):
        return False
    return not BREAKING_OFF.isdisjoint((observation.type_name, *observation.lineage))
