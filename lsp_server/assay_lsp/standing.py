"""The value of `assay/status`, which tells a client where the server stands (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from assay_engine.messages.at_a_glance import counted, reach
from assay_engine.status import Supplied
from assay_engine.types import ProblemKind, Status
from assay_lsp.lifetime import spawn
from assay_lsp.progress import Advance
from assay_lsp.report_index import VerdictCounts

METHOD = "assay/status"
# The client's status line; and the engine is asked what it has each time.
TELL_SECONDS = 1.0


class State(StrEnum):
    RESTRICTED = "restricted"
    CHECKING = "checking"
    PROBLEM = "problem"
    ASKING_CONSENT = "askingConsent"
    ASKING_COST = "askingCost"
    NO_MODEL = "noModel"
    IDLE = "idle"


class Counts(Struct, frozen=True, rename="camel"):
    trusted: int
    suspect: int
    ambiguous: int
    abstained: int
    unsupported: int
    not_checked: int


class Spent(Struct, frozen=True, rename="camel"):
    requests: int
    tokens: int
    tokens_per_day: int
    price: str | None


class ServerState(Struct, frozen=True):
    state: State
    message: str
    checking: Advance | None
    counts: Counts
    spent: Spent | None
    model: str | None
    host: str | None
    reach: str | None
    # What waits for the user's answer, whatever the state.
    question: str | None


def standing(
    *,
    may_run: bool,
    advance: Advance | None,
    problem: str | None,
    supplied: Supplied | None,
    tally: VerdictCounts,
    question: str | None,
    refusals: Sequence[ProblemKind | None] = (),
) -> ServerState:
    """The standing of the server; `supplied` is None if the engine cannot be, or was not, asked.
    `refusals` say why functions could not be tried: see `reach`."""
    state, message = _state(may_run, advance, problem, supplied, tally, question)
    counts = {str(status): tally.verdicts[status] for status in Status}
    today = supplied and supplied.spent
    spent = (supplied and today) and Spent(
        today.requests,
        today.tokens,
        supplied.tokens_per_day,
        None if today.price is None else str(today.price),
    )
    return ServerState(
        state=state,
        message=message,
        checking=advance if state is State.CHECKING else None,
        counts=Counts(**counts, not_checked=tally.not_checked),
        spent=spent,
        model=supplied and supplied.model,
        host=supplied and supplied.host,
        reach=reach(refusals) if any(map(_is_telling, refusals)) else None,
        question=message if state is State.ASKING_CONSENT else question,
    )


def _is_telling(refusal: ProblemKind | None) -> bool:
    """Whether a function that has a docstring could not be tried."""
    return refusal not in (None, ProblemKind.NO_DOCSTRING)


def _state(
    may_run: bool,
    advance: Advance | None,
    problem: str | None,
    supplied: Supplied | None,
    tally: VerdictCounts,
    question: str | None,
) -> tuple[State, str]:
    if not may_run:
        return State.RESTRICTED, "this workspace is not trusted, so nothing is run or sent"
    if advance is not None:
        # How many there are is not known at once.
        far = f"{advance.done} of {advance.total} ({advance.seconds} s)" if advance.total else "…"
        return State.CHECKING, f"checking {far}"
    if supplied is not None and supplied.waits:
        return (
            State.ASKING_CONSENT,
            f"may {supplied.model or 'a model'} at {supplied.host} be asked?",
        )
    if question is not None:
        return State.ASKING_COST, question
    if supplied is not None and supplied.model is None:
        return State.NO_MODEL, supplied.problem or "no model"
    # After these: a check without a model met just that, and they say what helps.
    if problem is not None:
        return State.PROBLEM, problem
    # One glance: what asks most for attention, alone.
    for attention in sorted({each.attention for each in Status if each.attention}):
        alike = {each: tally.verdicts[each] for each in Status if each.attention == attention}
        if found := counted(alike):
            return State.IDLE, found
    return State.IDLE, "nothing checked"


class Telling:
    """Tells the client when the standing is another. Touched on the server's loop only."""

    def __init__(
        self,
        find: Callable[[], Awaitable[ServerState]],
        tell: Callable[[ServerState], None],
    ) -> None:
        self._find = find
        self._tell = tell
        self._told: ServerState | None = None
        self._is_due = self._is_telling = False

    def due(self) -> None:
        self._is_due = True
        if not self._is_telling:
            self._is_telling = True
            spawn(self._tell_while_due())

    async def _tell_while_due(self) -> None:
        try:
            while self._is_due:
                self._is_due = False
                found = await self._find()
                if found != self._told:
                    self._told = found
                    self._tell(found)
                # Seconds pass while functions are checked.
                self._is_due = self._is_due or found.state is State.CHECKING
                await asyncio.sleep(TELL_SECONDS)
        finally:
            self._is_telling = False
