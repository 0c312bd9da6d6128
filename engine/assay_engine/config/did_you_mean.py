"""Explains unknown settings in a file: which known name each is near to, or where it belongs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import cast

from assay_engine.words import short

SHOWN_MAX = 5
NAME_CHARACTERS_MAX = 100

# The names of settings, by the table that they belong under.
Tables = Mapping[str, Collection[str]]


def misnamed(
    given: Mapping[str, object], tables: Tables, others: Collection[str], where: str, inside: str
) -> str:
    """Sentences on the unknown names in `given`; empty if there are none.

    `others` are the known names that stand in no table. `inside` is the prefix of tables in this
    file: ``tool.assay.`` or nothing.
    """
    found = [
        *_at_the_top(given, tables, others, where, inside),
        *_in_tables(given, tables, where, inside),
    ]
    more = len(found) - SHOWN_MAX
    left = [f"{where} has {more} more of this kind."] if more > 0 else []
    return " ".join([*found[:SHOWN_MAX], *left])


def _at_the_top(
    given: Mapping[str, object], tables: Tables, others: Collection[str], where: str, inside: str
) -> Iterator[str]:
    for name in given:
        if name in tables or name in others:
            continue
        advice = _elsewhere(name, tables, inside) or _near(name, tables, others, inside)
        if name == "tool" and not inside:
            advice = "write its tables without `tool.assay`, as in [sampling]"
        if name == "exclude":
            advice = "`exclude` belongs under [tool.assay] in a pyproject.toml"
        listed = f"it has {', '.join(sorted(others))} and the tables {', '.join(sorted(tables))}"
        yield f"{where} has no setting {short(repr(name))}; {advice or listed}."


def _in_tables(
    given: Mapping[str, object], tables: Tables, where: str, inside: str
) -> Iterator[str]:
    for table, known in tables.items():
        entries = given.get(table)
        if not isinstance(entries, dict):
            continue
        for name in cast("dict[str, object]", entries):
            if name not in known:
                listed = f"it has {', '.join(sorted(known))}"
                advice = _elsewhere(name, tables, inside) or listed
                yield f"{where}: {table} has no setting {short(repr(name))}; {advice}."


def _elsewhere(name: str, tables: Tables, inside: str) -> str:
    for table, known in tables.items():
        if name in known:
            return f"`{name}` belongs under [{inside}{table}]"
    return ""


def _near(name: str, tables: Tables, others: Collection[str], inside: str) -> str:
    """The known name that a name may be a slip of, as part of a sentence."""
    places = dict.fromkeys(others, "")
    for table, known in tables.items():
        places[table] = ""
        places |= dict.fromkeys(known, f" under [{inside}{table}]")
    # It takes time that grows with the square of the name.
    near = get_close_matches(name[:NAME_CHARACTERS_MAX], places, 1)
    return f"the nearest is `{near[0]}`{places[near[0]]}" if near else ""
