"""Which fields a method has to do with."""

from __future__ import annotations

import pytest

from assay_engine.syntax.classes import fields_used

ACCOUNT = """
class Account:
    def __init__(self):
        self.balance = 0
        self.history = []
        self.blocked = set()

    def put(self, amount):
        self.balance += amount
        self.history.append(amount)

    def take(self, amount):
        {take}

    def free(self):
        return not self.blocked
"""


@pytest.mark.parametrize(
    ("take", "uses", "leaves"),
    [
        ("self.put(-amount)", {"balance"}, {"history", "blocked"}),
        ("return self.history[-1]", {"history"}, {"balance", "blocked"}),
        ("self.history.append(amount); return len(self.history)", {"history"}, {"blocked"}),
        ("return amount if self.free() else 0", {"blocked"}, {"history"}),
        ("self.history.pop()", {"history"}, {"balance"}),
        ("return self.history.append(amount)", {"history"}, {"balance"}),
    ],
)
def test_fields_are_found_in_the_method_and_what_it_calls(
    take: str, uses: set[str], leaves: set[str]
) -> None:
    used = fields_used(ACCOUNT.format(take=take), "take")
    assert used is not None
    assert uses <= used
    assert leaves.isdisjoint(used)


@pytest.mark.parametrize(
    "take", ["return vars(self)", "return amount in self", "return self[amount]", "check(self)"]
)
def test_who_hands_on_the_object_may_use_all_of_it(take: str) -> None:
    assert fields_used(ACCOUNT.format(take=take), "take") is None
