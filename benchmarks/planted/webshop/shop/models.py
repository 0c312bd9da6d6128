"""Orders and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum


class DiscountKind(Enum):
    """How the value of a discount is meant."""

    PERCENT = "percent"
    FIXED = "fixed"


@dataclass(frozen=True)
class Discount:
    """A discount granted on the goods of an order."""

    kind: DiscountKind
    value: Decimal
    code: str | None = None

    def amount_off(self, goods: Decimal) -> Decimal:
        """Return the nominal deduction in euros for the given value of goods.

        A fixed discount returns its face value even where the goods cost less.
        """
        if self.kind is DiscountKind.PERCENT:
            return goods * self.value / 100
        return self.value


@dataclass(frozen=True)
class OrderLine:
    """One position of an order."""

    sku: str
    quantity: int
    unit_price: Decimal

    def __post_init__(self) -> None:
        if self.quantity < 1:
            raise ValueError("quantity must be at least 1")


@dataclass
class Order:
    """An order as the checkout hands it over."""

    order_id: str
    lines: list[OrderLine] = field(default_factory=list)
    discount: Discount | None = None
    shipping_fee: Decimal = Decimal("0")
