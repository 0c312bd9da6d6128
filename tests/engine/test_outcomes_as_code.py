"""In a hover, values, names and exceptions are set as code, and our own words are not."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from assay_engine.cli.text import report_lines
from assay_engine.compare.votes import Standing, Vote
from assay_engine.messages.findings import failed_example, witness_of
from assay_engine.methods.trails.opinion import objection
from assay_engine.methods.trails.values import JudgedPair, Judgement, JudgeVote, Question
from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.types import (
    Behaviour,
    Example,
    ExampleFailure,
    Input,
    Opinion,
    Origin,
    Ruling,
    Span,
    Status,
    Witness,
)
from assay_sandbox import (
    Call,
    Crashed,
    Instance,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
    Unserialisable,
    Value,
    encode,
)
from support.saying import page_text, report_with
from support.specifying import specified

MODULE = '''
class Box:
    def shrink(self, by):
        """Shrink."""


def f(xs, ys=(), **more):
    """Do."""
'''
CALL = Call(([1],))


def returned(
    value: Value,
    stdout: str = "",
    left: Value = None,
    files: Value = None,
) -> Returned:
    """What returns the value, and leaves its argument as told."""
    return Returned(
        encode(value),
        stdout=stdout,
        args_after=None if left is None else encode([[left], {}]),
        files_after=None if files is None else encode(files),
    )


def witnessed(
    own: Observation, theirs: Observation, call: Call = CALL, says: str = "", name: str = "f"
) -> Witness:
    """That the function does otherwise than ten candidates."""
    candidates, alone = Behaviour(theirs, 10, False, ()), Behaviour(own, 0, True, ())
    entry = Input(call, Origin.PROPOSED)
    shown = Vote(entry, Standing.DIFFERS, (candidates, alone), 10, message=says)
    return witness_of(shown, specified(MODULE, name))


def own_row(witness: Witness) -> str:
    """What the hover says that the function did."""
    rows = hover_markdown(report_with(witness)).splitlines()
    (row,) = [row for row in rows if row.startswith("- this function ")]
    return row.removeprefix("- this function ")


ONE = returned(1)


@pytest.mark.parametrize(
    ("own", "theirs", "row"),
    [
        (returned(3), ONE, "returns `3`"),
        (returned("and leaves early"), ONE, "returns `'and leaves early'`"),
        (returned(3, left=[1, 2]), ONE, "returns `3` and leaves `xs` as `[1, 2]`"),
        (returned(1, left=[]), ONE, "leaves `xs` as `[]`"),
        (ONE, returned(1, left=[]), "leaves `xs` alone"),
        (returned(1, "hi\n"), returned(2, "ho"), r"returns `1` and prints `'hi\n'`"),
        (ONE, returned(1, "hi\n"), "prints nothing"),
        (
            returned(1, "hi", [], {"a.txt": "b"}),
            ONE,
            "prints `'hi'` and leaves `xs` as `[]` and leaves the files `'a.txt': 'b'`",
        ),
        (ONE, returned(1, files={"a.txt": None}), "leaves all files alone"),
        (Raised("json.JSONDecodeError", ""), ONE, "raises `JSONDecodeError`"),
        (
            Raised("KeyError", "", stdout="a"),
            Raised("KeyError", ""),
            "prints `'a'` and raises `KeyError`",
        ),
        (TimedOut(1.0), ONE, "does not finish within 1 s"),
        (OutOfMemory(1 << 30), ONE, "needs more than 1024 MB of memory"),
        (OutputExceeded(1 << 20), ONE, "produces more than 1024 kB of output"),
        (Refused("open"), ONE, "is refused `open`"),
        (Crashed("ended by SIGSEGV"), ONE, "crashes (`ended by SIGSEGV`)"),
        (LoadFailed("ImportError", ""), ONE, "cannot be loaded (`ImportError`)"),
        (
            Unserialisable("generator"),
            ONE,
            "returns something that cannot be compared (`generator`)",
        ),
    ],
)
def test_what_a_program_did_is_told_in_words_and_code(
    own: Observation, theirs: Observation, row: str
) -> None:
    assert own_row(witnessed(own, theirs)) == row


def test_an_exception_stands_with_what_it_says() -> None:
    seen = Raised("ValueError", "no `x` | in\nit")
    assert own_row(witnessed(seen, ONE, says=seen.message)) == (
        "raises `` ValueError: no `x` | in it ``"
    )


def test_several_do_what_one_does() -> None:
    text = hover_markdown(report_with(witnessed(ONE, returned(3, left=[1, 2]))))
    assert "- all 10 candidates return `3` and leave `xs` as `[1, 2]`" in text.splitlines()


def test_what_cannot_be_told_by_name_is_told_by_place() -> None:
    fewer = Returned(encode(1), args_after=encode([[], {}]))
    assert own_row(witnessed(fewer, ONE)) == "leaves its arguments as `()`"
    assert own_row(witnessed(ONE, fewer)) == "leaves its arguments alone"
    box = Returned(encode(1), args_after=encode([[Instance("Box", (("size", 1),)), 2], {}]))
    witness = witnessed(box, ONE, Call((Instance("Box", (("size", 3),)), 2)), name="Box.shrink")
    assert own_row(witness) == "leaves the object as `Box(size=1)`"


def test_a_name_that_has_backticks_ends_no_code() -> None:
    named = Call(([1],), (("a`[b](c)", [1]),))
    left = Returned(encode(1), args_after=encode([[[1]], {"a`[b](c)": []}]))
    assert own_row(witnessed(left, ONE, named)) == "leaves `` a`[b](c) `` as `[]`"


def test_long_values_are_cut_each_for_itself() -> None:
    own, theirs = returned("x" * 300, left=[*range(200)]), returned(1, left=[*range(199), 7])
    witness = witnessed(own, theirs)
    row = own_row(witness)
    start, xs, value = row.split("`")[1::2]
    assert row == f"returns `{start}` and leaves `{xs}` as `{value}`"
    assert "…" in start
    # In which it differs from what it is set against is not cut.
    assert "…" in value
    assert "199]" in value
    assert len(row) <= len("returns ") + 100 + len("``") * 3
    assert str([*range(200)]) in page_text(report_with(witness))


def test_a_short_value_leaves_its_room_to_a_long_one() -> None:
    row = own_row(witnessed(returned("x" * 300, left=[]), ONE))
    assert row.endswith(" and leaves `xs` as `[]`")
    assert len(row.split("`")[1]) > 70


def test_plain_text_says_the_same_without_marks() -> None:
    witness = witnessed(returned("a`b", left=[1, 2]), ONE)
    told = "returns 'a`b' and leaves `xs` as [1, 2]"
    assert witness.outcomes[1].what == told
    assert f"- this function {told}" in hover_text(report_with(witness)).splitlines()
    lines = "\n".join(report_lines(report_with(witness), set(), verbose=True))
    assert f"this function      {told}" in lines
    assert "all 10 candidates  return 1 and leave `xs` alone" in lines


@pytest.mark.parametrize("value", ["`", "``` x", "a | b", "*a* [b](c)", "a\n# b", "<img>", "\\`"])
def test_no_value_ends_the_code_that_it_is_set_as(value: str) -> None:
    row = own_row(witnessed(returned(value, value, [value]), ONE))
    (inline,) = [each for each in MarkdownIt("commonmark").parse(row) if each.children]
    assert inline.children is not None
    assert [each.type for each in inline.children] == ["text", "code_inline"] * 4
    assert [each.content for each in inline.children] == [
        *("returns ", repr(value), " and prints ", repr(value)),
        *(" and leaves ", "xs", " as ", repr([value])),
    ]


def failing(got: str, agreeing: int = 0) -> Witness:
    failure = ExampleFailure(
        Example((), "f(1)", "it`s\n2", True, Span(0, 0)), got, 1, agreeing, 1 + agreeing
    )
    witness = failed_example(failure, specified(MODULE, "f")).witness
    assert witness is not None
    return witness


def test_what_an_example_gives_and_shows_is_code() -> None:
    rows = hover_markdown(report_with(failing("1", 9))).splitlines()
    assert "- this function gives `1`" in rows
    assert "- the docstring shows `` it`s 2 ``" in rows
    assert "- 1 of 10 candidates gives `` it`s 2 ``" in rows
    assert "- 9 of 10 candidates give `1`, as this function does" in rows


def test_that_an_example_gives_nothing_is_no_code() -> None:
    witness = failing("")
    assert witness.outcomes[0].what == "gives nothing"
    assert own_row(witness) == "gives nothing"


def test_what_a_judge_says_is_code() -> None:
    reason = "see [x](http://e.test) `y`"
    vote = JudgeVote(Question.CONFORMS, Opinion.INCORRECT, reason)
    refused = Refused("open")
    pair = JudgedPair(CALL, refused, "", "", None, (vote,), Opinion.INCORRECT)
    judgement = Judgement("j", Ruling.INCORRECT, 0.0, 0.5, (pair,), objection=pair)
    finding = objection(judgement, specified(MODULE, "f"), Status.SUSPECT)
    assert finding is not None
    assert finding.witness is not None
    rows = hover_markdown(report_with(finding.witness)).splitlines()
    assert "- this function is refused `open`" in rows
    (row,) = [row for row in rows if row.startswith("- the judge")]
    assert row.endswith('objects: `` "see [x](http://e.test) `y`" ``')
