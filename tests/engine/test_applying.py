"""Which of several replacements are written into a file."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine import digest
from assay_engine.cli.apply import apply_replacements
from assay_engine.files.source_files import declared_encoding
from assay_engine.fixes.replacing import edits_for
from assay_engine.syntax.units import find_units
from assay_engine.types import (
    Code,
    Cost,
    Finding,
    Problem,
    Replacement,
    Report,
    Severity,
    Span,
    Status,
    Verdict,
)

METHODS = '''class Number:
    def __init__(self, n: int) -> None:
        self.n = n

    def double(self) -> int:
        """Twice the number."""
        return self.n + 2

    def triple(self) -> int:
        """Three times the number."""
        return self.n + 3

    def sixfold(self) -> int:
        """Six times the number."""
        return Number(self.double()).triple()
'''
RING = '''def even(n: int) -> bool:
    """Whether n is even."""
    return n == 1 or odd(n - 1)


def odd(n: int) -> bool:
    """Whether n is odd."""
    return n != 1 and even(n - 1)


def parity(n: int) -> int:
    """0 if n is even, else 1."""
    return int(odd(n))
'''


def suspects(path: Path, candidates: dict[str, str], text: str | None = None) -> list[Report]:
    """Reports that would replace these functions of a file, or of the text that it holds."""
    text = path.read_text("utf-8") if text is None else text
    units = {unit.qualname: unit for unit in find_units(text)[0]}
    finding = Finding(Code.DIFFERS, Severity.WARNING, "f(1): differs", Span(0, 1))
    return [
        Report(
            str(path),
            name,
            1,
            digest.of_text(units[name].span.of(text)),
            "digest",
            Verdict(Status.SUSPECT, 0.9, None, 1, 1),
            (finding,),
            (),
            (Replacement(candidate, "right", ""),),
            (),
            None,
            Cost(),
        )
        for name, candidate in candidates.items()
    ]


def method(name: str, factor: int) -> str:
    return f"def {name}(self):\n    return self.n * {factor}\n"


def function(name: str, result: str) -> str:
    return f"def {name}(n):\n    return {result}\n"


def applied(reports: Sequence[Report]) -> list[str]:
    """What is said where each of the files was named."""
    return list(apply_replacements(reports, [Path(each.path) for each in reports]))


@pytest.fixture
def module(tmp_path: Path) -> Path:
    return tmp_path / "module.py"


def test_methods_of_a_class_that_do_not_name_each_other_are_all_replaced(module: Path) -> None:
    module.write_text(METHODS)
    replaced = {"Number.double": method("double", 2), "Number.triple": method("triple", 3)}
    said = applied(suspects(module, replaced))
    assert [line.partition(": ")[2] for line in said] == [
        "Number.double replaced",
        "Number.triple replaced",
    ]
    assert "self.n +" not in module.read_text()


def test_a_method_that_uses_a_replaced_one_is_left_alone(module: Path) -> None:
    module.write_text(METHODS)
    replaced = {"Number.double": method("double", 2), "Number.sixfold": method("sixfold", 6)}
    said = applied(suspects(module, replaced))
    assert "Number.double replaced" in said[0]
    assert "Number.sixfold not replaced: it uses Number.double" in said[1]
    assert "self.n * 6" not in module.read_text()


@pytest.mark.parametrize("order", [("even", "odd", "parity"), ("parity", "odd", "even")])
def test_of_functions_that_use_each_other_one_is_replaced(
    module: Path, order: tuple[str, ...]
) -> None:
    module.write_text(RING)
    right = {"even": "n % 2 == 0", "odd": "n % 2 == 1", "parity": "n % 2"}
    said = list(applied(suspects(module, {name: function(name, right[name]) for name in order})))
    assert sum("not replaced" in line for line in said) == 2
    assert "return int(odd(n))" in module.read_text()


def test_who_uses_what_cannot_be_written_is_replaced(module: Path) -> None:
    text = '''# coding: latin-1
def inner(n: int) -> str:
    """The number as text."""
    return str(n + 1)


def outer(n: int) -> str:
    """The number as text."""
    return inner(n)
'''
    module.write_text(text, "latin-1")
    candidates = {
        "inner": 'def inner(n):\n    return str(n) + "☃"[1:]\n',
        "outer": function("outer", "str(n)"),
    }
    said = list(applied(suspects(module, candidates)))
    assert "inner not replaced: The replacement needs characters that iso-8859-1, the" in said[0]
    assert said[0].endswith("does not have. Declare the file as UTF-8.")
    assert "outer replaced" in said[1]


def test_a_declared_encoding_that_says_nothing_refuses_a_replacement(module: Path) -> None:
    text = "# coding: undefined\ndef one(n):\n    return 0\n"
    module.write_text(text.partition("\n")[2])
    (report,) = suspects(module, {"one": function("one", "1")})
    refused = edits_for(text, report)
    assert isinstance(refused, Problem)
    assert "characters that undefined, the file's declared encoding, does not" in refused.message


@pytest.mark.parametrize(
    ("text", "declared"),
    [("# coding: ascii, caf\u00e9\n", "ascii"), ("# caf\u00e9\n# coding: latin-1\n", "iso-8859-1")],
)
def test_what_a_text_declares_is_found_whatever_else_it_says(text: str, declared: str) -> None:
    assert declared_encoding(text) == declared


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        # In these, a letter can be written in several ways.
        ("utf-7", "LETTER = '+AGE-'\ndef one(n):\n    return 0\n"),
        ("iso2022_jp", "LETTER = '\x1b(Ba'\ndef one(n):\n    return 0\n"),
    ],
)
def test_a_file_that_would_be_written_in_another_way_is_left_alone(
    module: Path, encoding: str, text: str
) -> None:
    module.write_text(f"# coding: {encoding}\n{text}")
    before = module.read_bytes()
    decoded = before.decode(encoding)
    reports = suspects(module, {"one": function("one", "1")}, decoded)
    (said,) = applied(reports)
    assert said == f"{module}: not written (more than the function would change; edit it by hand)"
    assert module.read_bytes() == before


def test_an_example_that_is_doubted_accuses_no_function(module: Path) -> None:
    module.write_text(METHODS)
    (report,) = suspects(module, {"Number.double": method("double", 2)})
    doubtful = Finding(Code.DOUBTFUL_EXAMPLE, Severity.WARNING, "likely to be wrong", Span(0, 1))
    information = Finding(Code.DIFFERS, Severity.INFORMATION, "left open", Span(0, 1))
    (said,) = applied([replace(report, findings=(information, doubtful))])
    assert "Number.double not replaced: this is only information" in said
    assert module.read_text() == METHODS


def test_a_name_is_found_as_python_reads_it(module: Path) -> None:
    module.write_text("def \ufb01nde(n: int) -> int:\n    '''Twice n.'''\n    return n\n")
    (said,) = applied(suspects(module, {"finde": function("finde", "2 * n")}))
    assert said.endswith("finde replaced")
    assert "return 2 * n" in module.read_text()


def test_a_file_that_is_read_only_is_left_alone(module: Path) -> None:
    module.write_text(METHODS)
    module.chmod(0o444)
    (said,) = applied(suspects(module, {"Number.double": method("double", 2)}))
    assert said == f"{module}: not written (the file is read-only)"
    assert module.read_text(encoding="utf-8") == METHODS
    assert list(module.parent.iterdir()) == [module]


MODES = (0o600, 0o640, 0o755)
ANOTHER = 65534


@pytest.mark.parametrize("mode", MODES)
def test_a_file_keeps_its_mode(module: Path, mode: int) -> None:
    module.write_text(METHODS)
    module.chmod(mode)
    assert applied(suspects(module, {"Number.double": method("double", 2)}))
    assert stat.S_IMODE(module.stat().st_mode) == mode


@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can give a file away"
)
def test_a_file_of_another_account_stays_that_account_s(module: Path) -> None:
    module.write_text(METHODS)
    module.chmod(0o640)
    os.chown(module, ANOTHER, ANOTHER)
    assert applied(suspects(module, {"Number.double": method("double", 2)}))[0].endswith("replaced")
    after = module.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (ANOTHER, ANOTHER, 0o640)


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can be another")
def test_an_ordinary_account_takes_no_file_over() -> None:
    # Not below the folder of all tests, which other accounts may not enter.
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder, "module.py")
        module.write_text(METHODS)
        module.chmod(0o666)
        module.parent.chmod(0o777)
        os.seteuid(ANOTHER)
        try:
            (said,) = applied(suspects(module, {"Number.double": method("double", 2)}))
        finally:
            os.seteuid(0)
        assert "not written (the file belongs to another account or group" in said
        assert module.read_text() == METHODS
        assert module.stat().st_uid == 0
        assert list(module.parent.iterdir()) == [module]
