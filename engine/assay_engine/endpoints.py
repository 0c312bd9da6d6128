"""Finds the endpoint that the environment names, and the key that may be sent there."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from assay_engine.errors import ConfigurationError
from assay_engine.settings import Endpoint

OPENAI_HOST = "api.openai.com"


class Variables(Struct, frozen=True):
    """Names of variables that belong together: a key is sent only to the address beside it."""

    base_url: str
    model: str
    api_key: str


OWN = Variables("ASSAY_BASE_URL", "ASSAY_MODEL", "ASSAY_API_KEY")
OPENAI = Variables("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY")


def endpoint_from(environment: Mapping[str, str]) -> Endpoint | None:
    """The endpoint that the environment names; None if it names no base URL.

    A key alone chooses nothing: code is sent only to an address that somebody named. Model and key
    are of the same family as the base URL, except that OpenAI's own variables also hold for
    OpenAI's own address. Raises `ConfigurationError` if no model is named.
    """
    family = next((each for each in (OWN, OPENAI) if environment.get(each.base_url)), None)
    if family is None:
        return None
    base_url = environment[family.base_url].strip()
    families = (family, OPENAI) if is_openai(base_url) else (family,)
    model = _first(environment, [each.model for each in families])
    if not model:
        raise ConfigurationError(
            f"{family.model} is not set. Name the model to use at {base_url} in it."
        )
    return Endpoint(base_url, model, _first(environment, [each.api_key for each in families]))


def is_openai(base_url: str) -> bool:
    """Whether data sent to the base URL goes to OpenAI and cannot be read on the way."""
    try:
        address = urlsplit(base_url)
    except ValueError:  # the code that sends to this URL reports the error
        return False
    return address.scheme == "https" and address.hostname == OPENAI_HOST


def _first(environment: Mapping[str, str], names: list[str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")
