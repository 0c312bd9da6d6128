"""Writes texts as JSON."""

from __future__ import annotations

from struct import pack, unpack

# The C function alone comes without the decoder, and the regular expressions that it needs.
try:
    from _json import encode_basestring_ascii as plain_string
except ImportError:
    from json.encoder import encode_basestring_ascii as plain_string


# Separates texts while they are escaped together; a text that contains it is detected.
_BETWEEN, _ESCAPED = "\x7f", "\\u007f"
_SHORTER = len(_ESCAPED) - len('","')
# How many characters are converted at a time.
_PIECE = 4096


def string(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            # Two lone surrogates in a row would be read back as one character.
            return '{"surrogates":"%s"}' % _code_points(text)
    return plain_string(text)


def _code_points(text: str) -> str:
    """Four bytes per character, lowest first. By no codec: programs can register their own."""
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    return "".join([pack("<%dI" % len(piece), *map(ord, piece)).hex() for piece in pieces])


def of_code_points(content: str) -> str:
    """The text of such bytes."""
    data = bytes.fromhex(content)
    return "".join(map(chr, unpack("<%dI" % (len(data) // 4), data)))


def strings(items: list[str]) -> str:
    """A list of texts, escaped in one go; empty if one of them has to be examined by itself."""
    inside = '","'.join(items)
    # Escaping lengthened nothing but the quotes between and around the texts.
    if len(plain_string(inside)) == len(inside) + 2 * len(items):
        return '["' + inside + '"]'
    joined = plain_string(_BETWEEN.join(items))
    text = joined.replace(_ESCAPED, '","')
    # A surrogate, which `string` has to examine, or a text that contains the separator.
    if "\\ud" in joined or len(joined) - len(text) != _SHORTER * (len(items) - 1):
        return ""
    return "[" + text + "]"
