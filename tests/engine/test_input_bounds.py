"""Numbers that a docstring says are positive, or between two others: what is run keeps to that."""

from __future__ import annotations

import math

import pytest

from assay_engine.inputs.gather import gather_inputs
from assay_engine.inputs.preconditions import Preconditions
from assay_engine.inputs.preconditions.bound import Bound
from assay_engine.inputs.preconditions.bounds import stated_bounds
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Draw, Origin, Reply, Specification, Status, Usage
from assay_sandbox import Call
from support.specifying import specified
from support.trials import put_on_trial, scripted


def above_zero(name: str) -> Bound:
    return Bound(name, least=0, least_counts=False)


def documented(docstring: str, header: str = "def f(n: int):") -> Specification:
    text = f"{header}\n    {docstring!r}\n    return n\n"
    return specified(text)


@pytest.mark.parametrize(
    ("docstring", "parameters", "expected"),
    [
        ("Given a positive integer n, add.", ["n"], [above_zero("n")]),
        (
            "Takes two positive numbers x and y.",
            ["x", "y", "z"],
            [above_zero("x"), above_zero("y")],
        ),
        (
            "Of non-negative integers a, b and c",
            ["a", "b", "c"],
            [Bound("a", least=0), Bound("b", least=0), Bound("c", least=0)],
        ),
        ("`n` must be a nonnegative number.", ["n", "m"], [Bound("n", least=0)]),
        ("Add.\n\nHere n must\nbe a positive integer, k any.", ["n", "k"], [above_zero("n")]),
        ("Takes a list of positive integers.", ["items"], [above_zero("items")]),
        ("Takes a list of positive integers.", ["items", "k"], []),
        (
            "Args:\n    n: a natural number.\n    m (int): The positive int.",
            ["n", "m"],
            [Bound("n", least=0), above_zero("m")],
        ),
        ("Args:\n    n: How many.\n\nReturns:\n    A positive integer.", ["n"], []),
        (":param int n: a positive integer", ["n"], [above_zero("n")]),
        ("n : int\n    A positive integer.", ["n"], [above_zero("n")]),
        ("where n is a positive integer", ["n"], [above_zero("n")]),
        ("Say whether n is a positive integer.", ["n"], []),
        ("If n is a positive integer, double it.", ["n"], []),
        ("Return the positive numbers in items.", ["items"], []),
        ("Sum of a non-positive integer n.", ["n"], []),
        ("1 <= n <= 10^5", ["n"], [Bound("n", 1, 100_000)]),
        ("with 0 < x < 0.5.", ["x"], [Bound("x", 0, 0.5, False, False)]),
        ("0 ≤ x ≤ 10**9999", ["x"], [Bound("x", 0, math.inf)]),
        ("if 0 < x < 10 then one", ["x"], []),
        ("3 < 4 < 5 and 1 <= y <= 2", ["x"], []),
        ("Check whether the number n is a positive integer.", ["n"], []),
        ("Determine that the value\n    n is a positive integer.", ["n"], []),
        ("Return 1 if a and b are positive integers, else -1.", ["a", "b"], []),
        ("Tell: True, the given n is a positive integer; or False.", ["n"], []),
        ("The given n is a positive integer, else False is returned.", ["n"], []),
        ("Return True only when given a positive integer.", ["n"], []),
        ("Return a positive integer n that nobody has.", ["n"], []),
        ("n: a positive integer, or 0 for no limit", ["n"], []),
        ("Takes a positive integer n or -1.", ["n"], []),
        ("n : positive int or None.", ["n"], [above_zero("n")]),
        ("Return True when the point satisfies 0 <= x <= 10.", ["x"], []),
        ("The result r satisfies 0 <= n < 10", ["n"], []),
        ("The point satisfies 0 <= x <= 10, otherwise -1 is returned.", ["x"], []),
        ("Clamp x to 0 <= x <= 1.", ["x"], []),
        ("Clip x to the range 0 <= x <= 1.", ["x"], []),
        ("Check if the given positive integer n is prime.", ["n"], [above_zero("n")]),
        ("Check if a given positive integer is prime.", ["n"], [above_zero("n")]),
        ("Check if k is prime, where k is a positive integer.", ["k"], [above_zero("k")]),
        ("Check if n is prime. The number n is a positive integer.", ["n"], [above_zero("n")]),
        ("Return True if n is odd\n\n1 <= n <= 9", ["n"], [Bound("n", 1, 9)]),
        ("Args:\n    k: what to check\n    n: n is a positive int", ["n"], [above_zero("n")]),
        ("Write a non-negative number of bytes for people.", ["n"], [Bound("n", least=0)]),
        ("Formats a non-negative number of bytes.", ["n", "k"], []),
        ("The bits that are set in a non-negative number.", ["n"], [Bound("n", least=0)]),
        ("Return the factorial of a non-negative integer.", ["n"], [Bound("n", least=0)]),
        ("Return the digits of a positive integer, or of 0.", ["n"], []),
        ("Solve it in a non-negative number of steps.", ["n"], []),
        ("Convert it to a positive integer.", ["n"], []),
        ("Look for a positive integer.", ["n"], []),
        ("Say whether it is the square of a positive integer.", ["n"], []),
        ("Return the largest of the items. It is one of a positive number.", ["n"], []),
        ("Return the first of a positive integer and its square.", ["n"], []),
        ("Halve a positive integer n if it is even, else drop it.", ["n"], [above_zero("n")]),
    ],
)
def test_what_is_stated_about_parameters(
    docstring: str, parameters: list[str], expected: list[Bound]
) -> None:
    assert list(stated_bounds(docstring, parameters)) == expected


