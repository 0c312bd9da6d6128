"""The page of evidence: what stands on it, and that nothing foreign on it is more than text."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.messages.tabling import INPUTS_TOLD
from assay_engine.pages.evidence_page import CHARACTERS_SHOWN, evidence_page
from assay_engine.types import (
    Clarification,
    EquivalenceClass,
    Expectation,
    Judged,
    JudgedOutput,
    Opinion,
    Origin,
    Outcome,
    Partition,
    Problem,
    ProblemKind,
    Reading,
    Refutation,
    Replacement,
    Report,
    Ruling,
    Settling,
    TransformedSolution,
    Triangulated,
    Usage,
    Verbatim,
    Witness,
    Words,
)
from support.saying import report_with
from support.trials import put_on_trial, scripted

VOID = {"meta"}
CLAMP = '''\
def clamp(value: int, low: int, high: int) -> int:
    """Limit a value to the range from low to high, both included."""
    return min(max(value, low + 1), high)
'''
RIGHT = "def clamp(value, low, high):\n    return max(low, min(value, high))\n"
OTHER = "def clamp(value, low, high):\n    return high if value > high else value\n"
HOSTILE = (
    "</code></pre></style></title></svg><script>alert(1)</script>"
    '<img src=x onerror="alert(2)">" onload="alert(3) ` javascript:alert(4) --> {{ 7 * 7 }} '
    "{% raw %} &lt;b&gt; \x00\x1b[31m\x9b\u202edlrow\u2066 \u200b\ue000b\ue001 \ufeff \ud800 שלום"
)


class Page(HTMLParser):
    """A page, taken apart; an element that is not closed in order is an error."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.declared = ""
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_decl(self, decl: str) -> None:
        self.declared += decl

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag
        if tag in ("td", "th"):
            self.texts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(*reports: Report) -> Page:
    return Page(evidence_page(*reports, nonce="n0nce"))


def outcome(who: str, what: str, weight: int, *, own: bool = False) -> Outcome:
    parts = (Words("returns "), Verbatim(what))
    candidates = (0,) if weight else ()
    return Outcome.of(who, parts, weight, is_original=own, candidates=candidates)


def report_saying(text: str) -> Report:
    """A report that says the text wherever a program or a model may have put something."""
    witness = Witness(
        text, (outcome(text, text, 9), outcome(text, text, 0, own=True)), Origin.PROPOSED, text
    )
    base = report_with(witness)
    report = replace(
        base,
        path=text,
        qualname=text,
        text_digest=text,
        digest=text,
        problems=(Problem(ProblemKind.NOT_RUN, text),),
        replacements=(Replacement(text, text, text),),
        classes=(
            EquivalenceClass((0,), 9, False, text, (5, 4)),
            EquivalenceClass((), 0, True, "", (4, 5)),
        ),
        model=text,
        prompts={text: 1},
        judged=Judged(
            text,
            Ruling.INCORRECT,
            0.5,
            0.5,
            (JudgedOutput(text, text, text, (Opinion.INCORRECT, None), None, text),),
        ),
        triangulation=Triangulated(
            text,
            False,
            False,
            1,
            (TransformedSolution(text, text, 2),),
            2,
            3,
            (text,),
            (Refutation(text, text, text, 1, False),),
            Usage(),
        ),
        partitions=(Partition(text, 1, 0),),
        dissent=witness,
        settling=(Settling(text, (Reading.THEIRS,), text),),
        clarifications=(Clarification(text, text, text),),
        expectations=(
            Expectation(text, text, True, text),
            Expectation(text, text, False, "", text),
        ),
        inputs=(witness, witness),
    )
    # A new field of a report has to be said here.
    same = {name for name in base.__struct_fields__ if getattr(report, name) == getattr(base, name)}
    # Comparisons of versions are stored nowhere, and no page shows them.
    untold = {"versions"}
    assert same == {"line", "cost", "candidates", "verdict", "findings", "ignored"} | untold
    return replace(report, findings=tuple(replace(f, message=text) for f in report.findings))


async def test_who_did_what_on_which_input_stands_in_a_table(executor: Executor) -> None:
    model = scripted(
        [RIGHT] * 7 + [OTHER] * 3, ["clamp(0, 0, 3)", "clamp(-4, 0, 3)", "clamp(9, 0, 3)"]
    )
    report = await put_on_trial(executor, CLAMP, "clamp", model)
    first, second, own = report.classes
    assert [first.weight, second.weight, own.weight] == [7, 3, 0]
    assert [each.program.strip() for each in report.classes] == [RIGHT.strip(), OTHER.strip(), ""]
    total = report.verdict.inputs_in_domain
    assert [each.alike[place] for place, each in enumerate(report.classes)] == [total] * 3
    assert 0 < first.alike[2] < total
    assert first.alike[2] == own.alike[0]
    assert 0 < len(report.inputs) <= INPUTS_TOLD
    page = page_of(report)
    assert "A: 7 candidates B: 3 candidates C: this function Where it is from" in page.text
    assert "clamp(0, 0, 3) return 0 return 0 returns 1 proposed by the model" in page.text
    assert "clamp(-4, 0, 3) return 0 return -4 returns 1" in page.text
    assert f"A and C do the same on {first.alike[2]} of {total} inputs" in page.text
    assert "return high if value > high else value" in page.text
    assert "the docstring, as the model reads it" in page.text.lower()
    assert "13 requests" in page.text
    assert "assay check --again --offline --verbose module.py::clamp" in page.text


