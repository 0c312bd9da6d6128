"""What a program calls its classes, from the sandbox to what an editor shows of it."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.types import Report
from support.trials import put_on_trial, scripted

IMAGE = "![a](https://2130706433/b)"
NAMES = [
    f"\n\n{IMAGE}",
    f"\r\r{IMAGE}",
    f"A\r\n\r\n{IMAGE}\r\n",
    f"A`` {IMAGE} ``",
    "<img src=https://2130706433/b>",
    "\x1b]0;owned\x07\x9b31m",
    "A\u202eB\u2066",
    f"A\u2028\u2029\x85{IMAGE}",
    "A" * 5000,
]
CALLS = [f"double({n})" for n in range(2, 12)]
RIGHT = "def double(n):\n    return 2 * n\n"


def raising(name: str) -> str:
    return f"E = type({name!r}, (ValueError,), {{}})\n    E.__qualname__ = {name!r}\n    raise E(n)"


def raising_another(name: str) -> str:
    return f"E = type('E', (ValueError,), {{}})\n    E.__module__ = {name!r}\n    raise E({name!r})"


def returning(name: str) -> str:
    return (
        f"E = type('E', (), {{}})\n    E.__qualname__ = {name!r}\n"
        f"    e = E()\n    e.__dict__[{name!r}] = n\n    return e"
    )


@pytest.mark.parametrize("behave", [raising, raising_another, returning])
@pytest.mark.parametrize("name", NAMES)
async def test_a_name_puts_nothing_but_text_into_a_hover(
    executor: Executor, behave: object, name: str
) -> None:
    assert callable(behave)
    text = f'def double(n: int) -> int:\n    """Twice n."""\n    {behave(name)}\n'
    report = await put_on_trial(executor, text, "double", scripted([RIGHT] * 10, CALLS))
    assert report.findings
    shown_as_text_alone(report)


async def test_nor_does_a_name_in_a_failed_example(executor: Executor) -> None:
    text = (
        'def double(n: int) -> int:\n    """Twice n.\n\n    >>> double(1)\n    2\n    """\n'
        f"    {raising(NAMES[0])}\n"
    )
    report = await put_on_trial(executor, text, "double", scripted([RIGHT] * 10, CALLS))
    assert [finding.code for finding in report.findings] == ["ASY103"]
    shown_as_text_alone(report)


def shown_as_text_alone(report: Report) -> None:
    """No image, link or heading, no raw HTML, no character that is obeyed rather than shown."""
    markdown = hover_markdown(report)
    kinds = {
        token.type
        for block in MarkdownIt("commonmark").parse(markdown)
        for token in [block, *(block.children or ())]
    }
    assert kinds <= {
        *("paragraph_open", "paragraph_close", "inline", "text", "softbreak", "code_inline"),
        *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
        *("strong_open", "strong_close"),
    }
    lines = "\n".join(report_lines(report, set(), verbose=True))
    said = [finding.message for finding in report.findings]
    for shown in (markdown, hover_text(report), lines):
        assert shown.replace("\n", "").isprintable()
    assert all(message.isprintable() for message in said)
