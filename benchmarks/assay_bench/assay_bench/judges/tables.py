"""Tables like the paper's 1 to 3, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from assay_bench.judges.metrics import (
    Ruled,
    confusion,
    overlap,
    stability,
    stable_samples,
    unaccused,
)
from assay_bench.judges.rows import JudgedRow
from assay_bench.metrics import mean
from assay_engine.types import Ruling

# The thresholds of the paper's Table 1.
THRESHOLDS = (0.6, 0.7, 0.8)
BY_SCORE = "trails"


class Performance(msgspec.Struct, frozen=True):
    """A column of Table 1: means over reruns. `tokens` are thousands per task.

    `mcc` and `p4` are over the samples that were decided; `*_unaccused` take abstentions as
    CORRECT. `abstained` is the share of abstentions.
    """

    judge: str
    threshold: float | None
    mcc: float | None
    p4: float | None
    mcc_unaccused: float | None
    p4_unaccused: float | None
    abstained: float | None
    tokens: float | None
    requests: float | None


class Steadiness(msgspec.Struct, frozen=True):
    """A row of Table 2: for each label, the number of stable samples and of reachable ones."""

    judge: str
    correct: int
    correct_reachable: int
    incorrect: int
    incorrect_reachable: int


class Shared(msgspec.Struct, frozen=True):
    """A cell of Table 3: the samples that exactly these judges label rightly in every run."""

    judges: tuple[str, ...]
    correct: int
    incorrect: int


class JudgeSummary(msgspec.Struct, frozen=True):
    """The content of `summary.json`."""

    samples: int
    right: int
    reruns: int
    threshold: float
    performance: tuple[Performance, ...]
    stability: tuple[Steadiness, ...]
    overlap: tuple[Shared, ...]
    failed: int


def judge_summary(
    rows: Sequence[JudgedRow], judges: Sequence[str], threshold: float
) -> JudgeSummary:
    """Summarise all rows. TRAILS is ruled by its scores with each of the thresholds in turn."""
    samples = {row.task_id: row.right for row in rows}
    runs = {judge: [row for row in rows if row.judge == judge] for judge in judges}
    ruled = {judge: _ruled(runs[judge], threshold) for judge in judges}
    return JudgeSummary(
        samples=len(samples),
        right=sum(samples.values()),
        reruns=len({row.rerun for row in rows}),
        threshold=threshold,
        performance=tuple(
            _performance(judge, runs[judge], each)
            for judge in judges
            for each in (sorted({*THRESHOLDS, threshold}) if judge == BY_SCORE else (None,))
        ),
        stability=tuple(_steadiness(judge, ruled[judge]) for judge in judges),
        overlap=_shared(ruled),
        failed=sum(row.problem is not None for row in rows),
    )


def judge_table_lines(summary: JudgeSummary) -> Iterator[str]:
    yield (
        f"{summary.samples} samples, {summary.right} of them right; {summary.reruns} reruns. "
        "In brackets: abstentions taken as CORRECT."
    )
    yield ""
    yield (
        f"{'1. performance':20}{'MCC':>18}{'P4':>18}{'abstained':>11}{'ktokens':>9}{'requests':>10}"
    )
    for each in summary.performance:
        name = each.judge if each.threshold is None else f"{each.judge} t={each.threshold:.2g}"
        yield (
            f"{name:20}{_both(each.mcc, each.mcc_unaccused):>18}"
            f"{_both(each.p4, each.p4_unaccused):>18}{_number(each.abstained):>11}"
            f"{_number(each.tokens, 1):>9}{_number(each.requests, 1):>10}"
        )
    yield ""
    yield f"{'2. stability':20}{'correct':>18}{'incorrect':>18}"
    for row in summary.stability:
        yield (
            f"{row.judge:20}{_share(row.correct, row.correct_reachable):>18}"
            f"{_share(row.incorrect, row.incorrect_reachable):>18}"
        )
    yield ""
    yield f"{'3. overlap':44}{'correct':>9}{'incorrect':>11}"
    for cell in summary.overlap:
        words = "only " if len(cell.judges) == 1 else ""
        yield f"{words + ' & '.join(cell.judges):44}{cell.correct:>9}{cell.incorrect:>11}"


def _ruled(rows: Sequence[JudgedRow], threshold: float | None) -> list[Ruled]:
    return [Ruled(row.task_id, row.right, _ruling(row, threshold)) for row in rows]


def _ruling(row: JudgedRow, threshold: float | None) -> Ruling:
    if row.judge != BY_SCORE or threshold is None or row.score is None:
        return row.ruling
    return Ruling.CORRECT if row.score >= threshold else Ruling.INCORRECT


def _performance(judge: str, rows: Sequence[JudgedRow], threshold: float | None) -> Performance:
    by_run: dict[int, list[JudgedRow]] = {}
    for row in rows:
        by_run.setdefault(row.rerun, []).append(row)
    runs = [_ruled(each, threshold) for each in by_run.values()]
    decided = [confusion(run) for run in runs]
    standing = [confusion(unaccused(run)) for run in runs]
    return Performance(
        judge=judge,
        threshold=threshold,
        mcc=mean([each.mcc for each in decided]),
        p4=mean([each.p4 for each in decided]),
        mcc_unaccused=mean([each.mcc for each in standing]),
        p4_unaccused=mean([each.p4 for each in standing]),
        abstained=mean([each.ruling is Ruling.ABSTAINED for run in runs for each in run]),
        tokens=mean([row.tokens / 1000 for row in rows]),
        requests=mean([row.requests for row in rows]),
    )


def _steadiness(judge: str, runs: Sequence[Ruled]) -> Steadiness:
    correct, incorrect = (stability(runs, label) for label in (Ruling.CORRECT, Ruling.INCORRECT))
    return Steadiness(
        judge, correct.stable, correct.reachable, incorrect.stable, incorrect.reachable
    )


def _shared(ruled: dict[str, list[Ruled]]) -> tuple[Shared, ...]:
    correct, incorrect = (
        overlap({judge: stable_samples(runs, label) for judge, runs in ruled.items()})
        for label in (Ruling.CORRECT, Ruling.INCORRECT)
    )
    return tuple(Shared(names, correct[names], incorrect[names]) for names in correct)


def _both(value: float | None, other: float | None) -> str:
    return f"{_number(value)} ({_number(other)})"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
