"""Small parsers and checks for text input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import IntEnum

IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "CH": 21, "DE": 22, "ES": 24,
    "FR": 27, "GB": 22, "IT": 27, "NL": 18, "PT": 25,
}

_TOKEN = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]*)?|\.[0-9]+)|([-+*/^()]))")


class Level(IntEnum):
    DEBUG = 10
    INFO = 20
    WARNING = 30
    ERROR = 40


_HEADER = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})Z"
    r" (DEBUG|INFO|WARNING|ERROR) (.*)"
)


@dataclass
class LogEntry:
    time: datetime
    level: Level
    message: str


def _parse_header(line: str) -> LogEntry | None:
    match = _HEADER.fullmatch(line)
    if match is None:
        return None
    try:
        time = datetime.strptime(match.group(1), "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None
    return LogEntry(time.replace(tzinfo=timezone.utc), Level[match.group(2)], match.group(3))


def iter_entries(lines: Iterable[str], min_level: Level = Level.DEBUG) -> Iterator[LogEntry]:
    """Yield the entries of an application log in the order of the file.

    An entry starts with a line like ``2024-05-01T12:00:00Z ERROR Disk full``.
    Any other line belongs to the entry before it and is added to its message
    after a newline; such lines ahead of the first entry are skipped. Line ends
    are not part of the message.

    Args:
        lines: The lines of the file, with or without line ends.
        min_level: Entries below this level are left out, along with the
            lines that belong to them.
    """
    current: LogEntry | None = None
    for raw in lines:
        line = raw.rstrip("\r\n")
        entry = _parse_header(line)
        if entry is not None:
            if current is not None and current.level >= min_level:
                yield current
            current = entry
        elif current is not None:
            current.message += "\n" + line
    if current is not None and current.level >= min_level:
        yield current


def is_valid_iban(text: str) -> bool:
    """Check the length and the checksum (mod 97) of an IBAN.

    Spaces and the case of letters do not matter. The result is ``False`` for
    countries that are not in ``IBAN_LENGTHS`` and for text that contains
    anything but ASCII letters, digits and spaces.

    >>> is_valid_iban("DE89 3704 0044 0532 0130 00")
    True
    """
    if not text.isascii():
        return False
    iban = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]+", iban):
        return False
    if len(iban) != IBAN_LENGTHS.get(iban[:2]):
        return False
    rearranged = iban[4:] + iban[:4]
    return int("".join(str(int(char, 36)) for char in rearranged)) % 97 == 1


def luhn_valid(number: str) -> bool:
    """Check a card number with the Luhn algorithm.

    Counting from the right, every second digit is doubled (less 9 if that gives
    more than 9); the number is valid if the sum of all digits is then a multiple
    of 10. Spaces and hyphens are ignored. Any other character that is not a
    digit, or having no digits at all, makes the number invalid.

    :param number: the card number as typed by the user
    :return: whether the check digit is right

    >>> luhn_valid("4111 1111 1111 1111")
    True
    """
    digits = number.replace(" ", "").replace("-", "")
    if not (digits.isascii() and digits.isdigit()):
        return False
    total = 0
    for index, char in enumerate(digits):
        value = int(char)
        if index % 2 == 0:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10 == 0


def _tokenise(text: str) -> list[str]:
    tokens: list[str] = []
    text = text.rstrip()
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"unexpected character at {position} in {text!r}")
        tokens.append(match.group(1) or match.group(2))
        position = match.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def sum(self) -> float:
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> float:
        value = self.unary()
        while self.peek() in ("*", "/"):
            value = value * self.unary() if self.take() == "*" else value / self.unary()
        return value

    def unary(self) -> float:
        if self.peek() == "-":
            self.take()
            return -self.unary()
        return self.power()

    def power(self) -> float:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        result = base ** self.unary()
        if isinstance(result, complex):
            raise ValueError("power has no real result")
        return result

    def atom(self) -> float:
        token = self.take()
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise ValueError("missing closing parenthesis")
            return value
        if not token or token in "+-*/^)":
            raise ValueError(f"number expected, found {token or 'end of text'!r}")
        return float(token)


def evaluate(expression: str) -> float:
    """Work out an arithmetic expression in floating point.

    Knows decimal numbers, ``+ - * / ^``, a minus sign in front of an operand,
    and parentheses. ``^`` (power) binds tightest, also tighter than a minus
    sign in front of its base, and groups from the right; the other operators
    have their usual precedence and group from the left. White space between
    numbers and operators is ignored.

    Raises:
        ValueError: If the text is not such an expression, or a power has no
            real result.
        ZeroDivisionError: For a division by zero.
        OverflowError: If a power is too large for a float.

    >>> evaluate("-2^2 + 10 / 4")
    -1.5
    """
    parser = _Parser(_tokenise(expression))
    value = parser.sum()
    if parser.peek():
        raise ValueError(f"unexpected {parser.peek()!r}")
    return value
