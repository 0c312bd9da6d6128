"""Amounts of money, in whole cents or as decimals."""

from decimal import ROUND_HALF_UP, Decimal


def split_bill(total_cents: int, people: int) -> list[int]:
    """Split a bill as evenly as possible and return what each person pays, in cents.

    The shares add up to the total, no two differ by more than one cent, and the larger shares
    come first.

    Raises ValueError if the total is negative or the number of people is not from 1 to 100.

    >>> split_bill(1000, 3)
    [334, 333, 333]
    """
    if total_cents < 0:
        raise ValueError("the total cannot be negative")
    if not 1 <= people <= 100:
        raise ValueError("the number of people must be from 1 to 100")
    share, left_over = divmod(total_cents, people)
    return [share + 1] * left_over + [share] * (people - left_over)


def average_price(prices: list[int]) -> int:
    """Return the average (arithmetic mean) of some prices in cents, rounded to a whole cent.

    The average is rounded to the nearest cent, and exactly half a cent is always rounded up.
    The result is exact however large the prices are.

    Raises ValueError if there are no prices or one of them is negative.

    >>> average_price([199, 299, 249])
    249
    >>> average_price([1, 2])
    2
    """
    if not prices:
        raise ValueError("there are no prices")
    if min(prices) < 0:
        raise ValueError("a price cannot be negative")
    return round(sum(prices) / len(prices))


def format_amount(cents: int) -> str:
    """Write an amount of cents in dollars, such as "$1,234.56".

    There are always two digits after the point and at least one before it, with commas between
    groups of three. A negative amount has a minus sign in front of the dollar sign.

    >>> format_amount(123456)
    '$1,234.56'
    >>> format_amount(5)
    '$0.05'
    >>> format_amount(-150)
    '-$1.50'
    """
    dollars, rest = divmod(cents, 100)
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(dollars):,}.{rest:02d}"


def discounted(price: Decimal, percent: int) -> Decimal:
    """Return the price after a discount of some percent, rounded to cents.

    Only the final price is rounded, to the nearest cent, with exactly half a cent rounded up.
    The result always has two decimal places, also when they are zero. The price has at most six.

    Raises ValueError if the price is not finite (such as NaN), is negative or is more than one
    million, or if `percent` is not from 0 to 100.

    >>> discounted(Decimal("19.99"), 15)
    Decimal('16.99')
    >>> discounted(Decimal("20"), 50)
    Decimal('10.00')
    """
    if not price.is_finite() or not 0 <= price <= 1_000_000:
        raise ValueError("the price must be from 0 to one million")
    if not 0 <= percent <= 100:
        raise ValueError("the percentage must be from 0 to 100")
    exact = price * (100 - percent) / 100
    return exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
