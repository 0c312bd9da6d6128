"""A model that answers by a script: what each kind of prompt gets, sample by sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from assay_engine.settling.questions import own_comes_first
from assay_engine.types import Prompt, Reply, Usage
from support.judging_reader import read

Answers = Sequence[str] | Callable[[Prompt, int], str]


class ScriptedModel:
    """`script` maps words of a prompt to replies, in turn by sample; the first that fits answers.
    Remembers what it was asked."""

    name = "scripted"

    def __init__(self, script: Mapping[str, Answers]) -> None:
        self._script = script
        self.asked: list[tuple[Prompt, int]] = []

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        self.asked.append((prompt, sample))
        whole = f"[{prompt.name}] {prompt.user}"
        for words, answers in self._script.items():
            if words in whole:
                text = (
                    answers(prompt, sample) if callable(answers) else answers[sample % len(answers)]
                )
                return Reply(text, sample, Usage(1, len(prompt.user) // 4, 100), cached=False)
        raise AssertionError(f"nothing is scripted for {whole[:400]}")


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def preferring(word: str) -> str:
    """A reply to the question which of two outcomes is right."""
    return f"REASON: The docstring says so.\nVERDICT: {word}"


class Siding:
    """Reads the docstring as the candidates do, in whichever order it is asked; or as `word` says,
    which is about the order in which the function's own outcome is the first."""

    _SWAPPED: ClassVar = {"FIRST": "SECOND", "SECOND": "FIRST"}

    def __init__(self, word: str = "SECOND") -> None:
        self._word = word
        self._asked = Counter[str]()

    def __call__(self, prompt: Prompt, _sample: int) -> str:
        return self.answer(prompt.user)

    def answer(self, prompt: str) -> str:
        _, data = read(prompt)
        again = self._asked[data["input"]] % 2 == 1
        self._asked[data["input"]] += 1
        swapped = own_comes_first(data["input"]) == again
        return preferring(self._SWAPPED.get(self._word, self._word) if swapped else self._word)
