"""A model that answers by a script: what each kind of prompt gets, sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assay_engine.types import Prompt, Reply, Usage

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
    """A reply to the question which of two outcomes is right; the function's own comes first."""
    return f"REASON: The docstring says so.\nVERDICT: {word}"
