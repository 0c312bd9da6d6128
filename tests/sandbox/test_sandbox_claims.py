"""Programs that dig up their own wire: what they claim of time and size is not taken for true."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_sandbox import (
    Call,
    Crashed,
    Limits,
    Observation,
    OutputExceeded,
    Program,
    ProtocolError,
    Raised,
    Refused,
    Returned,
    Sandbox,
    TimedOut,
    wire,
)
from assay_sandbox.errors import UnreadableAnswer
from assay_sandbox.frames import Frames, SharedValues
from assay_sandbox.measuring import Traces
from assay_sandbox.workers import Held

SQUARE = Program("def f(x):\n    return x * x\n", "f")
# What every one of them begins with: the wire, and a clock that is stopped.
DIGS = """
import gc, os, signal, struct, time

(wire,) = [found for found in gc.get_objects() if type(found).__name__ == "Wire"]
FIRST, COUNT = 0, 1
HEADER = struct.Struct("<I16sI?")

def deaf():
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

def send(data):
    while data:
        data = data[os.write(3, data):]

def toggle(seconds):
    deaf()
    ends, first = time.monotonic() + seconds, max(wire._header[FIRST], 0)
    while time.monotonic() < ends:
        time.sleep(0.02)
        wire._header[FIRST] = first + 1
        time.sleep(0.02)
        wire._header[FIRST] = first

"""
LIMITS = Limits(call_seconds=0.2, load_seconds=0.2, total_seconds=60.0)


def test_a_call_gains_no_time_by_moving_the_number_of_the_call_up_and_down(
    sandbox: Sandbox,
) -> None:
    program = Program(f"{DIGS}def f(x):\n    toggle(20)\n    return 'late'\n", "f")
    assert sandbox.run(program, [Call((1,))], LIMITS) == (TimedOut(0.2),)


def test_loading_gains_no_time_by_claiming_calls(sandbox: Sandbox) -> None:
    program = Program(f"{DIGS}toggle(20)\nwire._header[FIRST] = -1\ndef f(x):\n    return x\n", "f")
    assert sandbox.run(program, [Call((1,))], LIMITS) == (TimedOut(0.2),)


def test_answers_that_are_counted_and_not_given_end_the_batch(sandbox: Sandbox) -> None:
    source = f"{DIGS}def f(x):\n    deaf()\n    wire._header[COUNT] = x\n"
    source += "    time.sleep(0.5)\n    wire._header[COUNT] = 0\n    os._exit(3)\n"
    calls = [Call((number,)) for number in range(5, 25)]
    lied = Crashed("nonsense on the wire: answers that are not there")
    assert sandbox.run(Program(source, "f"), calls, LIMITS) == (lied,) * 20
    assert sandbox.run(SQUARE, [Call((3,))]) == (Returned("9"),)


def test_an_answer_on_the_page_that_cannot_be_read_is_one_call_s(sandbox: Sandbox) -> None:
    # Else what is on the page may have been sent by a tick before.
    source = f"{DIGS}deaf()\ndef f(x):\n    if x == 3: wire.answer('!nonsense')\n"
    source += "    return os._exit(3) if x == 5 else x\n"
    found = sandbox.run(Program(source, "f"), [Call((number,)) for number in range(7)])
    assert [n for n, each in enumerate(found) if isinstance(each, Returned)] == [0, 1, 2, 4, 6]
    assert isinstance(found[3], Crashed)
    assert "cannot be read" in found[3].how
    assert found[5] == Crashed("ended itself with status 3")


def test_a_batch_has_its_bytes_whatever_number_of_children_it_takes(sandbox: Sandbox) -> None:
    source = "import os\nmade = []\ndef f(x):\n    made.append(x)\n"
    source += "    return os._exit(0) if len(made) == 5 else f'{x}' + 'x' * 100_000\n"
    calls = [Call((number,)) for number in range(60)]
    seen = sandbox.run(Program(source, "f"), calls, Limits(batch_bytes=1 << 20))
    assert sum(isinstance(each, Returned) for each in seen) <= 13
    assert seen[20:] == (OutputExceeded(1 << 20),) * 40


def test_equal_coverage_is_one_object(sandbox: Sandbox) -> None:
    one, other = sandbox.run_covered(SQUARE, [Call((2,)), Call((3,))])
    assert one.lines == (2,)
    assert one.lines is other.lines


@pytest.mark.parametrize("text", ["[1e308]", "[1,true]", '["1"]', "[", '{"1":2}', "1"])
def test_coverage_that_is_none_is_empty(text: str) -> None:
    assert Traces()[text] == ()


TOKEN = b"0123456789abcdef"


def test_nothing_is_made_of_more_entries_than_there_are_answers() -> None:
    shared = SharedValues()
    frames = Frames(Limits(), TOKEN, 0, 9, shared)
    text = b"".join(b"%d\n" % number for number in range(400_000))
    with pytest.raises(ProtocolError, match="400000 entries"):
        list(frames.feed(wire.FRAME_HEADER.pack(len(text), TOKEN, 0, False) + text))
    assert not shared


def test_of_endless_base_classes_the_nearest_are_kept() -> None:
    frames = Frames(Limits(), TOKEN, 0, 1, SharedValues())
    lineage = json.dumps(["E", "", [f"E{number}" for number in range(9_000)], False, None])
    text = f"!{wire.RAISED}\t{lineage}\t\t\t\n".encode()
    (answers,) = frames.feed(wire.FRAME_HEADER.pack(len(text), TOKEN, 1, True) + bytes(4) + text)
    (raised,) = answers.observations
    assert isinstance(raised, Raised)
    assert raised.lineage == tuple(f"E{number}" for number in range(100))


@pytest.mark.parametrize(
    "entry",
    [
        '"' + "x" * 1000 + '"',
        f'!{wire.RETURNED}\t"{"x" * 1000}"\t\t\t',
        f'!{wire.RAISED}\t["E","{"x" * 10_001}",[],false,null]\t\t\t',
        f'!{wire.LOAD_FAILED}\t["E","{"x" * 10_001}"]\t\t\t',
    ],
)
def test_what_a_child_itself_would_have_bounded_is_not_believed(entry: str) -> None:
    limits = Limits(value_bytes=1000, stdout_bytes=100)
    frames = Frames(limits, TOKEN, 0, 1, SharedValues())
    text = f"{entry}\n".encode()
    with pytest.raises(ProtocolError):
        list(frames.feed(wire.FRAME_HEADER.pack(len(text), TOKEN, 1, True) + bytes(4) + text))


def test_output_past_its_bound_by_a_way_of_its_own_is_too_much(sandbox: Sandbox) -> None:
    source = """
