"""The results of a run: the summary as data and the table for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from assay_bench.incoherence import error_lower_bound
from assay_bench.metrics import Columns, Point, columns, mean
from assay_bench.results import MeasuredRow, Time
from assay_engine.words import listed, one_line

# A task that is further than this from its recorded value needs an explanation. 0.4 is not further
# from 0.3, except for the rounding of floats.
NOTABLE = 0.1
_ROUNDING = 1e-9
NAMES_MAX = 5

Compared = tuple[str, Point, Point]


class ReferenceSummary(Columns, frozen=True):
    """The recorded columns of the tasks that were run, and how far they are from the measured.

    Differences are over the `compared` tasks, which have both measured and recorded values. Of the
    tasks with recorded error, the share `detected` has a measured incoherence. A flip is a quantity
    that is zero on one side only. `notable` names the tasks that are more than 0.1 apart in either
    quantity.
    """

    compared: int
    detected: float | None
    mean_difference_error: float | None
    mean_difference_incoherence: float | None
    flips_error: int
    flips_incoherence: int
    notable: tuple[str, ...]


class Summary(Columns, frozen=True):
    """The content of `summary.json`. `seconds` is the sum of the tasks' wall times,
    `decision_seconds` that of the decisions alone, in adaptive mode. `samples` is the number of
    samples used. No mean error is below `least_mean_error` (section 4.1); adaptive mode has no such
    bound, since it stops where samples differ. The means of quantities of whole programs are over
    the tasks that have them."""

    least_mean_error: float | None
    mean_functional_error: float | None
    mean_functional_incoherence: float | None
    mean_semantic_entropy: float | None
    failed: int
    samples: int
    calls: int
    seconds: float
    decision_seconds: float | None
    reference: ReferenceSummary | None


def summary_of(
    rows: Sequence[MeasuredRow], times: Mapping[str, Time], *, compared: bool
) -> Summary:
    """Summarise the tasks with both quantities; the others count as failed. `times` are by task.

    `compared`: compare with recorded values, even if there are none for these tasks.
    """
    points = [point for point in map(_measured, rows) if point is not None]
    found = columns(points)
    whole = [row.whole for row in rows if row.whole is not None and _measured(row) is not None]
    wrong = [each.functional_error for each in whole if each.functional_error is not None]
    taken = [times[row.task_id] for row in rows if row.task_id in times]
    deciding = [time.decision_seconds for time in taken if time.decision_seconds is not None]
    return Summary(
        **msgspec.structs.asdict(found),
        least_mean_error=_least(found.mean_incoherence, stopped_early=bool(deciding)),
        mean_functional_error=mean(wrong),
        mean_functional_incoherence=mean([each.functional_incoherence for each in whole]),
        mean_semantic_entropy=mean([each.semantic_entropy for each in whole]),
        failed=len(rows) - len(points),
        samples=sum(row.samples for row in rows),
        calls=sum(row.calls for row in rows),
        seconds=round(sum(time.seconds for time in taken), 3),
        decision_seconds=round(sum(deciding), 3) if deciding else None,
        reference=_reference_summary(rows) if compared else None,
    )


def _least(incoherence: float | None, *, stopped_early: bool) -> float | None:
    return None if incoherence is None or stopped_early else error_lower_bound(incoherence)


def panels_of(rows: Sequence[MeasuredRow]) -> list[tuple[str, list[Point]]]:
    """The points to plot, by title: the measured ones, and the recorded ones if there are any."""
    found = [("measured", _measured), ("recorded", _recorded)]
    panels = [(title, [p for p in map(of, rows) if p is not None]) for title, of in found]
    return [panel for panel in panels if panel[1]]


def table_lines(summary: Summary) -> Iterator[str]:
    """The measured columns, and the recorded ones beside them if there are any."""
    recorded = summary.reference
    names = ("measured", "recorded") if recorded else ("measured",)
    yield f"{'':24}" + "".join(f"{name:>10}" for name in names)
    for field in Columns.__struct_fields__:
        sides = (summary, recorded) if recorded else (summary,)
        values = "".join(f"{_number(getattr(side, field)):>10}" for side in sides)
        yield f"{field.replace('_', ' '):24}{values}"
    for field in ("mean_functional_error", "mean_functional_incoherence", "mean_semantic_entropy"):
        value: float | None = getattr(summary, field)
        if value is not None:
            yield f"{field.removeprefix('mean_').replace('_', ' '):24}{value:>10.4f}"
    yield f"{'failed':24}{summary.failed:>10}"
    yield f"{'samples':24}{summary.samples:>10,}"
    yield f"{'calls':24}{summary.calls:>10,}"
    yield f"{'seconds':24}{summary.seconds:>10.1f}"
    if summary.decision_seconds is not None:
        yield f"{'decision seconds':24}{summary.decision_seconds:>10.1f}"
    if recorded is not None:
        yield from _difference_lines(recorded)


def problem_lines(rows: Sequence[MeasuredRow]) -> Iterator[str]:
    """Why tasks failed, each reason with its tasks, without failures of the machine."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row.problem is not None and not row.passing:
            names.setdefault(row.problem, []).append(row.task_id)
    for problem, failed in names.items():
        yield one_line(f"failed: {problem}: {listed(failed, NAMES_MAX)}")


def _difference_lines(recorded: ReferenceSummary) -> Iterator[str]:
    yield f"\nOver the {recorded.compared} tasks that have both, per task:"
    yield f"{'':24}{'|diff|':>10}{'flips':>10}"
    error = _number(recorded.mean_difference_error)
    incoherence = _number(recorded.mean_difference_incoherence)
    yield f"{'error':24}{error:>10}{recorded.flips_error:>10}"
    yield f"{'incoherence':24}{incoherence:>10}{recorded.flips_incoherence:>10}"
    yield f"{'detected of recorded':24}{_number(recorded.detected):>10}"
    yield f"more than {NOTABLE} apart: {', '.join(recorded.notable) or 'none'}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _measured(row: MeasuredRow) -> Point | None:
    if row.incoherence is None or row.error is None:
        return None
    return Point(row.incoherence, row.error)


def _recorded(row: MeasuredRow) -> Point | None:
    return None if row.reference is None else Point(*row.reference)


def _reference_summary(rows: Sequence[MeasuredRow]) -> ReferenceSummary:
    recorded = [point for point in map(_recorded, rows) if point is not None]
    both = list(_compared(rows))
    return ReferenceSummary(
        **msgspec.structs.asdict(columns(recorded)),
        compared=len(both),
        detected=mean([a.incoherence > 0 for _, a, b in both if b.error > 0]),
        mean_difference_error=mean([abs(a.error - b.error) for _, a, b in both]),
        mean_difference_incoherence=mean([abs(a.incoherence - b.incoherence) for _, a, b in both]),
        flips_error=sum((a.error > 0) != (b.error > 0) for _, a, b in both),
        flips_incoherence=sum((a.incoherence > 0) != (b.incoherence > 0) for _, a, b in both),
        notable=tuple(task for task, a, b in both if _distance(a, b) > NOTABLE + _ROUNDING),
    )


def _compared(rows: Sequence[MeasuredRow]) -> Iterator[Compared]:
    for row in rows:
        measured, recorded = _measured(row), _recorded(row)
        if measured is not None and recorded is not None:
            yield row.task_id, measured, recorded


def _distance(left: Point, right: Point) -> float:
    return max(abs(left.error - right.error), abs(left.incoherence - right.incoherence))
