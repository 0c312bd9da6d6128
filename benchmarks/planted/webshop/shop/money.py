"""Money helpers. Amounts are Decimals in euros until they are settled in cents."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
ZERO = Decimal("0")


def to_cents(amount: Decimal) -> int:
    """Convert an amount in euros to whole cents, rounding half a cent away from zero."""
    return int(amount.quantize(CENT, rounding=ROUND_HALF_UP) * 100)


def from_cents(cents: int) -> Decimal:
    """Convert whole cents to an amount in euros with two decimals."""
    return (Decimal(cents) / 100).quantize(CENT)


def format_cents(cents: int) -> str:
    """Render cents for people, e.g. on an invoice."""
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"{sign}{euros}.{rest:02d} EUR"