import sys

kept = [cell.cell_contents for cell in type(sys.stdout).write.__closure__]
(printed,) = [each for each in kept if hasattr(each, "parts")]

def f(x):
    printed.parts.append(x * 1000)
    print()
"""
    calls = [Call(("x",)), Call(("xxx",)), Call(("x" * 100,))]
    small, large, larger = sandbox.run(Program(source, "f"), calls, Limits(stdout_bytes=2000))
    assert isinstance(small, Returned)
    assert large == larger == OutputExceeded(2000)
    assert isinstance(larger, OutputExceeded)
    assert larger.stdout == "x" * 2000


@pytest.mark.parametrize(
    ("deed", "seen"),
    [
        ("while True: pass", TimedOut(0.2)),
        ("print('x' * 200_000)", OutputExceeded(100_000)),
        ("os.rmdir('/lib')", Refused("os.rmdir '/lib'")),
    ],
)
def test_what_was_imposed_on_a_call_cannot_be_rewritten_by_a_later_one(
    sandbox: Sandbox, deed: str, seen: Observation
) -> None:
    source = f"""{DIGS}
def f(x):
    if x == 0:
        {deed}
    if x == 2 and wire._count == 2:
        wire._numbers[0] = wire._numbers[1]
    return "right"
"""
    limits = Limits(call_seconds=0.2, stdout_bytes=100_000)
    found = sandbox.run(Program(source, "f"), [Call((number,)) for number in range(3)], limits)
    assert found == (seen, Returned('"right"'), Returned('"right"'))


words = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.integers(0, 5), words | st.integers(-2, 9), words | st.integers(-2, 9))
def test_a_page_claims_no_less_than_has_come_and_no_more_than_it_can_hold(
    sent: int, first: int, answered: int
) -> None:
    count = wire.NUMBERS + 20
    frames = Frames(Limits(), TOKEN, 3, count, SharedValues())
    for _ in range(sent):
        header = wire.FRAME_HEADER.pack(2, TOKEN, 1, False)
        (_,) = frames.feed(header + bytes(4) + b"1\n")
    claimed = frames.under_way(Held(first, answered))
    if not sent and first < 3:
        assert claimed == wire.LOADING
    else:
        assert 3 + sent <= claimed <= min(3 + sent + wire.NUMBERS, count)


@pytest.mark.parametrize("held", [None, Held(wire.LOADING, 0)])
def test_without_an_answer_or_a_claim_a_child_is_loading(held: Held | None) -> None:
    frames = Frames(Limits(), TOKEN, 0, 9, SharedValues())
    assert frames.under_way(held) == wire.LOADING
    list(frames.feed(wire.FRAME_HEADER.pack(0, TOKEN, 0, False)))
    assert frames.under_way(held) == 0


def test_more_threads_than_are_allowed_are_refused_and_the_rest_goes_on(sandbox: Sandbox) -> None:
    source = """
