"""Stock kept in memory."""

from __future__ import annotations

from collections.abc import Mapping

from shop.errors import OutOfStock, UnknownSku


class StockRepository:
    """Knows what is on the shelves and which order holds how much of it."""

    def __init__(self, on_hand: Mapping[str, int]) -> None:
        self._on_hand = dict(on_hand)
        self._held: dict[str, dict[str, int]] = {}

    def available(self, sku: str) -> int:
        """Units that no order holds yet; raises UnknownSku for a foreign SKU."""
        if sku not in self._on_hand:
            raise UnknownSku(sku)
        return self._on_hand[sku] - sum(held.get(sku, 0) for held in self._held.values())

    def hold(self, order_id: str, sku: str, quantity: int) -> None:
        """Add units of one SKU to what an order holds; raises OutOfStock if too few are left."""
        available = self.available(sku)
        if quantity > available:
            raise OutOfStock(sku, quantity, available)
        held = self._held.setdefault(order_id, {})
        held[sku] = held.get(sku, 0) + quantity

    def held_by(self, order_id: str) -> dict[str, int]:
        """Units an order holds, by SKU; empty if it holds nothing."""
        return dict(self._held.get(order_id, {}))

    def release(self, order_id: str) -> None:
        """Give back everything an order holds."""
        self._held.pop(order_id, None)
