"""Model servers on this machine, and what the user has said yes to.

Finding servers only asks the loopback address, and sends no code. The user says yes to endpoints,
by their base URL, and to interpreters inside a project, by their file URI, and is not asked twice.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from msgspec import Struct

from assay_engine.errors import StoreError
from assay_engine.store import Store

LOOPBACK = "127.0.0.1"
PROBE_SECONDS = 0.3
LIST_BYTES_MAX = 256 * 1024
MODELS_MAX = 200
# Of a provider, which lists hundreds.
LISTED_MAX = 5_000
NAME_CHARACTERS_MAX = 200


class KnownServer(Struct, frozen=True):
    """A product and the port it usually listens on; `owner` is its name for its models' owner."""

    product: str
    port: int
    owner: str


KNOWN_SERVERS = (
    KnownServer("Ollama", 11434, "library"),
    KnownServer("LM Studio", 1234, "organization_owner"),
    KnownServer("vLLM", 8000, "vllm"),
    KnownServer("llama.cpp", 8080, "llamacpp"),
)


class LocalServer(Struct, frozen=True):
    """An OpenAI-compatible server that answered, and the models it offers."""

    product: str
    base_url: str
    models: tuple[str, ...]


async def find_local_servers(
    probe: Sequence[KnownServer] = KNOWN_SERVERS, *, seconds: float = PROBE_SECONDS
) -> tuple[LocalServer, ...]:
    """Ask all servers of `probe` at once for their models, in at most `seconds`. Never raises."""
    asked = (local_answer(known.port, "/v1/models", seconds) for known in probe)
    found: list[LocalServer] = []
    for known, body in zip(probe, await asyncio.gather(*asked), strict=True):
        listed = None if body is None else _read_list(body, MODELS_MAX, kind="")
        if listed is None:
            continue
        models, owners = listed
        named = (each.product for each in KNOWN_SERVERS if each.owner in owners)
        product = next(named, known.product)
        found.append(LocalServer(product, f"http://{LOOPBACK}:{known.port}/v1", models))
    return tuple(found)


# Accounts from this one on are people's. The last one stands for those that cannot be told here.
_PEOPLE, _UNTOLD = 1000, 65534
_LISTENING = "0A"


def is_of_another_account(base_url: str) -> bool:
    """Whether what listens at this address of this machine is another person's.

    Whoever has an account here may listen at a port that the user's own server has left. A system's
    service counts as nobody's. False for other addresses, and where the system does not tell.
    """
    where = urlsplit(base_url)
    if where.hostname != LOOPBACK or not hasattr(os, "getuid"):
        return False
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]:
                _, local, _, state, _, _, _, owner, *_ = line.split()
                if state == _LISTENING and int(local.rpartition(":")[2], 16) == where.port:
                    return _PEOPLE <= int(owner) != _UNTOLD and int(owner) != os.getuid()
    return False


async def local_answer(port: int, path: str, seconds: float) -> bytes | None:
    """The body of what a server on this machine answers; None if it has no such path."""
    received = bytearray()
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                # HTTP/1.0: the answer comes in one piece, and its end is the connection's.
                host = f"Host: {LOOPBACK}:{port}\r\nConnection: close"
                writer.write(f"GET {path} HTTP/1.0\r\n{host}\r\n\r\n".encode("ascii"))
                while len(received) <= LIST_BYTES_MAX:
                    chunk = await reader.read(LIST_BYTES_MAX)
                    if not chunk:
                        break
                    received += chunk
            finally:
                writer.close()
    except (OSError, TimeoutError):
        # A server that keeps the connection open has sent its whole answer by now, or nothing.
        pass
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    return body if head.split(b" ", 2)[1:2] == [b"200"] else None


def listed_models(body: bytes) -> tuple[str, ...] | None:
    """The names in a list of models; None for anything but an OpenAI-compatible list."""
    # Anthropic's does not say that it is one.
    listed = _read_list(body, LISTED_MAX, kind="list")
    return None if listed is None else listed[0]


def _read_list(
    body: bytes, most: int, *, kind: str
) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """Model names and owners; None for anything but an OpenAI-compatible list.

    What does not say of which kind it is counts as `kind`.
    """
    try:
        answer: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    listed = cast("dict[str, object]", answer)
    # A server without models sends null for its list.
    data: object = listed.get("data") or []
    is_list = listed.get("object", kind if "data" in listed else "") == "list"
    if not is_list or not isinstance(data, list):
        return None
    models: list[str] = []
    owners: set[str] = set()
    for entry in cast("list[object]", data)[:most]:
        match entry:
            case {"id": str() as name} if name.isprintable() and len(name) <= NAME_CHARACTERS_MAX:
                models.append(name)
                owner = cast("dict[str, object]", entry).get("owned_by")
                owners |= {owner} if isinstance(owner, str) else set()
            case _:
                return None
    return tuple(models), frozenset(owners)


def has_consent(store: Store, address: str) -> bool:
    """Whether the user has said yes to this address; no if the store cannot tell."""
    return _normal(address) in consents(store)


def consents(store: Store) -> tuple[str, ...]:
    """Everything that the user has said yes to, sorted; nothing if the store cannot tell."""
    query = "SELECT base_url FROM consents ORDER BY base_url"
    with suppress(StoreError):
        return store.transaction(
            lambda connection: tuple(str(row[0]) for row in connection.execute(query))
        )
    return ()


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