AT_LEAST_ONE = Bound("n", least=1)


@pytest.mark.parametrize(
    ("docstring", "parameters", "expected"),
    [
        ("n must be positive.", ["n"], [above_zero("n")]),
        ("`n` must be strictly positive", ["n"], [above_zero("n")]),
        (
            "Both x and y should be non-negative.",
            ["x", "y"],
            [Bound("x", least=0), Bound("y", least=0)],
        ),
        ("n must not be negative", ["n"], [Bound("n", least=0)]),
        ("n is expected to be at least 1", ["n"], [AT_LEAST_ONE]),
        ("n is required\nto be positive", ["n"], [above_zero("n")]),
        ("Do.\n\n`n` is positive.", ["n"], [above_zero("n")]),
        ("Chunks of n items. The n is always positive; k is not.", ["n", "k"], [above_zero("n")]),
        (
            "Add. Both x and y are non-negative",
            ["x", "y"],
            [Bound("x", least=0), Bound("y", least=0)],
        ),
        ("Do. n is never less than 1.", ["n"], [AT_LEAST_ONE]),
        ("Halve. n is not negative.", ["n"], [Bound("n", least=0)]),
        ("Requires: n >= 1", ["n"], [AT_LEAST_ONE]),
        ("Tell the sign:\nn is positive: 1\nn is negative: -1", ["n"], []),
        ("Return 1. If it is not so that\nn is positive.", ["n"], []),
        ("Do. n is positive, or so it seems.", ["n"], []),
        ("Returns 1 where\nn is positive.", ["n"], []),
        ("The result is positive.", ["n"], []),
        ("n may not be less than 1.", ["n"], [AT_LEAST_ONE]),
        ("n cannot be greater than 10.", ["n"], [Bound("n", most=10)]),
        ("n has to be at least one, and k at most 3.", ["n", "k"], [AT_LEAST_ONE]),
        ("n must be at least 1 and at most 10.", ["n"], [AT_LEAST_ONE, Bound("n", most=10)]),
        ("n must be greater than or equal to 1", ["n"], [AT_LEAST_ONE]),
        ("n needs to be greater\n than 2.5.", ["n"], [Bound("n", least=2.5, least_counts=False)]),
        ("n must be >= 1.", ["n"], [AT_LEAST_ONE]),
        ("Args:\n    n: How many. Must be at least 1.\n    k: Which.", ["n", "k"], [AT_LEAST_ONE]),
        (":param n: how many (must be >= 1)", ["n"], [AT_LEAST_ONE]),
        ("n : int\n    How many; must be positive.", ["n"], [above_zero("n")]),
        ("Halve it, where n >= 1.", ["n"], [AT_LEAST_ONE]),
        ("Assume that n ≥ 1", ["n"], [AT_LEAST_ONE]),
        ("Halve n (n > 0).", ["n"], [above_zero("n")]),
        ("Constraints:\n  - n >= 1\n  - 0 < k", ["n", "k"], [AT_LEAST_ONE, above_zero("k")]),
        ("Args:\n    n: How many.\n\nThe result. Must be positive.", ["n"], []),
        ("n must be between 1 and 10.", ["n"], [Bound("n", 1, 10)]),
        ("n must be between 0.5 and 1, inclusive.", ["n"], [Bound("n", 0.5, 1)]),
        ("Do. ``n`` is between 1 and 1440.", ["n"], [Bound("n", 1, 1440)]),
        ("Do. ``n`` is not negative.", ["n"], [Bound("n", least=0)]),
        ("Args:\n    n: between 0 and 100", ["n"], [Bound("n", 0, 100)]),
        ("n : float\n    Between 0 and 100.", ["n"], [Bound("n", 0, 100)]),
        ("Args:\n    n: positive.\n    k: which", ["n", "k"], [above_zero("n")]),
        ("Args:\n    n: how many a page holds, positive", ["n"], [above_zero("n")]),
        (":param n: how many a page holds, positive\n:returns: k", ["n"], [above_zero("n")]),
        ("Args:\n    n (int): non-negative; the first counts.", ["n"], [Bound("n", least=0)]),
        ("Args:\n    n: at least 1; the first one counts.", ["n"], [AT_LEAST_ONE]),
        ("n : int, optional\n    At least 1.", ["n"], [AT_LEAST_ONE]),
        ("Args:\n    n: at least 1 and at most 10.", ["n"], [AT_LEAST_ONE, Bound("n", most=10)]),
        ("n must not be between 1 and 10.", ["n"], []),
        ("n must be between 1 and 10 characters.", ["n"], []),
        ("n must be between 0 and 1 (exclusive).", ["n"], []),
        ("n must be between 0 and 1 or 5.", ["n"], []),
        ("Return a number between 1 and 10.", ["n"], []),
        ("Say whether n is between 1 and 10.", ["n"], []),
        ("n is between 1 and 10.", ["n"], []),
        ("Args:\n    n: how many, at most 2^32(k)", ["n"], []),
        ("Args:\n    n: how many (at least 1)", ["n"], [AT_LEAST_ONE]),
        ("Args:\n    n: at least 1, or -1 for all", ["n"], []),
        ("Args:\n    n: at least 1. -1 for all.", ["n"], []),
        ("Args:\n    n: at least 1; 0 turns it off", ["n"], []),
        ("Args:\n    n: at least 1. If negative, none.", ["n"], []),
        ("Args:\n    n: positive means up, negative down", ["n"], []),
        ("Args:\n    n: zero, positive, negative", ["n"], []),
        ("Args:\n    n: positive and negative numbers", ["n"], []),
        ("Args:\n    n: the sum of k, and if given, positive", ["n"], []),
        ("Args:\n    n: how many of those that are\n        positive", ["n"], []),
        ("Args:\n    n: How many.\n\nReturns:\n    The sum, positive.", ["n"], []),
        ("Args:\n    n: How many.\nReturns:\n    The sum, positive.", ["n"], []),
        ("Returns:\n    n: positive", ["n"], []),
        ("Yields\n------\nn : int\n    Positive.", ["n"], []),
        ("n must be at least 2 items long.", ["n"], []),
        ("n must be less than 3 * k.", ["n", "k"], []),
        ("n must be at least 1.5e3", ["n"], []),
        ("n must be positive, otherwise 0 is returned.", ["n"], []),
        ("n must be positive or -1.", ["n"], []),
        ("If n must be positive, add one.", ["n"], []),
        ("The result must be positive.", ["n"], []),
        ("n is positive.", ["n"], []),
        ("Return 1 if n is at least 2.", ["n"], []),
        ("Tell whether (n > 0).", ["n"], []),
        ("f(n) = n * f(n - 1) for n > 0", ["n"], []),
        ("F(n) = F(n - 1) + F(n - 2), n > 1", ["n"], []),
        ("where len(n) > 0", ["n"], []),
        ("where n.k > 0", ["n", "k"], []),
        ("- 1 <= n.length <= 10", ["n"], []),
        ("where n > 0 or k is given", ["n", "k"], []),
        (">>> f(1)\n>>> n > 0\nTrue", ["n"], []),
    ],
)
def test_what_is_stated_on_one_side(
    docstring: str, parameters: list[str], expected: list[Bound]
) -> None:
    assert list(stated_bounds(docstring, parameters)) == expected


