"""The decoder against truncated, mutated and invented text and frames."""

from __future__ import annotations

import resource
import string
from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay_sandbox import (
    Container,
    Cycle,
    Instance,
    Iterated,
    Limits,
    Member,
    ProtocolError,
    Returned,
    Scalar,
    TimedOut,
    Told,
    decode,
    encode,
    render,
    wire,
)
from assay_sandbox.errors import UnreadableAnswer
from assay_sandbox.frames import Frames, Page, SharedValues

TOKEN = b"0123456789abcdef"
names = st.text(max_size=8)
type_names = st.text(string.ascii_letters + string.digits + "_.<>[]é", max_size=8).filter(
    lambda name: name.strip(".<>[]")
)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(st.characters(categories=["Cs", "Lu"]), max_size=4)
    | st.binary(max_size=20)
    | st.complex_numbers()
    | st.builds(Member, type_names, names)
    | st.builds(Scalar, type_names, names)
    | st.builds(Cycle, st.integers(1, 100))
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
        | st.builds(Instance, type_names, fields)
        | st.builds(Container, type_names, inside)
        | st.builds(Told, type_names, inside)
        | st.builds(Iterated, type_names, several.map(tuple), st.booleans())
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
    " iterated opaque told cycle expression nonsense"
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


FRAME = '{"container":["pandas.DataFrame",[%s,[null,"<i8",[]],[["<i8",[]]]]]}'
SERIES = '{"container":["pandas.Series",[%s,[null,"<i8",[]],["<i8",[%s]]]]}'


@pytest.mark.parametrize(
    ("around", "levels"),
    [
        (FRAME % '["n","object",[%s]]', 60),
        (FRAME % '[null,"object",[%s]]', 60),
        (FRAME % '[["n"],[["object",[%s]]]]', 40),
        # Of a kind that there is not, which shows when all the rest has been said.
        (FRAME % '["n",{"tuple":[]},[%s]]', 60),
        (SERIES % ("%s", ""), 60),
        (SERIES % ("null", "%s"), 60),
    ],
)
def test_what_is_shown_is_as_long_as_what_was_read(around: str, levels: int) -> None:
    text = "1"
    for _ in range(levels):
        text = around % text
    shown = render(decode(text))
    assert len(shown) < 2 * len(text)


@given(st.lists(st.tuples(names, values), max_size=2).map(tuple))
def test_members_and_keys_may_hold_what_has_no_hash(fields: tuple[tuple[str, object], ...]) -> None:
    for held in (Instance("P", fields), Container("frozendict", dict(fields)), Told("a", fields)):
        text = encode([{held}, {held: 1}])
        assert encode(decode(text)) == text
        # Made anew, so that no two parts of them are one object. What holds a NaN equals nothing.
        again = decode(encode(held))
        assert again != held or hash(again) == hash(held)


def test_what_is_within_members_counts_twice_however_deep() -> None:
    value: frozenset[Any] = frozenset()
    for _ in range(60):
        value = frozenset({value})
    assert decode(encode(value)) == value
    held = Instance("P", (("x", bytearray(b"x")),))
    assert decode(encode({held})) == {held}


def test_members_within_members_are_refused_before_they_take_long() -> None:
    before, after = '{"instance":["P",[["x",[', "]]]]}"
    held = before + ",".join(["1"] * 50_000) + after
    for _ in range(30):
        held = '{"dict":[[' + before + held + after + ",1]]}"
    with pytest.raises(ProtocolError, match="too many parts"):
        decode(held)


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
        "1e999",
        "[-1e400]",
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


def _more(status: int, *parts: str) -> bytes:
    value, after, output, coverage = (*parts, "", "", "", "")[:4]
    return f"!{status}\t{value}\t{after}\t{output}\t{coverage}\n".encode()


def _frame(
    entries: bytes, numbers: tuple[int, ...] = (), token: bytes = TOKEN, *, done: bool = False
) -> bytes:
    header = wire.FRAME_HEADER.pack(len(entries), token, len(numbers), done)
    return header + array("I", numbers).tobytes() + entries


def _frames(count: int) -> Frames:
    return Frames(Limits(), TOKEN, 0, count, SharedValues())


def test_an_entry_is_sent_once_and_named_as_often_as_it_is_given() -> None:
    frames = _frames(5)
    stream = _frame(b"1\n[2]\n" + _more(wire.TIMED_OUT), (0, 1, 0, 2))
    stream += _frame(b"", (1,), done=True)
    (first, last) = list(frames.feed(stream))
    one, two = Returned(encode(1)), Returned(encode([2]))
    assert first.observations == [one, two, one, TimedOut(Limits().call_seconds)]
    assert (last.first, last.observations, last.done) == (4, [two], True)
    assert last.observations[0] is first.observations[1]
    assert frames.alarming


def test_what_a_dead_child_left_is_joined_to_what_it_had_sent() -> None:
    frames = _frames(9)
    list(frames.feed(_frame(b"1\n2\n", (0, 1))))
    # It died between sending and noting it: the page still says all of it, and one answer more.
    page = Page(0, 0, array("I", (0, 1, 2)).tobytes(), b"1\n2\n3\n")
    (left,) = frames.left_behind(page)
    assert (left.first, left.observations) == (2, [Returned(encode(3))])
    with pytest.raises(ProtocolError):
        list(frames.left_behind(Page(4, 0, b"", b"")))


