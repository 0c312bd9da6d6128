"""Compares tables of pandas without names that nobody asked for.

What an index is called follows from how a program came to it (`groupby` names it, a list of labels
does not), and `equals` of pandas ignores it. The same goes for the name of a series. Either counts
where the docstring speaks of such names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from msgspec import Struct, structs

from assay_engine.deciding.voting import Behaviour, Vote
from assay_engine.running.carried import value_of
from assay_sandbox import (
    Container,
    Encoded,
    Instance,
    Iterated,
    Observation,
    Raised,
    Returned,
    Value,
    encode,
)

_NAMED = r"\b(?:names?|named|naming|called|titled|labell?ed)\b"
_SPOKEN_OF = re.compile(_NAMED, re.IGNORECASE)
_AXIS = r"\b(?:index|indexes|indices|axis|axes|levels?)\b"
_AXES_SPOKEN_OF = re.compile(
    rf"{_AXIS}[^.;]{{0,40}}?{_NAMED}|{_NAMED}[^.;]{{0,20}}?{_AXIS}", re.IGNORECASE
)
_TABLE = '"pandas.'


class Names(Struct, frozen=True):
    """Whether the names of axes count, and those of series."""

    axes: bool = False
    series: bool = False

    @classmethod
    def spoken_of(cls, docstring: str) -> Names:
        prose = " ".join(docstring.split())
        return cls(
            axes=_AXES_SPOKEN_OF.search(prose) is not None,
            series=_SPOKEN_OF.search(prose) is not None,
        )


def unnamed(observations: Sequence[Observation], names: Names) -> list[Observation]:
    """The observations without names that do not count; the very same where they have none, and
    where all of them are alike anyway."""
    told = [_texts(each) for each in observations]
    texts = {text for each in told for text in each if _TABLE in text}
    if not texts or (names.axes and names.series) or len(set(told)) == 1:
        return list(observations)
    without = {text: _without(text, names) for text in texts}
    return [_replaced(each, without) for each in observations]


def _texts(observation: Observation) -> tuple[Encoded, ...]:
    match observation:
        case Returned(value=value, args_after=after):
            return (value,) if after is None else (value, after)
        case Raised(args_after=after) if after is not None:
            return (after,)
        case _:
            return ()


def _replaced(observation: Observation, without: dict[Encoded, Encoded]) -> Observation:
    if isinstance(observation, Returned | Raised) and observation.args_after is not None:
        after = without.get(observation.args_after, observation.args_after)
        observation = replace(observation, args_after=after)
    if isinstance(observation, Returned):
        return replace(observation, value=without.get(observation.value, observation.value))
    return observation


def as_observed(vote: Vote, original: Observation, candidates: Sequence[Observation]) -> Vote:
    """The vote with what was really observed of the first program that behaves in each way."""
    unordered = vote.but_for_order
    return structs.replace(
        vote,
        behaviours=tuple(_observed(each, original, candidates) for each in vote.behaviours),
        but_for_order=unordered and as_observed(unordered, original, candidates),
    )


def _observed(
    behaviour: Behaviour, original: Observation, candidates: Sequence[Observation]
) -> Behaviour:
    first = original if behaviour.is_original else candidates[behaviour.candidates[0]]
    return structs.replace(behaviour, observation=first)


def _without(text: Encoded, names: Names) -> Encoded:
    try:
        return encode(_stripped(value_of(text), names))
    except (TypeError, RecursionError):
        # It is nested as no value is that we would write.
        return text


def _stripped(value: Value, names: Names) -> Value:
    match value:
        case list() | tuple():
            items = [_stripped(item, names) for item in cast("Sequence[Value]", value)]
            return tuple(items) if isinstance(value, tuple) else items
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return {key: _stripped(item, names) for key, item in mapping.items()}
        case Instance():
            fields = ((name, _stripped(item, names)) for name, item in value.fields)
            return Instance(value.type_name, tuple(fields))
        case Iterated():
            items = tuple(_stripped(item, names) for item in value.items)
            return Iterated(value.type_name, items, value.complete)
        case Container():
            return Container(value.type_name, _of_table(value, names))
        case _:
            return value


def _of_table(table: Container, names: Names) -> Value:
    """The parts of a table without its names, as `assay_sandbox.worker.pandas_values` tells them;
    of any other container, those of the tables in it."""
    parts = cast("list[Value]", table.items) if isinstance(table.items, list) else []
    match table.type_name, parts:
        case "pandas.DataFrame", [index, columns, cells]:
            return [_labels(index, names), _labels(columns, names), cells]
        case "pandas.Series", [name, labels, column]:
            return [name if names.series else None, _labels(labels, names), column]
        case "pandas.Index" | "pandas.MultiIndex", [*_]:
            return _labels(parts, names)
        case _:
            return _stripped(cast("Value", table.items), names)


def _labels(labels: Value, names: Names) -> Value:
    """Labels begin with their name, or with a list of names, one for each level."""
    if names.axes or not isinstance(labels, list) or not labels:
        return cast("Value", labels)
    name, *rest = cast("list[Value]", labels)
    nobody: Value = [None for _ in cast("list[Value]", name)] if isinstance(name, list) else None
    return [nobody, *rest]
