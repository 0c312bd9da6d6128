"""Roman numerals, slugs and line breaks."""

import re


def to_roman(number: int) -> str:
    """Return a whole number as a Roman numeral in capital letters.

    Four and nine are written by subtraction in every decimal place, so 4 is "IV", 49 is "XLIX"
    and 900 is "CM".

    Raises ValueError if the number is not from 1 to 3999.

    >>> to_roman(1994)
    'MCMXCIV'
    """
    if not 1 <= number <= 3999:
        raise ValueError("only 1 to 3999 can be written as a Roman numeral")
    values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
    symbols = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")
    numeral = ""
    for value, symbol in zip(values, symbols, strict=True):
        count, number = divmod(number, value)
        numeral += symbol * count
    return numeral


def slugify(title: str) -> str:
    """Turn a title into a slug for a web address, such as "hello-world".

    The title is lower-cased with `str.lower`. Then every run of characters other than the ASCII
    letters a-z and digits 0-9 becomes one hyphen, and hyphens at the start and the end are
    removed. Letters with accents are not replaced by plain ones. A title without any ASCII
    letter or digit gives an empty string.

    >>> slugify("  Hello, World! ")
    'hello-world'
    >>> slugify("Café au lait")
    'caf-au-lait'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def wrap_words(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` characters and return the lines.

    Words are what `text.split()` gives. Every line takes as many of the next words as fit, with
    one space between them and none at its ends. A word longer than `width` is not cut but
    stands on a line of its own. A text without words gives an empty list.

    Raises ValueError if `width` is less than 1, whatever the text.

    >>> wrap_words("the quick brown fox jumps", 12)
    ['the quick', 'brown fox', 'jumps']
    """
    if width < 1:
        raise ValueError("the width must be at least 1")
    lines = []
    line = ""
    for word in text.split():
        if not line:
            line = word
        elif len(line) + 1 + len(word) < width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines
