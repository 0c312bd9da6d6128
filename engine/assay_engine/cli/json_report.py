"""Reports as JSON, for programs. The schema is versioned and documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay_engine.types import Report

SCHEMA_VERSION = 1


class Document(msgspec.Struct, frozen=True):
    """What `assay check --format json` prints."""

    assay: int
    reports: tuple[Report, ...]
    unreadable: tuple[str, ...]


def to_json(reports: Sequence[Report], unreadable: Sequence[str]) -> str:
    """Deterministic: fields in the order of the schema, two spaces of indentation."""
    document = Document(SCHEMA_VERSION, tuple(reports), tuple(unreadable))
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def schema() -> dict[str, object]:
    """The JSON Schema of what `to_json` gives."""
    return msgspec.json.schema(Document)