@pytest.mark.parametrize(
    "docstring",
    [
        "Given a positive number of days, or a negative one for the past",
        "Given a positive number of days, or a negative number for the past.",
        "Given a positive number of days; negative ones mean the past.",
        "n must be positive, and negative numbers are dropped.",
        "Map 0 <= n <= 1 to red, and anything above to blue.",
        "Map 0 <= n <= 1 to red, otherwise to blue.",
        "Map 0 <= n <= 1 to red, else to blue.",
        "n must be positive; otherwise 0 is returned.",
        "n must be at least 1 when wrap is set.",
        "n must be at least 1, unless wrap is set.",
        "n must be at least 1 where wrap is true.",
        "n must be positive in case wrap is set, otherwise not.",
        "n must be between 1 and 10 if wrap.",
        "When wrap is set, n must be at least 1.",
        "If wrap is set, count up to a positive integer n.",
        "Return 1 for a positive integer n if wrap is set.",
        "Double n, where n >= 1 if wrap is set.",
        "1 <= n <= 100 when wrap is set",
        "Args:\n    n: Must be at least 1 when wrap is set.",
        "Raises ValueError unless n is positive.",
    ],
)
def test_a_bound_in_some_case_or_with_another_opposed_is_none(docstring: str) -> None:
    parameters = ["n", "wrap"] if "wrap" in docstring else ["n"]
    assert list(stated_bounds(docstring, parameters)) == []


