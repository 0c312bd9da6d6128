"""An endpoint that reads from a cache what it has answered before, as large providers do."""

from __future__ import annotations

import threading
import time

from support.openai_server import Behaviour, Exchange, Request, answer, completion, status
from support.played_endpoints import answer_to, asked, usage

# Long enough for requests that are sent together to be here together.
ANSWER_SECONDS = 0.3


class CachingEndpoint:
    """Notes of each request for a candidate whether its prompt came from the cache.

    A prompt is in the cache once a request with it is being answered.
    """

    def __init__(self) -> None:
        self.cached: list[bool] = []
        self._known = set[str]()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Behaviour:
        if request.method == "GET":
            return status(404)
        prompt, text = asked(request), answer_to(request)
        with self._lock:
            known = prompt in self._known
            if prompt.startswith("Implement this"):
                self.cached.append(known)
        counted = usage(request, text)
        counted["prompt_tokens_details"] = {"cached_tokens": counted["prompt_tokens"] * known}

        def behave(exchange: Exchange) -> None:
            time.sleep(ANSWER_SECONDS)
            with self._lock:
                self._known.add(prompt)
            answer(completion(text, usage=counted))(exchange)

        return behave
