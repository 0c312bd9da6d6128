"""Advice to the user whose wording depends on whether it is shown in a terminal or an editor.

Sentences are made in the words of a terminal. An editor has settings and no options, so every
sentence shown in an editor goes through `for_editors`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Advice(StrEnum):
    """Parts of sentences for a terminal, each with its counterpart for an editor.

    Each part is long enough not to occur in anything else that a sentence may quote.
    """

    in_editors: str

    NAME_INTERPRETER = (
        "Name it with --interpreter.",
        "Name it in the setting `interpreter`.",
    )
    OTHER_INTERPRETER = (
        "select another interpreter (`assay doctor` shows the current one)",
        "name another interpreter in the setting `interpreter`",
    )
    PROJECTS_INTERPRETER = (
        "allow it with `assay consent`, or name it with --interpreter",
        "name it in the setting `interpreter`, or set `trusted` if you trust the workspace",
    )
    NOT_OFFLINE = (
        "run once without --offline, or replay a transcript with --replay FILE",
        "check once without the setting `offline`, or name a transcript in the setting `replay`",
    )
    NOTHING_STORED = (
        "Nothing stored can be used with --offline; run once without it.",
        "Nothing stored can be used with the setting `offline`; check once without it.",
    )
    CONFIGURE = (
        (
            "Run `assay setup`: a coding agent that you are signed in to (Claude Code, Codex, "
            "Gemini, Copilot) or a local server (Ollama, LM Studio, vLLM, llama.cpp) needs no key. "
            "Or set ASSAY_BASE_URL and ASSAY_MODEL."
        ),
        (
            "Choose one in a terminal, with `assay setup`: a coding agent that you are signed in "
            "to (Claude Code, Codex, Gemini, Copilot) or a local server (Ollama, LM Studio, vLLM, "
            "llama.cpp) needs no key. Or set ASSAY_BASE_URL and ASSAY_MODEL, then restart the "
            "editor."
        ),
    )
    SET_UP = (
        "run `assay setup`",
        "set the endpoint up in a terminal, with `assay setup`",
    )
    SET_IT = (
        "Set it: the address of",
        "Set it and restart the editor: the address of",
    )
    SET_BOTH = (
        "Set both: the address of",
        "Set both and restart the editor: the address of",
    )
    RECORD_AGAIN = (
        "record it again with --record",
        "record it again in a terminal, with `assay check --record`",
    )
    USE_TRANSCRIPT = (
        "--replay needs a file that --record made, and --record such a file or a new one",
        "the setting `replay` needs a file that `assay check --record` made",
    )
    NAME_TRANSCRIPT = (
        "name a file made by --record",
        "name a file that `assay check --record` made",
    )
    CONSENT = (
        "Allow it once with `assay consent`",
        "Check a function and answer the question, or run `assay consent` in a terminal",
    )
    TAKE_NO_BACK = (
        "`assay consent` undoes that",
        "to be asked again, restart the server",
    )
    BETTER_CONFINEMENT = (
        "`assay doctor` says what would help",
        "`assay doctor`, in a terminal, says what would help",
    )

    def __new__(cls, terminal: str, editors: str) -> Self:
        member = str.__new__(cls, terminal)
        member._value_ = terminal
        member.in_editors = editors
        return member


def for_editors(sentence: str) -> str:
    for advice in Advice:
        sentence = sentence.replace(advice, advice.in_editors)
    return sentence