@pytest.mark.parametrize(
    "docstring",
    [
        "n must be greater than 0 if given.",
        "n must be positive unless it is none.",
        "Halve a positive integer n if it is even, else drop it.",
        "Given a positive integer n, return True if wrap divides it, otherwise False.",
        "Given a positive integer n return 0 if wrap is set.",
        "Given a positive integer n, if wrap is set, return 1.",
        "n must be positive, and wrap is returned if k is 1.",
        "n must be positive; wrap is set if k is 1.",
        "n must be positive. If wrap is set, it is dropped, otherwise not.",
        "If wrap is 0, return 1. n must be positive.",
        "Args:\n    n: Must be positive.\n    wrap: if set, anything above is dropped",
    ],
)
def test_a_case_of_the_number_itself_or_of_what_is_returned_is_none(docstring: str) -> None:
    assert set(stated_bounds(docstring, ["n", "wrap", "k"])) == {above_zero("n")}


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        ("def f(n: int):", False),
        ("def f(n: list[int]):", True),
        ("def f(n):", True),
    ],
)
def test_at_least_so_many_is_said_of_lists_as_well(header: str, kept: bool) -> None:
    stated = documented("Add.\n\nArgs:\n    n: at least 2.", header)
    given = [1] if "list" in header else 1
    assert Preconditions(stated, []).keep(Call((given,))) == kept


