"""Commands that ask a model, and need no key of Assay's: rows, each with where it is documented.

A docstring is somebody else's text. A row has the words that take everything away from the command
with which a docstring could reach something: tools, files of the project, MCP servers. A command
that has no such words has no row. `make test-servers` looks at what the real ones send.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import cast

from msgspec import Struct

from assay_engine.config.settings import Endpoint
from assay_engine.errors import ConfigurationError
from assay_engine.words import listed

# What stands in for a folder that lasts for one request.
FOLDER = "{folder}"
SYSTEM = "Answer what is asked. There are no tools."


class Answer(Struct, frozen=True):
    """What a command printed, as it is read: a text, or an error.

    If it `lasts`, any other request would fail in the same way. The tokens are None if it tells of
    none.
    """

    text: str = ""
    error: str | None = None
    lasts: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


# Reads standard output. Raises `ValueError` for what is not as documented.
Read = Callable[[str], Answer]


class CommandRow(Struct, frozen=True):
    """A command that is known by its name, which is also that of its program.

    `signed_in` are the words with which it ends with 0 if somebody is signed in, and `sign_in` is
    what to do if not. `files` are put beside the folder that it runs in. `keeps` says what it
    stores although nobody asked for it.
    """

    name: str
    product: str
    words: tuple[str, ...]
    read: Read
    source: str
    sign_in: str
    signed_in: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    bills_tokens: bool = False
    keeps: str = ""


def _claude(printed: str) -> Answer:
    found = _object(json.loads(printed))
    if found.get("is_error"):
        # Its exit status says nothing of that. Without a status, no request was answered.
        status = found.get("api_error_status")
        return Answer(error=str(found.get("result")), lasts=status in (401, 402, 403, 429))
    return Answer(_text(found, "result"))


def _codex(printed: str) -> Answer:
    text, error = None, None
    for event in _events(printed):
        match event:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(said)}}:
                text = said
            case {"type": "turn.failed", "error": {"message": str(said)}}:
                error = said
            case _:
                pass
    if text is None and error is None:
        raise ValueError
    return Answer(text or "", error)


_GEMINI_SIGNED_OUT = 41


def _gemini(printed: str) -> Answer:
    # Warnings may stand before it.
    found = _object(json.loads(printed[printed.index("{") :]))
    if "error" in found:
        error = _object(found["error"])
        return Answer(
            error=str(error.get("message")), lasts=error.get("code") == _GEMINI_SIGNED_OUT
        )
    return Answer(_text(found, "response"))


def _copilot(printed: str) -> Answer:
    said = [
        _text(_object(event.get("data")), "content")
        for event in _events(printed)
        if event.get("type") == "assistant.message"
    ]
    return Answer(said[-1])


def _llm(printed: str) -> Answer:
    found = _object(cast("list[object]", json.loads(printed))[0])
    tokens = [found.get(name) for name in ("input_tokens", "output_tokens")]
    counts = [each if isinstance(each, int) and each >= 0 else None for each in tokens]
    return Answer(_text(found, "response"), None, False, *counts)


def _events(printed: str) -> Iterator[dict[str, object]]:
    """The objects of a text that has one on each line."""
    for line in printed.splitlines():
        if line.startswith("{"):
            yield _object(json.loads(line))


def _object(found: object) -> dict[str, object]:
    if not isinstance(found, dict):
        raise ValueError
    return cast("dict[str, object]", found)


def _text(found: dict[str, object], name: str) -> str:
    if not isinstance(text := found.get(name), str):
        raise ValueError
    return text


COMMANDS = (
    CommandRow(
        "claude",
        "Claude Code",
        (
            *("-p", "--output-format", "json", "--no-session-persistence"),
            *("--tools", "", "--strict-mcp-config", "--setting-sources", ""),
            *("--disable-slash-commands", "--effort", "low", "--system-prompt", SYSTEM),
        ),
        _claude,
        "https://code.claude.com/docs/en/cli-reference",
        "claude auth login",
        ("auth", "status"),
        # Without it, a second request asks for a title of the session.
        (("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),),
    ),
    CommandRow(
        "codex",
        "Codex",
        (
            *("exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-user-config"),
            *("--ignore-rules", "--sandbox", "read-only"),
            # An older or newer version that has no such feature refuses to start. Some models
            # are told of tools none the less; none of them runs without these.
            *("--disable", "shell_tool", "--disable", "unified_exec"),
            *("--disable", "code_mode_host"),
            *(
                word
                for setting in (
                    *("features.apps=false", "features.plugins=false", "features.hooks=false"),
                    *("features.view_image=false", "features.image_generation=false"),
                    *("features.browser_use=false", "features.computer_use=false"),
                    *("features.multi_agent=false", "features.goals=false"),
                    *("features.skill_search=false", "features.memories=false"),
                    *("features.shell_snapshot=false", "features.daemon_auto_start=false"),
                    *("web_search=disabled", "project_doc_max_bytes=0"),
                    *("skills.include_instructions=false", "model_reasoning_effort=low"),
                )
                for word in ("-c", setting)
            ),
        ),
        _codex,
        "https://developers.openai.com/codex/cli/reference",
        "codex login",
        ("login", "status"),
    ),
    CommandRow(
        "gemini",
        "Gemini CLI",
        (
            *("--output-format", "json", "--extensions", "none", "--skip-trust"),
            *("--allowed-mcp-server-names", "none"),
            *("--admin-policy", f"{FOLDER}/no-tools.toml"),
        ),
        _gemini,
        "https://geminicli.com/docs/reference/policy-engine",
        "gemini, and choose a way to sign in",
        files=(("no-tools.toml", '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'),),
        keeps="a file for each request below ~/.gemini/tmp",
    ),
    CommandRow(
        "copilot",
        "GitHub Copilot CLI",
        (
            *("--silent", "--output-format", "json", "--no-color", "--no-auto-update"),
            # No tool has this name.
            *("--available-tools=none", "--disable-builtin-mcps", "--no-custom-instructions"),
            *("--no-ask-user", "--no-remote", "--no-experimental"),
        ),
        _copilot,
        "https://docs.github.com/en/copilot/reference/copilot-cli-reference",
        "copilot login",
        keeps="a folder for each request below ~/.copilot/session-state",
    ),
    CommandRow(
        "llm",
        "llm",
        # It makes its database even if nothing is logged, and several at a time fail at that.
        ("prompt", "--no-log", "--no-stream", "--json", "--database", f"{FOLDER}/log.db"),
        _llm,
        "https://llm.datasette.io/en/stable/help.html#llm-prompt-help",
        "llm keys set",
        bills_tokens=True,
    ),
)
_BY_NAME = {row.name: row for row in COMMANDS}


def row_of(endpoint: Endpoint) -> CommandRow | None:
    """The row of a command that is named; None for words of the user's own.

    Raises `ConfigurationError` for a name that nobody knows.
    """
    if not isinstance(endpoint.command, str):
        return None
    if (row := _BY_NAME.get(endpoint.command)) is None:
        raise ConfigurationError(
            f"The command {endpoint.command!r} is not one that Assay knows to be harmless: name "
            f"{listed(list(_BY_NAME), len(_BY_NAME))}, or write your own as a list of words."
        )
    return row


def is_billed_by_request(endpoint: Endpoint) -> bool:
    """Whether nobody tells, or takes money for, the tokens of the model."""
    if endpoint.editor is not None:
        return True
    row = row_of(endpoint) if endpoint.command else None
    return bool(endpoint.command) and not (row is not None and row.bills_tokens)
