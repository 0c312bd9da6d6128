"""The names that annotations have for open files, and the files in memory given for them."""

from __future__ import annotations

from assay_engine.syntax.import_expressions import import_expression

_IO = import_expression("io")
IN_MEMORY = {"str": f"{_IO}.StringIO", "bytes": f"{_IO}.BytesIO"}
# The types of what these files hold.
OPEN_FILES = {
    **dict.fromkeys(("TextIO", "TextIOBase", "TextIOWrapper", "StringIO", "IO"), "str"),
    **dict.fromkeys(("BinaryIO", "BufferedIOBase", "BufferedReader", "RawIOBase"), "bytes"),
    "BytesIO": "bytes",
}
