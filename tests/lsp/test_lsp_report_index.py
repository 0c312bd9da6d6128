"""What is known about a document while it changes: the report index by itself."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from assay_engine.syntax.units import find_units
from assay_engine.types import SourceText
from assay_lsp.client import Client
from assay_lsp.convert import PositionedText, difference
from assay_lsp.documents import Change, TextDocument
from assay_lsp.publishing import Publisher
from assay_lsp.report_index import GATHER_SECONDS, ReportIndex
from support.scripted_engine import report_on

# Takes longer to look through than what follows takes.
PLENTY = "".join(f"def g{number}(n):\n    return {number}\n\n\n" for number in range(3000))
TEXT = 'def f(n):\n    """[differs]"""\n'
PATIENCE_SECONDS = 30.0


def version(number: int, text: str) -> TextDocument:
    return TextDocument("file:///module.py", "python", number, PositionedText.of(text))


async def test_a_text_that_changes_while_it_is_looked_through_is_looked_through_again() -> None:
    published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    report_index = ReportIndex(
        Publisher(Client(), published.put_nowait, lambda: None), lambda: None
    )
    old, new = version(1, PLENTY), version(2, TEXT)
    report_index.open(old)
    report_index.learn(old.uri, [], demanded=False)
    await asyncio.sleep(GATHER_SECONDS + 0.02)
    report_index.change(new, [Change.of(difference(PLENTY, TEXT), new.text)])
    (unit,) = find_units(TEXT)[0]
    report = report_on(SourceText("/module.py", TEXT, None), unit)
    report_index.learn(new.uri, [report], demanded=False)
    said = await asyncio.wait_for(published.get(), PATIENCE_SECONDS)
    assert (said.version, len(said.diagnostics)) == (2, 1)