@pytest.mark.parametrize(
    ("value", "is_within"),
    [
        (1, True),
        (0, False),
        (-0.5, False),
        (True, True),
        ("-1", True),
        (math.nan, False),
        ([1, [2]], True),
        ([1, (2, -3)], False),
        ({"k": -1}, True),
        ([], True),
        (10**400, True),
    ],
)
def test_numbers_within_a_bound(value: object, is_within: bool) -> None:
    assert above_zero("n").holds(value) == is_within


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("positive integer " * 20_000, []),
        ("positive" + " " * 100_000 + "integer" + " " * 100_000, []),
        ("x" * 100_000, []),
        (" " * 100_000, []),
        ("9" * 100_000 + " <= n", [Bound("n", least=math.inf)]),
        ("1 <= " * 20_000, []),
        ("n: " * 20_000 + "a positive integer", []),
        ("\n" * 50_000 + "Given a positive integer", [above_zero("n")]),
        ("if 1 <= n <= 9 " * 20_000, []),
        ("n" + " is a positive integer" + "\n " * 50_000 + " or 0", [above_zero("n")]),
        ("n must be at least " * 20_000, []),
        ("n must be at least 1 and " * 20_000, [AT_LEAST_ONE]),
        ("n must be at least" + " " * 100_000 + "x", []),
        ("(" * 100_000 + "n > 0", [above_zero("n")]),
        ("where " + " " * 100_000 + "n", []),
        ("n, " * 50_000 + "must be positive", []),
        ("`" * 100_000 + "n must be positive", [above_zero("n")]),
        ("n must be greater" + " " * 100_000 + "than", []),
        ("n must be at least " + "1" * 100_000, [Bound("n", least=math.inf)]),
        ("n: " + "positive, " * 20_000, []),
        ("n: positive\n" * 20_000, [above_zero("n")]),
        ("n: positive" + "\n  " * 50_000, [above_zero("n")]),
        ("n must be between 1 and " * 20_000, []),
        ("of a positive integer " * 20_000, []),
    ],
    ids=[
        "many",
        "spaces",
        "word",
        "blank",
        "digits",
        "chain",
        "entries",
        "lines",
        "chains",
        "or",
        "duties",
        "ands",
        "least",
        "brackets",
        "where",
        "names",
        "quotes",
        "greater",
        "digits of a limit",
        "items",
        "lines of items",
        "entry",
        "between",
        "objects",
    ],
)
def test_a_docstring_made_to_be_slow_is_not(docstring: str, expected: list[Bound]) -> None:
    assert set(stated_bounds(docstring, ["n"])) == set(expected)


@pytest.mark.parametrize("decorator", ["", "@classmethod\n    "])
def test_what_a_method_is_bound_to_is_no_parameter(decorator: str) -> None:
    text = (
        f"class A:\n    {decorator}def f(first, n: int):\n"
        '        """Given a positive integer, double it."""\n        return n\n'
    )
    bounds = Preconditions(specified(text, "A.f"), [])
    given = () if decorator else (None,)
    assert bounds.keep(Call((*given, 1)))
    assert not bounds.keep(Call((*given, -1)))


def test_an_example_out_of_bounds_takes_the_bound_back() -> None:
    stated = "Given a positive integer n, double it."
    assert not Preconditions(documented(stated), []).keep(Call((0,)))
    assert Preconditions(documented(stated), [Call((0,))]).keep(Call((-5,)))
    assert not Preconditions(documented(stated), []).keep(Call((), (("n", 0),)))


