"""Tells a model's answer from the thoughts that it wrote down before it.

What a model only thought of is no answer: a draft would be taken for a candidate.
"""

from __future__ import annotations

import re

# What opens and what ends a thought, and who writes it like this.
MARKS: tuple[tuple[str, str, str], ...] = (
    ("<think>", "</think>", "DeepSeek R1, Qwen 3, GLM, MiniMax, Phi-4 reasoning"),
    ("<thinking>", "</thinking>", "prompted models"),
    ("<thought>", "</thought>", "EXAONE Deep, Gemini's compatible endpoint"),
    ("<thoughts>", "</thoughts>", "prompted models"),
    ("<reasoning>", "</reasoning>", "prompted models"),
    ("<scratchpad>", "</scratchpad>", "prompted models"),
    ("<seed:think>", "</seed:think>", "Seed-OSS"),
    ("[THINK]", "[/THINK]", "Magistral"),
    ("<|begin_of_thought|>", "<|end_of_thought|>", "OpenThinker, Sky-T1"),
    ("<|START_THINKING|>", "<|END_THINKING|>", "Command A Reasoning"),
    ("◁think▷", "◁/think▷", "Kimi-VL Thinking"),
    ("<|channel>thought", "<channel|>", "Gemma 4"),
    ("<unused94>thought", "<unused95>", "MedGemma"),
)


def _either(marks: list[str]) -> str:
    return "|".join(map(re.escape, marks))


_ENDS = _either([ends for _, ends, _ in MARKS])
_OPENS_THOUGHT = re.compile(
    rf"^[ \t]*(?:{_either([opens for opens, _, _ in MARKS])})", re.IGNORECASE | re.MULTILINE
)
_ENDS_THOUGHT = re.compile(_ENDS, re.IGNORECASE)
# Nothing opened the thought, so that the mark may also be text that an answer speaks of.
_ENDS_THOUGHT_ALONE = re.compile(
    rf"^[ \t]*(?:{_ENDS})|(?:{_ENDS})(?=[ \t]*(?:$|```|~~~))", re.IGNORECASE | re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)

# The channels of OpenAI's Harmony format, which gpt-oss writes and some servers pass on as text.
_CHANNEL = re.compile(r"<\|channel\|>")
_HARMONY = re.compile(r"<\|(?:channel|message)\|>")
_HARMONY_ENDS = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
# The same, where a server dropped the marks and left the words between them.
_BARE_ANALYSIS = re.compile(r"\s*analysis(?=[A-Z\s])")
_BARE_FINAL = "assistantfinal"


def without_thoughts(text: str) -> str:
    """The text without the model's thoughts.

    Of a thought that never ends, nothing is left. An end without a start ends thoughts that began
    before the reply.
    """
    if _HARMONY.search(text):
        return _final_channel(text)
    if _BARE_ANALYSIS.match(text) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    if re.match(r"\s*analysis[A-Z]", text):
        return ""
    kept: list[str] = []
    at = 0
    while opening := _opening(text, at):
        kept.append(text[at : opening.start()])
        ending = _ENDS_THOUGHT.search(text, opening.end())
        at = len(text) if ending is None else ending.end()
    if not kept and (ending := _ENDS_THOUGHT_ALONE.search(text)):
        at = ending.end()
    return "".join([*kept, text[at:]])


def answer_among(thoughts: str) -> str:
    """The answer in what a server sent as thoughts, without any other text; else empty.

    Some servers file the whole reply there if the model did not think. It is an answer if the model
    marked the end of its thoughts, or if it is one block of code and nothing else.
    """
    after = without_thoughts(thoughts)
    if after != thoughts:
        return after.strip()
    alone = thoughts.strip()
    fences = list(_FENCE.finditer(alone))
    is_block = len(fences) == 2 and fences[0].start() == 0 and fences[1].end() == len(alone)
    return alone if is_block else ""


def _opening(text: str, at: int) -> re.Match[str] | None:
    """The next mark that opens a thought: in a block of code, it is part of the code."""
    found = _OPENS_THOUGHT.search(text, at)
    while found and len(_FENCE.findall(text, at, found.start())) % 2:
        found = _OPENS_THOUGHT.search(text, found.end())
    return found


def _final_channel(text: str) -> str:
    finals = [part for part in _CHANNEL.split(text) if part.lstrip().startswith("final")]
    if not finals:
        return ""
    header, mark, message = finals[-1].partition("<|message|>")
    return _HARMONY_ENDS.split(message if mark else header.lstrip().removeprefix("final"))[0]
