"""Sign-up form and customer record."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, ConfigDict, Field, field_validator

ADULT_AGE = 18


class SignupForm(BaseModel):
    """What a visitor submits on the sign-up page."""

    model_config = ConfigDict(str_strip_whitespace=True)

    email: str = Field(min_length=3)
    nickname: str | None = None
    birth_date: date
    newsletter: bool = False

    @field_validator("email")
    @classmethod
    def _has_local_part_and_domain(cls, value: str) -> str:
        local, at, domain = value.partition("@")
        if not (local and at and domain):
            raise ValueError("not an e-mail address")
        return value


class CustomerRecord(BaseModel):
    """A customer as stored."""

    model_config = ConfigDict(frozen=True)

    email: str
    display_name: str
    is_adult: bool
    marketing_consent: bool
    joined_on: date
