"""Lists and texts that a docstring says are sorted, of digits: what is run keeps to that."""

from __future__ import annotations

import math
import string

import pytest

from assay_engine.cli.text import report_lines
from assay_engine.inputs.admission import Admission
from assay_engine.inputs.gather import gather_inputs
from assay_engine.inputs.preconditions import Preconditions
from assay_engine.inputs.preconditions.lengths import SameLength, stated_lengths
from assay_engine.inputs.preconditions.shape import (
    Distinct,
    NotEmpty,
    Ordered,
    Rectangular,
    Shape,
    Spelled,
)
from assay_engine.inputs.preconditions.shapes import stated_shapes
from assay_engine.inputs.preconditions.subjects import Parameters
from assay_engine.running.laboratory import Laboratory
from assay_engine.saying.hover import hover_text
from assay_engine.types import Draw, Origin, Reply, Specification, Status, Usage
from assay_sandbox import Call, Expression
from support.specifying import specified
from support.trials import put_on_trial, scripted

DIGITS = frozenset(string.digits)
LOWER = frozenset(string.ascii_lowercase)
BITS = frozenset("01")


def documented(docstring: str, header: str = "def f(xs: list[int]):") -> Specification:
    text = f"{header}\n    {docstring!r}\n    return xs\n"
    return specified(text)


