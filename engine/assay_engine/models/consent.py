"""Remembers which endpoints the user has said yes to, so that nobody is asked twice."""

from __future__ import annotations

from urllib.parse import urlsplit

from assay_engine.store import Store


def has_consent(store: Store, base_url: str) -> bool:
    """Whether the user has said yes to this endpoint. Raises `StoreError`."""
    with store.transaction() as connection:
        query = "SELECT 1 FROM consents WHERE base_url = ?"
        return connection.execute(query, (_normal(base_url),)).fetchone() is not None


def give_consent(store: Store, base_url: str) -> None:
    """The user said yes. Raises `StoreError`."""
    with store.transaction() as connection:
        connection.execute("INSERT OR IGNORE INTO consents VALUES (?)", (_normal(base_url),))


def withdraw_consent(store: Store, base_url: str) -> None:
    """The user thought better of it. Raises `StoreError`."""
    with store.transaction() as connection:
        connection.execute("DELETE FROM consents WHERE base_url = ?", (_normal(base_url),))


def _normal(base_url: str) -> str:
    """One spelling per place: a trailing slash or a capital in the host is no other endpoint."""
    address = urlsplit(base_url.strip())
    return f"{address.scheme}://{address.netloc}".lower() + address.path.rstrip("/")
