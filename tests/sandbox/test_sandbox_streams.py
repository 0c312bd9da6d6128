"""Standard streams, as programs that were written for an interpreter use them."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from assay_sandbox import (
    Call,
    LoadFailed,
    OutputExceeded,
    Program,
    Raised,
    Returned,
    Sandbox,
    decode,
)


def run(sandbox: Sandbox, text: str, *stdin: str | None) -> list[tuple[object, str]]:
    program = Program(text, "f")
    given = [Call(([1],)) if text is None else Call(([1],), stdin=text) for text in stdin]
    seen = sandbox.run(program, given)
    assert all(isinstance(one, Returned) for one in seen), seen
    return [(decode(one.value), one.stdout) for one in seen if isinstance(one, Returned)]


SHOWN = "<_io.TextIOWrapper name='<stdin>' mode='r' encoding='utf-8'>"


@pytest.mark.parametrize(
    ("read", "given"),
    [
        ("sys.stdin.buffer.read().split()", [b"1", b"\xc3\xa9"]),
        ("sys.stdin.buffer.readline()", b"1\n"),
        ("list(map(bytes.strip, sys.stdin.buffer))", [b"1", b"\xc3\xa9"]),
        ("sys.stdin.read()", "1\né\n"),
        ("sys.stdin.buffer.readline(), sys.stdin.read()", (b"1\n", "é\n")),
        ("sys.stdin.readline(), sys.stdin.buffer.read()", ("1\n", b"")),
        ("sys.stdin.reconfigure(encoding='latin-1'), sys.stdin.read()", (None, "1\nÃ©\n")),
        ("[*sys.stdin], sys.stdin.buffer.peek()", (["1\n", "é\n"], b"")),
        ("sys.stdin.mode, sys.stdin.encoding, repr(sys.stdin)", ("r", "utf-8", SHOWN)),
    ],
)
def test_standard_input_can_be_read_as_bytes(sandbox: Sandbox, read: str, given: object) -> None:
    text = f"import sys\ndef f(x): return {read}\n"
    assert run(sandbox, text, "1\né\n", "1\né\n") == [(given, ""), (given, "")]


def test_closing_standard_input_is_for_one_call(sandbox: Sandbox) -> None:
    text = """
import sys
def f(x):
    with sys.stdin as source, sys.stdin.buffer as raw:
        return source.read(), raw.read()
"""
    empty = (("", b""), "")
    assert run(sandbox, text, None, "a", None, None) == [empty, (("a", b""), ""), empty, empty]
    assert run(sandbox, text, None, None) == [empty, empty]


def test_how_a_call_reads_without_input_is_nothing_to_the_next(sandbox: Sandbox) -> None:
    text = """
import sys
def f(x):
    sys.stdin.reconfigure(encoding="latin-1")
    sys.stdin.detach().close()
    return sys.stdin.read(), sys.stdin.buffer.read(), sys.stdin.encoding
"""
    empty = (("", b"", "utf-8"), "")
    assert run(sandbox, text, None, None, None) == [empty] * 3


@pytest.mark.parametrize(
    ("writing", "message"),
    [
        ("sys.stdout.write(5)", "write() argument must be str, not int"),
        ("sys.stderr.write(b'x')", "write() argument must be str, not bytes"),
        ("sys.stdout.buffer.write('x')", "a bytes-like object is required, not 'str'"),
        ("sys.stdout.buffer.write(5)", "a bytes-like object is required, not 'int'"),
    ],
)
def test_what_cannot_be_written_is_said_as_an_interpreter_does(
    sandbox: Sandbox, writing: str, message: str
) -> None:
    (seen,) = sandbox.run(Program(f"import sys\ndef f(x): {writing}\n", "f"), [Call((1,))])
    assert isinstance(seen, Raised)
    assert (seen.type_name, seen.message) == ("TypeError", message)


def test_what_is_written_to_standard_input_is_found_by_nobody(sandbox: Sandbox) -> None:
    text = """
import sys
def f(x):
    try: sys.stdin.write("left")
    except OSError: pass
    sys.stdin.seek(0)
    return sys.stdin.read()
"""
    assert run(sandbox, text, None, None) == [("", ""), ("", "")]


def test_standard_output_has_what_an_interpreter_s_has(sandbox: Sandbox) -> None:
    text = """
import faulthandler, io, sys
faulthandler.enable()
sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
def f(x):
    names = [stream.name for stream in (sys.stdin, sys.stdout, sys.stderr)]
    try: sys.stdout.fileno()
    except io.UnsupportedOperation: names.append(sys.stdout.errors)
    for stream in (sys.stdout, sys.stderr):
        names += stream.mode, stream.line_buffering, repr(stream)
    return names
"""
    shown = "<_io.TextIOWrapper name='<{}>' mode='w' encoding='utf-8'>".format
    names: list[object] = ["<stdin>", "<stdout>", "<stderr>", "strict"]
    names += ["w", False, shown("stdout"), "w", True, shown("stderr")]
    assert run(sandbox, text, None) == [(names, "")]


@pytest.mark.parametrize("source", ["sys.stdout.buffer", "sys.stdout.detach()"])
def test_what_a_wrapped_output_holds_back_belongs_to_its_call(
    sandbox: Sandbox, source: str
) -> None:
    text = f"""
