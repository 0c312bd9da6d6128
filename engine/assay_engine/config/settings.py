"""What a check may use and spend: resolved settings, frozen.

`configuration.py` decides where settings come from (defaults, `[tool.assay]`, environment, command
line). Nothing here reads anything.

Values with secret fields, which neither a log nor a traceback shows.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from ipaddress import ip_address
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from assay_engine.types import EditorOffer, Price, Usage


class Redacted(Struct, frozen=True):
    """A value whose `HIDDEN` fields are in no representation of it.

    Every class has to name its `HIDDEN` fields.
    """

    HIDDEN: ClassVar[frozenset[str]]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        shown = (name for name in self.__struct_fields__ if name not in self.HIDDEN)
        return [(name, getattr(self, name)) for name in shown]


# Four is the least number of agreeing samples that `voting.statistics` takes for a consensus.
CANDIDATES_MIN = 4
# The request for inputs, and both orders of the question whether the docstring settles one of them.
BESIDE_CANDIDATES = 3


PRICE_MAX = 1_000_000
_PerMillion = Annotated[float, Meta(ge=0, le=PRICE_MAX)]


class Prices(Struct, frozen=True, forbid_unknown_fields=True):
    """What an endpoint takes for a million tokens, as its user says.

    `cached` is for what it reads from its own cache; None if that costs what other `input` does.
    """

    input: _PerMillion
    output: _PerMillion
    cached: _PerMillion | None = None
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] = "USD"

    def of(self, usage: Usage) -> Price:
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        amount = (
            (usage.prompt_tokens - cached) * self.input
            + cached * (self.input if self.cached is None else self.cached)
            + usage.completion_tokens * self.output
        )
        return Price(amount / 1_000_000, self.currency)


class KeySource(Struct, frozen=True):
    """Where a key is asked for when it is first wanted: a command, or the system's key ring."""

    command: tuple[str, ...] = ()
    keyring: bool = False


class Endpoint(Redacted, frozen=True):
    """Where a model is asked: an OpenAI-compatible endpoint, a `command` on this machine, or the
    `editor`.

    `headers` and `extra_body` go with every request; both may hold what is nobody's business. The
    key is `api_key`, or comes from `key_source`. A command is one that is known by its name
    (`models/commands.py`), or the words of any other; it is started with `environment`, and has no
    base URL and no key.
    """

    HIDDEN = frozenset(("api_key", "headers", "extra_body", "environment"))
    base_url: str
    model: str
    api_key: str = ""
    key_source: KeySource | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    extra_body: Mapping[str, object] = field(default_factory=dict[str, object])
    prices: Prices | None = None
    command: str | tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    editor: EditorOffer | None = None

    @property
    def name(self) -> str:
        """What reports call the model, and what its replies are stored under."""
        if self.editor is not None:
            return self.editor.id
        if isinstance(self.command, str):
            return f"{self.command}/{self.model}" if self.model else self.command
        return self.model or shlex.join(self.command)

    @property
    def address(self) -> str:
        """The base URL, or the command as it would be typed; empty for an editor's model."""
        if isinstance(self.command, str):
            return self.command
        return shlex.join(self.command) or self.base_url

    @property
    def is_local(self) -> bool:
        """Whether code sent there stays on this machine. Of a command, nobody can tell."""
        url = self.base_url if "://" in self.base_url else f"//{self.base_url}"
        try:
            host = urlsplit(url).hostname or ""
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False


class EndpointSettings(Redacted, frozen=True, forbid_unknown_fields=True):
    """The table `[endpoint]` of the user's settings, which `assay setup` writes.

    The key is in the system's key ring, or a command gives it, or a variable holds it. `models`
    stands for `model` where several are to be asked in turn, and `also` for more endpoints with
    models that are. A `command` takes the place of the base URL, and may have a model of its own.
    """

    HIDDEN = frozenset(("headers", "extra_body"))
    base_url: str = ""
    model: str = ""
    models: tuple[str, ...] = ()
    also: tuple[EndpointSettings, ...] = ()
    keyring: bool = False
    key_command: tuple[str, ...] = ()
    key_variable: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    extra_body: dict[str, Any] = field(default_factory=dict[str, Any])
    prices: Prices | None = None
    command: str | tuple[str, ...] = ()

    @property
    def own_models(self) -> tuple[str, ...]:
        return self.models or (self.model,)

    @property
    def flaw(self) -> str:
        """What cannot be meant by the table; empty if nothing is wrong."""
        endpoints = (self, *self.also)
        if any(bool(each.base_url) == bool(each.command) for each in endpoints):
            return "exactly one of `base_url` and `command` has to be given"
        if any(each.command and each.has_key_or_body for each in endpoints):
            return "a `command` has no key, headers or body"
        for each in endpoints:
            named = bool(each.model) + bool(each.models)
            if named > 1 or not (named or each.command):
                return "exactly one of `model` and `models` has to be given"
        if any(each.also for each in self.also):
            return "an endpoint in `also` cannot have `also`"
        if len({each.prices.currency for each in endpoints if each.prices}) > 1:
            return "all prices have to be in one currency"
        names = [
            (each.base_url, each.command, model) for each in endpoints for model in each.own_models
        ]
        return "a model is named twice" if len(set(names)) < len(names) else ""

    @property
    def has_key_or_body(self) -> bool:
        key = self.keyring or self.key_command or self.key_variable
        return bool(key or self.headers or self.extra_body)

    @property
    def key_source(self) -> KeySource | None:
        if self.key_command or self.keyring:
            return KeySource(self.key_command, self.keyring)
        return None


