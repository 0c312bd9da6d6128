"""The order of a returned dict's items, which counts where the docstring speaks of an order."""

from __future__ import annotations

import pytest

from assay_engine.deciding.voting import Standing, vote
from assay_engine.reading.order_spoken_of import speaks_of_order
from assay_engine.running.comparing import partition, same_behaviour
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Severity, Status
from assay_sandbox import Observation, Returned, Value, encode
from support.scripted_model import ScriptedModel, fenced, preferring
from support.trials import put_on_trial, scripted

SPOKEN_OF = "The same prices, sorted from the cheapest to the dearest."
BY_VALUE = f'''
def by_value(prices: dict[str, int]) -> dict[str, int]:
    """{SPOKEN_OF}"""
    return prices
'''
RIGHT = BY_VALUE.replace("return prices", "return dict(sorted(prices.items(), key=lambda p: p[1]))")
PRICES = [
    'by_value({"nut": 3, "bolt": 1, "nail": 2})',
    'by_value({"nut": 1, "bolt": 2})',
    'by_value({"nut": 2, "bolt": 1})',
    "by_value({})",
]

# A docstring that speaks of another order than that of the items.
LENGTHS = '''
def lengths(words: list[str]) -> dict[str, int]:
    """How long each of these alphabetically sorted words is."""
    return {word: len(word) for word in words}
'''
WORDS = [f"lengths({words})" for words in (["a", "bb"], ["aa", "b", "ccc"], [], ["ab"])]


def returned(value: Value) -> Observation:
    return Returned(encode(value))


ONE, OTHER = returned({"a": 1, "b": 2}), returned({"b": 2, "a": 1})


async def test_a_wrong_order_is_shown_with_both_dicts(laboratory: Laboratory) -> None:
    report = await put_on_trial(laboratory, BY_VALUE, "by_value", scripted([RIGHT], PRICES))
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert "all 10 candidates return {'bolt': 1, 'nut': 2}" in finding.message
    assert finding.message.endswith("this returns {'nut': 2, 'bolt': 1}")
    assert report.replacements
    right = await put_on_trial(laboratory, RIGHT, "by_value", scripted([RIGHT], PRICES))
    assert right.verdict.status is Status.TRUSTED


async def test_made_up_inputs_show_a_wrong_order_made_small(laboratory: Laboratory) -> None:
    """Sorted already is all that was proposed."""
    proposed = ['by_value({"nut": 1, "bolt": 2, "nail": 3})']
    report = await put_on_trial(laboratory, BY_VALUE, "by_value", scripted([RIGHT], proposed))
    (finding, *_) = report.findings
    assert "all 10 candidates return {" in finding.message


async def test_no_order_counts_that_nobody_speaks_of(laboratory: Laboratory) -> None:
    unsaid = "The same prices."
    text, rival = (each.replace(SPOKEN_OF, unsaid) for each in (BY_VALUE, RIGHT))
    report = await put_on_trial(laboratory, text, "by_value", scripted([rival], PRICES))
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings


async def test_candidates_that_differ_in_order_alone_make_nothing_ambiguous(
    laboratory: Laboratory,
) -> None:
    backwards = LENGTHS.replace("in words}", "in reversed(words)}")
    by_length = LENGTHS.replace("in words}", "in sorted(words, key=lambda w: (-len(w), w))}")
    model = scripted([LENGTHS, backwards, by_length], WORDS)
    report = await put_on_trial(laboratory, LENGTHS, "lengths", model)
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings


async def test_an_order_that_the_docstring_leaves_open_makes_nothing_ambiguous(
    laboratory: Laboratory,
) -> None:
    backwards = LENGTHS.replace("in words}", "in reversed(words)}")
    model = ScriptedModel(
        {
            "[candidate]": [fenced(backwards)],
            "[inputs]": [fenced("\n".join(WORDS))],
            "[preference]": [preferring("UNDECIDED")],
        }
    )
    report = await put_on_trial(laboratory, LENGTHS, "lengths", model)
    assert report.settling
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings
    accused = await put_on_trial(laboratory, LENGTHS, "lengths", scripted([backwards], WORDS))
    assert accused.verdict.status is Status.SUSPECT


async def test_an_order_that_candidates_have_by_chance_accuses_nobody(
    laboratory: Laboratory,
) -> None:
    by_chance = LENGTHS.replace("in words}", "in set(words)}")
    calls = [f"lengths({[*map(str, range(100, size))]})" for size in range(108, 114)]
    report = await put_on_trial(laboratory, LENGTHS, "lengths", scripted([by_chance], calls))
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings


async def test_the_order_of_a_dict_inside_counts(laboratory: Laboratory) -> None:
    text = '''
def by_town(sales: list[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """The amounts of these (town, item, amount), by town; within each, by item in alphabetical
    order. Of the same town and item the last one counts."""
    found: dict[str, dict[str, int]] = {}
    for town, item, amount in sorted(sales, key=lambda each: each[0]):
        found.setdefault(town, {})[item] = amount
    return found
'''
    right = text.replace(
        "return found", "return {t: dict(sorted(items.items())) for t, items in found.items()}"
    )
    calls = [
        'by_town([("Ulm", "nut", 1), ("Ulm", "bolt", 2)])',
        'by_town([("Ulm", "bolt", 2), ("Bonn", "nut", 1)])',
    ]
    report = await put_on_trial(laboratory, text, "by_town", scripted([right], calls))
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.endswith("this returns {'Ulm': {'nut': 1, 'bolt': 2}}")


