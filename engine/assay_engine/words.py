"""Helpers for wording, shared by all the code that writes sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

SHORT_CHARACTERS = 60

# Categories of characters that cannot be seen, turn text around, or are read differently by
# different readers.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Marks that choose among pictures of one sign, or join nothing. A text looks the same without them.
_CHOOSING = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# A place within a word, and the part of a word before or after a cut if it is short enough to be
# left out.
_WITHIN_WORD = re.compile(r"\w\w")
_WORD_BEGUN = re.compile(r"(?<!\w)\w{1,12}$")
_WORD_ENDING = re.compile(r"\w{1,12}(?=\W)")
# Where a text is cut preferably: after statements or steps, and otherwise after items of values.
_BORDERS = ("; ", ", ")
_BACKTICKS = re.compile("`+")
LINE_BREAK = re.compile(r"\r\n|\r|\n")
# What a runner of CI obeys: GitHub's a line that begins with `::`, behind blanks, too, and `##[`
# anywhere, Azure's and others `##vso[` and such. The last character is what the match hangs on.
_COMMAND = re.compile(r"""(?m)(?:^[^\S\n]*:(?=:)|##[^\s\["#]*(?=\[))[:\[]""")
# Of `[text](command:…)` in a message VS Code makes a link that runs the command.
_MESSAGE_LINK = re.compile(r"\](?=\([A-Za-z]+:)")
# Characters that a terminal obeys (except the white space of programs), or that show a line in
# another order.
_COMMANDING = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def short(text: str, limit: int = SHORT_CHARACTERS) -> str:
    """The text on one line, with everything unseen escaped, cut in the middle if it is long.

    The cuts fall between statements or items, or else between words, unless these are long
    themselves.
    """
    line = one_line(text)
    if len(line) <= limit:
        return line
    end = limit - limit // 4 - 1
    head = _ending_before(line, end, end // 2) or _word_before(line, end)
    begin = len(line) - (limit - head - 1)
    tail = _beginning_behind(line, begin, len(line), limit // 8)
    if tail is None:
        tail = _word_behind(line, len(line) - limit // 4)
    return f"{line[:head]}…{line[tail:]}"


def whole_characters(text: str) -> str:
    """The text in a form that can be written to a file or sent.

    A mark replaces half a surrogate pair, and one character replaces a pair given in halves.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def set_apart(text: str, other: str, limit: int) -> str:
    """The text as `short` gives it, but with its first difference from the other text.

    If `short` would leave out that difference, the text is cut at both ends around it.
    """
    line, beside = told_apart(text, other)
    shown = short(line, limit)
    first = _first_difference(line, beside)
    if first is None or len(line) <= limit or shown.startswith(line[: first + 1]):
        return shown
    return _around(line, first, limit)


def alike_up_to(text: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (one, its) in pairs if one != its), min(len(text), len(other)))


def told_apart(text: str, other: str) -> tuple[str, str]:
    """Both texts on one line. If they differ but look the same, they are shown by code points."""
    line, beside = one_line(text), one_line(other)
    if line == beside or _looks(line) != _looks(beside):
        return line, beside
    return in_ascii(line), in_ascii(beside)


def unmistakable(text: str) -> str:
    """The text, shown by its code points if a reader would type another text that looks the same.

    An example is a separate accent in place of the letter with that accent.
    """
    return text if unicodedata.is_normalized("NFC", text) else in_ascii(text)


def in_ascii(text: str) -> str:
    """The text with escapes for everything that is not ASCII, as `ascii` writes them."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def line_starts(text: str) -> list[int]:
    """The offsets at which lines start, including the first line. Lines end as in Python."""
    return [0, *(match.end() for match in LINE_BREAK.finditer(text))]


def one_line(text: str) -> str:
    """The text without line breaks, with everything unseen escaped."""
    return visible(LINE_BREAK.sub(" ", text))


def visible(text: str) -> str:
    """The text with everything unseen escaped, except line feeds and tabs.

    Text that programs and models wrote is shown through this function. It can then neither command
    a terminal nor turn the text around it.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def obeyed_by_nobody(text: str, escape: Callable[[str], str] = "\\{}".format) -> str:
    """The text without anything that a runner of CI obeys in its log.

    `escape` writes one character so that who reads the text still gets it, as JSON or HTML do.
    Whatever follows, what the text begins with comes out the same.
    """
    return _COMMAND.sub(lambda found: found[0][:-1] + escape(found[0][-1]), text)


def text_alone(message: str) -> str:
    """The message to an editor's user, of which the editor shows nothing but text."""
    return _MESSAGE_LINK.sub(r"]\\", visible(message))


def commanding(text: str) -> str | None:
    """The first character that a terminal would obey or that turns text around, if there is one.

    The result is its name, such as ``U+001B``, or None.
    """
    found = _COMMANDING.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int) -> str:
    """The names in a row: ``a, b``. If there are more than `most`, the first and how many more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def in_backticks(names: Sequence[str]) -> str:
    return ", ".join(map("`{}`".format, names))


def share(weight: int, total: int, noun: str) -> str:
    """A share in words: ``9 of 10 candidates``, ``all 10 candidates``, ``1 of 10 candidates``."""
    if weight == total and total > 1:
        return f"all {total} {noun}s"
    return f"{weight} of {total} {noun}s"


def _looks(line: str) -> str:
    return line if line.isascii() else unicodedata.normalize("NFC", _CHOOSING.sub("", line))


def _first_difference(line: str, other: str) -> int | None:
    """The place where a line first differs from another; None if they are equal.

    If the other line only goes on, this is the end of the line.
    """
    return None if line == other else alike_up_to(line, other)


def _around(line: str, place: int, limit: int) -> str:
    """The part of a line around a place, which it includes, in at most `limit` characters."""
    begin = max(0, min(place - limit // 2, len(line) - limit + 1))
    begin = _whole_before(line, begin, place)
    if len(line) - begin < limit:
        return f"…{line[begin:]}"
    end = begin + limit - 2
    end = _ending_before(line, end, max(place + 1, end - limit // 3)) or end
    return f"…{line[begin:end]}…"


def _ending_before(line: str, end: int, least: int) -> int | None:
    """The end of the last statement, or else item, that ends between `least` and `end`."""
    found = (line.rfind(border, least, end + 1) for border in _BORDERS)
    return next((min(at + 2, end) for at in found if at >= 0), None)


def _beginning_behind(line: str, begin: int, most: int, item: int = 0) -> int | None:
    """The start of the first statement that begins between `begin` and `most`, or else of an item.

    The blank before it is included. An item has to leave at least `item` characters up to `most`.
    """
    least = max(0, begin - 1)
    found = (line.find("; ", least, most), line.find(", ", least, most - item))
    return next((at + 1 for at in found if at >= 0), None)


def _whole_before(line: str, begin: int, place: int) -> int:
    """Where to begin instead, at or before the place: with a statement, an item or a word."""
    border = _beginning_behind(line, begin, place)
    if border is not None:
        return border
    word = _word_behind(line, begin) if begin > 0 else begin
    return word if word <= place else begin


def _word_before(line: str, end: int) -> int:
    begun = _WORD_BEGUN.search(line, 0, end)
    if begun is None or not _WITHIN_WORD.match(line, end - 1):
        return end
    return begun.start() or end


def _word_behind(line: str, begin: int) -> int:
    ending = _WORD_ENDING.match(line, begin)
    return begin if ending is None or not _WITHIN_WORD.match(line, begin - 1) else ending.end()


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in _UNSEEN:
        return character
    point = ord(character)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def backticks_around(text: str, at_least: int) -> str:
    """A fence of backticks that is longer than any run of backticks in the text.

    The fence has at least `at_least` backticks.
    """
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    return "`" * max(at_least, longest + 1)
