"""Edits of values without parts (numbers, texts, moments), by the same table as `editing`."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from random import Random
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assay_engine.inputs.material import Material
from assay_sandbox import Scalar

STEPS = (-10, -1, 1, 10)
TEXT_SLICE_MAX = 20
# How often text gets a character from the seeds, and not just any printable one.
FAMILIAR_CHARACTERS = 0.7
PRINTABLE = "".join(map(chr, range(32, 127))) + "\t\n"
# How often a text that begins with a date gets another date. Most other edits break the date.
ANOTHER_DAY = 0.7
DAY_CHARACTERS = 10
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def moved_float(value: float, random: Random) -> float:
    step = random.choice((*STEPS, random.uniform(-1.0, 1.0), random.uniform(-10.0, 10.0)))
    # Few digits: nobody asks a program what it does to the last of sixteen digits.
    return round(value + step, 3)


def moved_integer(value: int, random: Random) -> int:
    reach = max(10, abs(value))
    return value + random.choice((*STEPS, random.randint(-reach, reach)))


def edited_text(text: str, familiar: str, random: Random) -> str:
    day = _day(text)
    if day is not None and random.random() < ANOTHER_DAY:
        return f"{_another_day(day, random).isoformat()}{text[DAY_CHARACTERS:]}"
    at = random.randrange(len(text) + 1)
    end = min(len(text), at + random.randint(1, TEXT_SLICE_MAX))
    match random.randrange(6):
        case 0:
            return text[:at] + _character(familiar, random) + text[at:]
        case 1:
            return text[:at] + text[at + 1 :]
        case 2:
            return text[:at] + _character(familiar, random) + text[at + 1 :]
        case 3:
            return text[:at] + text[end:]
        case 4:
            more = (_character(familiar, random) for _ in range(random.randint(1, 10)))
            return text[:at] + "".join(more) + text[at:]
        case _:
            return text[:end] + text[at:]


def _day(text: str) -> datetime.date | None:
    """The date that a text begins with, if it is written like ``2024-02-29``."""
    try:
        return datetime.date.fromisoformat(text[:DAY_CHARACTERS]) if _DAY.match(text) else None
    except ValueError:
        return None


def _another_day(day: datetime.date, random: Random) -> datetime.date:
    try:
        return day + datetime.timedelta(days=random.choice(STEPS) * random.choice((1, 3, 30, 365)))
    except OverflowError:  # beyond the calendar
        return day


def _character(familiar: str, random: Random) -> str:
    known = familiar and random.random() < FAMILIAR_CHARACTERS
    return random.choice(familiar if known else PRINTABLE)


def edited_scalar(value: Scalar, material: Material, random: Random) -> Scalar:
    """The scalar with an edit.

    Dates, moments, durations and decimals are moved. Scalars of other kinds are replaced by one
    from the seeds.
    """
    step = random.choice(STEPS)
    try:
        match value.type_name:
            case "datetime.date":
                day = datetime.date.fromisoformat(value.text)
                return Scalar(value.type_name, _another_day(day, random).isoformat())
            case "datetime.datetime":
                moment, zone = _moment(value.text)
                seconds = step * random.choice((1, 60, 3600, 86_400))
                later = moment + datetime.timedelta(seconds=seconds)
                return Scalar(value.type_name, later.isoformat() + zone)
            case "decimal.Decimal":
                number = Decimal(value.text) + step * random.choice((Decimal(1), Decimal("0.01")))
                return Scalar(value.type_name, str(number))
            case "datetime.timedelta":
                days, seconds, rest = map(int, value.text.split(","))
                span = datetime.timedelta(days, seconds + step * random.choice((1, 3600)), rest)
                text = f"{span.days},{span.seconds},{span.microseconds}"
                return Scalar(value.type_name, text)
            case _:
                return material.like(value, random)
    except (ValueError, ArithmeticError, ZoneInfoNotFoundError):
        # The result is beyond the calendar, or the text is no such value.
        return value


def _moment(text: str) -> tuple[datetime.datetime, str]:
    """The moment, and the zone name in brackets that follows it in the text, if any."""
    told, bracket, zone = text.partition("[")
    moment = datetime.datetime.fromisoformat(told)
    # The zone's offset from UTC depends on the moment.
    return (moment.astimezone(ZoneInfo(zone[:-1])) if zone else moment), bracket + zone
