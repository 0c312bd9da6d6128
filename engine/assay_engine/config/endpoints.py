"""Finds the endpoint that environment or settings name, and the key that may be sent there."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.advice import Advice
from assay_engine.config.settings import Endpoint, EndpointSettings
from assay_engine.errors import ConfigurationError

OPENAI_HOST = "api.openai.com"


class Variables(Struct, frozen=True):
    """Names of variables that belong together: a key is sent only to the address beside it."""

    base_url: str
    model: str
    api_key: str


OWN = Variables("ASSAY_BASE_URL", "ASSAY_MODEL", "ASSAY_API_KEY")
OPENAI = Variables("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY")


def endpoints_from(
    environment: Mapping[str, str], own: EndpointSettings | None = None
) -> tuple[Endpoint, ...]:
    """The endpoint that the environment names, else those of the user's `own` settings, if any.

    A key alone chooses nothing: code is sent only to an address that somebody named. Model and key
    are of the same family as the base URL, except that OpenAI's own variables also hold for
    OpenAI's own address. With an address from the settings, Assay's own variables override the
    settings' model and key; who names one model that way asks no other. Raises
    `ConfigurationError` if no model is named, or a variable is not set that should hold a key.
    """
    family = next((each for each in (OWN, OPENAI) if environment.get(each.base_url)), None)
    if family is None:
        return () if own is None else _of_settings(environment, own)
    base_url = environment[family.base_url].strip()
    families = (family, OPENAI) if is_openai(base_url) else (family,)
    model = _first(environment, [each.model for each in families])
    if not model:
        raise ConfigurationError(
            f"{family.model} is not set. Set it to the model to use at {base_url}."
        )
    key = _first(environment, [each.api_key for each in families])
    if own is not None and own.base_url.rstrip("/") == base_url.rstrip("/"):
        return (_with_settings(Endpoint(base_url, model, key), own),)
    return (Endpoint(base_url, model, key),)


def _of_settings(environment: Mapping[str, str], own: EndpointSettings) -> tuple[Endpoint, ...]:
    key = _key(environment, [OWN.api_key], own)
    if chosen := environment.get(OWN.model):
        return (_of_table(environment, own, chosen, key),)
    # Assay's own key is for the address beside it alone.
    keys = [(own, key), *((each, _key(environment, [], each)) for each in own.also)]
    return tuple(
        _of_table(environment, each, model, its_key)
        for each, its_key in keys
        for model in each.own_models
    )


def _of_table(
    environment: Mapping[str, str], own: EndpointSettings, model: str, key: str
) -> Endpoint:
    if own.command:
        command, prices = own.command, own.prices
        return Endpoint("", model, prices=prices, command=command, environment=environment)
    return _with_settings(Endpoint(own.base_url, model, key), own)


def _key(environment: Mapping[str, str], names: list[str], own: EndpointSettings) -> str:
    openai = [OPENAI.api_key] if is_openai(own.base_url) else []
    named = [own.key_variable] if own.key_variable else []
    key = _first(environment, [*names, *named, *openai])
    if named and not key:
        raise ConfigurationError(
            f"{own.key_variable} is not set; it should hold the key for {own.base_url}. Set it, or "
            f"{Advice.SET_UP} to give the key otherwise."
        )
    return key


def _with_settings(endpoint: Endpoint, own: EndpointSettings) -> Endpoint:
    return replace(
        endpoint,
        key_source=None if endpoint.api_key else own.key_source,
        headers=own.headers,
        extra_body=own.extra_body,
        # They are those of the models beside them, and of no model that a variable names instead.
        prices=own.prices if endpoint.model in own.own_models else None,
    )


def is_openai(base_url: str) -> bool:
    """Whether data sent to the base URL goes to OpenAI and cannot be read on the way."""
    try:
        address = urlsplit(base_url)
    except ValueError:  # the code that sends to this URL reports the error
        return False
    return address.scheme == "https" and address.hostname == OPENAI_HOST


def _first(environment: Mapping[str, str], names: list[str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")
