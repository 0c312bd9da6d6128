"""Reads the files that benchmarks are run on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a gzip-compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
