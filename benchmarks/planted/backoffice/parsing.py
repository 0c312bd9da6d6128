"""Reading versions, cron fields, query strings and layered settings."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

_NUMBER = r"(0|[1-9][0-9]*)"
_VERSION = re.compile(rf"v?{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER})?(?:-([0-9A-Za-z.]+))?")


@dataclass(frozen=True)
class Version:
    major: int
    minor: int = 0
    patch: int = 0
    pre: tuple[int | str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read a version such as "1.4.2", "v2.0" or "3.1.0-rc.1".

        The text may have a "v" in front and white space around it. There are
        one to three numbers separated by dots; numbers that are not given are
        0. After a hyphen there may be a pre-release part of one or more
        identifiers separated by dots. Identifiers consist of ASCII letters
        and digits and are kept as strings, except that those of digits only
        become integers. No number, nor an identifier of digits only, has
        superfluous leading zeros.

        Raises:
            ValueError: If the text is anything else.

        >>> Version.parse("v3.1-rc.1")
        Version(major=3, minor=1, patch=0, pre=('rc', 1))
        """
        match = _VERSION.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"not a version: {text!r}")
        *numbers, suffix = match.groups()
        pre: list[int | str] = []
        for part in suffix.split(".") if suffix is not None else ():
            if not part or (part.isdigit() and part != "0" and part[0] == "0"):
                raise ValueError(f"bad pre-release in version: {text!r}")
            pre.append(int(part) if part.isdigit() else part)
        major, minor, patch = (int(number or 0) for number in numbers)
        return cls(major, minor, patch, tuple(pre))


def expand_cron_field(field: str, low: int, high: int) -> list[int]:
    """List the values that a field of a cron expression stands for.

    A field is a comma-separated list of items. An item is a number ``a``, a
    range ``a-b`` with both ends included, or ``*`` for the whole range from
    ``low`` to ``high``. Ranges and ``*`` may be followed by a step ``/n``:
    then only every n-th value counts, beginning with the first. ``a/n`` is
    short for ``a-high/n``. Numbers are written in ASCII digits.

    Args:
        field: The field, without any white space.
        low: The lowest value allowed.
        high: The highest value allowed.

    Returns:
        The values in ascending order, each of them once.

    Raises:
        ValueError: If an item has another form, a value is not between
            ``low`` and ``high``, a range ends before it begins, or a step is
            0.

    >>> expand_cron_field("*/20,5,50-52", 0, 59)
    [0, 5, 20, 40, 50, 51, 52]
    """
    values: set[int] = set()
    for item in field.split(","):
        match = re.fullmatch(r"(?:(\*)|([0-9]+)(?:-([0-9]+))?)(?:/([0-9]+))?", item)
        if match is None:
            raise ValueError(f"bad item {item!r} in cron field")
        star, first, last, step_text = match.groups()
        step = int(step_text) if step_text is not None else 1
        if star:
            begin, end = low, high
        else:
            begin = int(first)
            if last is not None:
                end = int(last)
            else:
                end = high if step_text is not None else begin
        if step == 0 or not low <= begin <= end <= high:
            raise ValueError(f"item {item!r} out of range in cron field")
        values.update(range(begin, end + 1, step))
    return sorted(values)


def parse_query(query: str) -> dict[str, str]:
    """Turn a URL query string into a dictionary.

    Parameters are separated by ``&``, name and value by the first ``=``. In
    both, percent escapes and ``+`` for a space are decoded. A parameter
    without ``=`` has an empty value. One question mark at the beginning, and
    empty parameters, are ignored.

    Args:
        query: The query string, with or without the question mark.

    Returns:
        The value of each parameter by its name.

    >>> parse_query("?q=tea+pot&page=2&debug")
    {'q': 'tea pot', 'page': '2', 'debug': ''}
    """
    result = {}
    for part in query.removeprefix("?").split("&"):
        if part:
            name, _, value = part.partition("=")
            result[unquote_plus(name)] = unquote_plus(value)
    return result


def merge_config(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one configuration over another.

    Where both have a dictionary under the same key, the two are merged in the
    same way. Otherwise the value from ``override`` takes the place of the one
    from ``base``; lists are replaced, not joined.

    Args:
        base: The configuration with the defaults.
        override: The configuration that takes precedence.

    Returns:
        A new dictionary. Neither argument is changed, and changing the result
        at any depth later on does not change the arguments either.

    >>> merge_config({"db": {"host": "a", "port": 1}}, {"db": {"port": 2}, "tags": []})
    {'db': {'host': 'a', 'port': 2}, 'tags': []}
    """
    merged = dict(base)
    for key, value in override.items():
        if isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = merge_config(merged[key], value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged
