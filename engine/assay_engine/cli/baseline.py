"""A baseline: the findings that a project has already. They are not reported again.

A finding is known again by its code and the digest of its function's state, as `--since` tells
states apart: the function's own code and all that it uses of its file. So a baseline holds on other
machines, and a function that changes is reported again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay_engine.check.changes import states
from assay_engine.cli.output import as_json
from assay_engine.errors import AssayError
from assay_engine.files.bounded import read_bytes
from assay_engine.types import Code, Report, Severity

BASELINE_BYTES_MAX = 64 << 20
FORMAT_VERSION = 1


class KnownFunction(Struct, frozen=True, forbid_unknown_fields=True):
    """A function that has findings. `file` and `function` are for readers: `digest` decides."""

    file: str
    function: str
    digest: str
    codes: tuple[Code, ...]


class Baseline(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file of a baseline holds; `assay_baseline` is the version of its format."""

    assay_baseline: int
    functions: tuple[KnownFunction, ...]


class BadBaseline(AssayError):
    """A file that holds no baseline."""


def read_baseline(path: Path) -> frozenset[tuple[str, Code]]:
    """The digests of functions, each with the code of a finding. Raises `BadBaseline`."""
    try:
        found = msgspec.json.decode(read_bytes(path, BASELINE_BYTES_MAX), type=Baseline)
    except OSError as failure:
        reason = f"cannot be read ({failure.strerror})"
    except (msgspec.DecodeError, UnicodeError, RecursionError) as failure:
        reason = f"is not a baseline ({failure})"
    else:
        if found.assay_baseline == FORMAT_VERSION:
            return frozenset((each.digest, code) for each in found.functions for code in each.codes)
        reason = "was written by another version of Assay"
    raise BadBaseline(f"--baseline {path} {reason}. Write one with --write-baseline {path}.")


def without_known(report: Report, text: str, known: frozenset[tuple[str, Code]]) -> Report:
    """The report without the findings that are known. Their codes are among those ignored, and a
    function that has no other finding is not to be replaced."""
    state = _states(text).get(report.qualname, "")
    left = tuple(each for each in report.findings if (state, each.code) not in known)
    if left == report.findings:
        return report
    codes = [each.code for each in report.findings if each not in left]
    ignored = tuple(dict.fromkeys([*report.ignored, *codes]))
    replacements = report.replacements if left else ()
    return replace(report, findings=left, ignored=ignored, replacements=replacements)


def baseline_of(
    reports: Sequence[Report], texts: Mapping[str, str], name: Callable[[str], str]
) -> Baseline:
    """The baseline of the findings of the reports, but for hints, which fail no run and tell what
    was not checked. `texts` and `name` are as for `to_sarif`."""
    functions: list[KnownFunction] = []
    for report in reports:
        told = [each.code for each in report.findings if each.severity is not Severity.HINT]
        if told:
            state = _states(texts[report.path])[report.qualname]
            codes = tuple(sorted(set(told)))
            functions.append(KnownFunction(name(report.path), report.qualname, state, codes))
    functions.sort(key=lambda each: (each.file, each.function))
    return Baseline(FORMAT_VERSION, tuple(functions))


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Raises `AssayError`."""
    try:
        path.write_text(as_json(msgspec.to_builtins(baseline), indent=2) + "\n", encoding="utf-8")
    except OSError as failure:
        raise AssayError(f"{path} cannot be written ({failure.strerror}).") from failure


# The functions of a file are reported on one after the other.
@lru_cache(maxsize=1)
def _states(text: str) -> Mapping[str, str]:
    return states(text)