import io, sys
count = 0
def f(x):
    global count
    count += 1
    if count == 2:
        return count
    sys.stdout = io.TextIOWrapper({source}, encoding="utf-8")
    print("é", count)
    return count
"""
    assert run(sandbox, text, None, None, None) == [(1, "é 1\n"), (2, ""), (3, "é 3\n")]


def test_a_character_may_be_printed_in_parts(sandbox: Sandbox) -> None:
    text = """
import sys
def f(x):
    for byte in "é€".encode():
        sys.stdout.buffer.write(bytes([byte]))
    sys.stdout.buffer.write("é".encode()[:1])
    return 1
"""
    assert run(sandbox, text, None, None) == [(1, "é€\ufffd"), (1, "é€\ufffd")]


def test_an_output_that_was_taken_away_is_back_for_the_next_call(sandbox: Sandbox) -> None:
    text = """
import sys
def f(x):
    print("here")
    del sys.stdout
"""
    first, second = sandbox.run(Program(text, "f"), [Call(([1],)), Call(([1],))])
    assert not isinstance(first, LoadFailed)
    assert first == second


SAID = """
import io, sys

def f(x):
    try:
        {}
    except (LookupError, UnicodeError) as error:
        return str(error)
    return sys.stdout.encoding, sys.stdout.errors
"""


@pytest.mark.parametrize(
    ("writing", "printed"),
    [
        ("print('a', '\\udc80')", "a "),
        ("print('\\ud83d\\ude00')", ""),
        ("print('\\udc80', file=sys.stderr)", ""),
        ("print('é'); sys.stdout.reconfigure(encoding='ascii'); print('é')", "é\n"),
        ("sys.stdout.reconfigure(encoding='ascii', errors='replace'); print('é')", "?\n"),
        ("sys.stdout.reconfigure(errors='backslashreplace'); print('\\udc80é')", "\\udc80é\n"),
        ("sys.stdout.reconfigure(errors='surrogateescape'); print('\\udc80é')", "\ufffdé\n"),
        ("sys.stdout.reconfigure(encoding='ascii'); sys.stdout.buffer.write('é'.encode())", "é"),
        ("sys.stdout.reconfigure(encoding='nowhere')", ""),
        ("sys.stdout.reconfigure(encoding='latin-1', errors='strict')", ""),
        ("sys.stdout.reconfigure(line_buffering=True)", ""),
    ],
)
def test_what_cannot_be_encoded_is_not_printed(
    sandbox: Sandbox, writing: str, printed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SAID.format(writing)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    for name, errors in (("stdout", "strict"), ("stderr", "backslashreplace")):
        plain = io.TextIOWrapper(io.BytesIO(), "utf-8", errors, write_through=True)
        monkeypatch.setattr(sys, name, plain)
    expected = namespace["f"](1)
    monkeypatch.undo()
    # The second call finds the stream as the first did.
    assert run(sandbox, text, None, None) == [(expected, printed)] * 2


def test_an_encoding_that_is_set_while_loading_is_that_of_every_call(sandbox: Sandbox) -> None:
    text = """
import sys
sys.stdout.reconfigure(encoding="ascii", errors="replace")
def f(x):
    print("é")
    sys.stdout.reconfigure(errors="ignore")
    print("é")
    return sys.stdout.errors
"""
    assert run(sandbox, text, None, None) == [("ignore", "?\n\n")] * 2


def test_output_is_taken_by_no_code_that_a_program_can_replace(sandbox: Sandbox) -> None:
    text = """
import codecs, sys
def fail(*_, **__): raise KeyError
codecs.BufferedIncrementalDecoder.decode = fail
codecs.BufferedIncrementalDecoder._buffer_decode = fail
codecs.getincrementaldecoder = fail
for name in ("replace", "strict", "surrogatepass"):
    codecs.register_error(name, fail)
def f(x):
    print("é")
    sys.stdout.buffer.write(b"\\xff")
    return x[0]
"""
    assert run(sandbox, text, None, None) == [(1, "é\n\ufffd")] * 2


LYING = """
import codecs, sys

class Text(str):
    def __len__(self): return 0

class Bytes(bytes):
    def decode(self, *how): return Text("x" * 100_000)

codecs.register(lambda name: name == "lying" and codecs.CodecInfo(
    lambda text, errors: (Bytes(), 0), None, name="lying"
) or None)

def f(x):
    sys.stdout.reconfigure(encoding="lying")
    for _ in range(1000):
        print("é")
"""


def test_an_encoding_of_the_programs_own_does_not_outgrow_the_limit(sandbox: Sandbox) -> None:
    (seen,) = sandbox.run(Program(LYING, "f"), [Call((1,))])
    assert isinstance(seen, OutputExceeded)
