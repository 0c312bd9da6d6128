"""What is told of an iterator: each item as it was when the iterator gave it."""

from __future__ import annotations

import pytest

from assay_sandbox import (
    Call,
    Cycle,
    Instance,
    Iterated,
    Limits,
    Observation,
    Program,
    Returned,
    Sandbox,
    Unserialisable,
    decode,
)

MODULE = """
import itertools, sys

def grouped():
    return itertools.groupby(["aa", "bb", "c"], len)

def groups():
    for key, group in itertools.groupby("aab"):
        yield key, group

def growing():
    grown = []
    for item in range(3):
        grown.append(item)
        yield grown

async def growing_slowly():
    for grown in growing():
        yield grown

def shared():
    numbers = iter([1, 2])
    return [numbers, [numbers]]

async def shared_slowly():
    numbers = iter([1, 2])
    for _ in range(2):
        yield [numbers]

class Node:
    def __init__(self, number):
        self.number = number
        self.whole = self

def rings():
    node = Node(0)
    for number in range(3):
        node.number = number
        yield number
        yield node

async def rings_slowly():
    for item in rings():
        yield item

def within():
    holder = []
    numbered = ([number, holder] for number in range(2))
    holder += [numbered, [[numbered]]]
    return holder

def itself():
    def own():
        yield made
        yield 1
    made = own()
    return made

def nested():
    while True:
        yield nested()

def printing():
    for number in itertools.count():
        print(number)
        yield number

def long():
    while True:
        yield "x" * 1000

async def long_slowly():
    for item in long():
        yield item

def often():
    text = ("x" * 10 for _ in range(1000))
    return [text] * 1000

def often_but_short():
    text = (number for number in range(1000))
    return [text] * 100

async def deep():
    sys.setrecursionlimit(200)
    made = []
    for _ in range(90):
        made = [made]
    yield made
    yield sys.getrecursionlimit()
"""


def seen(sandbox: Sandbox, entry: str, items: int = 1000) -> Observation:
    limits = Limits(iterator_items=items, value_bytes=1 << 18)
    (found,) = sandbox.run(Program(MODULE, entry), [Call(())], limits)
    return found


def told(sandbox: Sandbox, entry: str, items: int = 1000) -> object:
    found = seen(sandbox, entry, items)
    assert isinstance(found, Returned), found
    return decode(found.value)


def test_groups_are_told_while_they_are_there(sandbox: Sandbox) -> None:
    two = Iterated("itertools._grouper", ("aa", "bb"), True)
    one = Iterated("itertools._grouper", ("c",), True)
    assert told(sandbox, "grouped") == Iterated("itertools.groupby", ((2, two), (1, one)), True)
    found = told(sandbox, "groups")
    assert isinstance(found, Iterated)
    assert [(key, group.items) for key, group in found.items] == [("a", ("a", "a")), ("b", ("b",))]


def test_one_list_that_grows_is_told_as_it_was_each_time(sandbox: Sandbox) -> None:
    items = ([0], [0, 1], [0, 1, 2])
    assert told(sandbox, "growing") == Iterated("generator", items, True)
    assert told(sandbox, "growing_slowly") == Iterated("async_generator", items, True)


def test_an_iterator_that_is_there_twice_is_told_alike_in_both_places(sandbox: Sandbox) -> None:
    numbers = Iterated("list_iterator", (1, 2), True)
    assert told(sandbox, "shared") == [numbers, [numbers]]
    slowly = Iterated("async_generator", ([numbers], [numbers]), True)
    assert told(sandbox, "shared_slowly") == slowly


def test_items_that_lead_back_to_themselves_are_told_as_they_were(sandbox: Sandbox) -> None:
    nodes = [Instance("Node", (("number", number), ("whole", Cycle(1)))) for number in range(3)]
    items = (0, nodes[0], 1, nodes[1], 2, nodes[2])
    assert told(sandbox, "rings") == Iterated("generator", items, True)
    assert told(sandbox, "rings_slowly") == Iterated("async_generator", items, True)


def test_items_that_lead_to_what_their_iterator_is_in_are_told_from_each_place(
    sandbox: Sandbox,
) -> None:
    near = Iterated("generator", ([0, Cycle(3)], [1, Cycle(3)]), True)
    far = Iterated("generator", ([0, Cycle(5)], [1, Cycle(5)]), True)
    assert told(sandbox, "within") == [near, [[far]]]
    assert told(sandbox, "itself") == Iterated("generator", (Cycle(1), 1), True)


def test_no_more_than_the_bound_is_drawn_and_one_to_see_whether_there_is_more(
    sandbox: Sandbox,
) -> None:
    found = seen(sandbox, "printing", items=3)
    assert isinstance(found, Returned)
    assert decode(found.value) == Iterated("generator", (0, 1, 2), False)
    assert found.stdout == "0\n1\n2\n3\n"


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("long", "str: larger than 262144 bytes"),
        ("long_slowly", "async_generator: larger than 262144 bytes"),
        ("often", "generator: larger than 262144 bytes"),
        ("often_but_short", "generator: larger than 262144 bytes"),
        ("nested", "generator: nested deeper than 100 levels"),
    ],
)
def test_what_is_drawn_counts_wherever_it_is_told(sandbox: Sandbox, entry: str, what: str) -> None:
    assert seen(sandbox, entry, items=1 << 40) == Unserialisable(what)


def test_items_have_as_much_room_as_results_whatever_the_program_has_left(
    sandbox: Sandbox,
) -> None:
    found = told(sandbox, "deep")
    assert isinstance(found, Iterated)
    assert found.items[1] == 200
