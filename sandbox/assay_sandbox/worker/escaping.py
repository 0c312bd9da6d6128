"""Texts as JSON."""

from __future__ import annotations

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


def string(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            # Two lone surrogates in a row would be read back as one character.
            return '{"surrogates":"%s"}' % text.encode("utf-32-le", "surrogatepass").hex()
    return plain_string(text)


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
