"""Inputs and outputs as a judge reads them: readable, escaped, of bounded length.

Separates the data in a prompt from the question, whatever is written in the data.

Every line of data begins with a bar, and the data stand between two lines that carry a mark. The
mark is derived from the data, so that a prompt is the same every time. The mark occurs nowhere in
the data, so nobody who writes a docstring, an input or an output can write the line that ends them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from msgspec import Struct

from assay_engine import digest
from assay_engine.syntax.parsing import parse_expression
from assay_engine.syntax.secrets import text_without_secrets, value_without_secrets
from assay_engine.syntax.text import with_newlines
from assay_engine.types import Specification, text_of
from assay_engine.values.carried import arguments_of, value_of
from assay_engine.values.describing import arguments_text, call_text, script_apart
from assay_engine.values.outcomes import outcome_phrase
from assay_engine.words import short, visible
from assay_sandbox import Call, Observation, Raised, Returned, Value, render

_PRINTED, _FILES = "printed", "files afterwards"
_ANSWERED, _ARGUMENTS = "calls that were answered for it", "arguments afterwards"
# The kinds of effects in the order in which they are told, with the words for a missing effect.
_KINDS = {
    _PRINTED: "nothing",
    _FILES: "as they were",
    _ANSWERED: "none",
    _ARGUMENTS: "as they were given",
}

VALUE_CHARACTERS = 2_000
MESSAGE_CHARACTERS = 300
# Longer texts are cut before they are escaped, since escaping multiplies their length.
_RAW_CHARACTERS = 4 * VALUE_CHARACTERS


def input_text(call: Call, specification: Specification) -> str:
    """The call as a user would type it, after the lines of its script, and its standard input."""
    steps, bare = script_apart(replace(call, stdin=""))
    lines = [_value(line) for step in steps for line in ast.unparse(step).splitlines()]
    # Not cut by items, which is for readers in a hurry: here both ends of a long call count.
    lines.append(_value(call_text(bare, specification, _RAW_CHARACTERS, cut=short)))
    if call.stdin:
        lines.append(f"standard input: {_quoted(call.stdin)}")
    return "\n".join(lines)


def output_text(observation: Observation, beside: Observation | None = None) -> str:
    """All that could be seen from outside: value or exception, printed text, changed files, calls
    that mocks answered, and arguments that were changed in place. An effect is said to be missing
    only if `beside`, what another program did, has such an effect. Programs read the project that
    they live in, so what looks like a credential is left out."""
    match observation:
        case Returned():
            value = value_without_secrets(render(value_of(observation.value)))
            lines = [f"returned: {_value(value)}"]
        case Raised():
            early = (
                "" if observation.step is None else f" in step {observation.step}, before the call"
            )
            lines = [f"raised{early}: {_exception(observation)}"]
        case _:
            return f"gave no answer: it {text_of(outcome_phrase(observation))}"
    effects = _effects(observation)
    others = _effects(beside) if isinstance(beside, Returned | Raised) else {}
    lines += [
        f"{kind}: {effects.get(kind, none)}"
        for kind, none in _KINDS.items()
        if kind in effects | others
    ]
    return "\n".join(lines)


def _exception(seen: Raised) -> str:
    name = seen.type_name.rsplit(".", 1)[-1]
    if not seen.message:
        return name
    # The message of a KeyError is its argument as written in code, and so is that of a class
    # derived from it, unless it has words of its own.
    is_argument = name == "KeyError" or (
        "KeyError" in seen.lineage and isinstance(parse_expression(seen.message), ast.Constant)
    )
    written = _value if is_argument else _quoted
    return f"{name}({written(text_without_secrets(seen.message), MESSAGE_CHARACTERS)})"


def _effects(seen: Returned | Raised) -> dict[str, str]:
    """The effects that were seen besides the answer, by kind."""
    found: dict[str, str] = {}
    if seen.stdout:
        found[_PRINTED] = _quoted(text_without_secrets(seen.stdout))
    if seen.files_after is not None:
        # A file that is gone has None for its content.
        found[_FILES] = _value(value_without_secrets(render(value_of(seen.files_after))))
    if seen.mock_calls is not None:
        found[_ANSWERED] = _value(value_without_secrets(_calls(value_of(seen.mock_calls))))
    arguments = None if seen.args_after is None else arguments_of(seen.args_after)
    if arguments is not None:
        args, kwargs = arguments
        written = value_without_secrets(arguments_text(args, kwargs.items()))
        found[_ARGUMENTS] = f"({_value(written)})"
    return found


def _calls(recorded: Value) -> str:
    """The calls of mocks, which are [name, args, kwargs], as they would be written."""
    listed = cast("list[Value]", recorded) if isinstance(recorded, list) else []
    written: list[str] = []
    for entry in listed:
        parts = cast("list[Value]", entry) if isinstance(entry, list) else []
        if len(parts) != 3 or not isinstance(parts[1], list) or not isinstance(parts[2], dict):
            written.append(render(entry))
            continue
        args, named = cast("list[Value]", parts[1]), cast("dict[Value, Value]", parts[2])
        written.append(f"{parts[0]}({arguments_text(args, named.items())})")
    return ", ".join(written)


def _value(rendered: str, limit: int = VALUE_CHARACTERS) -> str:
    """The rendered value on one line: what values show of themselves may hold line breaks."""
    cut = bounded(rendered, _RAW_CHARACTERS)
    for seen, written in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        cut = cut.replace(seen, written)
    return plain(cut, limit)


def _quoted(text: str, limit: int = VALUE_CHARACTERS) -> str:
    return plain(repr(bounded(text, limit)), 2 * limit)


MARK_CHARACTERS = 12
BAR = "| "
_LEFT_OUT = re.compile(r"…\(\d+ characters left out\)…")


class Fence(Struct, frozen=True):
    """The mark of one prompt; `around` puts lines with the mark around a text."""

    mark: str

    def around(self, label: str, text: str) -> str:
        """The text between the lines ``[begin label mark]`` and ``[end label mark]``."""
        lines = "\n".join(f"{BAR}{line}".rstrip() for line in text.split("\n"))
        return f"[begin {label} {self.mark}]\n{lines}\n[end {label} {self.mark}]"


def fence_for(texts: Iterable[str]) -> Fence:
    """A fence whose mark occurs in none of the texts. Equal texts get equal fences."""
    parts = list(texts)
    attempt = 0
    while True:
        mark = digest.of_parts([str(attempt), *parts])[:MARK_CHARACTERS]
        if not any(mark in part.lower() for part in parts):
            return Fence(mark)
        attempt += 1


def plain(text: str, limit: int) -> str:
    """The text with invisible characters escaped, except line breaks and tabs, and cut in the
    middle to about `limit` characters."""
    return bounded(visible(with_newlines(text, "\n")), limit)


def is_whole(text: str) -> bool:
    """Whether `bounded` left nothing out of the text."""
    return not _LEFT_OUT.search(text)


def bounded(text: str, limit: int) -> str:
    """The text, or its beginning and end with a note on how much was left out between them."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    head = limit - tail
    return f"{text[:head]} …({len(text) - limit} characters left out)… {text[-tail:]}"
