"""Finds reports without a check: in the store, or in a file that a check has printed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.cli.json_report import SCHEMA_VERSION, Document
from assay_engine.cli.targets import Target, chosen_by, projects
from assay_engine.config.configuration import options_from
from assay_engine.engine import Engine
from assay_engine.errors import AssayError
from assay_engine.files.bounded import read_bytes, real
from assay_engine.files.source_files import UnreadableFile
from assay_engine.types import Report, SourceText
from assay_engine.words import listed

DOCUMENT_BYTES_MAX = 64 << 20
NAMED_MAX = 3


class NoReport(AssayError):
    """There is no report to be had; the message says how to get one."""


class Recalled(Struct, frozen=True):
    """A report, with the text as it is now of the file that it is on."""

    source: SourceText
    report: Report


def printed_reports(path: Path) -> tuple[Report, ...]:
    """The reports in a file that ``assay check --format json`` has printed. Raises `NoReport`."""
    try:
        document = msgspec.json.decode(read_bytes(path, DOCUMENT_BYTES_MAX), type=Document)
    except OSError as failure:
        raise NoReport(f"{path} cannot be read ({failure.strerror}).") from failure
    except (msgspec.DecodeError, UnicodeError, RecursionError) as failure:
        raise NoReport(
            f"{path} is not from `assay check --format json` ({failure}). Name such a file."
        ) from failure
    if document.assay != SCHEMA_VERSION:
        raise NoReport(f"{path} was printed by another version of Assay. Check again.")
    return document.reports


def recalled(targets: Sequence[str], printed: Sequence[Report] | None) -> tuple[Recalled, ...]:
    """The reports on what the targets name, from the store, or among those that were `printed`.

    Sends nothing and runs nothing. Raises `AssayError`, also if a function that is named, or
    everything, has no report.
    """
    found: list[Recalled] = []
    options = options_from(os.environ)
    for root, files in projects(targets, options):
        with Engine.open(replace(options, root=root)) as engine:
            for own in files:
                found += _of_file(own, root, engine, printed)
    if not found:
        raise NoReport(_none_stored(", ".join(targets), targets[0], printed is not None))
    return tuple(found)


def _of_file(
    targets: Sequence[Target], root: str, engine: Engine, printed: Sequence[Report] | None
) -> list[Recalled]:
    path = targets[0].path
    try:
        chosen = chosen_by(targets, root)
    except UnreadableFile as problem:
        raise NoReport(str(problem)) from problem
    for missing in chosen.missing:
        raise NoReport(f"{missing}.")
    if printed is None:
        reports = engine.recall(chosen.source, only=chosen.only)
    else:
        reports = tuple(each for each in printed if real(Path(each.path)) == real(path))
    names = [unit.qualname for unit in chosen.units]
    found = [Recalled(chosen.source, each) for each in reports if each.qualname in names]
    without = [name for name in names if name not in {each.report.qualname for each in found}]
    if without and not all(target.is_whole for target in targets):
        wanted = f"{path}: {listed(without, NAMED_MAX)}"
        raise NoReport(_none_stored(wanted, f"{path}::{without[0]}", printed is not None))
    return found


def _none_stored(what: str, target: str, is_printed: bool) -> str:
    if is_printed:
        return f"The file has no report on {what}. Write one into it with `--format json`."
    return (
        f"No report is stored on {what} in its current form, for this model and these settings. "
        f"Get one: assay check {target}"
    )
