"""Money helpers for the invoicing service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
ZERO = Decimal("0.00")


def to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def split_evenly(total_cents: int, parts: int) -> list[int]:
    """Split an amount into shares that differ by at most one cent.

    The leftover cents go to the first shares.

    Args:
        total_cents: The amount to split, zero or more.
        parts: The number of shares, at least one.

    Returns:
        A list of ``parts`` shares that adds up to ``total_cents``.

    Raises:
        ValueError: If ``total_cents`` is negative or ``parts`` is below one.

    >>> split_evenly(100, 3)
    [34, 33, 33]
    """
    if total_cents < 0:
        raise ValueError("total_cents must not be negative")
    if parts < 1:
        raise ValueError("parts must be at least 1")
    base, extra = divmod(total_cents, parts)
    return [base + 1] * extra + [base] * (parts - extra)


def round_to_increment(amount: Decimal, increment: Decimal = Decimal("0.05")) -> Decimal:
    """Round an amount to the nearest multiple of ``increment``.

    Used for cash payments and cash refunds (negative amounts). Amounts exactly
    halfway between two multiples are rounded away from zero.

    Raises:
        ValueError: If ``increment`` is not positive.

    >>> round_to_increment(Decimal("9.98"))
    Decimal('10.00')
    >>> round_to_increment(Decimal("2.025"))
    Decimal('2.05')
    """
    if increment <= 0:
        raise ValueError("increment must be positive")
    steps = (amount / increment + Decimal("0.5")).to_integral_value(rounding=ROUND_FLOOR)
    return steps * increment


def allocate_by_weight(total_cents: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Share out an amount in proportion to integer weights.

    Uses the largest remainder method: everyone first gets their exact share
    rounded down, then the remaining cents are handed out one each to those
    with the largest fractional parts. Among equal fractional parts, names that
    come first alphabetically are served first.

    Args:
        total_cents: The amount to share out.
        weights: The weight of each name.

    Returns:
        The share of each name, adding up to ``total_cents``.

    Raises:
        ValueError: If a weight is negative or the weights add up to zero.
    """
    weight_sum = sum(weights.values())
    if weight_sum == 0 or min(weights.values()) < 0:
        raise ValueError("weights must be non-negative and not all zero")
    shares = {name: total_cents * weight // weight_sum for name, weight in weights.items()}
    remainders = {name: total_cents * weight % weight_sum for name, weight in weights.items()}
    left = total_cents - sum(shares.values())
    ranked = sorted(weights, key=lambda name: (remainders[name], name), reverse=True)
    for name in ranked[:left]:
        shares[name] += 1
    return shares


@dataclass(frozen=True)
class InvoiceLine:
    """One invoice position; ``tax_rate`` is in percent, e.g. ``Decimal("19")``."""

    description: str
    quantity: Decimal
    unit_price: Decimal
    tax_rate: Decimal

    @property
    def net(self) -> Decimal:
        return to_cents(self.quantity * self.unit_price)


@dataclass(frozen=True)
class InvoiceTotals:
    net: Decimal
    tax: Decimal
    gross: Decimal
    tax_by_rate: dict[Decimal, Decimal] = field(default_factory=dict)


def invoice_totals(lines: Sequence[InvoiceLine]) -> InvoiceTotals:
    """Add up the lines of an invoice.

    The net amount of each line is rounded to the cent. Tax is worked out once
    per tax rate, on the sum of the net amounts of the lines with that rate, and
    then rounded to the cent. Half cents are rounded away from zero.

    Returns:
        The totals; ``tax_by_rate`` lists the rates in ascending order. All
        totals of an invoice without lines are zero.
    """
    net_by_rate: dict[Decimal, Decimal] = {}
    for line in lines:
        net_by_rate[line.tax_rate] = net_by_rate.get(line.tax_rate, ZERO) + line.net
    tax_by_rate = {
        rate: to_cents(net_by_rate[rate] * rate / 100) for rate in sorted(net_by_rate)
    }
    net = sum(net_by_rate.values(), ZERO)
    tax = sum(tax_by_rate.values(), ZERO)
    return InvoiceTotals(net=net, tax=tax, gross=net + tax, tax_by_rate=tax_by_rate)


def apply_discounts(price: Decimal, percents: Sequence[Decimal]) -> Decimal:
    """Return the price after the given percentage discounts, rounded to the cent.

    >>> apply_discounts(Decimal("80.00"), [Decimal("25")])
    Decimal('60.00')
    """
    for percent in percents:
        price -= price * percent / 100
    return to_cents(price)