XS = Ordered("xs")


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Given a sorted list xs, find x.", [XS]),
        ("Return the index of x in the sorted list xs, or -1.", [XS]),
        ("Find x in a sorted array.", [XS]),
        ("Insert x into a sorted list.", [XS]),
        ("Remove duplicates from a sorted list.", [XS]),
        ("Return the median of a sorted list of numbers.", [XS]),
        ("Given a list of numbers sorted in non-decreasing order, count x.", [XS]),
        (
            "Takes a list of integers xs, which is sorted in descending order.",
            [Ordered("xs", True)],
        ),
        ("Takes a strictly increasing sequence xs.", [XS, Distinct("xs")]),
        ("Search xs, a tuple in descending order.", [Ordered("xs", True)]),
        ("xs -- list of numbers, sorted and without duplicates", [XS, Distinct("xs")]),
        ("Args:\n    xs: The edges, must be strictly increasing.", [XS, Distinct("xs")]),
        ("Args:\n    xs: The edges\n    sorted_xs: sorted, if known", []),
        ("Args:\n    xs: The edges\n    ys: Others, must be sorted", []),
        ("Args:\n    xs: The edges,\n        must be sorted", [XS]),
        ("Given xs, a list sorted row by row.", []),
        ("A list xs sorted in ascending order, then rotated.", []),
        ("Precondition: xs is non-empty and has no order.", [NotEmpty("xs")]),
        ("Takes a sorted list xs of numbers in descending order.", [Ordered("xs", True)]),
        ("Args:\n    xs: A sorted list of ints.\n    x: What to find.", [XS]),
        (
            "Args:\n    xs (list[int]): The values, sorted in descending order.",
            [Ordered("xs", True)],
        ),
        ("xs : list of int, sorted\n    The values.", [XS]),
        (":param xs: list of ints in ascending order", [XS]),
        ("xs must be sorted.", [XS]),
        ("Args:\n    xs: The values. Must be sorted.", [XS]),
        ("Assumes that `xs` is already sorted in ascending order.", [XS]),
        ("The list is assumed to be sorted.", [XS]),
        ("Check if x is in the sorted list xs.", [XS]),
        ("Find x in a sorted list, or in an unsorted one.", []),
        ("Return a sorted list of the items.", []),
        ("Return the items of xs as a sorted list.", []),
        ("Return xs sorted in descending order.", []),
        ("Sort the list xs in ascending order.", []),
        ("Sort the given list in ascending order.", []),
        ("Given list xs, return it sorted in ascending order.", []),
        ("Check whether xs is sorted.", []),
        ("Return True if the list is sorted.", []),
        ("If xs is already sorted, return it.", []),
        ("The list xs is sorted in place.", []),
        ("Given a sorted list of words by length.", []),
        ("xs: a sorted list or a generator", []),
        ("The result must be sorted.", []),
        ("Given a list of distinct integers, return x.", [Distinct("xs")]),
        ("Takes a list xs without duplicates.", [Distinct("xs")]),
        ("xs: a list with unique elements", [Distinct("xs")]),
        ("xs must not contain duplicates.", [Distinct("xs")]),
        ("xs has to be free of duplicates.", [Distinct("xs")]),
        ("xs contains no repeated items.", [Distinct("xs")]),
        ("Takes a list xs with duplicates.", []),
        ("Return the list of unique elements in xs.", []),
        ("Count the distinct elements of the list xs.", []),
        ("Return the list without duplicates.", []),
        ("Given a non-empty list of integers xs.", [NotEmpty("xs")]),
        ("xs must not be empty.", [NotEmpty("xs")]),
        ("Takes a list xs with at least one element.", [NotEmpty("xs")]),
        ("The list must have at least two elements.", [NotEmpty("xs")]),
        ("Return 0 for an empty list, the largest of a non-empty list xs.", []),
        ("Takes a string xs consisting only of lowercase letters.", [Spelled("xs", LOWER)]),
        ("xs: string of digits", [Spelled("xs", DIGITS)]),
        ("Given a binary string xs", [Spelled("xs", BITS)]),
        ("Given a list of strings, where each string consists of only digits, add.", "digits"),
        ("Takes a string xs containing only '(' and ')'.", [Spelled("xs", frozenset("()"))]),
        ("A string xs of digits and an integer x", [Spelled("xs", DIGITS)]),
        ("Takes a string xs of lowercase letters and spaces.", [Spelled("xs", LOWER | {" "})]),
        ("Takes a string xs of lowercase letters and punctuation.", []),
        ("Takes a string xs of digits, hyphens and spaces.", []),
        ("xs consists of only lowercase English letters.", [Spelled("xs", LOWER)]),
        ("xs[i] contains only lowercase letters.", [Spelled("xs", LOWER)]),
        ("The string contains only digits.", [Spelled("xs", DIGITS)]),
        ("Return True if xs contains only digits.", []),
        ("Return xs so that the string contains only digits.", []),
        ("xs: made up of the letters A, C, G and T", []),
        ("Returns strings where each string consists of only digits.", []),
        ("Chain functions xs of one argument.", []),
        ("xs: functions of 1 argument", []),
        ("xs: a list of one.", []),
        ("xs: functions of zero or one argument", []),
        ("xs: the names of one person", []),
        ("xs: texts of `x`", []),
        ("xs: texts of 'x' and `+`", [Spelled("xs", frozenset("x+"))]),
        ("Takes a list xs of one type.", []),
        ("xs: rows of one length", []),
        ("xs: texts of one, two or three words", []),
        ("xs: a string of zero and one", [Spelled("xs", BITS)]),
        ("xs: a string of 0 and 1", [Spelled("xs", BITS)]),
        ("xs: a string of 0, 1 and spaces", [Spelled("xs", BITS | {" "})]),
        ("xs: a string of ones", [Spelled("xs", frozenset("1"))]),
        ("Rotate a square matrix by a quarter.", [Rectangular("xs", square=True)]),
        ("Transposes a square matrix.", [Rectangular("xs", square=True)]),
        ("Rotate the rows of x into a square matrix.", []),
        ("Return a square matrix.", []),
        ("Given a square matrix, rotate it.", [Rectangular("xs", square=True)]),
        ("Transpose the matrix xs.", [Rectangular("xs")]),
        (
            "Given an n x n matrix xs, rotate it.",
            [Rectangular("xs"), Rectangular("xs", square=True)],
        ),
        ("Takes an m x n matrix xs.", [Rectangular("xs")]),
        ("Say if all rows of the matrix xs have the same length.", []),
        ("Return a matrix of xs.", []),
    ],
)
def test_what_is_stated_about_lists_and_texts(docstring: str, expected: list[Shape] | str) -> None:
    found = stated_shapes(docstring, Parameters(("xs", "x"), ("xs",)))
    assert list(found) == ([Spelled("xs", DIGITS)] if expected == "digits" else expected)


SEARCH = Parameters(("xs", "x", "binary", "is_sorted"), ("xs",))


