"""Values and calls are shortened by whole items, and what they differ in stays in sight."""

from __future__ import annotations

import random
import re

import pytest

from assay_engine.syntax.balanced import DEPTH_MAX, READ_CHARACTERS
from assay_engine.syntax.shortening import contrasted, shortened

TICKET = "Ticket(title='Crash', status=Status.OPEN, resolution={}, history=[Status.RESOLVED])"
CACHE = "LRUCache(capacity=3, _items=collections.OrderedDict({}))"
CARDS = "[CreditCard(name='visa', limit=decimal.Decimal('1000'), used=decimal.Decimal('{}'))]"
SIGNALS = "<generator yielding {}>"
STACK = "UndoStack(value=3, _past=[1], _future={})"
USER = "{{'db': {{'host': 'somewhere', 'port': {}}}, 'user': 'somebody'}}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f([1, 2], 'a')", "f([1, 2], 'a')"),
        (
            "it = LRUCache(3); it.put('a', 1); it.put('b', 2); it.put('c', 3); it.put('b', 20)",
            "it = LRUCache(3); … it.put('b', 20)",
        ),
        (
            "import math; from shop import Cart, Item; c = Cart(3); c.total(math.pi)",
            "… c = Cart(3); c.total(math.pi)",
        ),
        (
            "settings = {'a': 1}; made = overridden(settings, {'b': 2}); (made['b'], settings)",
            "settings = {…}; … (made['b'], settings)",
        ),
        (
            "merge_sorted(Node(value=1, next=None), Node(value=2, next=None))",
            "merge_sorted(Node(value=1, …), Node(…))",
        ),
        (
            "debounce([Signal('k', 0.0), Signal('k', 3.0), Signal('k', 6.0)], 4.0)",
            "debounce([Signal('k', 0.0), …], 4.0)",
        ),
        (
            "Ticket(title='Crash', status=Status.OPEN, resolution=None).reopen()",
            "Ticket(title='Crash', …).reopen()",
        ),
        (
            "charge([Card('v', 1000, 900)], Decimal('500'))",
            "charge([Card('v', …)], Decimal('500'))",
        ),
        ("total([100000, 200000, 300000, 400000, 5])", "total([100000, 200000, 300000, … 5])"),
        (
            "said('it is (not, a bracket] at all, it is said', 3)",
            "said('it is (not, … it is said', 3)",
        ),
    ],
)
def test_a_call_keeps_its_brackets_and_whole_items(text: str, shown: str) -> None:
    assert shortened(text, 40) == shown


@pytest.mark.parametrize(
    ("text", "other", "shown"),
    [
        (TICKET.format("None"), TICKET.format("'fixed'"), "Ticket(… resolution=None, …)"),
        (TICKET.format("'fixed'"), TICKET.format("None"), "Ticket(… resolution='fixed', …)"),
        (
            "{Status.OPEN: 1, Status.IN_PROGRESS: 0, Status.RESOLVED: 0, Status.CLOSED: 1}",
            "{Status.OPEN: 1, Status.CLOSED: 1}",
            "{… Status.IN_PROGRESS: 0, …}",
        ),
        (
            CACHE.format("{'a': 1, 'c': 3, 'b': 20}"),
            CACHE.format("{'c': 3, 'b': 20}"),
            "LRUCache(… _items=…({'a': 1, …}))",
        ),
        (
            CACHE.format("{'c': 3, 'b': 20}"),
            CACHE.format("{'a': 1, 'c': 3, 'b': 20}"),
            "LRUCache(… _items=…({'c': 3, 'b': 20}))",
        ),
        (CARDS.format(1000), CARDS.format(900), "[CreditCard(… used=Decimal('1000'))]"),
        (
            SIGNALS.format("Signal(key='k', at=0.0), Signal(key='k', at=6.0), Signal('j', at=9.0)"),
            SIGNALS.format("Signal(key='k', at=0.0)"),
            "<generator … Signal(key='k', at=6.0), …>",
        ),
        (
            SIGNALS.format("Signal(key='k', at=0.0)"),
            SIGNALS.format("Signal(key='k', at=0.0), Signal(key='k', at=6.0)"),
            "<generator … Signal(key='k', at=0.0)>",
        ),
        (
            "ListNode(value=1, next=ListNode(value=2, next=None))",
            "ListNode(value=1, next=None)",
            "ListNode(… next=ListNode(value=2, …))",
        ),
        (STACK.format("[]"), STACK.format("[2]"), "UndoStack(… _past=[1], _future=[])"),
        (USER.format(2), USER.format(1), "{'db': {… 'port': 2}, …}"),
        # Around what is missing.
        (
            f"{[*range(40), *range(41, 60)]}",
            f"{[*range(60)]}",
            "[… 35, 36, 37, 38, 39, 41, 42, 43, …]",
        ),
        # Without the type of what a field names, and at last without what is around.
        (
            "Sum(left=Number(value=1), right=Binary(left=Number(value=2), right=Number(value=3)))",
            "Sum(left=Number(value=1), right=Binary(left=Number(value=2), right=Number(value=4)))",
            "Sum(… right=…(… right=Number(value=3)))",
        ),
        (
            "Binary(middle=Binary(middle=Binary(middle=Binary(middle=Number(value=3)))))",
            "Binary(middle=Binary(middle=Binary(middle=Binary(middle=Number(value=4)))))",
            "…middle=…(middle=…(middle=…(value=3)))…",
        ),
        (
            "it's (unbalanced, " * 3,
            "it's (unbalanced; " * 3,
            "it's (unbalanced, … it's (unbalanced, ",
        ),
    ],
)
def test_what_differs_stays_whole(text: str, other: str, shown: str) -> None:
    assert contrasted(text, other, 40) == shown


