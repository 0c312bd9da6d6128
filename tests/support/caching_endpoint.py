"""An endpoint that reads from a cache what it has answered before, as large providers do."""

from __future__ import annotations

import threading

from support.openai_server import Behaviour, Exchange, Request, answer, completion, status
from support.played_endpoints import answer_to, asked, usage

# Within a request's time; on a machine that is not busy, all are here at once.
TOGETHER_SECONDS = 30.0
# So that requests that should have waited for the first one's answer are here before it.
AHEAD_SECONDS = 0.3


class CachingEndpoint:
    """Notes of each request for a candidate whether its prompt came from the cache.

    A prompt is in the cache once a request with it is being answered. The requests for candidates
    are not answered before `together` of them are here, however long each takes to come.
    """

    def __init__(self) -> None:
        self.cached: list[bool] = []
        self._together = 0
        self._known = set[str]()
        self._arrived = threading.Condition()

    def expect(self, together: int) -> None:
        """Begin anew with what is noted, and with how many requests have to come together."""
        self.cached.clear()
        self._together = together

    def __call__(self, request: Request) -> Behaviour:
        if request.method == "GET":
            return status(404)
        prompt, text = asked(request), answer_to(request)
        is_candidate = prompt.startswith("Implement this")
        with self._arrived:
            known = prompt in self._known
            if is_candidate:
                self.cached.append(known)
                self._arrived.notify_all()
        counted = usage(request, text)
        counted["prompt_tokens_details"] = {"cached_tokens": counted["prompt_tokens"] * known}

        def behave(exchange: Exchange) -> None:
            if is_candidate and self._together == 1 and not known:
                exchange.wait(AHEAD_SECONDS)
            with self._arrived:
                if is_candidate:
                    self._arrived.wait_for(
                        lambda: len(self.cached) >= self._together, TOGETHER_SECONDS
                    )
                self._known.add(prompt)
            answer(completion(text, usage=counted))(exchange)

        return behave