@pytest.mark.parametrize(
    "docstring",
    [
        "Find the index of x in a sorted list xs if is_sorted, otherwise scan.",
        "xs must be sorted when binary is true.",
        "xs must be sorted, unless binary is none.",
        "xs must be sorted where binary is true.",
        "xs must be sorted and distinct when binary is true.",
        "xs must be sorted if binary.",
        "xs must not be empty when binary is set.",
        "xs is assumed to be sorted if binary is set.",
        "When binary is set, xs must be sorted.",
        "If binary is set, search the sorted list xs.",
        "xs: a sorted list if binary is set, else any.",
        "xs contains only digits when binary is set.",
        "Takes a sorted list xs, and anything else is sorted first.",
    ],
)
def test_what_is_stated_for_some_case_is_not_stated(docstring: str) -> None:
    assert stated_shapes(docstring, SEARCH) == ()


@pytest.mark.parametrize(
    "docstring",
    [
        "xs must be sorted if given.",
        "xs must be sorted unless it is empty.",
        "Return the index of x in the sorted list xs, or -1 if x is absent.",
        "Return the index of x in the sorted list xs if x is in it, otherwise -1.",
        "Return the index of x in the sorted list xs if found, otherwise -1.",
        "Find x in the sorted list xs and return its index, or -1 if x is absent.",
        "Given a sorted list xs, find x, by halving when binary is set.",
        "Given a sorted list xs, return True if x is there, otherwise False.",
        "Given a sorted list xs of positive or negative numbers, find x.",
        "If there are several, return the first index of x in the sorted list xs.",
        "Work on the sorted list xs and on nothing else.",
        "Find x in the sorted list xs. Otherwise, scan.",
    ],
)
def test_what_is_stated_beside_other_cases_is_stated(docstring: str) -> None:
    assert stated_shapes(docstring, SEARCH) == (XS,)


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Merge two sorted lists into one.", [Ordered("a"), Ordered("b")]),
        ("Merge two sorted lists a and b.", [Ordered("a"), Ordered("b")]),
        ("Given a sorted list, find it in the other.", []),
        ("Takes a sorted list b.", [Ordered("b")]),
        (
            "Two strings a and b consisting only of 1s and 0s.",
            [Spelled("a", BITS), Spelled("b", BITS)],
        ),
        ("a and b must be sorted.", [Ordered("a"), Ordered("b")]),
        ("Merge two lists, each in ascending order.", [Ordered("a"), Ordered("b")]),
        ("Takes two lists, both sorted.", [Ordered("a"), Ordered("b")]),
        ("Merge two lists of numbers, each in ascending order.", [Ordered("a"), Ordered("b")]),
        ("Merge a list of lists, each in ascending order.", []),
        ("Merge two lists of lists, each in ascending order.", []),
        ("Given a list, each in ascending order.", []),
        ("Return two lists, each in ascending order.", []),
        ("Split it into two lists, each in ascending order.", []),
        ("Sort two lists, each in ascending order.", []),
    ],
)
def test_which_of_two_is_meant(docstring: str, expected: list[Shape]) -> None:
    assert list(stated_shapes(docstring, Parameters(("a", "b"), ("a", "b")))) == expected


def test_an_article_is_no_parameter() -> None:
    both = Parameters(("A", "x"), ("A",))
    assert stated_shapes("Find x in a sorted list a caller has.", both) == (Ordered("A"),)
    assert stated_shapes("Search the sorted list A.", both) == (Ordered("A"),)


@pytest.mark.parametrize(
    ("docstring", "names"),
    [
        ("Given two strings of equal length", "ab"),
        ("Two lists of the same length, a and b", "ab"),
        ("Takes two equal-length lists a and b.", "ab"),
        ("a and b must have the same length.", "ab"),
        ("The lists have the same length.", "ab"),
        ("All lists in a have the same length.", ""),
        ("b must have the same length as a.", "ba"),
        ("a: The keys.\nb: list of values, same length as `a`", "ba"),
        ("a: a list, or a list of lists of the same length as b", ""),
        (
            "Split the lists or join them.\n\na: The keys.\nb: list of values, same length as `a`",
            "ba",
        ),
        ("a and b hold the same number of elements: both have the same number of elements", ""),
        ("Constraints:\n    len(a) == len(b)", "ab"),
        ("a.length == b.length", "ab"),
        ("Return True if len(a) == len(b).", ""),
        ("Returns a list of the same length as a.", ""),
        ("Both lists have the same length.", "ab"),
        ("Interleave 3 lists of the same length.", ""),
        ("Return whether a and b have the same length.", ""),
        ("If both strings are of the same length, add.", ""),
        ("Return two lists of the same length.", ""),
        ("Split it into two lists of the same length.", ""),
        ("Takes two lists of the same length if asked to be strict.", ""),
        ("Zip two lists of the same length, otherwise stop at the shorter.", ""),
        ("len(a) == len(b) when both are given", "ab"),
    ],
)
def test_what_is_stated_about_lengths(docstring: str, names: str) -> None:
    found = list(stated_lengths(docstring, Parameters(("a", "b"), ("a", "b"))))
    assert found == ([SameLength(tuple(names))] if names else [])