class Sampling(Struct, frozen=True):
    """How candidates are drawn.

    `neighbours` are the characters of other modules' definitions that a prompt may show.
    """

    candidates: int = 10
    neighbours: int = 6000
    temperature: float = 1.0
    max_tokens: int = 2000
    concurrency: int = 8
    request_seconds: float = 60.0
    draw_seconds: float = 180.0
    retries: int = 3


class Budget(Struct, frozen=True):
    """Hard limits; a request that could exceed one is not sent.

    `requests_per_day` is for models that nobody pays by the token.
    """

    requests_per_check: int = 40
    tokens_per_check: int = 60_000
    tokens_per_day: int = 2_000_000
    requests_per_day: int = 1_000


class Execution(Struct, frozen=True):
    """How programs are run. `calls` counts program calls per check; seconds are of wall time."""

    calls: int = 2000
    call_seconds: float = 1.0
    batch_seconds: float = 20.0
    memory_bytes: int = 1 << 30
    unconfined: bool = False


class JudgeMode(StrEnum):
    """When a judge is asked, after everything cheaper was tried.

    `on-disagreement`: if candidates disagree, among themselves or with the function.
    """

    OFF = "off"
    ON_DISAGREEMENT = "on-disagreement"
    ALWAYS = "always"


class Thorough(Struct, frozen=True):
    """What triangulation may cost on top of the rest of a check.

    `witnesses` is the number of samples for each scheme, of which `batch` are drawn at a time until
    nothing more could change. `requests`, `tokens` and `seconds` (of wall time) are totals.
    """

    witnesses: int = 12
    batch: int = 4
    requests: int = 160
    tokens: int = 250_000
    seconds: float = 900.0


# The least and the greatest value of every number that somebody may set. Greater values gain
# nothing, and arithmetic, timers or the machine fail with them.
BOUNDS: dict[str, tuple[float, float]] = {
    "sampling.candidates": (CANDIDATES_MIN, 200),
    "sampling.neighbours": (0, 100_000),
    "sampling.temperature": (0.0, 2.0),
    "sampling.max_tokens": (1, 1_000_000),
    "sampling.concurrency": (1, 64),
    "sampling.request_seconds": (0.1, 3600.0),
    "sampling.draw_seconds": (0.1, 36_000.0),
    "sampling.retries": (0, 20),
    "budget.requests_per_check": (0, 1_000_000),
    "budget.tokens_per_check": (0, 10**12),
    "budget.tokens_per_day": (0, 10**12),
    "budget.requests_per_day": (0, 1_000_000),
    "execution.calls": (1, 1_000_000),
    "execution.call_seconds": (0.01, 600.0),
    "execution.batch_seconds": (0.1, 3600.0),
    "execution.memory_bytes": (1 << 26, 1 << 36),
    "thorough.witnesses": (1, 1000),
    "thorough.batch": (1, 1000),
    "thorough.requests": (0, 1_000_000),
    "thorough.tokens": (0, 10**12),
    "thorough.seconds": (1.0, 86_400.0),
}


class Settings(Struct, frozen=True):
    sampling: Sampling = Sampling()
    budget: Budget = Budget()
    execution: Execution = Execution()
    judge: JudgeMode = JudgeMode.OFF
    thorough: Thorough = Thorough()

    def requests_of_one(self, *, thorough: bool) -> int:
        """About how many requests the check of one function sends at most.

        The judge's are not counted: it has what is left of the same budget.
        """
        usual = min(self.sampling.candidates + BESIDE_CANDIDATES, self.budget.requests_per_check)
        return usual + self.thorough.requests * thorough

    @property
    def before_judging(self) -> Settings:
        """The settings that reports depend on.

        They do not include the judge's mode: a judge is asked after a report is made, and its
        opinion is filed separately.
        """
        return replace(self, judge=JudgeMode.OFF)
