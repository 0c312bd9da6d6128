"""Remembers what the user has said yes to, so that nobody is asked twice.

The user says yes to endpoints, by their base URL, and to interpreters inside a project, by their
file URI.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from assay_engine.store import Store


def has_consent(store: Store, address: str) -> bool:
    """Whether the user has said yes to this address. Raises `StoreError`."""
    query = "SELECT 1 FROM consents WHERE base_url = ?"
    return store.transaction(
        lambda connection: connection.execute(query, (_normal(address),)).fetchone() is not None
    )


def consents(store: Store) -> tuple[str, ...]:
    """Everything that the user has said yes to, sorted. Raises `StoreError`."""
    query = "SELECT base_url FROM consents ORDER BY base_url"
    return store.transaction(
        lambda connection: tuple(str(row[0]) for row in connection.execute(query))
    )


def give_consent(store: Store, address: str) -> None:
    """Note that the user said yes to an address. Raises `StoreError`."""
    _change(store, "INSERT OR IGNORE INTO consents (base_url) VALUES (?)", _normal(address))


def withdraw_consent(store: Store, address: str) -> None:
    """Forget that the user said yes to an address. Raises `StoreError`."""
    _change(store, "DELETE FROM consents WHERE base_url = ?", _normal(address))


def last_used(store: Store) -> tuple[str, str] | None:
    """The base URL and model of the endpoint used last, among those that the user agrees to.

    Raises `StoreError`.
    """
    query = "SELECT base_url, model FROM consents WHERE model != '' ORDER BY used DESC LIMIT 1"
    row: tuple[str, str] | None = store.transaction(
        lambda connection: connection.execute(query).fetchone()
    )
    return row


def note_use(store: Store, base_url: str, model: str) -> None:
    """Remember an endpoint that the user agrees to as the last one used. Raises `StoreError`."""
    if last_used(store) != (_normal(base_url), model):
        latest = "(SELECT max(used) + 1 FROM consents)"
        _change(
            store,
            f"UPDATE consents SET model = ?, used = {latest} WHERE base_url = ?",
            model,
            _normal(base_url),
        )


def _change(store: Store, statement: str, *values: str) -> None:
    store.transaction(lambda connection: connection.execute(statement, values))


def _normal(address: str) -> str:
    """The address in one spelling, without a trailing slash and with the host in lower case."""
    parts = urlsplit(address.strip())
    return f"{parts.scheme}://{parts.netloc}".lower() + parts.path.rstrip("/")
