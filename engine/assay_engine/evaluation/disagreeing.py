"""Which behaviours count on an input, and whether the input counts: Assay's rule without an oracle.

Without an oracle a disagreement says that somebody is wrong only if the input is meant. What the
candidates do is the evidence for that, and the seeds, which are meant. An input counts if

- at least one of the samples takes it: it returns, or raises what is announced. What all refuse is
  not meant; where only some refuse, they differ about what is meant, and somebody is wrong about
  that. (`deciding.domain` asks for most of them, since there a function is accused.)
- no argument is empty where no seed is, else it is not run at all (`programs.calls_of`).

On such an input a program has no say where it ran into a limit of ours; where what it returned
could not be carried; and where it does not do the same under other hash and random seeds. Where it
breaks off with an exception of Python's own (`BREAKING_OFF`), it was not written for the input: it
has a say only on seeds, which are meant.

Compared is the outcome: the value or the type of the exception, and arguments changed in place
where nothing is returned. Floats are equal within a thousandth, as in the experiments: a reference
that says 3.1415 is not what makes a sample wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from assay_engine.deciding.domain import accepts, raises_unasked
from assay_engine.evaluation.worker.likeness import RELATIVE_DIFFERENCE
from assay_engine.running.comparing import partition, same_behaviour
from assay_sandbox import LoadFailed, Observation, Raised, Refused, Returned

# What one program was seen to do on one input: None where that is not known.
Seen = Observation | None
Labels = tuple[int | None, ...]

# What Python raises where code meets what it was not written for: a wrong type, a place that is
# not there, a division by zero. Not a ValueError: most of those are raised on purpose.
BREAKING_OFF = frozenset({"TypeError", "AttributeError", "LookupError", "ArithmeticError"})

_NOTHING = "null"


def counts(seen: Sequence[Seen], documented: Collection[str]) -> bool:
    """Whether some sample takes the input."""
    return any(each is not None and accepts(each, documented) for each in seen)


def outcome(observation: Observation) -> Seen:
    """What is compared of what was seen; None where it says nothing about the program."""
    match observation:
        case Returned():
            kept = observation.args_after if observation.value == _NOTHING else None
            if not observation.stdout and observation.args_after is kept:
                # The very same: equal ones are one object, and need no comparison.
                return observation
            return replace(observation, stdout="", args_after=kept)
        case Raised():
            return replace(observation, stdout="", args_after=None)
        case LoadFailed() | Refused():
            return observation
        case _:
            return None


def labels(seen: Sequence[Seen]) -> Labels:
    """A number for every behaviour, the same for the same; None stays None."""
    first = seen[0] if seen else None
    # Most inputs show no difference, and a sandbox gives one object for equal values of a run.
    if first is not None and all(each is first for each in seen) and _is_like_itself(first):
        return (0,) * len(seen)
    known = [index for index, observation in enumerate(seen) if observation is not None]
    groups = partition([each for each in seen if each is not None], RELATIVE_DIFFERENCE)
    numbers = {known[member]: number for number, group in enumerate(groups) for member in group}
    return tuple(map(numbers.get, range(len(seen))))


def _is_like_itself(observation: Observation) -> bool:
    """Not if there is something in it that equals nothing."""
    return same_behaviour(observation, observation, RELATIVE_DIFFERENCE)


def with_a_say(
    seen: Sequence[Seen], documented: Collection[str], *, is_seed: bool
) -> tuple[Seen, ...]:
    """The same without those who break off on what is no seed."""
    if is_seed:
        return tuple(seen)
    return tuple(None if _breaks_off(each, documented) else each for each in seen)


def _breaks_off(observation: Seen, documented: Collection[str]) -> bool:
    return observation is not None and raises_unasked(observation, documented, BREAKING_OFF)
