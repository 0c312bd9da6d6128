"""Errors raised by the shop package."""


class ShopError(Exception):
    """Base class of every error the shop raises on purpose."""


class UnknownSku(ShopError):
    """A SKU is not part of the assortment."""

    def __init__(self, sku: str) -> None:
        super().__init__(f"unknown SKU: {sku}")
        self.sku = sku


class OutOfStock(ShopError):
    """More units were asked for than the warehouse can promise."""

    def __init__(self, sku: str, requested: int, available: int) -> None:
        super().__init__(f"{sku}: requested {requested}, available {available}")
        self.sku = sku
        self.requested = requested
        self.available = available


class IllegalTransition(ShopError):
    """An event does not fit the current state of a shipment."""

    def __init__(self, state: object, event: object) -> None:
        super().__init__(f"{event} is not possible in {state}")
        self.state = state
        self.event = event


class NoCarrier(ShopError):
    """No carrier takes a parcel."""


class InsufficientPoints(ShopError):
    """A loyalty balance does not cover a redemption."""

    def __init__(self, requested: int, balance: int) -> None:
        super().__init__(f"requested {requested} points, balance is {balance}")
        self.requested = requested
        self.balance = balance


class ClientError(ShopError):
    """The catalog service answered with something unusable."""
