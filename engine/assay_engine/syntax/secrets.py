"""Finds texts in a program that look like credentials, and gives the program without them.

A model is sent the definitions that a function refers to, and with them any key that stands among
them. No candidate needs the key: the programs that run have the text as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from assay_engine.syntax.names import last_name
from assay_engine.syntax.secret_forms import BESIDE, has_form, is_random, repeats
from assay_engine.syntax.source import Source, read_source

MASKED = "'***'"
# Shorter texts are not secret, or not worth the name.
CHARACTERS_MIN = 4

_NAMED = re.compile(
    r"(?:^|_)(?:pass(?:word|wd|phrase)|pwd|secret|credentials?|(?:api|access|secret|private)_?key"
    r"|(?:auth|access|refresh|api|bearer)_?token)$",
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """The same program text with every literal that looks like a credential replaced.

    A literal looks like a credential by its form (``sk-...``), or by the name that it is given to
    (``API_KEY = "..."``), unless it repeats that name (``PASSWORD = "password"``). Beside a name
    that need not mean a credential (``key``), it also has to look drawn at random.
    """
    if BESIDE.search(text) is None and not has_form(text):
        return text
    source = read_source(text)
    spans = sorted({source.span(node) for node in _secrets(source)}, key=lambda span: -span.start)
    for span in spans:
        mark = "b" if text[span.start] in "bB" else ""
        text = text[: span.start] + mark + MASKED + text[span.end :]
    return text


def _secrets(source: Source) -> Iterator[ast.expr]:
    """The literals that look like credentials, none within another."""
    pending: list[ast.AST] = [source.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.JoinedStr):
            if has_form(source.segment(node)):
                yield node
            continue
        if isinstance(node, ast.Constant) and _has_form(node.value):
            yield node
        for name, value in _given_names(node):
            if isinstance(value, ast.Constant) and _is_secret(name, value.value):
                yield value
        pending += ast.iter_child_nodes(node)


def _given_names(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names with what they are given: variables, attributes, keywords, keys and parameters."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((last_name(target) or "", value) for target in targets)
        case ast.AnnAssign(target=target, value=value):
            yield last_name(target) or "", value
        case ast.keyword(arg=str(name), value=value):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case ast.arguments():
            positional = [*node.posonlyargs, *node.args]
            # The last parameters have the defaults.
            by_default = zip(reversed(positional), reversed(node.defaults), strict=False)
            for argument, default in by_default:
                yield argument.arg, default
            for argument, keyword_default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
                yield argument.arg, keyword_default
        case _:
            pass


def _is_secret(name: str, value: object) -> bool:
    text = _text(value)
    if text is None or len(text) < CHARACTERS_MIN:
        return False
    if _NAMED.search(name) is not None:
        return not repeats(name, text)
    return BESIDE.search(name) is not None and is_random(text)


def _has_form(value: object) -> bool:
    text = _text(value)
    return text is not None and has_form(text)


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else None
