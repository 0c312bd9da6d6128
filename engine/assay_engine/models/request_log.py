"""Tells, request by request, what was sent: one line at INFO, prompt and reply at DEBUG."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from time import monotonic

from assay_engine.errors import ModelError
from assay_engine.types import Model, Prompt, Reply

# Its lines are for users, wherever the caller shows them.
requests_sent = logging.getLogger("assay_engine.requests")

# The function that is on trial. A context variable: a model is asked by many parts of a check.
on_trial: ContextVar[str] = ContextVar("on_trial", default="a model")


class LoggedModel:
    """Passes on the replies of `inner`, and tells of each request."""

    def __init__(self, inner: Model) -> None:
        self.name = inner.name
        self._inner = inner

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        began = monotonic()
        about = f"{on_trial.get()}: {prompt.name} {sample + 1} to {self.name}"
        try:
            reply = await self._inner.reply(prompt, sample)
        except ModelError as failure:
            if failure.sent:
                requests_sent.info("%s, %.1f s: %s", about, monotonic() - began, failure)
            raise
        used = reply.usage
        # Models of an editor do not report tokens.
        tokens = f", {used.prompt_tokens} + {used.completion_tokens} tokens" if used.tokens else ""
        requests_sent.info("%s%s, %.1f s", about, tokens, monotonic() - began)
        sent = "\n\n".join(filter(None, (prompt.system, prompt.user)))
        requests_sent.debug("%s\n\n--- sent\n%s\n\n--- answered\n%s", about, sent, reply.text)
        return reply
