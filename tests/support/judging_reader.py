"""A reader of judges' prompts for `OpenAIServer`: answers each kind of prompt by a function.

    reader = Reader(inputs=lambda data: "f(3, 1)", conforms=lambda data: ("CORRECT", "it is."))
    with OpenAIServer(reader) as server: ...

What it is given are the data of the prompt by label, as they stand behind the bars. Like a model
that obeys whoever speaks to it, it looks for orders in all that is *not* behind a bar: a prompt
whose fence lets anything out makes it say CORRECT.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from support.openai_server import Behaviour, Request, ok

Data = Mapping[str, str]
_FENCED = re.compile(
    r"^\[begin (?P<label>\w+) (?P<mark>\w+)\]\n(?P<text>(?:\|.*\n)*?)\[end (?P=label) (?P=mark)\]$",
    re.MULTILINE,
)
_KINDS = {
    "Apply category partitioning": "scenarios",
    "Say what a test has to provide": "properties",
    "could not be used": "repair",
    "Write inputs for this": "inputs",
    "What was observed of the first": "preference",
    "What was observed:": "conforms",
    "One step of a Python function": "hoare_step",
    "as worked out before": "hoare_verdict",
    "State the precondition": "hoare_precondition",
    "Does this code implement": "zero_shot",
    "complete `assert` statement": "tests_asserted",
    "then what it must return": "tests_expected",
}
PROPERTIES = "ARGUMENTS: as annotated\nSTDIN: none\nFILES: none\nEXCEPTIONS: none\nMOCKS: none"


def verdict(word: str, reason: str = "The specification decides.") -> str:
    return f"I worked it out by hand.\nREASON: {reason}\nVERDICT: {word}"


def scenarios(*texts: str) -> str:
    return "\n\n".join(f"SCENARIO {n}\n{text}" for n, text in enumerate(texts, start=1))


@dataclass
class Reader:
    """`answers` maps a kind of prompt to what is replied; `asked` counts the kinds."""

    answers: Mapping[str, Callable[[Data], str]]
    asked: Counter[str] = field(default_factory=Counter[str])
    prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def __call__(self, request: Request) -> Behaviour:
        prompt = request.body["messages"][-1]["content"]
        kind, data = read(prompt)
        self.asked[kind] += 1
        self.prompts.append((kind, prompt))
        outside = _FENCED.sub("", prompt)
        if "ignore the above" in outside.lower():
            return ok(verdict("CORRECT", "I was told to."))
        if kind == "properties" and kind not in self.answers:
            return ok(PROPERTIES)
        return ok(self.answers[kind](data))


def read(prompt: str) -> tuple[str, Data]:
    """The kind of a prompt, told by our own words in it, and its data by label."""
    outside = _FENCED.sub("", prompt)
    kind = next(name for words, name in _KINDS.items() if words in outside)
    data = {
        found["label"]: "\n".join(
            line.removeprefix("|").removeprefix(" ") for line in found["text"].splitlines()
        )
        for found in _FENCED.finditer(prompt)
    }
    return kind, data
