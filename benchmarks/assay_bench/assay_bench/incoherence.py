"""The incoherence and the error of a set of programs, and conclusions from them.

Valentin, Madadi, Sapia and Böhme, "Incoherence as Oracle-less Measure of Error in LLM-Based Code
Generation" (arXiv:2507.00057, extended version).

`Rows` describe what programs did: one row per input, with one label per program. Programs with the
same label on an input behaved the same there. If every program ran on every input, the quantities
are exact, by counting. If running programs is expensive, `draw_pairs` chooses the pairs to run.

Shares of inputs are summed as fractions, so that equal shares give equal floats, however many
inputs there are. Rounding on the way would put tied tasks into an order.

Two programs are drawn *distinct* unless said otherwise. For the programs at hand, that is what the
paper's experiments measure, and it is the unbiased estimate for the model that they came from. With
replacement (the paper's Coder_m, section 5.1), the value is smaller by the factor (m - 1) / m.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import ceil, fsum, log, log1p, sqrt
from random import Random
from typing import TypeAlias

from msgspec import Struct

Rows: TypeAlias = Sequence[Sequence[Hashable]]


class Interval(Struct, frozen=True):
    """A closed interval that holds the true value with a stated probability."""

    low: float
    high: float


class Detection(Struct, frozen=True):
    """The outcome of the detection rule, and the number of comparisons that it took."""

    incoherent: bool
    trials: int


def pointwise_incoherence(rows: Rows, *, replacement: bool = False) -> float:
    """The share of (input, pair) on which the two programs differ. Section 4, equation 8.

    0 if there are no inputs or no pairs.
    """
    if not rows:
        return 0.0
    return mean_share([_disagreement(row, replacement=replacement) for row in rows])


def pointwise_error(rows: Rows, truth: Sequence[Hashable]) -> float:
    """The share of (input, program) that differ from the truth. Section 3.2, equation 6.

    `truth` holds the label of the right behaviour, input by input.
    """
    wrong = [
        Fraction(sum(label != right for label in row), len(row))
        for row, right in zip(rows, truth, strict=True)
        if row
    ]
    return mean_share(wrong) if wrong else 0.0


def functional_incoherence(rows: Rows, *, replacement: bool = False) -> float:
    """The share of pairs that differ on any input. Appendix C, equation 17."""
    return float(_disagreement(tuple(zip(*rows, strict=True)), replacement=replacement))


def functional_error(rows: Rows, truth: Sequence[Hashable]) -> float:
    """The share of programs that differ from the truth on any input. Section 3.2, equation 4."""
    right = tuple(truth)
    programs = tuple(zip(*rows, strict=True))
    if not programs:
        return 0.0
    return sum(program != right for program in programs) / len(programs)


def error_lower_bound(incoherence: float) -> float:
    """The least error that an incoherence implies, pointwise (4.1) or functional (C.1)."""
    return incoherence / 2.0


def draw_pairs(programs: int, trials: int, random: Random) -> tuple[tuple[int, int], ...]:
    """Pairs of distinct programs, one for each input of a sampled estimate. Section 6.3."""
    if programs < 2:
        raise ValueError(f"{programs} programs make no pair")
    numbers = range(programs)
    return tuple((a, b) for a, b in (random.sample(numbers, 2) for _ in range(trials)))


def sampled_incoherence(rows: Rows, trials: int, random: Random) -> float:
    """Monte Carlo estimate over random inputs and random distinct pairs. Appendix B.2."""
    pairs = draw_pairs(len(rows[0]), trials, random)
    drawn = ((random.choice(rows), pair) for pair in pairs)
    return sum(row[a] != row[b] for row, (a, b) in drawn) / trials


def sampled_error(rows: Rows, truth: Sequence[Hashable], trials: int, random: Random) -> float:
    """Monte Carlo estimate over random inputs and random programs. Appendix B.1."""
    drawn = (random.randrange(len(rows)) for _ in range(trials))
    return sum(random.choice(rows[index]) != truth[index] for index in drawn) / trials


def hoeffding_interval(mean: float, trials: int, delta: float = 0.05) -> Interval:
    """An interval that holds the true mean with probability at least 1 - `delta`.

    Appendices B.1 and B.2. The trials have to be independent. Trials that share programs are
    independent only given these programs: the interval is then about the programs and not about
    the model.
    """
    if trials < 1:
        return Interval(0.0, 1.0)
    reach = sqrt(log(2.0 / _probability(delta)) / (2.0 * trials))
    return Interval(max(0.0, mean - reach), min(1.0, mean + reach))


def estimation_trials(epsilon: float, delta: float) -> int:
    """Trials for a mean within `epsilon`, except with probability `delta`. Theorem 4.2."""
    return ceil(log(2.0 / _probability(delta)) / (2.0 * _probability(epsilon) ** 2))


def detection_trials(epsilon: float, delta: float) -> int:
    """Comparisons without a difference that show an incoherence of at most `epsilon`. Theorem 4.3.

    This conclusion is wrong with probability `delta` at most.
    """
    return ceil(log(_probability(delta)) / log1p(-_probability(epsilon)))


def detect(differences: Iterable[bool], epsilon: float, delta: float) -> Detection:
    """The detection rule: stop at the first difference, or after N comparisons. Appendix B.3.

    The rule never calls coherent programs incoherent. It misses an incoherence of `epsilon` or more
    with probability `delta` at most. Raises ValueError if `differences` ends before the rule does.
    """
    needed = detection_trials(epsilon, delta)
    for count, differs in enumerate(differences, start=1):
        if differs or count == needed:
            return Detection(differs, count)
    raise ValueError(f"{needed} comparisons are needed")


def semantic_entropy(weights: Iterable[int]) -> float:
    """The entropy, in nats, of the classes' shares (Farquhar et al., Nature 630, 2024).

    0 if all programs are in one class; the logarithm of their number if all differ.
    """
    counted = [weight for weight in weights if weight > 0]
    total = sum(counted)
    return fsum(weight / total * log(total / weight) for weight in counted)


def _disagreement(labels: Sequence[Hashable], *, replacement: bool) -> Fraction:
    count = len(labels)
    pairs = count * (count if replacement else count - 1)
    if pairs <= 0:
        return Fraction()
    alike = sum(weight * weight for weight in Counter(labels).values())
    return Fraction(count * count - alike, pairs)


def mean_share(shares: Sequence[Fraction]) -> float:
    """The mean of shares, exact up to the last rounding.

    A sum of floats would depend on the version of Python.
    """
    return float(sum(shares, Fraction()) / len(shares))


def _probability(value: float) -> float:
    if not 0.0 < value < 1.0:
        raise ValueError(f"{value} is not between 0 and 1")
    return value
