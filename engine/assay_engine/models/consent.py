"""Remembers which endpoints the user has said yes to, so that nobody is asked twice."""

from __future__ import annotations

from urllib.parse import urlsplit

from assay_engine.store import Store


def has_consent(store: Store, base_url: str) -> bool:
    """Whether the user has said yes to this endpoint. Raises `StoreError`."""
    query = "SELECT 1 FROM consents WHERE base_url = ?"
    return store.transaction(
        lambda connection: connection.execute(query, (_normal(base_url),)).fetchone() is not None
    )


def give_consent(store: Store, base_url: str) -> None:
    """The user said yes. Raises `StoreError`."""
    _change(store, "INSERT OR IGNORE INTO consents VALUES (?)", base_url)


def withdraw_consent(store: Store, base_url: str) -> None:
    """The user thought better of it. Raises `StoreError`."""
    _change(store, "DELETE FROM consents WHERE base_url = ?", base_url)


def _change(store: Store, statement: str, base_url: str) -> None:
    store.transaction(lambda connection: connection.execute(statement, (_normal(base_url),)))


def _normal(base_url: str) -> str:
    """One spelling per place: a trailing slash or a capital in the host is no other endpoint."""
    address = urlsplit(base_url.strip())
    return f"{address.scheme}://{address.netloc}".lower() + address.path.rstrip("/")
