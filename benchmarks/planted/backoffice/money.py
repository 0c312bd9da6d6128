"""Amounts of money: splitting, rounding, tax, interest, instalments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import NamedTuple

CENT = Decimal("0.01")


class Instalment(NamedTuple):
    number: int
    payment: Decimal
    interest: Decimal
    repayment: Decimal
    balance: Decimal


def _to_cents(amount: Decimal) -> int:
    cents = Fraction(amount) * 100
    if cents.denominator != 1:
        raise ValueError(f"{amount} is not a whole number of cents")
    return cents.numerator


def _from_cents(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2)


def split_amount(total: Decimal, weights: Sequence[int]) -> list[Decimal]:
    """Split an amount in proportion to weights, losing no cent.

    Each share is first rounded down to whole cents. The cents left over are
    then given out one each, to the shares that lost most by the rounding;
    where the loss is equal, to the one that comes earlier.

    :param total: the amount, a whole number of cents, not negative
    :param weights: one weight per share, none negative
    :returns: the shares, in the order of the weights; they add up to ``total``
    :raises ValueError: if the amount is negative or not in whole cents, if a
        weight is negative, or if the weights do not add up to more than 0

    >>> split_amount(Decimal("10.00"), [1, 2, 4])
    [Decimal('1.43'), Decimal('2.86'), Decimal('5.71')]
    """
    cents = _to_cents(total)
    if cents < 0:
        raise ValueError("total must not be negative")
    if any(weight < 0 for weight in weights) or sum(weights) <= 0:
        raise ValueError("weights must not be negative, nor all zero")
    exact = [Fraction(cents * weight, sum(weights)) for weight in weights]
    shares = [math.floor(share) for share in exact]
    losses = [(share - kept, i) for i, (share, kept) in enumerate(zip(exact, shares))]
    losses.sort(reverse=True)
    for _, i in losses[: cents - sum(shares)]:
        shares[i] += 1
    return [_from_cents(share) for share in shares]


def tax_on_lines(lines: Iterable[tuple[int, Decimal]], rate: Decimal) -> Decimal:
    """Return the tax due on the lines of an invoice.

    :param lines: pairs of quantity and net unit price
    :param rate: the tax rate as a fraction, ``Decimal("0.19")`` for 19 %
    :returns: the tax in whole cents; half a cent is rounded away from zero.
        0.00 if there are no lines.

    >>> tax_on_lines([(2, Decimal("10.00")), (1, Decimal("5.00"))], Decimal("0.2"))
    Decimal('5.00')
    """
    tax = Decimal("0.00")
    for quantity, unit_price in lines:
        tax += (quantity * unit_price * rate).quantize(CENT, rounding=ROUND_HALF_UP)
    return tax


def round_to_increment(amount: Decimal, increment: Decimal = Decimal("0.05")) -> Decimal:
    """Round an amount to the nearest multiple of an increment.

    An amount half-way between two multiples is rounded away from zero.

    :param amount: the amount, of either sign
    :param increment: the increment, more than zero
    :returns: the multiple, with as many decimals as the increment has
    :raises ValueError: if the increment is not more than zero

    >>> round_to_increment(Decimal("1.03"))
    Decimal('1.05')
    >>> round_to_increment(Decimal("1.175"))
    Decimal('1.20')
    """
    if increment <= 0:
        raise ValueError("increment must be more than zero")
    steps = (amount / increment).quantize(Decimal(1))
    return steps * increment


def compound_interest(
    principal: Decimal,
    annual_rate: Decimal,
    *,
    years: int,
    periods_per_year: int = 12,
) -> Decimal:
    """Return the interest that a deposit earns when interest is compounded.

    At the end of each period the balance grows by the annual rate divided by
    the number of periods per year. Nothing is rounded in between; the
    interest is rounded to cents at the end, half a cent to the even cent.

    :param principal: the deposit
    :param annual_rate: the yearly rate as a fraction, not negative
    :param years: number of whole years, not negative
    :param periods_per_year: how often interest is added in a year, at least 1
    :returns: the interest, without the deposit itself
    :raises ValueError: if the rate, the years or the periods are out of range

    >>> compound_interest(Decimal("1000"), Decimal("0.10"), years=2, periods_per_year=1)
    Decimal('210.00')
    """
    if annual_rate < 0 or years < 0 or periods_per_year < 1:
        raise ValueError("rate, years or periods_per_year out of range")
    growth = 1 + Fraction(annual_rate) / periods_per_year
    interest = Fraction(principal) * (growth ** (years * periods_per_year) - 1)
    return _from_cents(round(interest * 100))


def amortise(principal: Decimal, annual_rate: Decimal, months: int) -> list[Instalment]:
    """Plan the instalments of a loan that is paid back in equal payments.

    Each month a twelfth of the annual rate is charged as interest on the
    balance. The level payment is the one that would pay the loan back exactly
    in the given number of months if nothing were rounded. It and the monthly
    interest are rounded to cents, half a cent upwards. The last payment
    differs from the others by what is needed to bring the balance to exactly
    zero, and no payment is more than what is owed at that time.

    :param principal: the amount borrowed, in whole cents, more than zero
    :param annual_rate: the yearly rate as a fraction; 0 is a loan without
        interest
    :param months: number of instalments, at least 1
    :returns: one instalment per month, numbered from 1. In each of them the
        payment is the sum of interest and repayment, and the balance is what
        is still owed after it.
    :raises ValueError: if an argument is out of range

    >>> for row in amortise(Decimal("100.00"), Decimal("0.12"), 3):
    ...     print(row.number, row.payment, row.interest, row.repayment, row.balance)
    1 34.00 1.00 33.00 67.00
    2 34.00 0.67 33.33 33.67
    3 34.01 0.34 33.67 0.00
    """
    balance = _to_cents(principal)
    if balance <= 0 or annual_rate < 0 or months < 1:
        raise ValueError("principal, annual_rate or months out of range")
    rate = Fraction(annual_rate) / 12
    if rate:
        exact = balance * rate / (1 - (1 + rate) ** -months)
    else:
        exact = Fraction(balance, months)
    half = Fraction(1, 2)
    level = math.floor(exact + half)
    plan = []
    for number in range(1, months + 1):
        interest = math.floor(balance * rate + half)
        owed = balance + interest
        payment = owed if number == months else min(level, owed)
        balance = owed - payment
        amounts = (payment, interest, payment - interest, balance)
        plan.append(Instalment(number, *map(_from_cents, amounts)))
    return plan
