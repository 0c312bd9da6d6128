"""What a model takes, where endpoints differ, and how a refusal tells it.

A refusal is understood by the parameter that it names, and not by the words around it: those differ
between products, and in either order. What is learnt is kept only if the model then answers.
"""

from __future__ import annotations

import json
import re
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.models.counting import estimated_tokens
from assay_engine.types import Prompt

# A request is sent once more after each of so many refusals.
LESSONS_MAX = 3

OTHER_LIMIT = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
# From the least thought on. A model that takes none of the first three is asked for the next.
EFFORTS = ("none", "minimal", "low", "medium", "high")

# What a cut reply is given room for in thought at first, and at last.
ROOM_FIRST = 8_192
ROOM_MAX = 32_768
# A context with less room than this for the answer is too short for the prompt.
ANSWER_TOKENS_MIN = 500
DIGITS_MAX = 12

_CONTEXT = "context"
# By what names refusals speak of what is sent. A name counts as a whole word.
_LIMIT_NAMES = ("max_output_tokens", "maxoutputtokens", "max_new_tokens", "num_predict")
_TEMPERATURE_NAMES = ("temperature",)
_EFFORT_NAMES = ("reasoning_effort", "reasoning.effort", "reasoning", "thinking", "effort")
_SYSTEM_NAMES = (
    "role",
    "roles",
    "system message",
    "system messages",
    "system prompt",
    "system instruction",
    "developer instruction",
)
_NUMBER = re.compile(r"(?<![\w.-])\d{1,3}(?:,\d{3})+(?![\w-])|(?<![\w.-])\d+(?![\w-]|\.\d)")


class Dialect(Struct, frozen=True):
    """What a model takes.

    `limit` is the parameter for the number of tokens, `least` and `most` are its bounds (0: none).
    `effort` is how much thought is asked for; None if nothing is said of it. `room` are the tokens
    that are added to every limit, since the model thinks before it answers. `caches` tells whether
    the endpoint was seen to read a prompt from a cache of its own.
    """

    limit: str = "max_tokens"
    least: int = 0
    most: int = 0
    names_temperature: bool = True
    takes_system: bool = True
    takes_effort: bool = True
    effort: str | None = None
    room: int = 0
    caches: bool = False

    def longest(self, tokens: int) -> int:
        """The limit to ask for where a reply without thoughts may have so many tokens."""
        wanted = max(tokens + self.room, self.least)
        return min(wanted, self.most) if self.most else wanted

    def parameters(self, prompt: Prompt) -> dict[str, object]:
        """The parameters for a prompt whose limit has room for thought already."""
        found: dict[str, object] = {self.limit: replace(self, room=0).longest(prompt.max_tokens)}
        if self.names_temperature:
            found["temperature"] = prompt.temperature
        if self.takes_effort and self.effort is not None:
            found["reasoning_effort"] = self.effort
        return found

    def thinking_less(self) -> Dialect:
        """The dialect for a model that was seen to think: as little thought as it takes."""
        return replace(self, effort=EFFORTS[0]) if self.effort is None else self

    def with_more_room(self) -> Dialect:
        wanted = max(ROOM_FIRST, 2 * self.room)
        return replace(self, room=min(wanted, ROOM_MAX))

    def learnt_from(
        self, refusal: str, prompt: Prompt, model: str, *, last: bool
    ) -> Dialect | None:
        """The dialect to try next; None if the refusal names nothing that was sent.

        `last` tells that no further lesson will follow in this request.
        """
        # A model's name may hold numbers, or be like a parameter's.
        said = re.sub(rf"(?<![\w.-]){re.escape(model.lower())}(?![\w-])", "", refusal.lower())
        sent = self.parameters(prompt)
        learnt = self
        if _CONTEXT in said:
            learnt = learnt._within_context(said, prompt)
        elif _names(said, (self.limit, OTHER_LIMIT[self.limit], *_LIMIT_NAMES)):
            learnt = learnt._other_limit(said, int(str(sent[self.limit])))
        if self.names_temperature and _names(said, _TEMPERATURE_NAMES):
            # Some models take only their own temperature: samples at that one beat none at all.
            learnt = replace(learnt, names_temperature=False)
        if "reasoning_effort" in sent and _names(said, _EFFORT_NAMES):
            learnt = learnt._other_effort(said, last=last)
        if self.takes_system and prompt.system and _names(said, _SYSTEM_NAMES):
            learnt = replace(learnt, takes_system=False)
        return None if learnt == self else learnt

    def _other_limit(self, said: str, sent: int) -> Dialect:
        """The limit by its other name, or within the bound that the refusal names."""
        other = OTHER_LIMIT[self.limit]
        if _names(said, (other,)):
            return replace(self, limit=other)
        numbers = _numbers(said)
        if above := [each for each in numbers if sent < each <= ROOM_MAX]:
            return replace(self, least=min(above))
        if below := [each for each in numbers if 1 < each < sent]:
            return replace(self, most=max(below))
        return replace(self, limit=other)

    def _within_context(self, said: str, prompt: Prompt) -> Dialect:
        """A limit that leaves the prompt its part of the context, if the refusal tells how much."""
        needed = estimated_tokens(prompt.system, prompt.user)
        asked = replace(self, room=0).longest(prompt.max_tokens)
        least = needed + ANSWER_TOKENS_MIN
        fitting = [each for each in _numbers(said) - {asked} if least <= each < needed + asked]
        return replace(self, most=min(fitting) - needed) if fitting else self

    def _other_effort(self, said: str, *, last: bool) -> Dialect:
        """The least effort that the refusal lists, or the next one if only the value is refused."""
        here = EFFORTS.index(self.effort or EFFORTS[0])
        listed = [each for each in EFFORTS if each != self.effort and _lists(said, each)]
        in_words = [each for each in EFFORTS[1:] if _names(said, (each,))]
        listed = listed or (in_words if len(in_words) > 1 else [])
        if listed:
            return replace(self, effort=listed[0])
        if _lists(said, str(self.effort)) and not last and here < EFFORTS.index("low"):
            return replace(self, effort=EFFORTS[here + 1])
        return replace(self, takes_effort=False)


def _names(said: str, names: tuple[str, ...]) -> bool:
    return any(re.search(rf"(?<![a-z_]){re.escape(each)}(?![a-z_])", said) for each in names)


def _lists(said: str, value: str) -> bool:
    """Whether a value is spoken of as such: `none` is a word as well."""
    return re.search(rf"[\"'`\\]{value}[\"'`\\]", said) is not None


def _numbers(said: str) -> set[int]:
    """The numbers that a refusal speaks of, without those around its message, such as codes."""
    try:
        found: object = json.loads(said)
    except (ValueError, RecursionError):
        found = said
    written = _NUMBER.findall(" ".join(_texts(found)))
    return {int(each.replace(",", "")) for each in written if len(each) <= DIGITS_MAX}


def _texts(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case dict():
            held = cast("dict[str, object]", value).values()
            return [text for each in held for text in _texts(each)]
        case list():
            return [text for each in cast("list[object]", value) for text in _texts(each)]
        case _:
            return []
