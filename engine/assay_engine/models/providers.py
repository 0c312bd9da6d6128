"""What is known of providers and products, each with where it is documented.

What is not known here is learnt from a refusal (`models/dialect.py`); a row only spares that.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.config.settings import Endpoint
from assay_engine.models.dialect import Dialect


class Provider(Struct, frozen=True):
    """A service that `assay setup` offers. An address with `{}` has a part that the user gives."""

    name: str
    base_url: str
    key_variable: str
    source: str


PROVIDERS = (
    Provider(
        "OpenAI",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "https://platform.openai.com/docs/api-reference",
    ),
    Provider(
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "https://openrouter.ai/docs/quickstart",
    ),
    Provider(
        "Anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        "https://docs.claude.com/en/api/openai-sdk",
    ),
    Provider(
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "https://ai.google.dev/gemini-api/docs/openai",
    ),
    Provider(
        "Mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        "https://docs.mistral.ai/api",
    ),
    Provider(
        "Azure",
        "https://{}.openai.azure.com/openai/v1",
        "AZURE_OPENAI_API_KEY",
        "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
    ),
)


class ProviderRow(Struct, frozen=True):
    """What models whose names match take at hosts that match; `effort` is the least that they take.

    Names of models are compared without the provider before a slash, and in lower case.
    """

    hosts: tuple[str, ...]
    models: tuple[str, ...]
    source: str
    limit: str = ""
    effort: str = ""
    names_temperature: bool = True
    takes_system: bool = True


_ANY = ("*",)
ROWS = (
    ProviderRow(
        ("api.openai.com", "*.openai.azure.com"),
        _ANY,
        "https://platform.openai.com/docs/api-reference/chat/create: `max_tokens` is deprecated",
        limit="max_completion_tokens",
    ),
    ProviderRow(
        _ANY,
        ("o1*", "o3*", "o4*", "gpt-5*"),
        "https://platform.openai.com/docs/guides/reasoning: temperature is not supported",
        names_temperature=False,
    ),
    ProviderRow(
        _ANY,
        ("o1*", "o3*", "o4*", "gpt-oss*"),
        "https://platform.openai.com/docs/guides/reasoning: low, medium, high",
        effort="low",
    ),
    ProviderRow(
        _ANY,
        ("gpt-5", "gpt-5-*"),
        "https://platform.openai.com/docs/guides/latest-model: minimal is the least of gpt-5",
        effort="minimal",
    ),
    ProviderRow(
        _ANY,
        ("o1-mini*", "o1-preview*"),
        "https://platform.openai.com/docs/guides/reasoning: no system messages at first",
        takes_system=False,
    ),
    ProviderRow(
        _ANY,
        ("claude-opus-4-7*", "claude-opus-4.7*"),
        'the endpoint itself: "`temperature` is deprecated for this model"',
        names_temperature=False,
    ),
    ProviderRow(
        _ANY,
        ("kimi-k2.5*", "kimi-k2-thinking*"),
        'the endpoint itself: "invalid temperature: only 1 is allowed for this model"',
        names_temperature=False,
    ),
    ProviderRow(
        ("generativelanguage.googleapis.com",),
        ("gemini-2.5-pro*", "gemini-3*"),
        "https://ai.google.dev/gemini-api/docs/openai: thinking cannot be turned off",
        effort="low",
    ),
    ProviderRow(
        ("generativelanguage.googleapis.com",),
        ("gemma-*",),
        'the endpoint itself: "Developer instruction is not enabled for models/gemma"',
        takes_system=False,
    ),
)

# By the usual port of a product: the setting for the number of tokens that a model takes at once.
CONTEXT_SETTINGS = {
    11434: "Ollama: OLLAMA_CONTEXT_LENGTH",
    1234: "LM Studio: the context length of the loaded model",
    8000: "vLLM: max-model-len",
    8080: "llama.cpp: ctx-size, which all slots share",
}


def dialect_of(endpoint: Endpoint) -> Dialect:
    """What is known of a model before it was asked anything."""
    host = _address(endpoint)[0]
    model = endpoint.model.lower().rpartition("/")[2]
    found = Dialect()
    for row in ROWS:
        if _matches(host, row.hosts) and _matches(model, row.models):
            found = replace(
                found,
                limit=row.limit or found.limit,
                effort=row.effort or found.effort,
                names_temperature=found.names_temperature and row.names_temperature,
                takes_system=found.takes_system and row.takes_system,
            )
    # What the user has chosen is not chosen here.
    return replace(
        found,
        takes_effort=not {"reasoning_effort", "reasoning", "thinking"} & endpoint.extra_body.keys(),
        names_temperature=found.names_temperature and "temperature" not in endpoint.extra_body,
    )


def context_advice(endpoint: Endpoint) -> str:
    """What to do if the model takes fewer tokens at once than a prompt has."""
    port = _address(endpoint)[1]
    if not endpoint.is_local:
        return "choose a model with a longer context"
    known = [CONTEXT_SETTINGS[port]] if port in CONTEXT_SETTINGS else CONTEXT_SETTINGS.values()
    return f"give the server a longer context ({', '.join(known)}), or choose another model"


def _address(endpoint: Endpoint) -> tuple[str, int | None]:
    try:
        address = urlsplit(endpoint.base_url)
        return address.hostname or "", address.port
    except ValueError:  # the code that sends to this address reports the error
        return "", None


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
