"""Reads vectors from JSON and refuses, with a reason, those that cannot be evaluated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

import msgspec

from assay_bench.vectors.values import Json


class BadFile(Exception):
    """A file that is no list of vectors; the message says why."""


class BadVector(Exception):
    """A vector that cannot be evaluated; the message says why."""


Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class Suffix(msgspec.Struct, frozen=True, tag_field="kind", tag="suffix"):
    param: Index
    length: Index = 1
    type: str = "list"


class Head(msgspec.Struct, frozen=True, tag_field="kind", tag="head"):
    param: Index


class DropLength(msgspec.Struct, frozen=True, tag_field="kind", tag="drop-length"):
    len_param: Index
    seq_param: Index


class AddLength(msgspec.Struct, frozen=True, tag_field="kind", tag="add-length"):
    """`len_param`: the index of the added length; if it is left out, the length precedes the
    sequence."""

    seq_param: Index
    len_param: Index | None = None


class Unpack(msgspec.Struct, frozen=True, tag_field="kind", tag="unpack"):
    pass


Adapter: TypeAlias = Suffix | Head | DropLength | AddLength | Unpack


class WhenNone(msgspec.Struct, frozen=True, tag_field="when", tag="none"):
    exhaustive: bool


class WhenType(msgspec.Struct, frozen=True, tag_field="when", tag="type"):
    name: str
    exhaustive: bool


class WhenValue(msgspec.Struct, frozen=True, tag_field="when", tag="value"):
    value: Json
    exhaustive: bool


class WhenTag(msgspec.Struct, frozen=True, tag_field="when", tag="tag"):
    name: Json
    exhaustive: bool


Case: TypeAlias = WhenNone | WhenType | WhenValue | WhenTag


class VectorTest(msgspec.Struct, frozen=True, rename={"source": "assert"}):
    """An input and the output for it; or program text that calls `f` and fails if `f` is wrong. The
    text is a function whose name starts with ``test_``, or statements."""

    inputs: tuple[Json, ...] | msgspec.UnsetType = msgspec.UNSET
    output: Json = msgspec.UNSET
    source: str | msgspec.UnsetType = msgspec.UNSET


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of the rules, off by default."""

    threshold: tuple[Index, Positive] = (1, 3)
    least_evidence: Positive = 1
    passes_doubt_on: bool = False
    late_is_angelic: bool = False
    round_trip: bool = False
    least_programs: Positive = 1
    least_witnesses: Positive = 1


class Vector(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    scheme: str
    expected: dict[str, Json]
    forward_programs: tuple[str, ...] = ()
    witness_programs: tuple[str, ...] = ()
    enumerators: tuple[str, ...] = ()
    inputs: tuple[tuple[Json, ...], ...] = ()
    witness_inputs: tuple[tuple[Json, ...], ...] = ()
    invert: Index = 0
    adapter: Adapter | tuple[Adapter, ...] = ()
    union: tuple[Case, ...] = ()
    witness_parts: tuple[tuple[str, ...], ...] = ()
    tests: tuple[VectorTest | str, ...] = ()
    agreement: tuple[tuple[int, ...], ...] = ()
    program_classes: tuple[int, ...] | None = None
    witness_classes: tuple[int, ...] | None = None
    outcomes: dict[str, Json] = msgspec.field(default_factory=dict[str, Json])
    counts: tuple[Index, Index, Index, Index, Index] | None = None
    expression: Json = None
    options: Options = Options()


def read_entries(path: Path) -> list[object]:
    """The entries that a file lists; each should be a vector. Raises BadFile."""
    try:
        entries: object = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path} is not JSON: {error}") from None
    if not isinstance(entries, list):
        raise BadFile(f"{path} holds no list of vectors")
    return cast("list[object]", entries)


_EXPECTED: dict[str, Any] = {
    "property": bool,
    "agreements": tuple[tuple[int, int], ...],
    "selected": tuple[int, ...] | None,
    "witnesses": tuple[int, ...],
    "score": int,
    "abstain": bool,
    "value": Any,
}


def vector_from(entry: object) -> Vector:
    """The vector in an entry of a file. Fields that are null count as left out.

    Raises BadVector.
    """
    if isinstance(entry, dict):
        fields = cast("dict[str, Json]", entry)
        entry = {key: value for key, value in fields.items() if value is not None}
    try:
        vector = msgspec.convert(entry, Vector)
        for key, expected in vector.expected.items():
            msgspec.convert(expected, _EXPECTED.get(key, Any))
    except msgspec.ValidationError as error:
        raise BadVector(str(error)) from None
    except RecursionError:
        raise BadVector("nested too deeply") from None
    if not vector.expected:
        raise BadVector("nothing is expected")
    return vector
