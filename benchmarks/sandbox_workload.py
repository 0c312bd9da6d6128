"""What the sandbox and its peers are timed on: cheap functions, and the same with faults."""

from __future__ import annotations

import json
import random

SENTENCE = "The quick Brown fox jumps over a lazy dog and Runs away from it twice"
INPUTS = 1000
VARIANTS = 5
PROGRAMS = 6 * VARIANTS

Inputs = list[tuple[list[str], int]]

ALGORITHMS = (
    """
def f(words, k):
    counts = {}
    for word in words:
        word = word.lower()
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:k]
""",
    """
from collections import Counter
def f(words, k):
    counts = Counter(map(str.lower, words))
    return [word for word, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:k]]
""",
    """
def f(words, k):
    lower = sorted(word.lower() for word in words)
    unique = sorted(set(lower), key=lambda word: (-lower.count(word), word))
    return unique[:k]
""",
    """
def f(words, k):
    low = [word.lower() for word in words]
    pairs = [(-low.count(word), word) for word in set(low)]
    pairs.sort()
    return [word for _, word in pairs[:k]]
""",
    """
import heapq
def f(words, k):
    counts = {}
    for word in words:
        counts[word.lower()] = counts.get(word.lower(), 0) + 1
    return [w for _, w in heapq.nsmallest(k, [(-n, w) for w, n in counts.items()])]
""",
    """
def f(words, k):
    seen = []
    for word in words:
        if word.lower() not in seen:
            seen.append(word.lower())
    low = [word.lower() for word in words]
    return sorted(seen, key=lambda word: (-low.count(word), word))[:k]
""",
)


def workload() -> tuple[list[str], Inputs]:
    generator = random.Random(0)
    words = SENTENCE.split()
    inputs = [
        ([generator.choice(words) for _ in range(generator.randint(3, 7))], 3)
        for _ in range(INPUTS)
    ]
    programs = [f"{text}\n# {number}\n" for text in ALGORITHMS for number in range(VARIANTS)]
    return programs, inputs


def faulty(programs: list[str], inputs: Inputs) -> list[str]:
    """Three programs that loop on one input in a hundred, and two that raise on every one.

    The first program of all is left as it is: peers that compare take what it returns for right.
    """
    looping = json.dumps([words for words, _ in inputs[:: INPUTS // 10]])
    changed = list(programs)
    for number in (1, 11, 21):
        changed[number] = programs[number].replace(
            "def f(words, k):\n", f"def f(words, k):\n    while words in {looping}: pass\n"
        )
    for number in (6, 16):
        changed[number] = "def f(words, k):\n    raise ValueError(k)\n"
    return changed
