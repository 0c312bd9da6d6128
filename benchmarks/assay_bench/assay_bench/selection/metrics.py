"""Measures how well a method selects and abstains, over many tasks.

Paper, figure 8. A task is solvable if one of its samples is right.
"""

from __future__ import annotations

from msgspec import Struct


class AbstentionCounts(Struct, frozen=True):
    """Numbers of tasks by what was possible and what was done: N1 to N5 of the paper."""

    solvable_right: int
    solvable_wrong: int
    solvable_abstained: int
    unsolvable_selected: int
    unsolvable_abstained: int


def abstention_metrics(counts: AbstentionCounts) -> dict[str, float | None]:
    """The metrics by name; None for a share of nothing."""
    right, wrong = counts.solvable_right, counts.solvable_wrong
    missed, invented = counts.solvable_abstained, counts.unsolvable_selected
    refused = counts.unsolvable_abstained
    solvable = right + wrong + missed
    selected, abstained = right + wrong + invented, missed + refused
    total = selected + abstained
    precision = _share(refused, abstained)
    recall = _share(refused, wrong + invented + refused)
    return {
        "reliable_accuracy": _share(right, selected),
        "overall_accuracy": _share(right + refused, total),
        "acceptance_rate": _share(selected, total),
        "abstention_rate": _share(abstained, total),
        "abstention_precision": precision,
        "abstention_recall": recall,
        "abstention_f1": _harmonic_mean(precision, recall),
        "benign_answering": _share(right + wrong, solvable),
        "over_conservativeness": _share(missed, solvable),
        "effective_reliability": _share(right - wrong - invented, total),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _harmonic_mean(left: float | None, right: float | None) -> float | None:
    if left is None or right is None or not left + right:
        return None
    return 2 * left * right / (left + right)
