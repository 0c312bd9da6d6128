"""Whether arguments are such as the seeds show: the part of the domain that needs no samples.

Seeds are meant; what is unlike all of them need not be. A version space of traits, argument by
argument, in the manner of likely invariants (Ernst et al., "Dynamically Discovering Likely Program
Invariants to Support Program Evolution"): an input is in the span of the seeds if

- it shows no trait that no seed shows: another type, emptiness, another class of characters;
- and its containers lack nothing that those of every seed have: an item of some type, or of some
  sign. What every seed list has (a positive number, a name among the numbers) may be what the
  function is about.

Where in a container something stands is no trait, and neither are sizes, order, or the sign of a
number on its own: functions are asked about those, and three seeds say little of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from assay_sandbox import Value

# Where it is (argument, then what kind of item at every depth), and what it is.
Trait: TypeAlias = tuple[tuple[int | str, ...], str]


@dataclass(frozen=True, slots=True)
class Span:
    """Traits that some seed shows, and those that the contents of all of them show."""

    shown: frozenset[Trait]
    shared: frozenset[Trait]


def span_of(seeds: Sequence[Sequence[Value]]) -> Span:
    contents = [set(_contents(seed)) for seed in seeds]
    return Span(
        shown=frozenset(trait for seed in seeds for trait in _shape(seed)),
        shared=frozenset(set[Trait].intersection(*contents) if contents else ()),
    )


def within(arguments: Sequence[Value], span: Span) -> bool:
    return span.shown.issuperset(_shape(arguments)) and span.shared.issubset(_contents(arguments))


def _shape(arguments: Sequence[Value]) -> Iterator[Trait]:
    """Types, emptiness and classes of characters, at any depth."""
    for path, value in _values(arguments):
        yield path, _type(value)
        match value:
            case str():
                yield path, "some" if value else "empty"
                yield from ((path, _character(each)) for each in set(value))
            case bytes() | list() | tuple() | set() | frozenset() | dict():
                yield path, "some" if value else "empty"
            case _:
                pass


def _contents(arguments: Sequence[Value]) -> Iterator[Trait]:
    """Types and signs of what containers hold."""
    for path, value in _values(arguments):
        if len(path) > 1:
            yield path, _type(value)
            if isinstance(value, int | float):
                yield path, "negative" if value < 0 else "positive" if value > 0 else "zero"


def _values(arguments: Sequence[Value]) -> Iterator[tuple[tuple[int | str, ...], Value]]:
    """Everything in the arguments, with its path; decoding has bounded the depth."""
    waiting: list[tuple[tuple[int | str, ...], Value]] = [
        ((at,), value) for at, value in enumerate(arguments)
    ]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        match value:
            case list() | tuple() | set() | frozenset():
                items = cast("Sequence[Value]", value)
                waiting.extend(((*path, "item"), item) for item in items)
            case dict():
                pairs = cast("dict[Value, Value]", value).items()
                waiting.extend(((*path, "key"), key) for key, _ in pairs)
                waiting.extend(((*path, "value"), item) for _, item in pairs)
            case _:
                pass


def _type(value: Value) -> str:
    """Whole numbers and others are of one type: seeds write 3 where 3.5 is meant, too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def _character(character: str) -> str:
    if not character.isascii():
        return "other letter" if character.isalpha() else "other character"
    if character.islower():
        return "lower"
    if character.isupper():
        return "upper"
    if character.isdigit():
        return "digit"
    if character.isspace():
        return "blank" if character == " " else "white space"
    return "punctuation" if character.isprintable() else "control character"
