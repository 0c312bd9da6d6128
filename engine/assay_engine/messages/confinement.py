"""Tells the user in which confinement programs run, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from assay_engine.advice import Advice
from assay_engine.config.configuration import UNCONFINED_VALUE, UNCONFINED_VARIABLE
from assay_sandbox import (
    CHOOSE_INTERPRETER,
    Canary,
    InterpreterUnusable,
    NothingHolds,
    PassedOver,
    Sandbox,
    SandboxError,
    SandboxUnavailable,
)

RUN_UNCONFINED = (
    f"To run programs without confinement, set {UNCONFINED_VARIABLE} to {UNCONFINED_VALUE}, if you "
    "accept the risk."
)
UNCONFINED = (
    f"Programs run without confinement, because {UNCONFINED_VARIABLE} is set, and can do anything "
    "you can. Unset it to confine them."
)


class Confinement(Struct, frozen=True):
    """The tier that programs run in, or why there is none.

    `seconds` is how long the canaries ran to find this out; `passed_over` are the stronger tiers
    that do not hold.
    """

    name: str | None
    limits: tuple[str, ...] = ()
    canaries: tuple[Canary, ...] = ()
    seconds: float = 0.0
    passed_over: tuple[PassedOver, ...] = ()
    problem: str | None = None
    remedies: tuple[str, ...] = ()


def confinement_of(sandbox: Sandbox, interpreter: Path, seconds: float) -> Confinement:
    """The confinement of a sandbox, which is started if it is not running.

    Waits for `seconds` at most. `interpreter` is the name by which the user knows the interpreter.
    """
    try:
        tier = sandbox.tier_within(seconds)
    except SandboxUnavailable as failure:
        return Confinement(None, problem=failure.reason, remedies=_remedies(failure))
    except SandboxError as failure:
        return Confinement(None, problem=str(failure), remedies=_remedies(failure))
    if tier is None:
        return Confinement(
            None,
            problem=f"No program has run under {interpreter} within {seconds:g} s.",
            remedies=(
                "Ask again in a minute: the machine may be busy.",
                CHOOSE_INTERPRETER,
                Advice.NAME_INTERPRETER,
            ),
        )
    return Confinement(
        f"{tier.name}: {tier.description}",
        tier.shortfalls,
        tier.canaries,
        tier.seconds,
        tier.passed_over,
    )


def failure_in_full(failure: SandboxError) -> str:
    """What failed and what to do about it, in one line."""
    return " ".join([failure.in_full(), *_own_remedies(failure)])


def notice_of(sandboxes: Iterable[Sandbox], *, unconfined: bool) -> str | None:
    """A sentence for the user if programs are confined by less than the strongest tier.

    It is based on what is known already. Starts nothing.
    """
    if unconfined:
        return UNCONFINED
    for sandbox in sandboxes:
        tier = sandbox.started_in
        if tier is not None and tier.passed_over:
            seen = "; ".join(f"{each.name}: {each.reason}" for each in tier.passed_over)
            return (
                f"Programs are confined by tier {tier.name} ({tier.description}), since nothing "
                f"stronger works here ({seen}). {Advice.BETTER_CONFINEMENT}."
            )
    return None


def _remedies(failure: SandboxError) -> tuple[str, ...]:
    return (*failure.remedies, *_own_remedies(failure))


def _own_remedies(failure: SandboxError) -> tuple[str, ...]:
    if isinstance(failure, InterpreterUnusable):
        return (Advice.NAME_INTERPRETER,)
    return (RUN_UNCONFINED,) if isinstance(failure, NothingHolds) else ()
