"""`assay setup`: chooses an endpoint or a command, tries it, and keeps it in the user's settings.

Every question has an option, so that an editor or a script can answer it: then nothing is asked,
and `--json` tells the outcome. A key is never an argument, which other users of the machine could
read; it is typed, or read from standard input.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import click
import msgspec

from assay_engine.cli.doctor import probe_lines
from assay_engine.cli.output import COULD_NOT_RUN, DONE, as_json, complain, give, say
from assay_engine.cli.setup_answers import Asker, write_endpoint
from assay_engine.config.configuration import EngineOptions, options_from, unused
from assay_engine.config.endpoints import OPENAI, OWN
from assay_engine.config.settings import Endpoint, EndpointSettings, Sampling, Settings
from assay_engine.errors import AssayError, ConfigurationError
from assay_engine.models import (
    FoundCommand,
    LocalServer,
    OpenAIModel,
    Probe,
    find_commands,
    find_local_servers,
    probe,
)
from assay_engine.models.key_sources import put_in_keyring
from assay_engine.models.providers import PROVIDERS
from assay_engine.store import memory_store

KEYRING, COMMAND, VARIABLE, NONE = "keyring", "command", "variable", "none"


@click.command(short_help="Choose the model to use, and try it.")
@click.option("--command", metavar="NAME", help="A command you are signed in to, such as claude.")
@click.option("--base-url", metavar="URL", help="The address of an OpenAI-compatible endpoint.")
@click.option("--model", metavar="NAME", help="The model to use there.")
@click.option(
    "--key-from",
    type=click.Choice([KEYRING, COMMAND, VARIABLE, NONE]),
    help="Where the key is kept. For the key ring it is read from standard input.",
)
@click.option(
    "--key-command", metavar="COMMAND", help='Prints the key, such as "pass show openai".'
)
@click.option("--key-variable", metavar="NAME", help="The variable that holds the key.")
@click.option("--header", "headers", metavar="NAME=VALUE", multiple=True, help="Add a header.")
@click.option("--extra-body", metavar="JSON", help="Extra members for every request.")
@click.option("--test/--no-test", default=True, help="Whether to send a small request first.")
@click.option("--write/--no-write", default=True, help="Whether to save the choice.")
@click.option("--choices", is_flag=True, help="Only list the choices.")
@click.option("--json", "as_json", is_flag=True, help="Ask nothing, and print the outcome as JSON.")
def setup(**given: Any) -> None:
    """Choose the model to use: a command that you are signed in to, such as Claude Code, Codex,
    Gemini or Copilot, which needs no key; a server found on this machine; a provider, or any
    address.

    What is chosen is written into the user's settings, of which no project can change anything.
    Exits with 0 if the endpoint answered and was written down, 2 if not.
    """
    options = options_from(os.environ)
    try:
        if given["choices"]:
            outcome = asyncio.run(_choices(options, given))
        else:
            outcome = _set_up(options, given)
    except AssayError as failure:
        outcome = {"written": False, "problem": str(failure)}
    if given["as_json"]:
        give(as_json({"assay_setup": 1, **outcome}, indent=2))
    elif outcome.get("problem"):
        complain(str(outcome["problem"]))
    sys.exit(COULD_NOT_RUN if outcome.get("problem") else DONE)


async def _choices(options: EngineOptions, given: Mapping[str, Any]) -> dict[str, Any]:
    """What could be chosen; with an address, also the models that it lists."""
    found: dict[str, Any] = {
        "commands": msgspec.to_builtins(await find_commands(options.environment)),
        "servers": msgspec.to_builtins(await find_local_servers()),
        "providers": msgspec.to_builtins(PROVIDERS),
    }
    if given["base_url"]:
        chosen = _settings(given, given["base_url"], "")
        found["models"] = list(await _offered(_endpoint(chosen, options, "")))
    if not given["as_json"]:
        for command in found["commands"]:
            signed_out = "" if command["signed_in"] is not False else ", not signed in"
            say(f"{command['product']} by the command {command['name']}{signed_out}")
        for server in found["servers"]:
            models = ", ".join(server["models"])
            say(f"{server['product']} at {server['base_url']}: {models}")
        for provider in found["providers"]:
            say(f"{provider['name']} at {provider['base_url']}")
        for name in found.get("models", ()):
            say(f"model {name}")
    return found


def _set_up(options: EngineOptions, given: Mapping[str, Any]) -> dict[str, Any]:
    asker = Asker(asks=not given["as_json"] and sys.stdin.isatty())
    if given["command"] and given["base_url"]:
        raise ConfigurationError("Give --command or --base-url.")
    command, base_url = given["command"], given["base_url"]
    if not (command or base_url):
        command, base_url = asker.service(*asyncio.run(_found(options)))
    if command:
        chosen = EndpointSettings(command=command, model=given["model"] or "")
        return _tried_and_written(chosen, options, given, "")
    key_from = _key_from(given) or asker.key_from(base_url)
    given = {**given, "key_from": key_from}
    if key_from == COMMAND and not given["key_command"]:
        given["key_command"] = asker.text("--key-command", "The command that prints the key")
    if key_from == VARIABLE and not given["key_variable"]:
        given["key_variable"] = asker.text("--key-variable", "The variable that holds the key")
    typed = asker.key() if key_from == KEYRING else ""
    model = given["model"]
    if not model:
        tried = _endpoint(_settings(given, base_url, ""), options, typed)
        model = asker.model(lambda: asyncio.run(_offered(tried)))
    return _tried_and_written(_settings(given, base_url, model), options, given, typed)


def _tried_and_written(
    chosen: EndpointSettings, options: EngineOptions, given: Mapping[str, Any], typed: str
) -> dict[str, Any]:
    endpoint = _endpoint(chosen, options, typed)
    told = asyncio.run(_tried(endpoint)) if given["test"] else None
    if told is not None and not given["as_json"]:
        for line in probe_lines(told, local=endpoint.is_local):
            say(f"  {line}")
    outcome = {
        **({"command": chosen.command} if chosen.command else {"base_url": chosen.base_url}),
        "model": chosen.model,
        "key_from": given["key_from"],
        "test": None if told is None else msgspec.to_builtins(told),
    }
    if told is not None and told.problem is not None:
        return {**outcome, "written": False, "problem": told.problem}
    if not given["write"]:
        return {**outcome, "written": False}
    if typed:
        put_in_keyring(chosen.base_url, typed)
    path = write_endpoint(str(options.user_settings), chosen)
    overriding = [
        name
        for name in (OWN.base_url, OPENAI.base_url, OWN.model, OWN.api_key)
        if options.environment.get(name)
    ]
    if not given["as_json"]:
        where = "" if chosen.command else f" at {chosen.base_url}"
        say(f"{endpoint.name}{where} is written into {path}.")
        if overriding:
            say(f"{' and '.join(overriding)} in the environment take precedence; unset them.")
    # Otherwise nobody would notice before the first check.
    note = unused(options)
    if note and not given["as_json"]:
        complain(note)
    written = {"written": True, "settings": path, "overridden_by": overriding}
    return outcome | written | ({"note": note} if note else {})


def _key_from(given: Mapping[str, Any]) -> str:
    if given["key_from"]:
        return given["key_from"]
    return COMMAND if given["key_command"] else VARIABLE if given["key_variable"] else ""


def _settings(given: Mapping[str, Any], base_url: str, model: str) -> EndpointSettings:
    key_from = _key_from(given)
    try:
        command = tuple(shlex.split(given["key_command"] or ""))
    except ValueError as failure:
        raise ConfigurationError(f"--key-command cannot be read: {failure}.") from None
    return EndpointSettings(
        base_url=base_url,
        model=model,
        keyring=key_from == KEYRING,
        key_command=command if key_from == COMMAND else (),
        key_variable=given["key_variable"] or "" if key_from == VARIABLE else "",
        headers=dict(_header(each) for each in given["headers"]),
        extra_body=_body(given["extra_body"]),
    )


def _header(given: str) -> tuple[str, str]:
    name, mark, value = given.partition("=")
    if not mark or not name.strip():
        raise ConfigurationError("Write --header as NAME=VALUE.")
    return name.strip(), value.strip()


def _body(given: str | None) -> dict[str, Any]:
    try:
        return msgspec.json.decode(given or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError) as failure:
        raise ConfigurationError(f"--extra-body is not a JSON object: {failure}.") from None


def _endpoint(chosen: EndpointSettings, options: EngineOptions, typed: str) -> Endpoint:
    """The endpoint as it will be used; a key that was typed is not in the key ring yet."""
    key = typed or options.environment.get(chosen.key_variable, "")
    if chosen.key_variable and not key:
        raise ConfigurationError(f"{chosen.key_variable} is not set; it should hold the key.")
    return Endpoint(
        chosen.base_url,
        chosen.model,
        key,
        None if key else chosen.key_source,
        chosen.headers,
        chosen.extra_body,
        command=chosen.command,
        environment=options.environment,
    )


async def _found(
    options: EngineOptions,
) -> tuple[tuple[FoundCommand, ...], tuple[LocalServer, ...]]:
    return await asyncio.gather(find_commands(options.environment), find_local_servers())


async def _offered(endpoint: Endpoint) -> tuple[str, ...]:
    return await OpenAIModel(endpoint, Sampling()).offered()


async def _tried(endpoint: Endpoint) -> Probe:
    return await probe(endpoint, Settings(), memory_store(), lambda: datetime.now(UTC).date())
