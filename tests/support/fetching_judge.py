"""A function that asks the network, and a model that proposes what the network says."""

from __future__ import annotations

from support.judging_reader import Reader, scenarios, verdict
from support.openai_server import Behaviour, Request, ok

FETCHING = '''\
from urllib.request import urlopen

def read_words(url: str) -> list[str]:
    """The words of the text at an address."""
    with urlopen(url) as reply:
        return reply.read().decode("utf-8").split(" ")
'''
_RIGHT = FETCHING.replace('split(" ")', "split()")
_MOCKS = 'mocks = {"urllib.request.urlopen": [{"object": {"read()": b"a  b"}}]}'


def answer_about_fetching(request: Request) -> Behaviour:
    if "Implement this Python function" in request.body["messages"][-1]["content"]:
        return ok(f"```python\n{_RIGHT}```")
    return Reader(
        {
            "scenarios": lambda _: scenarios("words are far apart"),
            "inputs": lambda _: f'{_MOCKS}\nread_words("http://a.test")',
            "conforms": lambda data: verdict(_word(data["output"])),
            "preference": lambda data: verdict("FIRST" if _is_right(data["first"]) else "SECOND"),
        }
    )(request)


def _word(output: str) -> str:
    return "CORRECT" if _is_right(output) else "INCORRECT"


def _is_right(output: str) -> bool:
    return output.startswith("returned: ['a', 'b']")
