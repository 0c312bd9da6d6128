"""The kinds of input that the model names: what a report tells of them, and in whose words."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.types import Origin, Partition, Report, Status
from support.saying import page_text
from support.trials import put_on_trial, scripted

ORDINAL = '''
def ordinal(n: int) -> str:
    """The number with its English ending: 1st, 2nd, 3rd, 4th."""
    return f"{n}" + {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
'''
TEENS = """
def ordinal(n: int) -> str:
    if n < 0:
        raise ValueError(n)
    if n % 100 in (11, 12, 13):
        return f"{n}th"
    return f"{n}" + {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
"""


async def ordinal(executor: Executor, *proposed: str, calls: int = 2000) -> Report:
    model = scripted([TEENS], [*proposed])
    return await put_on_trial(executor, ORDINAL, "ordinal", model, calls)


async def test_a_witness_is_told_with_the_partition_that_it_stands_for(
    executor: Executor,
) -> None:
    report = await ordinal(
        executor,
        "# ones",
        *("ordinal(1)", "ordinal(2)", "ordinal(4)"),
        "# teens:",
        *("ordinal(12)", "ordinal(113)"),
        "# below zero",
        "ordinal(-4)",
    )
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].witness is not None
    witness = report.findings[0].witness
    assert (witness.call, witness.origin, witness.partition) == (
        "ordinal(12)",
        Origin.PROPOSED,
        "teens",
    )
    assert report.partitions == (
        Partition("ones", 3, 3),
        Partition("teens", 2, 2),
        Partition("below zero", 1, 0),
    )
    hover, page = hover_markdown(report), page_text(report)
    assert "(proposed by the model for `teens`)" in hover
    assert "Most candidates accept none of the inputs proposed for `below zero`" in hover
    assert "accept none of the inputs proposed for below zero" in hover_text(report)
    assert "`ones`" not in hover
    assert "ones: 3 inputs teens: 2 inputs below zero: 1 input, none of them accepted" in page
    brief, long = (
        "\n".join(report_lines(report, set(), verbose=verbose)) for verbose in (False, True)
    )
    assert '(proposed by the model for "teens")' in brief
    assert 'evidence: most candidates accept none of the inputs proposed for "below zero"' in brief
    assert "ones" not in brief
    assert '  proposed for "ones": 3 inputs\n' in long


async def test_a_small_budget_has_something_of_each_partition(executor: Executor) -> None:
    lines = [
        line
        for kind in range(8)
        for line in (f"# kind {kind}", *(f"ordinal({kind * 10 + n})" for n in range(5)))
    ]
    report = await ordinal(executor, *lines, calls=1)
    assert [each.name for each in report.partitions] == [f"kind {kind}" for kind in range(8)]
    assert sum(each.inputs_run for each in report.partitions) < 5 * 8


async def test_a_hover_names_no_more_partitions_than_can_be_read(executor: Executor) -> None:
    lines = [line for n in range(1, 6) for line in (f"# below {n}", f"ordinal({-n})")]
    report = await ordinal(executor, "# ones", "ordinal(1)", *lines)
    said = "accept none of the inputs proposed for below 1, below 2, below 3 and 2 more"
    assert said in hover_text(report)
    assert "below 5" not in hover_text(report)
    assert "below 5: 1 input, none of them accepted" in page_text(report)


async def test_the_evidence_shows_values_as_a_whole_and_the_replacement(
    executor: Executor,
) -> None:
    text = ORDINAL.replace('f"{n}"', 'f"{n:0300d}"')
    model = scripted([TEENS.replace('f"{n}"', 'f"{n:0300d}"')], ["# teens", "ordinal(11)"])
    report = await put_on_trial(executor, text, "ordinal", model)
    assert "0" * 290 not in hover_markdown(report)
    page = page_text(report)
    assert "0" * 290 in page
    assert "--- a/module.py" in page
    assert "+ if n % 100 in (11, 12, 13):" in page


@pytest.mark.parametrize(
    "name", ["![a](https://2130706433/b)", "`` <img src=x>", "\x1b]0;owned\x07", "A\u202eB" * 50]
)
async def test_what_a_model_names_a_partition_is_nothing_but_text(
    executor: Executor, name: str
) -> None:
    report = await ordinal(executor, f"# {name}", "ordinal(11)", "ordinal(2)")
    assert len(report.partitions) == 1
    tokens = MarkdownIt("commonmark").parse(hover_markdown(report))
    inner = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inner} & {"image", "link_open", "html_inline"}
    assert not any(token.type == "html_block" for token in tokens)
    for text in (hover_text(report), "\n".join(report_lines(report, set(), verbose=True))):
        assert text.replace("\n", "").isprintable()


async def test_an_input_that_is_proposed_twice_counts_for_both_kinds(
    executor: Executor,
) -> None:
    report = await ordinal(
        executor,
        *("# ones", "ordinal(1)", "ordinal(2)"),
        *("# small", "ordinal(1 + 1)", "ordinal(2)"),
        *("# ends", "ordinal(1)", "ordinal(-4)"),
        *("# broken", "ordinal(nothing)"),
    )
    assert report.partitions == (
        Partition("ones", 2, 2),
        Partition("small", 1, 1),
        Partition("ends", 2, 1),
        Partition("broken", 0, 0),
    )
    # Nobody can refuse what was not made.
    assert "is accepted by most" not in hover_text(report)
    assert "broken: no input that was run" in page_text(report)