import threading, time

threading.stack_size(1 << 16)

def f(count):
    ends = threading.Event()
    for _ in range(count):
        threading.Thread(target=ends.wait, args=(20,), daemon=True).start()
    if count > 100:
        time.sleep(20)
    ends.set()
    return count
"""
    limits = Limits(call_seconds=20.0, total_seconds=90.0, memory_bytes=8 << 30)
    flood = Refused("more than 256 threads")
    seen = sandbox.run(Program(source, "f"), [Call((20,)), Call((300,)), Call((30,))], limits)
    assert seen == (Returned("20"), flood, Returned("30"))
    # Who does it again does it in every call.
    calls = [Call((count,)) for count in (20, 300, 30, 300, 40, 300)]
    seen = sandbox.run(Program(source, "f"), calls, limits)
    assert seen == (Returned("20"), flood, Returned("30"), flood, flood, flood)


def test_a_time_that_a_program_scribbles_over_is_none(sandbox: Sandbox) -> None:
    source = """
import gc

def f(said):
    for each in gc.get_objects():
        if type(each).__name__ == "CallStopwatch":
            each.__class__ = type("Own", (type(each),), {"take": lambda self: said})
"""
    calls = [Call((said,)) for said in ("nan", "-1", "soon", "1e999")]
    found = sandbox.run_timed(Program(source, "f"), calls)
    assert [each.seconds for each in found] == [None] * 4
    crashed = sandbox.run_timed(Program("import os\ndef f():\n    os._exit(0)\n", "f"), [Call()])
    assert crashed[0].seconds is None


@pytest.mark.parametrize("status", [wire.REFUSED, wire.UNSERIALISABLE])
def test_what_is_said_to_be_in_the_way_has_an_end(status: int) -> None:
    frames = Frames(Limits(), TOKEN, 0, 1, SharedValues())
    text = f"!{status}\t{json.dumps([chr(27) * 20_000])}\t\t\t\n".encode()
    frame = wire.FRAME_HEADER.pack(len(text), TOKEN, 1, True) + bytes(4) + text
    with pytest.raises(UnreadableAnswer, match="a message of 20000 characters"):
        list(frames.feed(frame))


def test_an_exception_with_more_base_classes_than_are_kept_is_observed(sandbox: Sandbox) -> None:
    """Its own worker names no more of them: a description that is too long would be no answer."""
    source = """
def f():
    kind = ValueError
    for number in range(600):
        kind = type(f"{'É' * 180}{number}", (kind,), {})
    raise kind("no")
"""
    (seen,) = sandbox.run(Program(source, "f"), [Call()])
    assert isinstance(seen, Raised)
    assert (seen.message, len(seen.lineage)) == ("no", 100)
