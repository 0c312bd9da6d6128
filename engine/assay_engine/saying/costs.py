"""The cost of checks in one line: what was sent and paid now, and what kept replies cost once."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.types import Cost, Report, Usage
from assay_engine.words import count


def cost_phrase(reports: Sequence[Report]) -> str:
    costs = [report.cost for report in reports]
    paid = sum((cost.paid for cost in costs), Usage())
    drawn = sum((cost.drawn for cost in costs), Usage())
    failed = sum(cost.failed for cost in costs)
    if drawn == paid == Usage():
        return "no model was asked"
    now = f"{_usage(paid)} now"
    if failed or drawn == Usage():
        answered = f"{paid.requests - failed} answered, {failed} failed"
        now = f"{count(paid.requests, 'request')} sent ({answered}) and {_tokens(paid)} now"
    if drawn == Usage():
        return f"{now}; no reply could be used"
    if not any(map(_rests_on_kept, costs)):
        return now
    return f"{now}; its replies cost {_usage(drawn)} when they were drawn"


def _rests_on_kept(cost: Cost) -> bool:
    """Whether replies came out of a cache or a transcript: there are more than answered now."""
    return cost.drawn.requests > cost.paid.requests - cost.failed


def _usage(usage: Usage) -> str:
    return f"{count(usage.requests, 'request')} and {_tokens(usage)}"


def _tokens(usage: Usage) -> str:
    """The tokens, and how many of them the provider had cached, which costs less."""
    cached = f" ({usage.cached_tokens:,} of them cached)" if usage.cached_tokens else ""
    return f"{usage.tokens:,} tokens{cached}"
