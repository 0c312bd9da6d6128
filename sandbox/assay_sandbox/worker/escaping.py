"""Texts as JSON."""

from __future__ import annotations

from struct import pack, unpack

# The C function behind it comes without the decoder, and the regular expressions that needs.
try:
    from _json import encode_basestring_ascii as plain_string
except ImportError:
    from json.encoder import encode_basestring_ascii as plain_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

# Stands between texts while they are escaped together; a text that holds it is found out.
_BETWEEN, _ESCAPED = "\x7f", "\\u007f"
_SHORTER = len(_ESCAPED) - len('","')
# Characters whose numbers are there at once.
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
    """Four bytes for each, lowest first. By no codec: programs can have codecs of their own."""
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    return "".join([pack("<%dI" % len(piece), *map(ord, piece)).hex() for piece in pieces])


def of_code_points(content: str) -> str:
    """The text of such bytes."""
    data = bytes.fromhex(content)
    return "".join(map(chr, unpack("<%dI" % (len(data) // 4), data)))


def strings(items: List[str]) -> str:
    """Nothing but texts, escaped in one go; empty if one of them has to be looked at by itself."""
    inside = '","'.join(items)
    # Escaping made nothing longer but the quotes that stand between and around the texts.
    if len(plain_string(inside)) == len(inside) + 2 * len(items):
        return '["' + inside + '"]'
    joined = plain_string(_BETWEEN.join(items))
    text = joined.replace(_ESCAPED, '","')
    # A surrogate, which `string` looks at more closely, or a text that holds the separator.
    if "\\ud" in joined or len(joined) - len(text) != _SHORTER * (len(items) - 1):
        return ""
    return "[" + text + "]"
