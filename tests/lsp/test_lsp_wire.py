"""Messages cut out of a byte stream, in whatever pieces and with whatever in between."""

from __future__ import annotations

import io
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_lsp.wire import (
    BODY_BYTES_MAX,
    HEADER_BYTES_MAX,
    Garbage,
    MessageFrames,
    Writer,
    read_messages,
)

values = st.lists(
    st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5
)


def frame(value: object, *, extra: int = 0) -> bytes:
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body) + extra, body)


def read(*chunks: bytes) -> list[object | Garbage]:
    frames = MessageFrames()
    return [message for chunk in chunks for message in frames.feed(chunk)]


def understood(*chunks: bytes) -> list[object]:
    return [message for message in read(*chunks) if not isinstance(message, Garbage)]


@given(values, st.data())
def test_messages_survive_any_cutting(messages: list[object], data: st.DataObject) -> None:
    stream = b"".join(json_frame for json_frame in map(frame, messages))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*chunks) == messages


@given(st.binary(max_size=200))
def test_garbage_raises_nothing(junk: bytes) -> None:
    read(junk, frame({"a": 1}), junk)


@pytest.mark.parametrize(
    "junk",
    [
        b"hello\r\n\r\nwhat?\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (BODY_BYTES_MAX + 1),
        frame({"a": 1}, extra=-3),
        frame({"a": 1}, extra=30),
    ],
)
def test_junk_and_a_wrong_length_cost_nothing_but_themselves(junk: bytes) -> None:
    assert understood(junk, frame({"b": 2}), frame({"c": 3})) == [{"b": 2}, {"c": 3}]


def test_headers_may_come_in_any_case_and_with_others() -> None:
    head = b"content-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    assert read(head) == [{}]


def test_a_flood_without_headers_does_not_pile_up() -> None:
    frames = MessageFrames()
    for _ in range(100):
        list(frames.feed(b"x" * HEADER_BYTES_MAX))
    assert len(frames._buffer) <= 2 * HEADER_BYTES_MAX
    assert list(frames.feed(b"\r\n\r\n" + frame(1)))[-1] == 1


def test_the_end_of_the_stream_is_told_once() -> None:
    reading, writing = os.pipe()
    os.write(writing, frame([1]) + b"Content-Le")
    os.close(writing)
    seen: list[object] = []
    read_messages(reading, seen.append, lambda: seen.append("ended"))
    os.close(reading)
    assert seen == [[1], "ended"]


def test_writing_to_nobody_is_told_once_and_raises_nothing() -> None:
    stream = io.BytesIO()
    lost: list[str] = []
    writer = Writer(stream, lambda: lost.append("lost"))
    writer.write(b"one")
    stream.close()
    writer.write(b"two")
    writer.write(b"three")
    assert lost == ["lost"]
