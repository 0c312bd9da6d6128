"""Where a function that is found right is agreed with least, and by whom."""

from __future__ import annotations

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.pages.hover import hover_markdown
from assay_engine.types import Origin, Report, Status
from support.trials import put_on_trial, scripted

FIRST = '''
def first(text: str) -> str:
    """The first word of the text, empty if there is none."""
    words = text.split()
    return words[0] if words else ""
'''
RIGHT = "def first(text):\n    return (text.split() or [''])[0]\n"
RAISING = "def first(text):\n    return text.split()[0]\n"
BY_SPACES = "def first(text):\n    return text.strip().split(' ')[0]\n"
PROPOSED = ["first('a b')", "# nothing but spaces", "first('   ')", "# nothing", "first('')"]


async def first(executor: Executor, *candidates: str) -> Report:
    distinct = [f"{each}    # {number}\n" for number, each in enumerate(candidates)]
    return await put_on_trial(executor, FIRST, "first", scripted(distinct, PROPOSED))


async def test_what_the_others_do_is_shown_where_fewest_agree(executor: Executor) -> None:
    report = await first(executor, *[RAISING] * 2, *[RIGHT] * 7, BY_SPACES)
    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.support is not None
    assert report.dissent is not None
    # Of several inputs one that was meant, and the shortest of those.
    assert (report.dissent.call, report.dissent.partition) == ("first('')", "nothing")
    assert report.dissent.origin is Origin.PROPOSED
    assert [outcome.weight for outcome in report.dissent.outcomes] == [8, 2]
    assert report.verdict.support.agreeing == 8
    hover = hover_markdown(report)
    assert "The least agreement is on `first('')` (proposed by the model for `nothing`)" in hover
    assert "- 2 of 10 candidates raise `IndexError`" in hover
    brief, verbose = (
        "\n".join(report_lines(report, set(), verbose=verbose)) for verbose in (False, True)
    )
    assert "the input with the least agreement:\n    first('')" in verbose
    assert "\n" not in brief


async def test_nobody_dissents_where_all_agree(executor: Executor) -> None:
    report = await first(executor, *[RIGHT] * 10)
    assert report.verdict.status is Status.TRUSTED
    assert report.dissent is None
    assert "Fewest" not in hover_markdown(report)


async def test_of_a_function_that_is_accused_the_finding_says_it(executor: Executor) -> None:
    report = await first(executor, *[BY_SPACES.replace("[0]", "[-1]")] * 10)
    assert report.verdict.status is Status.SUSPECT
    assert report.dissent is None


NEAR = '''
def near(n: int) -> int:
    """A number near n."""
    return n
'''


async def test_where_candidates_part_and_nothing_follows_it_is_shown_on_what(
    executor: Executor,
) -> None:
    others = [NEAR.replace("return n", f"return n + {number // 2}") for number in range(2, 10)]
    model = scripted([*others, NEAR, NEAR.replace("return n", "return -n")], ["near(12)"], "BOTH")
    report = await put_on_trial(executor, NEAR, "near", model)
    assert report.verdict.status is Status.AMBIGUOUS
    assert report.dissent is None
    others = [NEAR.replace("return n", f"return n + {number}") for number in range(1, 11)]
    report = await put_on_trial(executor, NEAR, "near", scripted(others, ["near(12)"]))
    assert report.verdict.status is Status.ABSTAINED
    assert report.dissent is not None
    assert (report.dissent.call, report.dissent.origin) == ("near(12)", Origin.PROPOSED)
    assert [outcome.weight for outcome in report.dissent.outcomes] == [*[1] * 10, 0]
    text = "\n".join(report_lines(report, set(), verbose=False))
    assert "the input with the least agreement:\n    near(12)" in text
    assert "The least agreement is on `near(12)`" in hover_markdown(report)
