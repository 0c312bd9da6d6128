"""The questions of `assay setup`, each of which an option answers as well.

Writes the table `[endpoint]` into the user's settings, and leaves the rest as it is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from assay_engine.cli.output import complain, say
from assay_engine.config.settings import Endpoint, EndpointSettings
from assay_engine.errors import AssayError, ConfigurationError
from assay_engine.models import FoundCommand, LocalServer
from assay_engine.models.key_sources import has_keyring
from assay_engine.models.providers import PROVIDERS

MODELS_SHOWN = 30


class Asker:
    """Asks on the terminal; if it may not ask, it names the option that is missing."""

    def __init__(self, *, asks: bool) -> None:
        self._asks = asks

    def service(
        self, commands: Sequence[FoundCommand], servers: Sequence[LocalServer]
    ) -> tuple[str, str]:
        """A command, or else the base URL of a server found, of a provider, or as it is typed."""
        usable = [each for each in commands if each.signed_in is not False]
        for each in commands:
            if each not in usable:
                say(f"{each.product} can be used, too, after `{each.sign_in}`.")
        named = [
            *((f"{each.product}, without a key", each.name, "") for each in usable),
            *((f"{each.product} on this machine", "", each.base_url) for each in servers),
            *((f"{each.name}, with a key", "", each.base_url) for each in PROVIDERS),
            ("another address", "", ""),
        ]
        choices = [name for name, _, _ in named]
        chosen = self._chosen("--command or --base-url", "Which model server", choices)
        name, command, base_url = named[chosen]
        if "{}" in base_url:
            base_url = base_url.format(click.prompt(f"The name of the resource at {name}").strip())
        if not (command or base_url):
            base_url = click.prompt("Its address, such as https://host/v1").strip()
        return command, base_url

    def key_from(self, base_url: str) -> str:
        ways = [
            *([("the system's key ring", "keyring")] if has_keyring() else []),
            ("a command prints it", "command"),
            ("a variable holds it", "variable"),
            ("it needs none", "none"),
        ]
        if Endpoint(base_url, "").is_local:
            ways.reverse()
        chosen = self._chosen("--key-from", "Where is its key", [said for said, _ in ways])
        return ways[chosen][1]

    def key(self) -> str:
        """The key, typed unseen or from standard input."""
        if self._asks:
            return click.prompt("The key", hide_input=True).strip()
        key = sys.stdin.readline().strip()
        if not key:
            raise ConfigurationError("Write the key to standard input, to keep it in the key ring.")
        return key

    def model(self, offered: Callable[[], Sequence[str]]) -> str:
        """The name of a model, from those that the endpoint lists, or as it is typed."""
        self._may_ask("--model")
        try:
            names = offered()
        except AssayError as failure:
            complain(str(failure))
            names = ()
        for number, name in enumerate(names[:MODELS_SHOWN], 1):
            say(f"{number:>4}  {name}")
        if len(names) > MODELS_SHOWN:
            say(f"      and {len(names) - MODELS_SHOWN} more")
        typed = self.text("--model", "The model's name" + (" or number" if names else ""))
        if typed.isdecimal() and 0 < int(typed) <= len(names):
            return names[int(typed) - 1]
        return typed

    def text(self, option: str, question: str) -> str:
        self._may_ask(option)
        return click.prompt(question).strip()

    def _chosen(self, option: str, question: str, choices: Sequence[str]) -> int:
        """The place of the choice that is made."""
        self._may_ask(option)
        for number, choice in enumerate(choices, 1):
            say(f"{number:>4}  {choice}")
        return click.prompt(question, type=click.IntRange(1, len(choices)), default=1) - 1

    def _may_ask(self, option: str) -> None:
        if not self._asks:
            raise ConfigurationError(f"Give {option}, or run `assay setup` in a terminal.")


# Headers may hold what is nobody else's business.
_PRIVATE = 0o600


def write_endpoint(path: str, chosen: EndpointSettings) -> str:
    """Write it in one step, and return the path of the file. Raises `ConfigurationError`."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    file = Path(path)
    try:
        text = file.read_text("utf-8") if file.exists() else ""
        document = tomlkit.parse(text)
        table = tomlkit.table()
        for name, value in msgspec.to_builtins(chosen).items():
            if value:
                table.add(name, value)
        before: dict[str, Any] = document.unwrap().get("endpoint", {})
        same = all(
            before.get(name, "") == (getattr(chosen, name) or "")
            for name in ("base_url", "command", "model")
        )
        for name in ("also", *(["prices"] if same else [])):
            if before.get(name):
                table.add(name, before[name])
        document["endpoint"] = table
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
        partial.touch(mode=_PRIVATE)
        partial.write_text(tomlkit.dumps(document), "utf-8")
        partial.replace(file)
    except (OSError, ValueError, TOMLKitError) as failure:
        raise ConfigurationError(f"{path} cannot be written ({failure}); correct it.") from None
    return path
