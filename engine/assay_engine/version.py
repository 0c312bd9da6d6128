"""The version of Assay, and the commit that it was built from."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files


def own_version() -> str:
    """The version of the installed package; "0" if Assay runs from its sources."""
    try:
        return version("assay-lsp")
    except PackageNotFoundError:
        return "0"


def recorded_commit() -> str:
    """The commit that the package was built from; empty if the build recorded none."""
    record = files("assay_engine") / "COMMIT"
    return record.read_text("utf-8").strip() if record.is_file() else ""
