"""Where the function raises, what its exception says is shown, as far as that is no chance."""

from __future__ import annotations

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.pages.hover import hover_markdown
from assay_engine.types import Code, Finding, Report
from support.trials import put_on_trial, scripted

TOTAL = '''
def total(prices: str) -> int:
    """The sum of the prices, separated by commas; 0 if there are none."""
    {own}
'''
RIGHT = """
def total(prices: str) -> int:
    return sum(int(price) for price in prices.split(",") if price.strip())
"""
RAISING = 'return sum(int(price) for price in prices.split(","))'


async def tried(executor: Executor, own: str, candidate: str = RIGHT) -> Report:
    proposed = ['total("1,2")', 'total("")', 'total("7")']
    text = TOTAL.format(own=own)
    return await put_on_trial(executor, text, "total", scripted([candidate], proposed))


def the_only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


async def test_what_the_exception_says_stands_behind_its_type(executor: Executor) -> None:
    report = await tried(executor, RAISING)
    finding = the_only(report)
    said = "ValueError: invalid literal for int() with base 10: ''"
    assert finding.code is Code.RAISES
    assert finding.message.startswith("total(''): all 10 candidates return 0, this raises Value")
    assert finding.witness is not None
    assert finding.witness.outcomes[-1].what == f"raises {said}"
    assert f"- this function raises `{said}`" in hover_markdown(report)
    assert f"raises {said}" in "\n".join(report_lines(report, set(), verbose=True))


async def test_what_no_two_runs_say_alike_is_left_out(executor: Executor) -> None:
    report = await tried(executor, f"if not prices: raise KeyError(hash('a'))\n    {RAISING}")
    finding = the_only(report)
    assert finding.witness is not None
    assert finding.witness.outcomes[-1].what == "raises KeyError"
    assert finding.message.endswith("this raises KeyError")


async def test_a_message_is_one_line_that_commands_nothing(executor: Executor) -> None:
    says = r"'`[x](http://e.test) \x1b[31m' + 'a\nb ' * 3000"
    report = await tried(executor, f"if not prices: raise ValueError({says})\n    {RAISING}")
    finding = the_only(report)
    assert len(finding.message) < 200
    for shown in (finding.message, *report_lines(report, set(), verbose=True)):
        assert "\n" not in shown
        assert "\x1b" not in shown
    (row,) = (line for line in hover_markdown(report).splitlines() if "this function" in line)
    # The text is in code from the type on, with more backticks around it than it has.
    assert row.startswith("- this function raises `` ValueError: `[x](http://e.test) ")
    assert row.endswith(" ``")


async def test_what_candidates_say_is_theirs(executor: Executor) -> None:
    own = 'return sum(int(price) for price in prices.split(",") if price.strip())'
    text = TOTAL.format(own=own).replace("; 0 if", ". Raises ValueError if")
    report = await put_on_trial(
        executor, text, "total", scripted([TOTAL.format(own=RAISING)], ['total("")'])
    )
    witness = the_only(report).witness
    assert witness is not None
    assert [outcome.what for outcome in witness.outcomes] == ["raise ValueError", "returns 0"]
