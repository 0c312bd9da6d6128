"""A model server on loopback with the recorded replies of the examples, for those with a key."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from operator import itemgetter
from pathlib import Path
from typing import Any

from support.openai_server import Behaviour, OpenAIServer, Request, answer, completion, status

MODEL = "recorded"


@contextmanager
def recorded_endpoint(transcript: Path, key: str | None, port: int = 0) -> Iterator[OpenAIServer]:
    """Serve the replies of a transcript, by prompt and in their order; "ok" to any other.

    Without a `key` it is a server of this machine, which asks for none.
    """
    lines = transcript.read_text(encoding="utf-8").splitlines()
    recorded = sorted(map(json.loads, lines[1:]), key=itemgetter("sample"))
    turns = {
        user: cycle([completion(each["text"], usage=each["usage"]) for each in of_prompt])
        for user, of_prompt in _by_prompt(recorded).items()
    }

    def behave(request: Request) -> Behaviour:
        if key is not None and request.headers.get("authorization") != f"Bearer {key}":
            return status(401)
        if request.method == "GET":
            listed = {"id": MODEL, "object": "model", "owned_by": "library"}
            return answer({"object": "list", "data": [listed]})
        said = request.body["messages"][-1]["content"]
        # A command is given one text, in which the user's message comes last.
        turn = next((each for user, each in turns.items() if said.endswith(user)), None)
        return answer(completion("ok") if turn is None else next(turn))

    with OpenAIServer(behave, port) as server:
        yield server


def _by_prompt(recorded: Iterable[dict[str, Any]]) -> Mapping[str, list[dict[str, Any]]]:
    found = defaultdict[str, list[dict[str, Any]]](list)
    for each in recorded:
        found[each["prompt"]["user"]].append(each)
    return found
