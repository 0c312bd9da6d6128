"""Functions, and what their docstrings are meant to say otherwise, each shown in its own way."""

from __future__ import annotations

STACK = '''
class Stack:
    def __init__(self) -> None:
        self.items: list[int] = []

    def push(self, item: int) -> int:
        self.items.append(item)
        return len(self.items)

    def pop(self) -> int:
        """Take off the item that was pushed last."""
        return self.items.pop(0)
'''
LAST_OFF = "class Stack:\n    def pop(self):\n        return self.items.pop()\n"
SORTING = '''
def order(items: list[int]) -> None:
    """Put the items in order."""
    items.sort(reverse=True)
'''
ASCENDING = "def order(items):\n    items.sort()\n"
TAKING = '''
class Account:
    def __init__(self, name: str, funds: int) -> None:
        self.name = name
        self.funds = funds


def charge(accounts: list[Account], amount: int) -> list[str]:
    """Take an amount from accounts in turn; raises ValueError, and takes nothing, if that is more
    than they have.
    """
    taken = []
    for account in accounts:
        part = min(account.funds, amount)
        account.funds -= part
        amount -= part
        taken.append(account.name)
    if amount:
        raise ValueError("not enough")
    return taken
'''
ALL_OR_NOTHING = """
def charge(accounts, amount):
    if sum(each.funds for each in accounts) < amount:
        raise ValueError("not enough")
    taken = []
    for account in accounts:
        part = min(account.funds, amount)
        account.funds -= part
        amount -= part
        taken.append(account.name)
    return taken
"""
NODES = '''
class Node:
    def __init__(self, value: int, next: "Node | None" = None) -> None:
        self.value = value
        self.next = next


def joined(one: Node, other: Node) -> Node:
    """One list with the two nodes; they stay as they were."""
    one.next = other
    return one
'''
NEW_NODES = "def joined(one, other):\n    return Node(one.value, Node(other.value))\n"
TICKET = '''
from dataclasses import dataclass


@dataclass
class Ticket:
    title: str
    status: str = "open"
    assignee: str | None = None
    resolution: str | None = None

    def reopen(self) -> None:
        """Open it again, with neither an assignee nor a resolution."""
        self.status = "open"
        self.assignee = None
'''
UNRESOLVED = """
class Ticket:
    def reopen(self):
        self.status = "open"
        self.assignee = None
        self.resolution = None
"""
PASSING = '''
from collections.abc import Iterator


def passing(numbers: list[int]) -> Iterator[int]:
    """Those that are greater than all before them."""
    last = 0
    for number in numbers:
        if number > last:
            yield number
        last = number
'''
GREATEST = """
def passing(numbers):
    last = 0
    for number in numbers:
        if number > last:
            yield number
            last = number
"""
CHANGED = '''
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def changed(settings: dict[str, int], key: str, value: int) -> Iterator[dict[str, int]]:
    """Change a setting for the duration of a block, however it is left."""
    former = settings[key]
    settings[key] = value
    yield settings
    settings[key] = former
'''
IN_ANY_CASE = """
@contextmanager
def changed(settings, key, value):
    former = settings[key]
    settings[key] = value
    try:
        yield settings
    finally:
        settings[key] = former
"""
AWAITED = '''
async def doubled(number: int) -> int:
    """Twice the number."""
    return number + 2
'''
TWICE = "async def doubled(number):\n    return 2 * number\n"


NOTE = '''
def note(name: str) -> None:
    """Write a note."""
    with open(name, "w") as file:
        file.write("a")
'''