WORDS = ("title", "status", "held", "items", "capacity")


def value(chance: random.Random, depth: int) -> str:
    """The text of some value, at most so deep."""
    if depth == 0 or chance.random() < 0.25:
        return chance.choice(
            (
                str(chance.randrange(10 ** chance.randrange(1, 6))),
                repr(chance.choice(WORDS)),
                repr(chance.choice(("it's", 'a "b" (c', "x, y; z]"))),
                f"Status.{chance.choice(WORDS).upper()}",
                f"decimal.Decimal('{chance.randrange(999)}.00')",
            )
        )
    inside = [value(chance, depth - 1) for _ in range(chance.randrange(6))]
    listed = ", ".join(inside)
    fields = ", ".join(f"{name}={each}" for name, each in zip(WORDS, inside, strict=False))
    keys = ", ".join(f"'{name}': {each}" for name, each in zip(WORDS, inside, strict=False))
    return chance.choice(
        (
            f"[{listed}]",
            f"({listed}{',' * (len(inside) == 1)})",
            f"{{{keys}}}",
            f"shop.Order({fields})",
            f"<generator yielding {listed or 'nothing'}>",
        )
    )


def changed(text: str, chance: random.Random) -> str:
    """The text with another value at one place, or with one item less."""
    places = [*re.finditer(r"\b\d+\b(?!\.)|Status\.\w+|\d+, ", text)]
    if not places:
        return f"[{text}]"
    place = chance.choice(places)
    new = "" if place[0].endswith(", ") else str(chance.randrange(10**5, 10**6))
    return text[: place.start()] + new + text[place.end() :]


def outside_strings(text: str) -> str:
    return re.sub(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", "", text)


def is_balanced(text: str) -> bool:
    brackets = re.sub(r"[^()\[\]{}]", "", outside_strings(text))
    while (fewer := re.sub(r"\(\)|\[\]|\{\}", "", brackets)) != brackets:
        brackets = fewer
    return not brackets


@pytest.mark.parametrize("limit", [30, 40, 60, 100])
def test_nothing_is_cut_within_a_word_or_a_pair_of_brackets(limit: int) -> None:
    chance = random.Random(limit)
    tried = 0
    while tried < 200:
        text = value(chance, 4)
        other = changed(text, chance)
        if text == other or len(text) <= limit:
            continue
        tried += 1
        shown, beside = contrasted(text, other, limit), contrasted(other, text, limit)
        assert shown != beside
        for each in (shown, shortened(text, limit)):
            assert len(each) <= limit
            assert is_balanced(each), (text, other, each)
            assert set(re.findall(r"\w+", each)) <= set(re.findall(r"\w+", text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 50_000,
        "[" * (DEPTH_MAX + 5) + "1" * 100 + "]" * (DEPTH_MAX + 5),
        "[" * 20_000 + "]" * 20_000,
        "f(" * 28 + ", ".join(["'a'"] * 8_000) + ")" * 28,
        "'\\'" * 15_000,
        '"' + "'" * 45_000,
        "[" + ", ".join(["0"] * 400_000) + "]",
        "(" + ", ".join(f"Box(a={each}, b=[{each}])" for each in range(2_000)) + ")",
        "x" * (READ_CHARACTERS + 1),
        ", ".join(["a; b"] * 5_000),
    ],
    ids=lambda text: text[:10],
)
@pytest.mark.parametrize("limit", [1, 2, 20, 40, 10_000])
def test_any_text_is_shortened_at_once(text: str, limit: int) -> None:
    middle = len(text) // 2
    other = f"{text[:middle]}1{text[middle:]}"
    for shown in (shortened(text, limit), contrasted(text, other, limit)):
        assert len(shown) <= max(limit, 3)


def test_what_is_no_value_is_shortened_as_well() -> None:
    chance = random.Random(1)
    for _ in range(2_000):
        text, other = (
            "".join(chance.choices("()[]{}<>,;'\"\\ =:.ab1…\n", k=chance.randrange(80)))
            + chance.choice(("", "<a yielding (, ), b>", "f(x, 'y')", ", ", "; "))
            for _ in range(2)
        )
        limit = chance.randrange(3, 60)
        for shown in (shortened(text, limit), contrasted(text, other, limit)):
            assert len(shown) <= limit
            assert "\n" not in shown


def test_a_long_string_is_cut_between_its_quotes() -> None:
    one, other = (f"Box(label='{'x' * 50}{end}{'x' * 50}')" for end in "ab")
    assert contrasted(one, other, 40) == f"Box(label='…{'x' * 13}a{'x' * 11}…')"
    assert shortened(one, 40) == f"Box(label='{'x' * 20}…{'x' * 6}')"


def test_a_short_string_is_shown_whole_or_not_at_all() -> None:
    assert shortened("{'name': 'somebody', 'home': 'somewhere', 'age': 30}", 40) == (
        "{'name': 'somebody', … 'age': 30}"
    )
