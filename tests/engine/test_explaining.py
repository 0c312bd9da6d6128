"""The words: what was seen, in a line that stands alone."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from assay_engine.cli.text import report_lines, summary
from assay_engine.errors import ModelError, ModelUnavailable
from assay_engine.messages.opinions import triangulation_lines
from assay_engine.models.failures import Wording
from assay_engine.pages.hover import hover_markdown, hover_text
from assay_engine.sampling.sampling import MissingReplies
from assay_engine.types import (
    Code,
    Cost,
    Origin,
    Outcome,
    Price,
    Problem,
    ProblemKind,
    Report,
    Status,
    Support,
    Triangulated,
    Usage,
    Verbatim,
    Verdict,
    Witness,
    Words,
)
from assay_engine.values.describing import call_text
from assay_engine.values.outcomes import GivenCall
from assay_engine.words import count, set_apart, share, short
from assay_sandbox import (
    Call,
    Crashed,
    Encoded,
    Expression,
    Instance,
    LoadFailed,
    Observation,
    OutOfMemory,
    Raised,
    Refused,
    Returned,
    Scalar,
    Scene,
    TimedOut,
    Unserialisable,
    encode,
    render,
)
from support.saying import outcome_text, page_text, report_with
from support.specifying import specified

MODULE = '''
class Box:
    def grow(self, by):
        """Grow."""

    @staticmethod
    def of(size):
        """Make."""
        return size

    def shrink(self, by):
        """Shrink."""
        return by


def f(x):
    """Do."""
    return x
'''


def test_what_is_called_stays_in_sight_of_a_large_object() -> None:
    box = Instance("Box", (("label", "x" * 100), ("size", 1)))
    text = call_text(Call((box, 2)), specified(MODULE, "Box.shrink"), 60)
    assert text.endswith(").shrink(2)")
    assert len(text) <= 60


DATES = '''
from datetime import date, datetime as moment
import decimal, fractions as parts
from fractions import Fraction
import numpy as np

def f(*given):
    """Do."""
    return given, date, moment, decimal, parts, Fraction, np
'''


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("datetime.date(2024, 1, 2)", "date(2024, 1, 2)"),
        ("[datetime.datetime(2024, 1, 2, 3, 4)]", "[moment(2024, 1, 2, 3, 4)]"),
        ("{'ä': numpy.int64(3), 'b': datetime.date.max}", "{'ä': np.int64(3), 'b': date.max}"),
        ("decimal.Decimal('1'), 'datetime.date(2024, 1, 2)'", None),
        ("fractions.Fraction(1, 2), fractions.gcd", "Fraction(1, 2), parts.gcd"),
        ("datetime.timedelta(1)", None),
        ("<generator yielding datetime.date(2024, 1, 2)>", None),
    ],
)
def test_a_call_has_the_names_that_its_module_has(source: str, written: str | None) -> None:
    text = call_text(Call((Expression(source),)), specified(DATES))
    assert text == f"f({written or source})"


def arguments_left(items: list[int]) -> Returned:
    return Returned(encode(None), args_after=encode(([[*items]], {})))


def test_arguments_that_were_left_otherwise_are_told_apart() -> None:
    one, other = ([0] * 30 + [n] + [0] * 30 for n in (1, 2))
    phrases = [
        outcome_text(arguments_left(its), arguments_left(own), 40)
        for its, own in ((one, other), (other, one))
    ]
    assert phrases[0] != phrases[1]
    assert "1" in phrases[0]
    assert "2" in phrases[1]


def test_what_is_printed_otherwise_is_told_apart() -> None:
    one, other = (Returned(encode(None), stdout="a" * 50 + end + "a" * 50) for end in "xy")
    assert "x" in outcome_text(one, other, 40)
    assert "y" in outcome_text(other, one, 40)


@pytest.mark.parametrize(
    ("qualname", "call", "text"),
    [
        ("f", Call((1, "a")), "f(1, 'a')"),
        ("f", Call((), (("x", [1]),)), "f(x=[1])"),
        ("Box.of", Call((3,)), "Box.of(3)"),
        ("Box.shrink", Call((Instance("Box", (("size", 1),)), 2)), "Box(size=1).shrink(2)"),
    ],
)
def test_a_call_is_written_as_it_would_be_typed(qualname: str, call: Call, text: str) -> None:
    assert call_text(call, specified(MODULE, qualname)) == text


@pytest.mark.parametrize(
    ("observation", "phrase"),
    [
        (Returned(encode([1])), "returns [1]"),
        (Raised("ValueError", "no"), "raises ValueError"),
        (Raised("json.decoder.JSONDecodeError", ""), "raises JSONDecodeError"),
        (TimedOut(1.0), "does not finish within 1 s"),
        (OutOfMemory(1 << 30), "needs more than 1024 MB of memory"),
        (Crashed("SIGSEGV"), "crashes (SIGSEGV)"),
        (Refused("open"), "is refused open"),
        (Unserialisable("socket"), "returns something that cannot be compared (socket)"),
        (Returned(encode(None), stdout="hi\n"), "returns None and prints 'hi\\n'"),
        (Returned(Encoded("{forged")), "returns <unreadable"),
    ],
)
def test_an_outcome_is_a_verb_phrase(observation: Observation, phrase: str) -> None:
    assert outcome_text(observation).startswith(phrase)


@pytest.mark.parametrize(
    ("observation", "phrase"),
    [
        (Returned(encode("he eats and leaves early")), "return 'he eats and leaves early'"),
        (Returned(encode(None), stdout="and prints it"), "return None and print 'and prints it'"),
        (TimedOut(1.0), "do not finish within 1 s"),
        (Refused("open"), "are refused open"),
        (LoadFailed("NameError", ""), "cannot be loaded (NameError)"),
    ],
)
def test_several_do_what_one_does_and_what_is_quoted_stays(
    observation: Observation, phrase: str
) -> None:
    assert outcome_text(observation, number=2) == phrase


def test_several_leave_their_arguments_and_files() -> None:
    changed = Returned(encode(None), args_after=encode([[[2]], {}]), files_after=encode({"a": "b"}))
    assert outcome_text(changed, Returned(encode(None)), number=3) == (
        "leave their arguments as ([2]) and leave the files 'a': 'b'"
    )


def test_what_two_outcomes_share_does_not_hide_what_they_differ_in() -> None:
    changed = Returned(encode(None), args_after=encode([[[2]], {}]))
    kept = Returned(encode(None))
    assert outcome_text(changed, kept) == "leaves its arguments as ([2])"
    assert outcome_text(kept, changed) == "leaves its arguments alone"


@pytest.mark.parametrize(
    ("qualname", "call", "left", "phrases"),
    [
        (
            "merge",
            Call(({"a": 1}, {"b": 2})),
            (None, [[{"a": 5}, {"b": 2}], {}]),
            ("leaves `base` alone", "leaves `base` as {'a': 5}"),
        ),
        (
            "merge",
            Call(({}, {}, [1], [2]), (("deep", [3]),)),
            ([[{}, {1: 2}, [1], []], {"deep": [3]}], [[{}, {}, [1], [2]], {"deep": []}]),
            (
                "leaves `extra` as {1: 2} and `others[1]` as [] and `deep` alone",
                "leaves `deep` as [] and `extra` and `others[1]` alone",
            ),
        ),
        # What it was made as, the sandbox alone knows.
        (
            "Box.shrink",
            Call((Expression("Box(3)"), Expression("date(2024, 5, 6)"))),
            (None, [[Instance("Box", (("size", 2),)), Scalar("datetime.date", "2024-05-06")], {}]),
            ("leaves the object alone", "leaves the object as Box(size=2)"),
        ),
        (
            "Box.of",
            Call(([3],)),
            (None, [[[]], {}]),
            ("leaves `sizes` alone", "leaves `sizes` as []"),
        ),
    ],
)
def test_the_arguments_that_were_left_otherwise_are_told_by_name(
    qualname: str, call: Call, left: tuple[object, object], phrases: tuple[str, str]
) -> None:
    given = GivenCall(call, specified(LEAVING, qualname))
    one, other = (
        Returned(encode(None), args_after=None if its is None else encode(its)) for its in left
    )
    assert outcome_text(one, other, given=given) == phrases[0]
    assert outcome_text(other, one, given=given) == phrases[1]


def test_what_was_done_before_an_exception_is_shown_where_it_alone_differs() -> None:
    changed = Raised("ValueError", "no", args_after=encode([[[2]], {}]))
    kept = Raised("ValueError", "no")
    assert outcome_text(changed, kept) == "leaves its arguments as ([2]) and raises ValueError"
    assert outcome_text(kept, changed) == "leaves its arguments alone and raises ValueError"
    assert outcome_text(changed, Raised("KeyError", "no")) == "raises ValueError"
    assert outcome_text(changed, Returned(encode(None))) == "raises ValueError"
    loud = Raised("ValueError", "no", stdout="hi\n")
    assert outcome_text(loud, kept, number=2) == "print 'hi\\n' and raise ValueError"


def test_small_words() -> None:
    assert count(1, "input") == "1 input"
    assert count(0, "input") == "0 inputs"
    assert share(9, 10, "candidate") == "9 of 10 candidates"
    assert share(10, 10, "candidate") == "all 10 candidates"
    assert short("a" * 30 + "b" * 30, 20) == "a" * 14 + "…" + "b" * 5
    assert len(short("x" * 500)) == 60


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gaps(first, second, third)", "gaps(first, … third)"),
        ("[Decimal('1'), Decimal('2')]", "[Decimal('1'),…'2')]"),
        ("alphabetical order of everything", "alphabetical …thing"),
        ("one two three four five six seven", "one two three …seven"),
        ("a" * 40, "a" * 14 + "…" + "a" * 5),
    ],
)
def test_words_are_cut_only_where_they_are_long(text: str, shown: str) -> None:
    assert short(text, 20) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "{'a': {'x': '1', 'z': '3'}, 'b': {'x': '1', 'y': '2'}}",
            "{'a': {'x': '1', 'z': '3'}, … 'y': '2'}}",
        ),
        (
            "it = LRUCache(2); it.put('a', 1); it.put('b', 2); it.put('c', 4)",
            "it = LRUCache(2); … it.put('c', 4)",
        ),
        ("it = LRUCache(2); it.put([1, 22, 333, 4444, 55555]); it", "it = LRUCache(2); … it"),
        (
            "settings = {'a': 1}; made = overridden(settings, {'b': 2}); (made['b'], settings)",
            "settings = {'a': 1}; … settings)",
        ),
        ("Line(name='abc', number=Decimal('3.00'), price=4)", "Line(name='abc', … price=4)"),
    ],
)
def test_values_and_steps_are_cut_between_items_and_statements(text: str, shown: str) -> None:
    assert short(text, 40) == shown


@pytest.mark.parametrize("limit", [20, 34, 60])
def test_a_border_hides_no_first_difference(limit: int) -> None:
    steps = "; ".join(f"it.put('{each}', [{each}, {each * 7}])" for each in range(12))
    for place in range(len(steps)):
        text = f"{steps[:place]}\N{BLACK STAR}{steps[place:]}"
        shown = set_apart(text, steps, limit)
        assert "\N{BLACK STAR}" in shown
        assert len(shown) <= limit


@pytest.mark.parametrize(
    ("text", "other", "shown"),
    [
        (
            "[Line('b', 1), Line('a', 22, 333), Line('c', 4444)]",
            "[Line('b', 1), Line('a', 22, 334), Line('c', 4444)]",
            "… 22, 333), Line('c', 4444)]",
        ),
        (
            "it.put('b', 1); it.put('b', 2); it.get('c'); it.pop()",
            "it.put('b', 1); it.put('b', 3); it.get('c'); it.pop()",
            "… it.put('b', 2); it.get('c')…",
        ),
    ],
)
def test_what_surrounds_a_difference_begins_and_ends_with_items(
    text: str, other: str, shown: str
) -> None:
    assert set_apart(text, other, 30) == shown


@pytest.mark.parametrize(
    ("text", "other", "shown"),
    [
        ("[1, 2]", "[1, 3]", "[1, 2]"),
        ("b" * 30, "a" * 30, "b" * 14 + "…" + "b" * 5),
        ("a" * 15 + "b" + "a" * 30, "a" * 46, "…" + "a" * 10 + "b" + "a" * 7 + "…"),
        ("a" * 46, "a" * 15 + "b" + "a" * 30, "…" + "a" * 18 + "…"),
        ("a" * 30 + "bc" + "a" * 5, "a" * 31 + "c" + "a" * 5, "…" + "a" * 12 + "bc" + "a" * 5),
        ("a" * 46, "a" * 46, "a" * 14 + "…" + "a" * 5),
    ],
)
def test_what_tells_two_long_texts_apart_is_not_cut(text: str, other: str, shown: str) -> None:
    assert set_apart(text, other, 20) == shown


LEAVING = '''\
def merge(base, extra, *others, deep=None):
    """Merge."""


class Box:
    def shrink(self, by):
        """Shrink."""

    @classmethod
    def of(cls, sizes):
        """Make."""
'''


def report(call: str, value: str) -> Report:
    returns = (Words("returns "), Verbatim(value))
    outcome = Outcome.of("this function", returns, 0, is_original=True)
    return report_with(Witness(call, (outcome,), Origin.PROPOSED))


@pytest.mark.parametrize(
    ("paid", "cost"),
    [
        (Usage(9, 2000, 236), "cost: 9 requests and 2,236 tokens now"),
        (
            Usage(),
            (
                "cost: 0 requests and 0 tokens now; its replies cost 9 requests and 2,236 tokens "
                "when they were requested"
            ),
        ),
    ],
)
def test_what_was_drawn_and_paid_now_is_told_once(paid: Usage, cost: str) -> None:
    told = replace(report("f(1)", "2"), cost=Cost(paid, Usage(9, 2000, 236)))
    lines = [*report_lines(told, set(), verbose=True)]
    assert f"  {cost}" in lines
    assert summary([told], verbose=True).splitlines()[-1] == cost


def test_hover_tells_the_price_of_the_replies() -> None:
    told = replace(report("f(1)", "2"), cost=Cost(drawn=Usage(9, 2000, 236)))
    assert "2,236 tokens." in hover_markdown(told)
    told = replace(told, cost=replace(told.cost, drawn_price=Price(1234.5, "EUR")))
    assert "2,236 tokens, 1,234.50 EUR" in hover_markdown(told)


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        # A first run, of which some requests failed, or brought no completion.
        (
            Cost(Usage(12, 2500, 300), Usage(9, 2000, 236), failed=3),
            "cost: 12 requests sent (9 answered, 3 failed) and 2,800 tokens now",
        ),
        (Cost(Usage(10, 2200, 240), Usage(9, 2000, 236)), "cost: 10 requests and 2,440 tokens now"),
        # One more came out of the cache.
        (
            Cost(Usage(9, 2000, 236), Usage(10, 2200, 240)),
            (
                "cost: 9 requests and 2,236 tokens now; its replies cost 10 requests and 2,440 "
                "tokens when they were requested"
            ),
        ),
    ],
)
def test_what_replies_cost_once_is_told_only_of_those_that_were_kept(cost: Cost, said: str) -> None:
    told = replace(report("f(1)", "2"), cost=cost)
    assert summary([told], verbose=False).splitlines()[-1] == said


def test_how_sure_a_share_is_is_told_at_length_alone() -> None:
    shown = report("f(1)", "2")
    brief, verbose = (
        "\n".join(report_lines(shown, set(), verbose=verbose)) for verbose in (False, True)
    )
    for at_a_glance in (brief, hover_markdown(shown)):
        assert "9 of 10 candidates agree on the input that decides" in at_a_glance
        assert "%" not in at_a_glance
    for at_length in (verbose, page_text(shown)):
        assert "decides (95 % interval of that share: 0.55 to 0.99)" in at_length


def abstaining(path: str, problem: Problem, model: str | None = "m") -> Report:
    verdict = Verdict(Status.ABSTAINED, None, None, 0, 0)
    return replace(
        report("f(1)", ""),
        path=path,
        verdict=verdict,
        findings=(),
        problems=(problem,),
        model=model,
    )


def test_that_there_is_no_model_is_said_once_for_all_files() -> None:
    why = Problem(ProblemKind.MODEL_UNAVAILABLE, "No model is configured. Set ASSAY_BASE_URL.")
    said: set[str] = set()
    first, second = (
        [*report_lines(abstaining(path, why, None), said, verbose=False)]
        for path in ("a.py", "b.py")
    )
    assert first[1:] == [f"  note: {why.message}"]
    assert second == ["b.py:1 f: abstained: no model answers, see above"]


def test_schemes_are_named_at_length_alone() -> None:
    said = "The thorough check found no agreement, so it adds nothing. Say more in the docstring."
    tried = ("FWD-SINV confirms no sample with any of 4 witnesses", "STREAM(ENUM) has no witness")
    problems = tuple(
        Problem(ProblemKind.NOT_CONFIRMED, f"{said} ({each}.)", brief=said) for each in tried
    )
    shown = replace(abstaining("a.py", problems[0]), problems=problems)
    brief, verbose = ([*report_lines(shown, set(), verbose=verbose)] for verbose in (False, True))
    assert [line for line in brief if "note:" in line] == [f"  note: {said}"]
    for problem in problems:
        assert f"  note: {problem.message}" in verbose
    found = Triangulated("FWD-SINV", False, True, 8, (), 3, 4, (), (), Usage(9, 1000, 234))
    (line,) = triangulation_lines(found, at_length=False)
    assert line == (
        "3 of 4 solutions of transformed problems confirm this function and 8 candidates "
        "(1,234 tokens)"
    )
    assert [*triangulation_lines(found, at_length=True)] == [f"FWD-SINV: {line}"]
    none = replace(found, scheme=None, drawn=1)
    assert [*triangulation_lines(none, at_length=True)] == [
        "no agreement, so it adds nothing (1 solution of transformed problems, 1,234 tokens)"
    ]


def missing(failure: ModelError, asked: int) -> Problem:
    """The problem of so many requests, of which up to eight failed and the others were given up."""
    failures = (failure,) * min(asked, 8)
    (problem,) = MissingReplies("candidate", asked, 0, failures, gave_up=True).problems(60)
    return problem


def test_of_a_model_that_is_down_the_cause_is_said_and_numbers_at_length_alone() -> None:
    cause = 'host:1 cannot be reached: "no route"; check that the server runs.'
    what = "could not be sent and 2 more were given up"
    down = abstaining("a.py", missing(ModelUnavailable(cause, seen="host:1 cannot be reached"), 10))
    said: set[str] = set()
    first, second = (
        [*report_lines(replace(down, qualname=name), said, verbose=False)] for name in "fg"
    )
    assert first == ["a.py:1 f: abstained", f"  note: {cause}"]
    assert second == ["a.py:1 g: abstained: not asked, because host:1 cannot be reached, see above"]
    verbose = "\n".join(report_lines(down, set(), verbose=True))
    assert f"  note: {cause} (8 of 10 requests {what}.)" in verbose
    assert what not in hover_text(down)
    assert what in page_text(down)


def test_of_one_request_that_failed_it_is_not_said_that_no_model_answers() -> None:
    words = Wording("host", "some-model", 60)
    stalled, failing = words.stalled(60), words.refused(500, "")
    for failure, drawn, brief in (
        (stalled, Usage(9, 1, 1), "a request was not answered in 60 s"),
        (stalled, Usage(), "a request was not answered in 60 s"),
        (failing, Usage(9, 1, 1), "a request failed"),
        (failing, Usage(), "no model answers"),
    ):
        problem = missing(failure, 1)
        said: set[str] = set()
        first, second = (
            replace(abstaining("a.py", problem), qualname=name, cost=Cost(drawn, drawn))
            for name in ("f", "g")
        )
        assert f"  note: {failure}" in [*report_lines(first, said, verbose=False)]
        lines = [*report_lines(second, said, verbose=False)]
        assert lines == [f"a.py:1 g: abstained: {brief}, see above"]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (None, "(8 of 10 candidates agree, 18 inputs)"),
        # On the input that decides: on no other they are fewer.
        (8, "(at least 8 of 10 candidates agree, 18 inputs)"),
        (
            6,
            (
                "(8 of 10 candidates agree on the inputs that decide; "
                "they disagree on some of 18 inputs)"
            ),
        ),
    ],
)
def test_how_many_agree_is_the_least_or_said_not_to_be(own: int | None, said: str) -> None:
    verdict = Verdict(Status.TRUSTED, 0.65, Support(8, 10, 0.44, 0.97), 20, 18)
    trusted = replace(report("f(1)", "2"), verdict=verdict, findings=())
    if own is not None:
        outcomes = (
            Outcome.of(f"this function and {own} of 10 candidates", (), own, is_original=True),
            Outcome.of(f"{10 - own} of 10 candidates", (), 10 - own, is_original=False),
        )
        trusted = replace(trusted, dissent=Witness("f(2)", outcomes, Origin.PROPOSED))
    assert [*report_lines(trusted, set(), verbose=False)] == [
        f"a.py:1 f: trusted, confidence 0.65 that it is right {said}"
    ]


def test_of_functions_whose_findings_are_ignored_the_number_is_said() -> None:
    shown = report("f(1)", "2")
    ignored = replace(shown, findings=(), ignored=(Code.DIFFERS,))
    partly = replace(shown, ignored=(Code.AMBIGUOUS,))
    told = summary([shown, ignored, partly, ignored], verbose=False)
    assert told.splitlines()[0] == "4 functions: 4 suspect (2 ignored)"


def test_what_our_sentences_set_in_backticks_is_code_in_a_hover() -> None:
    problem = Problem(ProblemKind.NO_DOCSTRING, "`own_name` has no docstring; write *one*.")
    shown = hover_markdown(replace(report("f(1)", "2"), problems=(problem,)))
    assert "`own_name` has no docstring; write \\*one\\*." in shown.split("\n\n")
    odd = Problem(ProblemKind.NOT_RUN, "It says `a_b` and ` [see](https://evil.test).")
    shown = hover_markdown(replace(report("f(1)", "2"), problems=(odd,)))
    assert "It says \\`a\\_b\\` and \\` \\[see\\](`https://evil.test`)." in shown.split("\n\n")


def test_of_many_files_those_that_a_call_names_come_first() -> None:
    files = (("a.csv", "1" * 80), ("b.csv", "2"))
    text = call_text(Call(("b.csv",), scene=Scene(files)), specified(MODULE, "f"), 60)
    assert "where b.csv holds '2', a.csv holds '1" in text


def test_a_hover_shows_call_outcomes_and_evidence() -> None:
    text = hover_markdown(report("f(1)", "2"))
    assert "**Assay: suspect** (confidence 0.90 that it is wrong)" in text
    assert "- this function returns `2`" in text
    assert "9 of 10 candidates agree on the input that decides. 18 of 20 inputs used" in text


def test_a_hover_begins_with_the_counterexample() -> None:
    assert hover_markdown(report("f(1)", "2")).startswith(
        "`ASY101`  `f(1)` (proposed by the model)"
    )


def test_a_hover_beside_diagnostics_does_not_repeat_them() -> None:
    for hover in (hover_markdown, hover_text):
        text = hover(report("f(1)", "2"), beside=True)
        assert text.startswith("The input: proposed by the model")
        assert "f(1)" not in text
        assert "Assay: suspect" in text


@pytest.mark.parametrize("value", ["a | b", "``` x ```", "`", "<img src=x>", "a\\|b", "\n# big"])
def test_values_cannot_break_out_of_a_hover(value: str) -> None:
    text = hover_markdown(report(f"f({value!r})", repr(value)))
    (row,) = [line for line in text.splitlines() if line.startswith("- this")]
    fence = row[len("- this function returns ") :]
    ticks = len(fence) - len(fence.lstrip("`"))
    inner = fence[ticks:-ticks]
    assert fence.endswith("`" * ticks)
    assert "`" * ticks not in inner
    assert repr(value) in inner


@pytest.mark.parametrize(
    "value", ["__init__", "*args, **kwargs", "a_b_c", "`x`", "\\_", "# x", "|-|"]
)
def test_plain_text_leaves_code_as_it_is(value: str) -> None:
    text = hover_text(report(f"f({value})", value))
    assert f"f({value}) (proposed by the model)" in text
    assert f"- this function returns {value}\n" in text
    assert text.startswith("ASY101  f(")
    assert "\n\nAssay: suspect (confidence 0.90 that it is wrong)\n\n" in text


def test_results_are_written_with_the_names_that_the_module_has() -> None:
    text = "from decimal import Decimal\n\n\ndef f(xs):\n    'Doc.'\n    return xs, Decimal(0)\n"
    given = GivenCall(Call(([1],)), specified(text))
    cents, more = Scalar("decimal.Decimal", "2.35"), Scalar("decimal.Decimal", "2.5")
    one = Returned(encode(cents), args_after=encode([[[cents]], {}]))
    other = Returned(encode(more), args_after=encode([[[more]], {}]))
    told = outcome_text(one, other, given=given)
    assert told == "returns Decimal('2.35') and leaves `xs` as [Decimal('2.35')]"
    huge = Returned(encode(["x" * 30_000, cents]))
    assert "decimal.Decimal('2.35')" in outcome_text(huge, limit=40_000, given=given)


@pytest.mark.parametrize(
    ("scalar", "written"),
    [
        (Scalar("re.Pattern", "32:aa"), "re.compile('aa')"),
        (Scalar("re.Pattern", "34:a:'b"), 're.compile("a:\'b", re.IGNORECASE)'),
        (Scalar("re.Pattern", "58:a"), "re.compile('a', re.IGNORECASE | re.MULTILINE | re.DOTALL)"),
        (Scalar("re.Pattern", "256:a"), "re.compile('a', re.ASCII)"),
        (Scalar("re.Pattern", "b0:a\xff"), "re.compile(b'a\\xff')"),
        (Scalar("re.Pattern", "b4:a"), "re.compile(b'a', re.LOCALE)"),
        # What a program wrote there.
        (Scalar("re.Pattern", "many:a"), "re.Pattern('many:a')"),
        (Scalar("re.Pattern", "b0:\u20ac"), "re.Pattern('b0:€')"),
        (Scalar("re.Pattern", f"{1 << 70}:a"), f"re.Pattern('{1 << 70}:a')"),
        (Scalar("NotImplementedType", "NotImplemented"), "NotImplemented"),
        (Scalar("ellipsis", "..."), "..."),
        (Scalar("ellipsis", "more"), "ellipsis('more')"),
    ],
)
def test_a_value_is_written_as_in_a_program(scalar: Scalar, written: str) -> None:
    assert render(scalar) == written
