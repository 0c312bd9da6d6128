"""What the engine says, in the words of an editor."""

from __future__ import annotations

from typing import Any, cast

from msgspec.structs import replace

from assay_engine.advice import for_editors
from assay_engine.types import Report


def report_for_editors(report: Report) -> Report:
    """The report with problems, and the findings that are made of them, as an editor tells them."""
    return replace(
        report,
        findings=tuple(
            replace(each, message=for_editors(each.message)) for each in report.findings
        ),
        problems=tuple(
            replace(each, message=for_editors(each.message)) for each in report.problems
        ),
    )


def data_for_editors(data: Any) -> Any:
    """Plain data with all of its texts as an editor tells them."""
    if isinstance(data, str):
        return for_editors(data)
    if isinstance(data, dict):
        entries = cast("dict[str, Any]", data)
        return {name: data_for_editors(value) for name, value in entries.items()}
    if isinstance(data, list | tuple):
        return [data_for_editors(value) for value in cast("list[Any]", data)]
    return data
