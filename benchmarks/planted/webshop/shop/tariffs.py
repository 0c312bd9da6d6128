"""Shipping tariffs, in cents and grams."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Zone(Enum):
    """Destination zones."""

    DOMESTIC = "domestic"
    EU = "eu"
    WORLD = "world"


class Band(NamedTuple):
    """A weight band and its base price."""

    limit_grams: int
    price_cents: int


# Sorted by weight.
BANDS: tuple[Band, ...] = (
    Band(500, 390),
    Band(2_000, 549),
    Band(5_000, 749),
    Band(10_000, 1_049),
)

EXTRA_KILO_CENTS = 120

SURCHARGE_PERCENT: dict[Zone, int] = {
    Zone.DOMESTIC: 0,
    Zone.EU: 45,
    Zone.WORLD: 130,
}

FREE_SHIPPING_FROM_CENTS = 7_500
