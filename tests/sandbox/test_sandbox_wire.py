"""The decoder against truncated, mutated and invented text and frames."""

from __future__ import annotations

import resource
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay_sandbox import (
    Container,
    Instance,
    Iterated,
    Limits,
    Member,
    ProtocolError,
    Scalar,
    decode,
    encode,
    render,
    wire,
)
from assay_sandbox.frames import Frames

TOKEN = b"0123456789abcdef"
names = st.text(max_size=8)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(st.characters(categories=["Cs", "Lu"]), max_size=4)
    | st.binary(max_size=20)
    | st.complex_numbers()
    | st.builds(Member, names, names)
    | st.builds(Scalar, names, names)
)
keys = st.none() | st.booleans() | st.integers() | st.text() | st.binary(max_size=8)


def _containers(inside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inside, max_size=4)
    fields = st.lists(st.tuples(names, inside), max_size=3).map(tuple)
    return (
        several
        | several.map(tuple)
        | st.dictionaries(keys, inside, max_size=4)
        | st.frozensets(keys, max_size=4)
        | st.sets(keys, max_size=4)
        | st.builds(Instance, names, fields)
        | st.builds(Container, names, inside)
        | st.builds(Iterated, names, several.map(tuple), st.booleans())
    )


values = st.recursive(leaves, _containers, max_leaves=20)


@given(values)
def test_what_is_encoded_is_decoded_to_the_same_text(value: object) -> None:
    text = encode(value)
    assert text.isascii()
    assert encode(decode(text)) == text
    assert isinstance(render(value), str)


@given(values, st.data())
def test_mutated_text_gives_a_value_or_a_named_error(value: object, data: st.DataObject) -> None:
    text = encode(value)
    at = data.draw(st.integers(0, len(text)))
    middle = data.draw(st.text(string.printable, max_size=5))
    until = data.draw(st.integers(at, len(text)))
    _decode_or_refuse(text[:at] + middle + text[until:])


TAGS = (
    "tuple dict set frozenset int float bytes complex surrogates instance member scalar container"
    " iterated opaque expression nonsense"
)
tags = st.sampled_from(TAGS.split())
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: (
        st.lists(inside, max_size=4) | st.dictionaries(tags | st.text(), inside, max_size=2)
    ),
    max_leaves=20,
)


@given(json_like)
def test_invented_tags_give_a_value_or_a_named_error(parsed: object) -> None:
    import json

    _decode_or_refuse(json.dumps(parsed))


def _decode_or_refuse(text: str) -> None:
    try:
        value = decode(text)
    except ProtocolError:
        return
    render(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        '{"tuple":' * 5000,
        '{"int":"0x' + "f" * 100 + 'g"}',
        '{"int":12}',
        '{"dict":[[[],1]]}',
        '{"dict":[[1]]}',
        '{"bytes":"!"}',
        '{"float":"1.5"}',
        '{"complex":[1,2]}',
        '{"complex":[{"int":"0x' + "f" * 400 + '"},1.0]}',
        '{"surrogates":"00"}',
        '{"opaque":["a"]}',
        '{"instance":["a",[["b"]]]}',
        '{"a":1,"b":2}',
        "{}",
        "NaN",
        "Infinity",
        "9" * 10_000,
        encode([(k << 61) - k for k in range(1, 5000)]).join(('{"set":', "}")),
    ],
    ids=lambda text: text[:20],
)
def test_hostile_text_is_refused_by_name(text: str) -> None:
    with pytest.raises(ProtocolError):
        decode(text)


def test_a_long_list_of_brackets_costs_bounded_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ProtocolError):
        decode("[" + "[]," * 3_000_000 + "[]]")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 600 << 10


def _record(
    index: int, status: int, value: bytes, after: bytes = b"", output: bytes = b""
) -> bytes:
    lengths = (len(value), len(after), len(output), 0)
    return wire.RECORD.pack(index, status, 0.0, *lengths) + value + after + output


def _frame(records: bytes, token: bytes = TOKEN) -> bytes:
    return wire.FRAME_HEADER.pack(len(records), token) + records


honest_records = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7]), st.binary(max_size=20)), max_size=6
)


@given(honest_records, st.data())
@settings(max_examples=300)
def test_mutated_frames_give_records_in_order_or_a_named_error(
    drawn: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(
        _frame(_record(index, status, value)) for index, (status, value) in enumerate(drawn)
    )
    at = data.draw(st.integers(0, len(stream)))
    until = data.draw(st.integers(at, len(stream)))
    stream = stream[:at] + data.draw(st.binary(max_size=10)) + stream[until:]
    frames = Frames(Limits(), TOKEN, 0, 6)
    seen: list[int] = []
    try:
        for start in range(0, len(stream), 7):
            for records in frames.feed(stream[start : start + 7]):
                seen += [record.call for record in records]
    except ProtocolError:
        pass
    assert seen == list(range(len(seen)))


@pytest.mark.parametrize(
    "stream",
    [
        _frame(_record(0, 0, b"1"), b"f" * 16),
        _frame(_record(1, 0, b"1")),
        _frame(_record(0, 0, b"1") * 2),
        _frame(_record(0, 99, b"1")),
        _frame(_record(0, 0, "é".encode())),
        _frame(_record(0, 1, b"[]")),
        _frame(_record(0, 1, b'["a","b",[1]]')),
        _frame(_record(0, 5, b"[" * 5000)),
        _frame(_record(0, 0, b"1", output=b"\xff\xfe")),
        _frame(_record(0, 8, b"")),
        _frame(_record(0, 0, b"1")[:-1]),
        _frame(b"short"),
        wire.FRAME_HEADER.pack(1 << 31, TOKEN),
        _frame(wire.RECORD.pack(0, 0, 0.0, 1 << 31, 1 << 31, 1 << 31, 1 << 31)),
    ],
)
def test_a_wrong_frame_is_a_protocol_error(stream: bytes) -> None:
    with pytest.raises(ProtocolError):
        list(Frames(Limits(), TOKEN, 0, 3).feed(stream))
