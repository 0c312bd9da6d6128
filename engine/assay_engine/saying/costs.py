"""The cost of checks in one line: what was sent and paid now, and what kept replies cost once."""

from __future__ import annotations

from collections.abc import Sequence

from assay_engine.types import Cost, Price, Report, Usage
from assay_engine.words import count


def cost_phrase(reports: Sequence[Report]) -> str:
    costs = [report.cost for report in reports]
    total = sum(costs, Cost())
    paid, drawn, failed = total.paid, total.drawn, total.failed
    if drawn == paid == Usage():
        return "no model was asked"
    now = f"{_usage(paid, total.price)} now"
    if failed or drawn == Usage():
        answered = f"{paid.requests - failed} answered, {failed} failed"
        sent = f"{count(paid.requests, 'request')} sent ({answered})"
        now = f"{_together(sent, paid, total.price)} now"
    if drawn == Usage():
        return f"{now}; no reply could be used"
    if not any(map(_rests_on_kept, costs)):
        return now
    return f"{now}; its replies cost {_usage(drawn, total.drawn_price)} when they were drawn"


def _rests_on_kept(cost: Cost) -> bool:
    """Whether replies came out of a cache or a transcript: there are more than answered now."""
    return cost.drawn.requests > cost.paid.requests - cost.failed


def _usage(usage: Usage, price: Price | None) -> str:
    return _together(count(usage.requests, "request"), usage, price)


def _together(requests: str, usage: Usage, price: Price | None) -> str:
    """Requests, tokens (and how many of them the provider had cached, which costs less), price."""
    cached = f" ({usage.cached_tokens:,} of them cached)" if usage.cached_tokens else ""
    tokens = f"{usage.tokens:,} tokens{cached}"
    return f"{requests} and {tokens}" if price is None else f"{requests}, {tokens} and {price}"
