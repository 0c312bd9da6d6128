"""Rows of the sales export and the figures drawn from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

DEFAULT_CHANNEL = "web"


class SaleRow(TypedDict):
    """One line of the nightly export; a returned article has a negative quantity."""

    order_id: str
    sku: str
    quantity: int
    unit_cents: int
    channel: NotRequired[str]
    voided: NotRequired[bool]


@dataclass(frozen=True)
class SalesSummary:
    """Figures for one export."""

    orders: int
    revenue_cents: int
    average_cents: int
    by_channel: dict[str, int] = field(default_factory=dict)