@pytest.mark.parametrize(
    ("shape", "value", "mended"),
    [
        (XS, [3, 1, 2], [1, 2, 3]),
        (XS, (2, 1), (1, 2)),
        (Ordered("xs", True), [1, 3, 3], [3, 3, 1]),
        (XS, ["b", "a"], ["a", "b"]),
        (XS, [(2, 1), (1, 5)], [(1, 5), (2, 1)]),
        (Distinct("xs"), [1, 2, 1.0, 3], [1, 2, 3]),
        (Distinct("xs"), [[1], [2], [1]], [[1], [2]]),
        (Distinct("xs"), "abca", "abc"),
        (Spelled("xs", DIGITS), "a1b2", "12"),
        (Spelled("xs", DIGITS), ["x", ("1y",)], ["", ("1",)]),
        (Rectangular("xs"), [[1, 2], [3]], [[1], [3]]),
        (Rectangular("xs", square=True), [[1, 2, 3], [4, 5, 6]], [[1, 2], [4, 5]]),
        (Rectangular("xs", square=True), [[1], [2], [3]], [[1]]),
    ],
)
def test_what_does_not_hold_is_mended(shape: Shape, value: object, mended: object) -> None:
    assert not shape.holds(value)
    assert shape.mended(value) == mended
    assert type(shape.mended(value)) is type(mended)
    assert shape.holds(mended)
    assert shape.mended(mended) == mended


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (XS, [1, "a"]),
        (XS, [math.nan, 1.0]),
        (NotEmpty("xs"), []),
        (NotEmpty("xs"), ""),
    ],
)
def test_what_cannot_be_mended_does_not_hold(shape: Shape, value: object) -> None:
    assert not shape.holds(shape.mended(value))


@pytest.mark.parametrize("value", [None, 3, {2: 1}, [Expression("b()"), Expression("a()")], []])
def test_nothing_is_said_of_other_values(value: object) -> None:
    for shape in (XS, Distinct("xs"), Spelled("xs", DIGITS), Rectangular("xs")):
        assert shape.holds(value)
        assert shape.mended(value) == value


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("sorted " * 20_000, []),
        ("sorted" + " " * 100_000 + "list", []),
        ("sorted list of a " * 20_000, [Ordered("a")]),
        ("string of digits, " * 20_000, []),
        ("of 'a' and " * 20_000, []),
        ("a and " * 20_000 + "must be sorted", []),
        ("a and " * 20_000 + "must have the same length", []),
        ("list, " * 20_000 + "sorted", []),
        ("two a lists of the same length" * 20_000, []),
        ("a: " * 20_000 + "sorted", []),
        ("a:\n  " * 20_000 + " sorted list", [Ordered("a")]),
        ("find in a sorted list " * 20_000, []),
        ("non-empty " * 20_000 + "list", []),
        ("must not be empty " * 20_000, []),
        ("the " * 50_000 + "sorted list", []),
    ],
    ids=range(15),
)
def test_a_docstring_made_to_be_slow_is_not(docstring: str, expected: list[Shape]) -> None:
    parameters = Parameters(("a", "b"), ("a", "b"))
    assert list(stated_shapes(docstring, parameters)) == expected
    assert list(stated_lengths(docstring, parameters)) == []


