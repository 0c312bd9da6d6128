"""Dialogues in lockstep, without a model."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.sampling.asking import Dialogue, Wanted, carried_on, in_lockstep
from assay_engine.types import Draw, Prompt, Reply, Usage


def question(name: str) -> Prompt:
    return Prompt(name, 1, "", "", 1.0, 100)


def dialogue(name: str, *rounds: int) -> Dialogue[str]:
    """Asks for so many samples in each round; comes to the texts of all replies."""
    said: list[str] = []
    for wanted in rounds:
        draws = yield tuple((question(name), sample) for sample in range(wanted))
        said += [reply.text for drawn in draws for reply in drawn.replies]
    return " ".join(said)


async def test_dialogues_share_rounds_and_each_has_its_own_replies() -> None:
    rounds: list[list[str]] = []

    async def drawn(wanted: Sequence[Wanted]) -> Sequence[Draw]:
        texts = [f"{prompt.name}{sample}" for prompt, sample in wanted]
        rounds.append(texts)
        return [Draw((Reply(text, 0, Usage(), cached=True),), ()) for text in texts]

    nested = in_lockstep([dialogue("b", 1), dialogue("c", 2, 1)])
    found = await carried_on(in_lockstep([dialogue("a", 1, 1, 1), nested, dialogue("d")]), drawn)
    assert rounds == [["a0", "b0", "c0", "c1"], ["a0", "c0"], ["a0"]]
    assert found == ("a0 a0 a0", ("b0", "c0 c1 c0"), "")


async def test_nothing_is_drawn_for_no_dialogues() -> None:
    async def drawn(wanted: Sequence[Wanted]) -> Sequence[Draw]:
        raise AssertionError(wanted)

    assert await carried_on(in_lockstep([]), drawn) == ()
