"""MCC, P4, stability and overlap, as the paper has them (sections 4.1, 4.3 and 4.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt

from msgspec import Struct

from assay_engine.types import Ruling


class Ruled(Struct, frozen=True):
    """One run's ruling on one sample, and whether the sample is right."""

    sample: str
    right: bool
    ruling: Ruling


class Confusion(Struct, frozen=True):
    """Counts; positive is CORRECT."""

    true_positive: int = 0
    true_negative: int = 0
    false_positive: int = 0
    false_negative: int = 0

    @property
    def mcc(self) -> float:
        """Matthews' correlation coefficient; 0 where it is undefined, as for a constant judge."""
        tp, tn, fp, fn = self._cells
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return (tp * tn - fp * fn) / sqrt(product) if product else 0.0

    @property
    def p4(self) -> float:
        """The harmonic mean of precision, recall, specificity and negative predictive value."""
        tp, tn, fp, fn = self._cells
        whole = 4 * tp * tn + (tp + tn) * (fp + fn)
        return 4 * tp * tn / whole if whole else 0.0

    @property
    def _cells(self) -> tuple[int, int, int, int]:
        return self.true_positive, self.true_negative, self.false_positive, self.false_negative


class Stability(Struct, frozen=True):
    """The number of samples to which every run gave this label, rightly (`stable`), and of samples
    to which at least one run gave it, whatever the truth (`reachable`)."""

    stable: int
    reachable: int

    @property
    def share(self) -> float | None:
        return self.stable / self.reachable if self.reachable else None


def confusion(rulings: Iterable[Ruled]) -> Confusion:
    """The confusion matrix of the rulings that decided; abstentions are counted elsewhere."""
    cells = [
        (each.right, each.ruling is Ruling.CORRECT)
        for each in rulings
        if each.ruling is not Ruling.ABSTAINED
    ]
    return Confusion(
        true_positive=cells.count((True, True)),
        true_negative=cells.count((False, False)),
        false_positive=cells.count((False, True)),
        false_negative=cells.count((True, False)),
    )


def unaccused(rulings: Iterable[Ruled]) -> tuple[Ruled, ...]:
    """The rulings with abstentions taken as CORRECT: a sample that is not accused stands."""
    return tuple(
        Ruled(each.sample, each.right, Ruling.CORRECT) if each.ruling is Ruling.ABSTAINED else each
        for each in rulings
    )


def stability(runs: Sequence[Ruled], label: Ruling) -> Stability:
    """The stability over all runs of one judge (section 4.3). `label` is CORRECT or INCORRECT."""
    by_sample = _by_sample(runs)
    return Stability(
        stable=sum(_is_stable(each, label) for each in by_sample.values()),
        reachable=sum(any(run.ruling is label for run in each) for each in by_sample.values()),
    )


def stable_samples(runs: Sequence[Ruled], label: Ruling) -> frozenset[str]:
    """The samples to which every run gives this label, rightly."""
    return frozenset(name for name, each in _by_sample(runs).items() if _is_stable(each, label))


def overlap(found: Mapping[str, Collection[str]]) -> dict[tuple[str, ...], int]:
    """For every set of judges, the number of samples that all of them find and no other judge."""
    names = tuple(found)
    everything = frozenset[str]().union(*found.values())
    return {
        chosen: sum(
            all((sample in found[name]) == (name in chosen) for name in names)
            for sample in everything
        )
        for size in range(1, len(names) + 1)
        for chosen in combinations(names, size)
    }


def best_threshold(scored: Sequence[tuple[float, bool]], default: float) -> float:
    """The threshold with the best MCC on a calibration set of scores and truths.

    Of equally good thresholds, the nearest to the default; the default itself for an empty set.
    """
    candidates = {default, *(score for score, _ in scored)}

    def quality(threshold: float) -> tuple[float, float, float]:
        ruled = [
            Ruled("", right, Ruling.CORRECT if score >= threshold else Ruling.INCORRECT)
            for score, right in scored
        ]
        return confusion(ruled).mcc, -abs(threshold - default), threshold

    return max(candidates, key=quality)


def _by_sample(runs: Sequence[Ruled]) -> dict[str, list[Ruled]]:
    by_sample: dict[str, list[Ruled]] = {}
    for run in runs:
        by_sample.setdefault(run.sample, []).append(run)
    return by_sample


def _is_stable(runs: Sequence[Ruled], label: Ruling) -> bool:
    return all(run.ruling is label and run.right is (label is Ruling.CORRECT) for run in runs)
