"""Reports on the functions of a file: where each stands."""

from __future__ import annotations

import time

from msgspec.structs import replace

from assay_engine.check_unit import CheckUnit
from assay_engine.compare.verdict import abstained
from assay_engine.types import SourceText, Span
from support.specifying import specified

FUNCTION = "def f(x):\n    'Give x.'\n    return x\n"


def lines_of(text: str, offsets: range) -> list[int]:
    specification = specified(text, "f")
    found: list[int] = []
    for offset in offsets:
        unit = replace(specification.unit, name_span=Span(offset, offset + 1))
        subject = CheckUnit(
            SourceText("a.py", text), replace(specification, unit=unit), "digest", ()
        )
        found.append(subject.report(abstained()).line)
    return found


def test_lines_end_as_python_ends_them() -> None:
    text = f"{FUNCTION}\r\n\r\x0c\u2028\nlast"
    assert lines_of(text, range(len(text) - 1, len(text))) == [7]


def test_each_function_of_a_generated_file_finds_its_line_without_counting_from_the_first() -> None:
    text = FUNCTION + "# 345\n" * 300_000
    started = time.monotonic()
    found = lines_of(text, range(len(FUNCTION), len(FUNCTION) + 6 * 300_000, 6 * 15))
    assert found == list(range(4, 300_004, 15))
    assert time.monotonic() - started < 10