TOO_LONG = f'!{wire.RAISED}\t["E","{"x" * 10_001}",[],false]\t\t\t\n'.encode()


@pytest.mark.parametrize("bad", [TOO_LONG, b"!nonsense\n", b'"' + b"x" * (1 << 20) + b'"\n'])
@pytest.mark.parametrize("sent", [True, False], ids=["sent", "left on the page"])
def test_answers_in_front_of_one_that_cannot_be_read_are_good(bad: bytes, *, sent: bool) -> None:
    frames = _frames(4)
    text, numbers = b"1\n2\n" + bad + b"4\n", (0, 1, 2, 3)
    page = Page(0, 0, array("I", numbers).tobytes(), text)
    found = frames.feed(_frame(text, numbers)) if sent else frames.left_behind(page)
    good = next(found)
    assert good.observations == [Returned(encode(1)), Returned(encode(2))]
    assert not good.done
    with pytest.raises(UnreadableAnswer):
        next(found)
    # Killed for that, the child leaves its page: it says nothing new, and the same is wrong.
    left = frames.left_behind(page)
    assert next(left).observations == []
    with pytest.raises(UnreadableAnswer):
        next(left)


honest_entries = st.lists(
    st.tuples(st.sampled_from(range(8)), st.text(string.printable, max_size=20)), max_size=6
)


@given(honest_entries, st.data())
@settings(max_examples=300)
def test_mutated_frames_give_answers_in_order_or_a_named_error(
    drawn: list[tuple[int, str]], data: st.DataObject
) -> None:
    stream = b"".join(
        _frame(_more(status, value) if status else value.encode() + b"\n", (number,))
        for number, (status, value) in enumerate(drawn)
    )
    at = data.draw(st.integers(0, len(stream)))
    until = data.draw(st.integers(at, len(stream)))
    stream = stream[:at] + data.draw(st.binary(max_size=10)) + stream[until:]
    frames = _frames(6)
    seen: list[int] = []
    try:
        for start in range(0, len(stream), 7):
            for answers in frames.feed(stream[start : start + 7]):
                seen += range(answers.first, answers.first + len(answers.observations))
    except ProtocolError:
        pass
    assert seen == list(range(len(seen)))


@pytest.mark.parametrize(
    "stream",
    [
        _frame(b"1\n", (0,), b"f" * 16),
        _frame(b"1\n", (1,)),
        _frame(b"1\n", (0, 0, 0, 0)),
        _frame(b"1\n", (0,), done=True),
        _frame(b"1\n2\n3\n", (0,)),
        _frame(b"\n" * 9),
        _frame(b"1", (0,)),
        _frame(b"\n", (0,)),
        _frame(_more(0, ""), (0,)),
        _frame(b"") + _frame(b""),
        _frame(_more(99, "1"), (0,)),
        _frame("é\n".encode(), (0,)),
        _frame(b"!1\n", (0,)),
        _frame(_more(1, "[]"), (0,)),
        _frame(_more(1, '["a","b",[1]]'), (0,)),
        _frame(_more(5, "[" * 5000), (0,)),
        _frame(_more(0, "1", "", "!"), (0,)),
        _frame(_more(0, "1", "", "//79"), (0,)),
        _frame(b"!x\t\t\t\t\n", (0,)),
        wire.FRAME_HEADER.pack(1 << 31, TOKEN, 0, False),
        wire.FRAME_HEADER.pack(0, TOKEN, 1 << 31, False),
    ],
)
def test_a_wrong_frame_is_a_protocol_error(stream: bytes) -> None:
    with pytest.raises(ProtocolError):
        list(_frames(3).feed(stream))


@pytest.mark.parametrize(
    "entry",
    [
        b"!1\t[" + b"[[]]," * 200_000 + b"0]\t\t\t\n",
        b"!5\t[" + b"[[]]," * 200_000 + b"0]\t\t\t\n",
        b"!6\t[" + b"[[]]," * 200_000 + b"0]\t\t\t\n",
        b"!7\t[" + b"[[]]," * 200_000 + b"0]\t\t\t\n",
        b"!0\t1\t\t\t[" + b"[[]]," * 200_000 + b"0]\n",
        b"!0\t1\t[" + b"[[]]," * 400_000 + b"0]\t\t\n",
    ],
    ids=["raised", "refused", "unserialisable", "not loaded", "a trace", "arguments"],
)
def test_a_description_without_end_is_refused_before_it_is_parsed(
    entry: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parsed(_text: str) -> object:
        raise AssertionError("it was parsed")

    monkeypatch.setattr("assay_sandbox.entries.json.loads", parsed)
    frame = wire.FRAME_HEADER.pack(len(entry), TOKEN, 1, False) + array("I", [0]).tobytes() + entry
    frames = Frames(Limits(), TOKEN, 0, 1, SharedValues())
    with pytest.raises(UnreadableAnswer, match=r"a (description|trace|value) of \d+ bytes"):
        list(frames.feed(frame))
