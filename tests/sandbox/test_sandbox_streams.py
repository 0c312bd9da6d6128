"""Standard streams, as programs that were written for an interpreter use them."""

from __future__ import annotations

import pytest

from assay_sandbox import Call, LoadFailed, Program, Returned, Sandbox, decode


def run(sandbox: Sandbox, text: str, *stdin: str | None) -> list[tuple[object, str]]:
    program = Program(text, "f")
    given = [Call(([1],)) if text is None else Call(([1],), stdin=text) for text in stdin]
    seen = sandbox.run(program, given)
    assert all(isinstance(one, Returned) for one in seen), seen
    return [(decode(one.value), one.stdout) for one in seen if isinstance(one, Returned)]


@pytest.mark.parametrize(
    ("read", "given"),
    [
        ("sys.stdin.buffer.read().split()", [b"1", b"\xc3\xa9"]),
        ("sys.stdin.buffer.readline()", b"1\n"),
        ("list(map(bytes.strip, sys.stdin.buffer))", [b"1", b"\xc3\xa9"]),
        ("sys.stdin.read()", "1\né\n"),
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
    assert run(sandbox, text, None, "a", None, None) == [empty, (("a", b"a"), ""), empty, empty]
    assert run(sandbox, text, None, None) == [empty, empty]


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
    return names
"""
    names = ["<stdin>", "<stdout>", "<stderr>", "strict"]
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
