"""A file of 5,000 lines with 300 functions: the editor does not notice."""

from __future__ import annotations

import asyncio
import statistics
import time

from support.lsp_editor import Start

FUNCTIONS = 300
BODY = "".join(f"    value_{number} = n + {number}\n" for number in range(12))
TEXT = "".join(
    f'def f{number}(n):\n    """Number {number}. [differs]"""\n{BODY}    return n\n\n'
    for number in range(FUNCTIONS)
)
# What typing feels like at once, on an idle machine; a loaded one gets ten times as long.
RESPONSE_SECONDS = 0.5


async def test_typing_and_hovering_stay_quick_while_everything_has_findings(start: Start) -> None:
    assert TEXT.count("\n") >= 4_500
    editor = await start(options={"askAbove": 10_000})
    await editor.open(TEXT)
    await editor.save()
    await editor.until(lambda: len(editor.diagnostics()) == FUNCTIONS, "all findings")
    waits: list[float] = []
    for number in range(30):
        started = time.monotonic()
        # A line above everything: every finding moves, and all are told anew.
        await editor.change(((0, 0, 0, 0), f"# {number}\n"))
        hover = await editor.hover(number + 1, 5)
        waits.append(time.monotonic() - started)
        assert hover is not None
        assert "f0(0)" in hover.contents.value
        await asyncio.sleep(0.02)
    assert statistics.median(waits) < RESPONSE_SECONDS, waits
    await editor.until(lambda: editor.diagnostics()[0].range.start.line == 30)
    assert len(editor.diagnostics()) == FUNCTIONS


async def test_a_thousand_changes_in_one_message_are_applied_in_order(start: Start) -> None:
    editor = await start(options={"askAbove": 10_000})
    await editor.open(TEXT)
    await editor.save()
    await editor.until(lambda: len(editor.diagnostics()) == FUNCTIONS, "all findings")
    started = time.monotonic()
    await editor.change(*[((0, 0, 0, 0), f"# {number}\n") for number in range(1000)])
    assert await editor.hover(1000, 5) is not None
    assert time.monotonic() - started < 20
    await editor.until(lambda: editor.diagnostics()[-1].range.start.line > 5_000)
