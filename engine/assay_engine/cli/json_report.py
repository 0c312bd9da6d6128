"""Reports as JSON, for programs. The schema is versioned and documented in docs/json.md.

`assay schema`: the JSON Schema of `assay check --format json`, or of the project's settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from assay_engine.cli.output import as_json, give
from assay_engine.config.project_schema import project_schema
from assay_engine.types import Report

SCHEMA_VERSION = 1


class Document(msgspec.Struct, frozen=True):
    """What `assay check --format json` prints.

    - `assay`: the version of the schema
    - `reports`: one for each function
    - `unreadable`: a sentence for every file, or part of a file, that could not be read, and the
      reason if the check was ended before it was done ("stopped: 3 functions checked; not checked:
      …", by Ctrl-C or SIGTERM): then `reports` are those that were finished
    """

    assay: int
    reports: tuple[Report, ...]
    unreadable: tuple[str, ...]


def to_json(reports: Sequence[Report], unreadable: Sequence[str]) -> str:
    """The reports as JSON: fields in the order of the schema, two spaces of indentation.

    The text is deterministic, and ASCII: names and values may hold what commands a terminal.
    """
    document = Document(SCHEMA_VERSION, tuple(reports), tuple(unreadable))
    # Not msgspec's own writer, which refuses lone surrogates.
    return as_json(msgspec.to_builtins(document), indent=2, allow_nan=False)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the output of `to_json`."""
    return msgspec.json.schema(Document)


@click.command()
@click.argument("of", type=click.Choice(["report", "settings"]), default="report")
def schema(of: str) -> None:
    """Print the JSON Schema of the output, or of the settings."""
    give(as_json(json_schema() if of == "report" else project_schema(), indent=2))
