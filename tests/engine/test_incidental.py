"""What candidates share beside their results accuses only where the docstring promises it."""

from __future__ import annotations

import pytest

from assay_engine.compare.behaviours import partition, same_behaviour
from assay_engine.compare.executor import Executor
from assay_engine.compare.policy import LENIENT, STRICT
from assay_engine.compare.votes import Standing, vote
from assay_engine.types import Input, Origin, Severity, Status
from assay_sandbox import Call, Observation, Raised, Returned, Value, encode
from support.scripted_model import ScriptedModel, Siding, fenced
from support.trials import put_on_trial, scripted


def answered(candidate: str, inputs: list[str], reading: str) -> ScriptedModel:
    return ScriptedModel(
        {
            "[candidate]": [fenced(candidate)],
            "[inputs]": [fenced("\n".join(inputs))],
            "[preference]": Siding(reading),
        }
    )


# Each function, what a right one has in its place, inputs, and how the finding ends.
CASES = {
    "the order of a dict's items": (
        (
            "def by_value(prices: dict[str, int]) -> dict[str, int]:\n"
            '    """Dieselben Preise, aufsteigend sortiert."""\n'
            "    return prices\n"
        ),
        ("return prices", "return dict(sorted(prices.items(), key=lambda p: p[1]))"),
        ['by_value({"nut": 3, "bolt": 1})', "by_value({})", 'by_value({"a": 1})'],
        "this returns {'nut': 3, 'bolt': 1}",
    ),
    "an exception that the docstring does not name": (
        (
            "def half(number: int) -> int:\n"
            '    """La mitad de un número par; con uno impar falla."""\n'
            "    return number // 2\n"
        ),
        (
            "    return number",
            "    if number % 2:\n        raise ArithmeticError\n    return number",
        ),
        ["half(4)", "half(3)", "half(0)"],
        "this returns 1",
    ),
    "parts that the result shares with an argument": (
        (
            "def merged(base: dict[str, list[int]], more: dict[str, list[int]]) -> "
            "dict[str, list[int]]:\n"
            '    """Both. The result has no dictionary or list in common with the arguments."""\n'
            "    return {**base, **more}\n"
        ),
        (
            "return {**base, **more}",
            "return {name: list(each) for name, each in {**base, **more}.items()}",
        ),
        ['merged({"a": [1]}, {})', "merged({}, {})", 'merged({}, {"b": [2], "c": []})'],
        "this leaves `base` as {'a': [… 'added to the result …rwards']}",
    ),
    "an argument left alone": (
        (
            "def cleared(items: list[int]) -> int:\n"
            '    """清空列表,并返回其中元素的个数。"""\n'
            "    return len(items)\n"
        ),
        ("return len(items)", "size = len(items)\n    items.clear()\n    return size"),
        ["cleared([1, 2])", "cleared([])", "cleared([3])"],
        "this leaves `items` alone",
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_it_accuses_where_the_docstring_promises_it(executor: Executor, name: str) -> None:
    text, (wrong, right), inputs, ending = CASES[name]
    qualname = text[4 : text.index("(")]
    voter = text.replace(wrong, right)
    accused = await put_on_trial(executor, text, qualname, answered(voter, inputs, "SECOND"))
    assert accused.verdict.status is Status.SUSPECT
    (finding,) = accused.findings
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith(ending)
    assert accused.replacements
    for reading in ("UNDECIDED", "FIRST", "BOTH", "no verdict at all"):
        spared = await put_on_trial(executor, text, qualname, answered(voter, inputs, reading))
        assert (spared.verdict.status, spared.findings) == (Status.TRUSTED, ())
        assert spared.settling


@pytest.mark.parametrize("name", CASES)
async def test_the_right_function_is_trusted_and_nothing_is_asked(
    executor: Executor, name: str
) -> None:
    text, (wrong, right), inputs, _ = CASES[name]
    qualname, voter = text[4 : text.index("(")], text.replace(wrong, right)
    report = await put_on_trial(executor, voter, qualname, scripted([voter], inputs))
    assert report.verdict.status is Status.TRUSTED
    assert not report.settling


@pytest.mark.parametrize("name", CASES)
async def test_where_candidates_do_not_agree_on_it_nothing_is_asked(
    executor: Executor, name: str
) -> None:
    text, (wrong, right), inputs, _ = CASES[name]
    qualname, voter = text[4 : text.index("(")], text.replace(wrong, right)
    model = scripted([voter, text], inputs)
    report = await put_on_trial(executor, text, qualname, model)
    assert report.verdict.status is Status.TRUSTED
    assert not report.settling
    assert not report.findings


async def test_an_order_that_candidates_have_by_chance_accuses_nobody(
    executor: Executor,
) -> None:
    text = '''
def lengths(words: list[str]) -> dict[str, int]:
    """How long each of the words is."""
    return {word: len(word) for word in words}
'''
    by_chance = text.replace("in words}", "in set(words)}")
    calls = [f"lengths({[*map(str, range(100, size))]})" for size in range(108, 117)]
    report = await put_on_trial(executor, text, "lengths", scripted([by_chance], calls))
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings


async def test_who_changes_an_argument_is_accused(executor: Executor) -> None:
    text = '''
def largest(items: list[int]) -> int:
    """The largest of the items."""
    items.sort()
    return items[-1]
'''
    right = "def largest(items: list[int]) -> int:\n    return max(items)\n"
    calls = ["largest([3, 1])", "largest([1])", "largest([1, 2, 3])"]
    report = await put_on_trial(executor, text, "largest", scripted([right], calls))
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.endswith("this leaves `items` as [1, 3]")
    # Seven of ten are no consensus on what becomes of arguments.
    otherwise = "def largest(items: list[int]) -> int:\n    return items[0] + 5\n"
    split = scripted([*[right] * 7, *[otherwise] * 3], calls, "UNDECIDED")
    report = await put_on_trial(executor, text, "largest", split)
    assert report.verdict.status is not Status.SUSPECT


def returned(value: Value) -> Observation:
    return Returned(encode(value))


ONE, OTHER = returned({"a": 1, "b": 2}), returned({"b": 2, "a": 1})
RAISED = Raised("ValueError", ("Exception",), "")


def test_order_counts_strictly_at_any_depth_within_the_tolerance() -> None:
    for wrapped in (
        lambda value: value,
        lambda value: [value],
        lambda value: {"x": (1, value)},
    ):
        one, other = returned(wrapped({"a": 1, "b": 2})), returned(wrapped({"b": 2, "a": 1}))
        assert same_behaviour(one, other)
        assert not same_behaviour(one, other, STRICT)
        assert partition([one, other, one]) == ((0, 1, 2),)
        assert partition([one, other, one], STRICT) == ((0, 2), (1,))
    near = returned({0.1 + 1e-13: "x", 2.0: "y"})
    assert same_behaviour(returned({0.1: "x", 2.0: "y"}), near, STRICT)
    assert not same_behaviour(near, returned({2.0: "y", 0.1: "x"}), STRICT)


def test_the_order_of_arguments_after_the_call_does_not_count() -> None:
    one = Returned(encode(1), args_after=encode(({"a": 1, "b": 2},)))
    other = Returned(encode(1), args_after=encode(({"b": 2, "a": 1},)))
    assert same_behaviour(one, other, STRICT)


@pytest.mark.parametrize(
    ("own", "candidates", "strictly", "leniently"),
    [
        (OTHER, [ONE] * 10, Standing.DIFFERS, Standing.AGREES),
        (ONE, [ONE] * 10, Standing.AGREES, Standing.AGREES),
        (ONE, [*[ONE] * 5, *[OTHER] * 5], Standing.SPLIT, Standing.AGREES),
        (returned({"a": 1}), [*[ONE] * 5, *[OTHER] * 5], Standing.UNDECIDED, Standing.DIFFERS),
    ],
)
def test_how_a_vote_goes_under_either_policy(
    own: Observation, candidates: list[Observation], strictly: Standing, leniently: Standing
) -> None:
    entry = Input(Call((1,)), Origin.PROPOSED)
    assert vote(entry, own, candidates, [1] * 10, (), LENIENT).standing is leniently
    strict = vote(entry, own, candidates, [1] * 10, (), STRICT).standing
    assert strict in (strictly, Standing.SPLIT)
