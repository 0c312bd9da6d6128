"""Rewords the engine's messages for editors."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from assay_engine.advice import for_editors
from assay_engine.types import Report


def report_for_editors(report: Report) -> Report:
    """The report with its problems, and the findings made of them, reworded for editors."""
    return replace(
        report,
        findings=tuple(
            replace(each, message=for_editors(each.message)) for each in report.findings
        ),
        problems=tuple(
            replace(each, message=for_editors(each.message), brief=for_editors(each.brief))
            for each in report.problems
        ),
    )


def data_for_editors(data: Any) -> Any:
    """Plain data with all its texts reworded for editors."""
    if isinstance(data, str):
        return for_editors(data)
    if isinstance(data, dict):
        entries = cast("dict[str, Any]", data)
        return {name: data_for_editors(value) for name, value in entries.items()}
    if isinstance(data, list | tuple):
        return [data_for_editors(value) for value in cast("list[Any]", data)]
    return data