async def test_the_order_in_which_a_method_returns_counts(laboratory: Laboratory) -> None:
    """Whatever order the private fields are in."""
    text = '''
class Tally:
    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def add(self, word: str) -> None:
        """Count a word."""
        self._seen[word] = self._seen.get(word, 0) + 1

    def common(self) -> dict[str, int]:
        """How often each word was seen, the most common first; ties in alphabetical order."""
        return dict(self._seen)
'''
    right = text.replace(
        "return dict(self._seen)",
        "self._seen = dict(sorted(self._seen.items(), key=lambda p: (-p[1], p[0])))\n"
        "        return dict(self._seen)",
    )
    calls = ["t = Tally(); t.add('a'); t.add('b'); t.add('b'); t.common()"]
    report = await put_on_trial(laboratory, text, "Tally.common", scripted([right], calls))
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.endswith("this returns {'a': 1, 'b': 2}")


def test_order_counts_in_what_is_returned_at_any_depth_and_only_if_asked() -> None:
    for wrapped in (
        lambda value: value,
        lambda value: [value],
        lambda value: {"x": (1, value)},
    ):
        one, other = returned(wrapped({"a": 1, "b": 2})), returned(wrapped({"b": 2, "a": 1}))
        assert same_behaviour(one, other)
        assert not same_behaviour(one, other, ordered=True)
        assert same_behaviour(one, one, ordered=True)
        assert partition([one, other, one]) == ((0, 1, 2),)
        assert partition([one, other, one], ordered=True) == ((0, 2), (1,))


def test_order_counts_with_keys_within_the_tolerance() -> None:
    one, near = returned({0.1: "x", 2.0: "y"}), returned({0.1 + 1e-13: "x", 2.0: "y"})
    assert same_behaviour(one, near, ordered=True)
    assert not same_behaviour(one, returned({2.0: "y", 0.1 + 1e-13: "x"}), ordered=True)


def test_the_order_of_arguments_after_the_call_does_not_count() -> None:
    one = Returned(encode(1), args_after=encode(({"a": 1, "b": 2},)))
    other = Returned(encode(1), args_after=encode(({"b": 2, "a": 1},)))
    assert same_behaviour(one, other, ordered=True)


@pytest.mark.parametrize(
    ("own", "candidates", "standing", "behaviours"),
    [
        (OTHER, [ONE] * 10, Standing.DIFFERS, 2),
        (ONE, [ONE] * 10, Standing.AGREES, 1),
        # A consensus on the order takes one along that does not keep it.
        (ONE, [*[ONE] * 9, OTHER], Standing.AGREES, 2),
        # None: the order is nobody's business.
        (ONE, [*[ONE] * 5, *[OTHER] * 5], Standing.AGREES, 1),
        (returned({"a": 1}), [*[ONE] * 5, *[OTHER] * 5], Standing.DIFFERS, 2),
        # Nor does it where they part in more.
        (ONE, [*[ONE] * 3, *[OTHER] * 2, *[returned({})] * 5], Standing.SPLIT, 2),
    ],
)
def test_order_counts_where_candidates_agree_on_it(
    own: Observation, candidates: list[Observation], standing: Standing, behaviours: int
) -> None:
    seen = vote(own, candidates, [1] * 10, (), ordered=True)
    assert (seen.standing, len(seen.behaviours)) == (standing, behaviours)


@pytest.mark.parametrize(
    "docstring",
    [
        SPOKEN_OF,
        "Sort the prices.",
        "Counts by word, most common first.",
        "Counts by word, with the\n    most frequent words first.",
        "The files by name, the newest first.",
        "Scores in descending order.",
        "The keys in alphabetical order.",
        "Names alphabetically.",
        "A dict ordered by key.",
        "Merge, keeping the order of first appearance.",
        "Merge; insertion order is preserved.",
        "The words in the order in which they were given.",
        "Count the words in order.",
        "Players ranked by score.",
        "The stops from first to last.",
        "Prices, highest to lowest.",
        "An OrderedDict of the settings.",
    ],
)
def test_a_docstring_speaks_of_an_order(docstring: str) -> None:
    assert speaks_of_order(docstring)


@pytest.mark.parametrize(
    "docstring",
    [
        "The same prices.",
        "The total of each order.",
        "The quantities in an order, by item.",
        "Read the file in order to count its words.",
        "The names in any order.",
        "The names in no particular order.",
        "The rows need not be sorted.",
        "The items, not necessarily in alphabetical order.",
        "Unsorted and unordered counts.",
        "What sort of token each word is.",
        "How many ordered items there are.",
        "The first test to fail.",
        "The highest price.",
        "Map each word to the sorted list of the positions that it stands at.",
        "Group the words by their sorted letters.",
        "Count the words of a sorted list.",
        "The input must be sorted.",
        "The values are lists in ascending order.",
        "Sort order of the result is unspecified.",
        "Do not rely on it being sorted.",
        "Need not come sorted.",
        "Map each sort key to its rows.",
        "The order is preserved within each list.",
        "In order for this to work, count.",
        "Count.\n\n    >>> sorted(count('ab').items())\n    [('a', 1), ('b', 1)]\n",
    ],
)
def test_a_docstring_does_not_speak_of_an_order(docstring: str) -> None:
    assert not speaks_of_order(docstring)
