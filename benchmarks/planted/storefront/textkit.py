"""Text helpers for pages and mails."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

ELLIPSIS = "..."

_PLACEHOLDER = re.compile(r"\{\{ *([A-Za-z_][A-Za-z0-9_]*) *\}\}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def slugify(title: str, max_length: int = 60) -> str:
    """Turn a title into a slug for use in URLs.

    Accents are removed and letters lower-cased; every run of characters other
    than ASCII letters and digits becomes a single hyphen. A slug has at most
    ``max_length`` characters and neither begins nor ends with a hyphen.

    >>> slugify("  Crème brûlée: 3 easy recipes! ")
    'creme-brulee-3-easy-recipes'
    """
    text = strip_accents(title).lower()
    slug = _NOT_SLUG.sub("-", text).strip("-")
    return slug[:max_length]


def render_template(template: str, values: Mapping[str, object]) -> str:
    """Fill in ``{{ name }}`` placeholders.

    A name consists of ASCII letters, digits and underscores and does not begin
    with a digit; the spaces around it are optional. A placeholder without a value in
    ``values`` is left as it stands, and a value of ``None`` gives an empty
    string. Text that comes from a value is not searched for placeholders.

    >>> render_template("Dear {{name}}, {{ unknown }}", {"name": "Ann"})
    'Dear Ann, {{ unknown }}'
    """

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            return match.group(0)
        value = values[name]
        return "" if value is None else str(value)

    return _PLACEHOLDER.sub(fill, template)


def ellipsize(text: str, limit: int) -> str:
    """Truncate ``text`` to ``limit`` characters, adding ``...`` if it was cut.

    >>> ellipsize("short", 10)
    'short'
    """
    if len(text) <= limit:
        return text
    return text[:limit] + ELLIPSIS


def capitalise_heading(heading: str) -> str:
    """Return the heading with every word capitalised.

    >>> capitalise_heading("getting started")
    'Getting Started'
    """
    words = heading.split(" ")
    return " ".join(word.capitalize() for word in words)
