"""Compares tables of pandas without names that nobody asked for.

What an index is called follows from how a program came to it (`groupby` names it, a list of labels
does not), and `equals` of pandas ignores it. The same goes for the name of a series, unless the
docstring speaks of names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from msgspec import structs

from assay_engine.deciding.voting import Behaviour, Vote
from assay_engine.running.carried import value_of
from assay_sandbox import Container, Encoded, Instance, Observation, Raised, Returned, Value, encode

_NAMES = re.compile(r"\bnam(?:e[ds]?|ing)\b", re.IGNORECASE)
_TABLE = '"pandas.'


def speaks_of_names(docstring: str) -> bool:
    return _NAMES.search(docstring) is not None


def unnamed(observation: Observation, *, series: bool) -> Observation:
    """The observation without the names of axes, and without those of series if `series`; the very
    same observation if there is no table in it."""
    match observation:
        case Returned(value=value, args_after=after) if _holds_table(value) or _holds_table(after):
            value, after = _without(value, series=series), _without(after, series=series)
            return replace(observation, value=value or "", args_after=after)
        case Raised(args_after=after) if _holds_table(after):
            return replace(observation, args_after=_without(after, series=series))
        case _:
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


def _holds_table(text: Encoded | None) -> bool:
    return text is not None and _TABLE in text


def _without(text: Encoded | None, *, series: bool) -> Encoded | None:
    return None if text is None else encode(_stripped(value_of(text), series=series))


def _stripped(value: Value, *, series: bool) -> Value:
    match value:
        case list() | tuple():
            items = [_stripped(item, series=series) for item in cast("Sequence[Value]", value)]
            return tuple(items) if isinstance(value, tuple) else items
        case dict():
            mapping = cast("dict[Value, Value]", value)
            return {key: _stripped(item, series=series) for key, item in mapping.items()}
        case Instance():
            fields = ((name, _stripped(item, series=series)) for name, item in value.fields)
            return Instance(value.type_name, tuple(fields))
        case Container():
            return Container(value.type_name, _of_table(value, series=series))
        case _:
            return value


def _of_table(table: Container, *, series: bool) -> Value:
    """The parts of a table without its names, as `assay_sandbox.worker.pandas_values` tells them;
    of any other container, those of the tables in it."""
    parts = cast("list[Value]", table.items) if isinstance(table.items, list) else []
    match table.type_name, parts:
        case "pandas.DataFrame", [index, columns, cells]:
            return [_labels(index), _labels(columns), cells]
        case "pandas.Series", [name, labels, column]:
            return [None if series else name, _labels(labels), column]
        case "pandas.Index" | "pandas.MultiIndex", [*_]:
            return _labels(parts)
        case _:
            return _stripped(cast("Value", table.items), series=series)


def _labels(labels: Value) -> Value:
    """Labels begin with their name, or with a list of names, one for each level."""
    if not isinstance(labels, list) or not labels:
        return cast("Value", labels)
    names, *rest = cast("list[Value]", labels)
    nobody: Value = [None for _ in cast("list[Value]", names)] if isinstance(names, list) else None
    return [nobody, *rest]