def test_an_example_that_breaks_it_takes_it_back() -> None:
    stated = documented("Find the first of a sorted list xs.")
    assert not Preconditions(stated, []).keep(Call(([2, 1],)))
    assert Preconditions(stated, [Call(([3, 2],))]).keep(Call(([2, 1],)))
    lengths = documented("Takes two lists of the same length.", "def f(xs: list, ys: list):")
    assert not Preconditions(lengths, []).keep(Call(([1], [])))
    assert Preconditions(lengths, [Call(([1, 2], [1]))]).keep(Call(([1], [])))


@pytest.mark.parametrize(
    ("proposed", "kept"),
    [
        ([[1, 2], [], [2, 3], [1], [2, 1]], True),
        ([[1, 2], [3, 2], [2, 3], [2, 1]], True),
        ([[1, 2], [3, 2], [2, 3], [2, 1], [5, 4]], False),
        # Too few to say.
        ([[3, 2], [2, 1]], True),
        # Of another type than annotated: whoever proposes that has not read what is stated.
        ([[1, 2], [2, 1], ["b", "a"], ["d", "c"], ["f", "e"]], True),
    ],
)
def test_most_proposals_that_break_it_take_it_back(proposed: list[object], kept: bool) -> None:
    stated = documented("Find the first of a sorted list xs.", "def f(xs: list[int]):")
    admission = Admission(stated, [], [Call((xs,)) for xs in proposed])
    assert admission.admits(Call(([9, 8],))) == (not kept)
    assert admission.stated == (("xs is sorted",) if kept else ())


def test_where_refusals_are_documented_everything_is_tried() -> None:
    stated = documented("Search the sorted list xs. Raises ValueError if it is not.")
    assert Preconditions(stated, []).keep(Call(([2, 1],)))
    assert Preconditions(stated, []).mended(Call(([2, 1],))) == Call(([2, 1],))


def test_arguments_are_mended_where_they_are_passed() -> None:
    header = "def f(k: int, xs: list[int], ys: list[int]):"
    docstring = "Takes k and two lists of the same length. xs must be sorted."
    stated = Preconditions(documented(docstring, header), [])
    given = Call((5, [3, 1, 2]), kwargs=(("ys", [9, 8]),))
    assert stated.mended(given) == Call((5, [1, 2]), kwargs=(("ys", [9, 8]),))
    assert stated.mended(Call((5,))) == Call((5,))
    assert stated.mended(Call((5, [2, 1], [], "more"))) == Call((5, [], [], "more"))


@pytest.mark.parametrize(
    ("docstring", "told"),
    [
        ("Takes a positive integer xs.", ["xs is above 0"]),
        ("1 <= xs <= 10.5", ["xs is at least 1 and at most 10.5"]),
        ("xs must be less than 3.", ["xs is below 3"]),
        ("Search the sorted list xs. xs must be sorted.", ["xs is sorted"]),
        ("xs must be in descending order.", ["xs is sorted in descending order"]),
        ("A non-empty list xs without duplicates", ["xs is not empty", "nothing is in xs twice"]),
        ("xs contains only letters and digits.", ["xs has no other characters than '0-9A-Za-z'"]),
        ("Rotate the n x n matrix xs.", ["the rows of xs are equally long", "xs is a square"]),
        ("Turn the matrix xs.", ["the rows of xs are equally long"]),
        ("xs and ys must have the same length.", ["xs and ys are equally long"]),
        ("Adds them.", []),
    ],
)
def test_it_is_told_in_words(docstring: str, told: list[str]) -> None:
    stated = Preconditions(documented(docstring, "def f(xs, ys):"), [])
    assert list(stated.told) == told


async def test_inputs_of_every_origin_keep_to_it(laboratory: Laboratory) -> None:
    specification = documented("Find the gaps of a sorted list xs.\n\n>>> f([1, 3])\n[1, 3]\n")
    proposed = "```python\nf([4, 7, 9])\nf([7, 4])\nf([])\n```"
    replies = Draw((Reply(proposed, 0, Usage(), cached=False),), ())
    found = await gather_inputs(laboratory, specification, replies, limit=80, seed=0)
    inputs = found.inputs
    assert {entry.origin for entry in inputs} == set(Origin) - {Origin.SEARCHED, Origin.SHRUNK}
    given = [entry.call.args[0] for entry in inputs]
    assert all(xs == sorted(xs) for xs in given)
    assert [7, 4] not in given
    assert [4, 7] not in given[:3]
    assert len(inputs) > 60
    unsorted = [Call(([2, 1],)), Call(([1, 2],))]
    assert list(filter(found.admission.admits, unsorted)) == [Call(([1, 2],))]
    assert found.admission.fitted(unsorted) == (Call(([1, 2],)),) * 2


