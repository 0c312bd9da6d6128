"""What annotations call open files, and what is given for them: files in memory."""

from __future__ import annotations

IN_MEMORY = {"str": "io.StringIO", "bytes": "io.BytesIO"}
# The types of what such files hold.
OPEN_FILES = {
    **dict.fromkeys(("TextIO", "TextIOBase", "TextIOWrapper", "StringIO", "IO"), "str"),
    **dict.fromkeys(("BinaryIO", "BufferedIOBase", "BufferedReader", "RawIOBase"), "bytes"),
    "BytesIO": "bytes",
}
