"""Describes the failure of a call that did not return, or of a program that did not load."""

from __future__ import annotations

from . import deadline, encoding, escaping, inspecting, origin, refusals, wire, writing

MESSAGE_MAX = 10_000
# A class can have base classes without end, and the host reads no more of them.
LINEAGE_MAX = 100


def texts(*parts: str) -> str:
    return "[%s]" % ",".join(map(text, parts))


def text(part: str) -> str:
    return escaping.plain_string(_legible(part))


def _legible(part: str) -> str:
    """A lone surrogate as an escape, since two in a row would be read as one character."""
    return part if part.isascii() else part.encode("utf-8", "backslashreplace").decode()


def judge(
    error: BaseException, encoder: encoding.Encoder, refused: refusals.Refusals, call: int
) -> tuple[int, str]:
    """Status and JSON for what ended call number `call`."""
    kind = type(error)
    if kind is MemoryError and origin.is_of_memory(error):
        return wire.OUT_OF_MEMORY, ""
    if type(error) is writing.Unencodable:
        return wire.UNSERIALISABLE, encoder.opaque(error.kind, error.reason)
    what = refused.explain(error, call)
    if what is not None:
        return wire.REFUSED, texts(what)
    name, message = described(error, encoder)
    if origin.is_of_script(error):
        return wire.UNSERIALISABLE, texts(f"input: {name}: {message}"[:MESSAGE_MAX])
    # Neither itself nor `object`.
    bases = [encoder.name(base) for base in inspecting.lineage(kind)[1:-1][:LINEAGE_MAX]]
    return wire.RAISED, "[%s,%s,%s,%s,%d]" % (
        text(name),
        text(message),
        texts(*bases),
        "true" if origin.is_passed_on(error) else "false",
        origin.step_of(error),
    )


def loading(
    error: BaseException, over: int | None, encoder: encoding.Encoder, seconds: float
) -> tuple[str, str]:
    """Name and message of what ended loading. `over`: the status of an overstepped bound."""
    if over == wire.TIMED_OUT:
        return "TimeoutError", f"not loaded within {seconds:g} s"
    if over == wire.OUTPUT_EXCEEDED:
        return "OverflowError", "printed too much while loading"
    name, message = described(error, encoder)
    where = origin.importing(error) if isinstance(error, ImportError) else ""
    return name, f"{message}, in {where}"[:MESSAGE_MAX] if where else message


def described(error: BaseException, encoder: encoding.Encoder) -> tuple[str, str]:
    """Name and message of an exception; the message may come from the program's `__str__`."""
    # Taken first, because the program's `__str__` could change it.
    name = encoder.name(type(error))
    try:
        message = str(error)
    except deadline.OutOfTime:
        raise
    except BaseException as second:
        message = f"<its message raised {encoder.name(type(second))}>"
    # `str()` may give a subclass whose slices and lengths lie.
    message = str.__getitem__(message, slice(MESSAGE_MAX))
    # Cut again, because escapes are longer than the characters they replace.
    return name, _legible(message)[:MESSAGE_MAX]