async def test_a_function_that_all_agree_with_has_a_page_of_one_class(
    executor: Executor,
) -> None:
    text = CLAMP.replace("min(max(value, low + 1), high)", "max(low, min(value, high))")
    model = scripted([RIGHT], ["clamp(0, 0, 3)", "clamp(-4, 0, 3)", "clamp(9, 0, 3)"])
    report = await put_on_trial(executor, text, "clamp", model)
    (alone,) = report.classes
    assert alone.alike == (report.verdict.inputs_in_domain,)
    page = page_of(report)
    assert "A: this function and 4 candidates" in page.text
    assert "clamp(0, 0, 3) return 0" in page.text
    assert "A and " not in page.text


def test_nothing_that_a_program_or_a_model_wrote_is_more_than_text() -> None:
    written = evidence_page(report_saying(HOSTILE), nonce="n0nce")
    page = Page(written)
    plain = page_of(report_saying("plain"))
    assert page.declared == "DOCTYPE html"
    # Backticks in a sentence set code, whoever wrote them.
    seen, expected_ones = (
        [each for each in found.elements if each[0] != "code"] for found in (page, plain)
    )
    assert [name for name, _ in seen] == [name for name, _ in expected_ones]
    for (_, attributes), (tag, expected) in zip(seen, expected_ones, strict=True):
        assert list(attributes) == list(expected)
        unsaid = {"aria-label", "class"} if tag in ("div", "pre") else set[str]()
        assert all(attributes[name] == expected[name] for name in expected.keys() - unsaid)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }} {% raw %} &lt;b&gt; \\x00\\x1b[31m\\x9b\\u202edlrow" in page.text
    assert written.replace("\n", "").isprintable()


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    page = page_of(report_saying("plain"), report_saying("second"))
    (policy,) = [each for each in page.all("meta") if "http-equiv" in each]
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert policy["content"] == (
        "default-src 'none'; style-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'"
    )
    assert page.all("style") == [{"nonce": "n0nce"}]
    names = {name for _, attributes in page.elements for name in attributes}
    assert names.isdisjoint({"style", "src", "srcset", "action"})
    assert not any(name.startswith("on") for name in names)
    assert {name for name, _ in page.elements}.isdisjoint({"script", "iframe", "object", "link"})
    assert all(each["href"].startswith("#f") for each in page.all("a"))


def test_the_page_can_be_read_without_seeing_it() -> None:
    page = page_of(report_saying("plain"), report_saying("second"))
    tags = Counter(name for name, _ in page.elements)
    assert page.all("html") == [{"lang": "en"}]
    assert (tags["main"], tags["h1"], tags["h2"], tags["nav"]) == (1, 1, 2, 1)
    assert tags["caption"] == tags["table"] > 4
    assert {each.get("scope") for each in page.all("th")} == {"col", "row"}
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    pointed = " ".join(attributes.get("aria-labelledby", "") for _, attributes in page.elements)
    assert set(pointed.split()) <= set(ids)
    assert {each["href"].removeprefix("#") for each in page.all("a")} <= set(ids)
    assert tags["title"] == 1
    # What can be scrolled can be reached by the keyboard, and says what it is.
    for tag in ("pre", "div"):
        assert all(each["tabindex"] == "0" and each["aria-label"] for each in page.all(tag))


def test_a_huge_value_is_cut() -> None:
    huge = "x" * 3_000_000
    written = evidence_page(
        replace(report_with(Witness("f()", (), Origin.PROPOSED)), qualname=huge), nonce="n"
    )
    assert len(written) < 10 * CHARACTERS_SHOWN
    assert f"… {3_000_000 - CHARACTERS_SHOWN:,} more" in written


@pytest.mark.parametrize("number", [2, 5, 30])
def test_as_many_classes_are_named_as_there_are_letters(number: int) -> None:
    classes = tuple(
        EquivalenceClass((n,) if n < number - 1 else (), 1, n == number - 1, "", (3,) * number)
        for n in range(number)
    )
    base = report_with(Witness("f()", (), Origin.PROPOSED))
    page = page_of(replace(base, classes=classes))
    shown = min(number, 8)
    assert len(page.all("h4")) == shown
    assert f"{'ABCDEFGH'[shown - 1]}: this function and 1 candidate" in page.text
    assert page.text.count("do the same on 3 of 3 inputs") == shown * (shown - 1) // 2
    assert ("There are 22 more, with fewer candidates each." in page.text) == (number == 30)
