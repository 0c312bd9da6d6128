"""Stock, prices, product search and the customer leaderboard."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from money import to_cents

SHIPPING_BANDS: list[tuple[int, Decimal]] = [
    (500, Decimal("3.90")),
    (2_000, Decimal("5.50")),
    (5_000, Decimal("8.90")),
    (20_000, Decimal("16.50")),
]


class OutOfStockError(Exception):
    pass


@dataclass(frozen=True)
class OrderLine:
    sku: str
    quantity: int

    def __post_init__(self) -> None:
        if self.quantity < 1:
            raise ValueError("quantity must be at least 1")


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    tags: tuple[str, ...] = ()


def reserve_stock(stock: dict[str, int], lines: Iterable[OrderLine]) -> None:
    """Take the quantities of an order out of ``stock``.

    The reservation is all or nothing: unless the stock covers everything the
    order asks for, it is left as it was. A SKU that is not in ``stock`` has a
    stock of zero.

    Args:
        stock: The pieces on hand for each SKU; updated in place.
        lines: The lines of the order. A SKU may occur in several of them.

    Raises:
        OutOfStockError: If there are not enough pieces of a SKU.
    """
    lines = list(lines)
    for line in lines:
        if line.quantity > stock.get(line.sku, 0):
            raise OutOfStockError(line.sku)
    for line in lines:
        stock[line.sku] -= line.quantity


def shipping_cost(weight_grams: int) -> Decimal:
    """Look up the shipping price of a parcel in ``SHIPPING_BANDS``.

    Each band is for parcels up to and including its weight in grams.

    Raises:
        ValueError: If the weight is not positive or above that of the last band.

    >>> shipping_cost(1200)
    Decimal('5.50')
    """
    limits = [limit for limit, _ in SHIPPING_BANDS]
    if weight_grams <= 0 or weight_grams > limits[-1]:
        raise ValueError(f"cannot ship {weight_grams} g")
    _, price = SHIPPING_BANDS[bisect(limits, weight_grams)]
    return price


def search_products(products: Iterable[Product], query: str) -> list[Product]:
    """Find the products that match every word of ``query``.

    A word matches if it occurs anywhere in the name of the product or is equal
    to one of its tags; case does not matter. Products with more distinct words
    of the query in their name come first, and among those with equally many the
    order is by name (ignoring case), then by SKU. A query without words finds
    nothing.
    """
    words = set(query.casefold().split())
    if not words:
        return []
    found: list[tuple[tuple[int, str, str], Product]] = []
    for product in products:
        name = product.name.casefold()
        tags = {tag.casefold() for tag in product.tags}
        if all(word in name or word in tags for word in words):
            in_name = sum(word in name for word in words)
            found.append(((-in_name, name, product.sku), product))
    found.sort(key=lambda item: item[0])
    return [product for _, product in found]


def bulk_price(quantity: int, tiers: Sequence[tuple[int, Decimal]]) -> Decimal:
    """Return the total price of ``quantity`` pieces with tiered pricing.

    Args:
        quantity: The number of pieces.
        tiers: Pairs of (minimum quantity, unit price), by ascending quantity.

    Raises:
        ValueError: If the quantity is below that of the first tier.
    """
    if quantity < tiers[0][0]:
        raise ValueError(f"order at least {tiers[0][0]} pieces")
    unit_price = tiers[0][1]
    for minimum, price in tiers:
        if quantity >= minimum:
            unit_price = price
    return to_cents(unit_price * quantity)


def rank_customers(points: Mapping[str, int]) -> list[tuple[int, str]]:
    """Rank customers by points, highest first.

    Customers with the same points share a rank and are listed by name.

    Returns:
        Pairs of (rank, name), starting from rank 1.
    """
    ordered = sorted(points, key=lambda name: (-points[name], name))
    ranking: list[tuple[int, str]] = []
    for position, name in enumerate(ordered, start=1):
        if position > 1 and points[name] == points[ordered[position - 2]]:
            rank = ranking[-1][0]
        else:
            rank = position
        ranking.append((rank, name))
    return ranking
