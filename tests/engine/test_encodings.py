"""Which declared encodings a source file is read in."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.files.source_files import UnreadableFile, read_file

OF_PYTHON_ALONE = ("punycode", "idna", "unicode_escape", "raw-unicode-escape", "undefined")
CODED = {"latin-1": "é", "cp1252": "€", "shift_jis": "あ", "koi8-r": "Ж", "utf-8": "☃"}


@pytest.mark.parametrize("encoding", OF_PYTHON_ALONE)
def test_an_encoding_that_is_none_for_texts_is_refused_by_its_name(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "module.py"
    # A megabyte of this in `punycode` would take minutes.
    path.write_bytes(b"# coding: " + encoding.encode() + b"\nx = 1\n#-" + b"a" * 1_000_000)
    with pytest.raises(
        UnreadableFile, match=rf"{encoding}, which is not one for source text. Save"
    ):
        read_file(path)


@pytest.mark.parametrize("encoding", CODED)
def test_texts_are_read_in_the_encoding_that_they_declare(tmp_path: Path, encoding: str) -> None:
    text = f"# coding: {encoding}\nx = '{CODED[encoding]}'\n"
    path = tmp_path / "module.py"
    path.write_text(text, encoding)
    assert read_file(path).text == text


def test_a_long_first_line_hides_no_declaration_below_it(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    text = f"# {'ж' * 3000}\n# coding: koi8-r\nx = 'Ж'\n"
    path.write_text(text, "koi8-r")
    assert read_file(path).text == text
