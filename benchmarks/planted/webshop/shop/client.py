"""Client of the catalog service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shop.errors import ClientError

Transport = Callable[[str, Mapping[str, str]], Mapping[str, Any]]


@dataclass(frozen=True)
class Product:
    """A product as the catalog lists it."""

    sku: str
    title: str
    archived: bool = False


@dataclass(frozen=True)
class ProductPage:
    """One page of a listing."""

    items: tuple[Product, ...]
    next_cursor: str | None


class CatalogClient:
    """Thin wrapper around the catalog's HTTP interface.

    The transport takes a path and query parameters and returns the decoded body.
    """

    def __init__(self, transport: Transport, page_size: int = 50) -> None:
        self._transport = transport
        self.page_size = page_size

    def list_products(self, category: str, cursor: str | None = None) -> ProductPage:
        """Fetch one page of a category, the first one if no cursor is given.

        The service filters after it has cut the listing into pages, so a page may
        hold fewer items than the page size, or none. The listing ends with the
        page whose `next_cursor` is None.
        """
        params = {"category": category, "limit": str(self.page_size)}
        if cursor is not None:
            params["cursor"] = cursor
        body = self._transport("/products", params)
        try:
            items = tuple(
                Product(raw["sku"], raw["title"], bool(raw.get("archived", False)))
                for raw in body["items"]
            )
        except KeyError as exc:
            raise ClientError(f"malformed page: {exc} is missing") from exc
        return ProductPage(items, body.get("next"))
