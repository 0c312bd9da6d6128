"""Carriers: the interface the shop relies on, and two in-house implementations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Parcel:
    """What is handed to a carrier."""

    weight_grams: int
    country: str


class Carrier(Protocol):
    """Anything that can move a parcel."""

    @property
    def name(self) -> str:
        """Name shown to customers."""
        ...

    @property
    def rating(self) -> float:
        """Average customer rating, from 0 (worst) to 5 (best)."""
        ...

    def quote(self, parcel: Parcel) -> int | None:
        """Price in cents, which may be 0, or None if the parcel is not accepted."""
        ...


@dataclass(frozen=True)
class FlatRateCarrier:
    """One price for every parcel up to a weight limit, within some countries."""

    name: str
    rating: float
    price_cents: int
    max_grams: int
    countries: frozenset[str]

    def quote(self, parcel: Parcel) -> int | None:
        if parcel.country not in self.countries or parcel.weight_grams > self.max_grams:
            return None
        return self.price_cents


@dataclass(frozen=True)
class PerKiloCarrier:
    """Charges for every started kilogram and goes everywhere."""

    name: str
    rating: float
    cents_per_kilo: int

    def quote(self, parcel: Parcel) -> int | None:
        return -(-parcel.weight_grams // 1000) * self.cents_per_kilo
