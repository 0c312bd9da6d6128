"""Asks a model by way of the editor, which has models of its own, and its user's consent to them.

How the editor is asked is its caller's business: a function that is handed in with the model.
"""

from __future__ import annotations

import asyncio

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ModelError, ModelUnavailable
from assay_engine.models.failures import AnswerLost, RefusesAll, Wording
from assay_engine.models.slots import NeverSent, RefusedMeanwhile, RequestSlots
from assay_engine.types import EditorOffer, EditorRefused, Prompt, Refusal, Reply, Usage
from assay_engine.words import whole_characters

# Editors pass requests on to services for one person who types.
AT_A_TIME = 4
# As of a response.
CHARACTERS_MAX = 1_000_000

_OTHER = "choose another model"
# For so long, a refusal is the answer to requests that begin after it.
REFUSED_SECONDS = 1.0
# What was seen, and what to do about it. Any other request would be refused for the same reason.
_REFUSALS = {
    Refusal.CONSENT: (
        "may not be used: the editor says that you have not allowed it",
        f"allow it when the next check asks, or {_OTHER}",
    ),
    Refusal.QUOTA: (
        "no longer answers: the editor says that its quota is spent",
        f"wait until it is renewed, or {_OTHER}",
    ),
    Refusal.UNAVAILABLE: (
        "is not available in the editor",
        f"sign in to what provides it, or {_OTHER}",
    ),
}


class EditorModel:
    """The model that the editor asks. Temperature and length of replies are the editor's own
    business."""

    def __init__(self, endpoint: Endpoint, offer: EditorOffer, sampling: Sampling) -> None:
        self.name = endpoint.name
        self._ask = offer.ask
        self._seconds = sampling.request_seconds
        self._slots = RequestSlots(min(sampling.concurrency, AT_A_TIME))
        self._wording = Wording(offer.name, offer.id, self._seconds)
        self._first = asyncio.Lock()
        self._is_open = False
        self._refusal: RefusesAll | None = None
        self._refused_until = 0.0

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        # Requests of one check may begin just after the first one's answer.
        is_over = asyncio.get_running_loop().time() > self._refused_until
        before = self._refusal if is_over else None
        try:
            async with self._slots:
                text, usage = await self._admitted(prompt, before)
        except RefusedMeanwhile:
            raise
        except asyncio.CancelledError:
            raise NeverSent from None
        return Reply(text, sample, usage, cached=False)

    async def _admitted(self, prompt: Prompt, before: RefusesAll | None) -> tuple[str, Usage]:
        """As `_answer`, but the first request goes alone: the editor may ask its user about it, and
        a no is the answer to all that wait for it. `before` is what was refused earlier."""
        async with self._first:
            if (refusal := self._refusal) is not None and refusal is not before:
                raise RefusesAll(str(refusal), seen=refusal.seen)
            if not self._is_open:
                try:
                    answer = await self._answer(prompt)
                except RefusesAll as refusal:
                    self._refusal = refusal
                    now = asyncio.get_running_loop().time()
                    self._refused_until = now + REFUSED_SECONDS
                    raise
                except ModelError:
                    self._is_open = True
                    raise
                self._is_open = True
                return answer
        return await self._answer(prompt)

    async def _answer(self, prompt: Prompt) -> tuple[str, Usage]:
        """What it answers. Raises `ModelUnavailable` or `ReplyUnusable`."""
        wording = self._wording
        try:
            async with asyncio.timeout(self._seconds):
                text, usage = await self._ask(prompt)
        except TimeoutError:
            seen = f"{wording.host} did not answer within {self._seconds:g} s"
            raise AnswerLost(
                f"{seen}; try again, raise request_seconds, or {_OTHER}.",
                seen=seen,
                mention=f"a request was not answered in {self._seconds:g} s",
                sent=True,
            ) from None
        except asyncio.CancelledError:
            # It counts as a request, and nobody counts tokens.
            raise RefusedMeanwhile from None
        except EditorRefused as refused:
            said = wording.quoted(refused.said)
            if refused.why is None:
                seen = f"{wording.host} reports an error"
                text = f"{seen}{said}; try again, or {_OTHER}."
                raise ModelUnavailable(text, seen=seen, sent=True) from None
            seen, advice = _REFUSALS[refused.why]
            seen = f"{wording.host} {seen}"
            raise RefusesAll(f"{seen}{said}; {advice}.", seen=seen, sent=True) from None
        except ValueError:
            advice = f"update the editor or its plugin for Assay, or {_OTHER}"
            raise wording.unusable("sent a reply without a text", advice) from None
        if len(text) > CHARACTERS_MAX:
            seen = f"sent more than {CHARACTERS_MAX:,} characters, which were dropped"
            raise wording.unusable(seen, _OTHER)
        if not text.strip():
            raise wording.unusable("sent an empty reply", f"try again or {_OTHER}")
        return whole_characters(text), usage
