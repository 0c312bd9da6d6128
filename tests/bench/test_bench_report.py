"""The summary of a run: which tasks count where, and what differs from the recorded values."""

from __future__ import annotations

import pytest
from msgspec import structs

from assay_bench.report import problem_lines, summary_of, table_lines
from assay_bench.results import MeasuredRow, Time


def row(
    task_id: str,
    measured: tuple[float, float] | None,
    recorded: tuple[float, float] | None = None,
    *,
    passing: bool = False,
) -> MeasuredRow:
    incoherence, error = measured or (None, None)
    return MeasuredRow(
        task_id=task_id,
        samples=10,
        incoherence=incoherence,
        error=error,
        problem=None if measured else "error: TimedOut",
        passing=passing,
        calls=100,
        reference=recorded,
    )


TIMES = {name: Time(name, 0.5) for name in ("T/1", "T/2", "T/3", "T/4", "T/5")}
ROWS = (
    row("T/1", (0.2, 0.4), (0.2, 0.5)),
    row("T/2", (0.0, 0.1), (0.01, 0.1)),
    row("T/3", None, (0.3, 0.3)),
    row("T/4", (0.5, 0.9)),
    row("T/5", (0.0, 0.0), (0.0, 0.2)),
)


def test_tasks_without_both_quantities_count_as_failed_only() -> None:
    summary = summary_of(ROWS, TIMES, compared=True)
    assert (summary.tasks, summary.failed, summary.calls) == (4, 1, 500)
    assert summary.seconds == pytest.approx(2.5)
    assert summary.mean_error == pytest.approx(1.4 / 4)
    assert summary.mean_incoherence == pytest.approx(0.7 / 4)
    assert summary.detection_rate == pytest.approx(2 / 3)


def test_the_time_of_decisions_is_apart_where_there_are_any() -> None:
    assert summary_of(ROWS, TIMES, compared=True).decision_seconds is None
    times = TIMES | {"T/2": Time("T/2", 0.5, 0.2), "T/4": Time("T/4", 0.5, 0.1)}
    summary = summary_of(ROWS, times, compared=True)
    assert summary.seconds == pytest.approx(2.5)
    assert summary.decision_seconds == pytest.approx(0.3)
    assert any(line.startswith("decision seconds") for line in table_lines(summary))


def test_recorded_columns_are_over_the_tasks_that_were_recorded() -> None:
    reference = summary_of(ROWS, TIMES, compared=True).reference
    assert reference is not None
    assert reference.tasks == 4
    assert reference.mean_error == pytest.approx(1.1 / 4)


def test_differences_are_over_the_tasks_that_have_both() -> None:
    reference = summary_of(ROWS, TIMES, compared=True).reference
    assert reference is not None
    assert reference.compared == 3
    assert reference.mean_difference_error == pytest.approx(0.3 / 3)
    assert reference.mean_difference_incoherence == pytest.approx(0.01 / 3)
    assert (reference.flips_error, reference.flips_incoherence) == (1, 1)
    assert reference.notable == ("T/5",)


def test_without_recorded_values_there_is_no_second_column() -> None:
    summary = summary_of([row("T/1", (0.2, 0.4))], {}, compared=False)
    assert summary.reference is None
    lines = list(table_lines(summary))
    assert "recorded" not in lines[0]
    assert len(lines[1].split()) == 3


def test_recorded_values_of_other_tasks_leave_an_empty_column() -> None:
    summary = summary_of([row("T/1", (0.2, 0.4))], {}, compared=True)
    assert summary.reference is not None
    assert (summary.reference.tasks, summary.reference.mean_error) == (0, None)
    assert list(table_lines(summary))[1].split() == ["mean", "error", "0.4000", "-"]


def test_a_tenth_apart_is_not_more_than_a_tenth() -> None:
    rows = (row("T/1", (0.4, 0.4), (0.3, 0.3)), row("T/2", (0.401, 0.4), (0.3, 0.3)))
    reference = summary_of(rows, {}, compared=True).reference
    assert reference is not None
    assert reference.notable == ("T/2",)


def test_tasks_that_failed_are_named_by_their_reasons() -> None:
    again = row("T/6", None, passing=True)
    rows = [row(f"T/{number}", None) for number in range(7)]
    other = structs.replace(again, problem="error: a\nb\x1b[0m", passing=False)
    assert list(problem_lines([*ROWS[:2], *rows, again, other])) == [
        "failed: error: TimedOut: T/0, T/1, T/2, T/3, T/4 and 2 more",
        r"failed: error: a b\x1b[0m: T/6",
    ]


def test_the_table_shows_both_sides_and_names_what_differs() -> None:
    lines = list(table_lines(summary_of(ROWS, TIMES, compared=True)))
    assert lines[0].split() == ["measured", "recorded"]
    assert lines[1].split() == ["mean", "error", "0.3500", "0.2750"]
    assert lines[-1] == "more than 0.1 apart: T/5"


def test_a_table_of_nothing_has_dashes() -> None:
    lines = list(table_lines(summary_of([], {}, compared=False)))
    assert lines[1].split() == ["mean", "error", "-"]
