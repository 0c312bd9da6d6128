"""Draws samples from several models in turn, so that even the first few are of several."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.errors import ModelUnavailable, RequestsForbidden
from assay_engine.models.counting import used_by
from assay_engine.types import Model, Prompt, Reply, Usage


class PanelModel:
    """Asks one of `members` for each sample of a prompt: for sample N, the one whose turn it is.

    Where that one cannot be asked, the next ones are, under the same number, which none of them
    has a turn for. So where nothing may be sent, a reply that one of them once wrote in its place
    is still found. The reply says who wrote it, and in whose place. If none can be asked, the error
    is that of the one whose turn it was.
    """

    def __init__(self, members: Sequence[Model]) -> None:
        self.name = panel_name([member.name for member in members])
        self._members = tuple(members)

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        turn = sample % len(self._members)
        failure, spent = None, Usage()
        for member in (*self._members[turn:], *self._members[:turn]):
            try:
                reply = await member.reply(prompt, sample)
            except (ModelUnavailable, RequestsForbidden) as unavailable:
                failure = failure or unavailable
                spent += used_by(unavailable, prompt)
                continue
            instead_of = "" if failure is None else f"{self._members[turn].name} ({failure.seen})"
            usage = reply.usage if reply.cached else spent + reply.usage
            return replace(reply, model=member.name, instead_of=instead_of, usage=usage)
        raise failure or ValueError("a panel has members")


def panel_name(names: Sequence[str]) -> str:
    """The name by which reports and transcripts call all models together."""
    return " + ".join(names)