BISECTION = '''
def position(xs: list[int], x: int) -> int:
    """{promise}

    >>> position([1, 3, 5], 3)
    1
    >>> position([1, 3, 5], 4)
    -1
    """
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == x:
            while middle and xs[middle - 1] == x:
                middle -= 1
            return middle
        if xs[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1
'''
CANDIDATES = (
    "def position(xs, x):\n    return xs.index(x) if x in xs else -1\n",
    (
        "def position(xs, x):\n    for i, y in enumerate(xs):\n        if y == x:\n"
        "            return i\n    return -1\n"
    ),
    (
        "from bisect import bisect_left\n\n\ndef position(xs, x):\n    i = bisect_left(xs, x)\n"
        "    return i if i < len(xs) and xs[i] == x else -1\n"
    ),
)


@pytest.mark.parametrize(
    ("promise", "status"),
    [
        ("Return the first index of x in the sorted list xs, or -1.", Status.TRUSTED),
        ("Return the first index of x in the list xs, or -1.", Status.SUSPECT),
    ],
)
async def test_a_search_in_a_sorted_list_is_not_accused_of_others(
    laboratory: Laboratory, promise: str, status: Status
) -> None:
    model = scripted(
        [CANDIDATES[n % 2] if n < 9 else CANDIDATES[2] for n in range(10)],
        ["position([1, 2, 2, 7], 2)", "position([], 1)", "position([4], 4)", "position([1, 9], 5)"],
    )
    report = await put_on_trial(laboratory, BISECTION.format(promise=promise), "position", model)
    assert report.verdict.status is status
    stated = ("xs is sorted",) if "sorted" in promise else ()
    assert report.stated == stated
    said = "inputs keep to what the docstring states: xs is sorted"
    for text in ("\n".join(report_lines(report, set(), verbose=True)), hover_text(report)):
        assert (said in text) == bool(stated)


async def test_a_misread_docstring_is_overruled_by_what_the_model_proposes(
    laboratory: Laboratory,
) -> None:
    text = (
        "def merged(xs: list[int]) -> list[int]:\n"
        '    """Work on the sorted list xs and on nothing else."""\n    return xs\n'
    )
    candidates = [f"def merged(xs):\n    return sorted(xs)  # {n}\n" for n in range(10)]
    sorted_ones = ["merged([1, 2])", "merged([])"]
    others = ["merged([2, 1])", "merged([3, 1, 2])", "merged([5, 5, 4])"]
    misread = await put_on_trial(laboratory, text, "merged", scripted(candidates, sorted_ones))
    assert misread.stated == ("xs is sorted",)
    assert misread.verdict.status is Status.TRUSTED
    report = await put_on_trial(
        laboratory, text, "merged", scripted(candidates, [*sorted_ones, *others])
    )
    assert report.stated == ()
    assert report.verdict.status is Status.SUSPECT


@pytest.mark.parametrize(
    ("annotation", "is_stated"),
    [
        ("Node", False),
        ("Node | None", False),
        ("Optional['Node']", False),
        ("Row", True),
        ("list[Node]", True),
        ("Node | list[int]", True),
        ("Unknown", True),
        ("int | None", False),
        ("Fraction", False),
        ("OrderedDict[str, int]", False),
        ("Annotated[list[Node], 'few']", True),
        ("Annotated[Node, 'one']", False),
    ],
)
def test_what_is_no_list_is_not_said_to_be_sorted(annotation: str, is_stated: bool) -> None:
    text = f'''\
class Node:
    def __init__(self, value: int, next: "Node | None" = None) -> None:
        self.value, self.next = value, next


class Row(list):
    pass


def f(first: {annotation}, second: {annotation}):
    """Merge two sorted lists; `first` is sorted."""
    return first
'''
    assert bool(Preconditions(specified(text, "f"), ()).told) is is_stated