@pytest.mark.parametrize(
    ("docstring", "right"),
    [
        ("Check whether the number n is a positive integer.", "n > 0"),
        ("Return True when the point satisfies 0 <= n <= 10.", "0 <= n <= 10"),
    ],
)
async def test_a_function_that_asks_about_a_bound_is_tried_beyond_it(
    laboratory: Laboratory, docstring: str, right: str
) -> None:
    text = f'def f(n: int) -> bool:\n    """{docstring}"""\n    return True\n'
    candidates = [f"def f(n):\n    return {right}  # {number}\n" for number in range(10)]
    model = scripted(candidates, ["f(1)", "f(-3)", "f(20)", "f(0)"])
    report = await put_on_trial(laboratory, text, "f", model)
    assert report.verdict.status is Status.SUSPECT


def test_where_refusals_are_documented_everything_is_tried() -> None:
    stated = "Given a positive integer n, double it. Raises ValueError for anything else."
    assert Preconditions(documented(stated), []).keep(Call((-5,)))


@pytest.mark.parametrize(
    ("refusal", "free"),
    [
        ("Raises ValueError if width is negative.", {"width"}),
        (
            "Raises ValueError if width is negative. Raises KeyError if n is missing.",
            {"n", "width"},
        ),
        ("\n\nRaises:\n    ValueError: If `width` is negative.", {"width"}),
        ("\n\nRaises\n------\nValueError\n    If width is 7.", {"width"}),
        ("\n\n:raises ValueError: if width is negative", {"width"}),
        # Whose it is, is not said by a name, or not only.
        ("Raises ValueError.", {"n", "width"}),
        ("Raises ValueError if it is negative.", {"n", "width"}),
        ("Raises ValueError if width or the other number is negative.", {"n", "width"}),
        ("Raises ValueError if width is negative, and KeyError otherwise.", {"n", "width"}),
        ("Raises ValueError if width is negative.\n\nKeyError: always.", {"width"}),
    ],
)
def test_whose_refusals_are_documented_is_tried(refusal: str, free: set[str]) -> None:
    stated = f"Given a positive integer n and a positive integer width, fill. {refusal}"
    specification = documented(stated, "def f(n: int, width: int):")
    kept = Preconditions(specification, [])
    assert kept.keep(Call((-5, 1))) is ("n" in free)
    assert kept.keep(Call((1, -5))) is ("width" in free)
    assert kept.keep(Call((1, 1)))


async def test_a_refusal_of_one_argument_leaves_another_as_it_is_stated(
    laboratory: Laboratory,
) -> None:
    text = '''
def parts(total: int, step: int) -> list[int]:
    """The multiples of step up to a positive integer total.

    Raises ValueError if step is not positive.
    """
    if step < 1:
        raise ValueError(step)
    return list(range(0, total + 1, step))
'''
    other = text.replace("return", "return [] if total < 1 else")
    proposed = [
        f"parts({total}, {step})" for total, step in ((7, 2), (3, 3), (1, 4), (5, 0), (9, 1))
    ]
    report = await put_on_trial(laboratory, text, "parts", scripted([other], proposed))
    assert report.stated == ("total is above 0",)
    assert report.verdict.status is Status.TRUSTED


@pytest.mark.parametrize("denied", ["Doesn't raise ValueError.", "\n\nRaises:\n    None"])
def test_where_no_refusal_is_documented_bounds_hold(denied: str) -> None:
    stated = f"Given a positive integer n, double it. {denied}"
    assert not Preconditions(documented(stated), []).keep(Call((-5,)))


async def test_no_input_of_any_origin_is_out_of_bounds(laboratory: Laboratory) -> None:
    specification = documented("Digits of a positive integer n.\n\n>>> f(12)\n12\n")
    proposed = "```python\nf(7)\nf(-7)\nf(0)\n```"
    replies = Draw((Reply(proposed, 0, Usage(), cached=False),), ())
    found = await gather_inputs(laboratory, specification, replies, limit=60, seed=0)
    inputs = found.inputs
    assert {entry.origin for entry in inputs} == set(Origin) - {Origin.SEARCHED, Origin.SHRUNK}
    assert all(entry.call.args[0] > 0 for entry in inputs)
    asked = [Call((-1,)), Call((1,))]
    assert list(filter(found.admission.admits, asked)) == [Call((1,))]
