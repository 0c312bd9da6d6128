"""Append-only ledgers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    """One booking."""

    amount: int
    booked_on: date
    memo: str = ""


class Ledger:
    """Bookings of one account, in the order they were made.

    The ledger itself accepts any amount; subclasses decide what may be booked.
    """

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self._entries: list[Entry] = []

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All bookings so far."""
        return tuple(self._entries)

    def book(self, amount: int, on: date, memo: str = "") -> Entry:
        """Append a booking; a negative amount lowers the balance."""
        entry = Entry(amount, on, memo)
        self._entries.append(entry)
        return entry

    def balance(self, as_of: date | None = None) -> int:
        """Sum of the bookings up to and including a day, or of all of them."""
        return sum(e.amount for e in self._entries if as_of is None or e.booked_on <= as_of)
