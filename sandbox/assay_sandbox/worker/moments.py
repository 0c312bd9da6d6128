"""Freezes the clock of `datetime`, by stand-ins for the classes that give the time.

Attributes of the real classes cannot be set. The stand-ins make instances of the real ones, so that
values stay what they are, and a class that a program derives from a stand-in is an ordinary class.
Two limitations remain. ``type(moment) is datetime`` is false, while ``==`` is true. And no class
can derive from a stand-in and from another class that has a metaclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_CONSTRUCTORS = """
combine fromisocalendar fromisoformat fromordinal fromtimestamp strptime utcfromtimestamp
"""


def stand_still(said: Callable[[], float]) -> None:
    """Replace the classes. `said`: gives the time, in seconds since 1970."""
    import copyreg
    import datetime as module

    real_date, real_datetime = module.date, module.datetime

    class date(real_date, metaclass=_standing_in_for(real_date)):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            return real_date.__new__(real_date if cls is date else cls, *arguments, **named)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(said())

    class datetime(real_datetime, metaclass=_standing_in_for(real_datetime)):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            kind = real_datetime if cls is datetime else cls
            return real_datetime.__new__(kind, *arguments, **named)

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(said(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(said(), module.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    for stand_in, real in ((date, real_date), (datetime, real_datetime)):
        stand_in.__module__, stand_in.__qualname__ = real.__module__, real.__qualname__
        for name in ("now", "utcnow", "today"):
            if name in vars(stand_in):
                # Told by its name, as the real one is.
                vars(stand_in)[name].__func__.__qualname__ = f"{real.__qualname__}.{name}"
        for name in _CONSTRUCTORS.split():
            if hasattr(real, name):
                setattr(stand_in, name, _constructor(stand_in, real, name))
        # A pickle names the class of its value, and that name leads to the stand-in.
        copyreg.pickle(real, _reduced_to(stand_in))
    replaced: Any = module
    replaced.date, replaced.datetime = date, datetime


def _standing_in_for(real: type) -> Any:
    """The metaclass of a stand-in, and so of classes derived from it."""

    class StandIn(type):
        first: Any = None

        def __init__(cls, name: str, bases: Any, namespace: dict[str, Any]) -> None:
            super().__init__(name, bases, namespace)
            if StandIn.first is None:
                StandIn.first = cls

        def __instancecheck__(cls, instance: object) -> bool:
            if cls is StandIn.first:
                return isinstance(instance, real)
            return super().__instancecheck__(instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            if cls is StandIn.first:
                return issubclass(subclass, real)
            return super().__subclasscheck__(subclass)

        def __eq__(cls, other: object) -> bool:
            return cls is other or (cls is StandIn.first and other is real)

        def __hash__(cls) -> int:
            return hash(real) if cls is StandIn.first else super().__hash__()

    return StandIn


def _constructor(stand_in: type, real: type, name: str) -> Any:
    """An alternative constructor: of real instances, or of those of a derived class."""
    made_by = next(each.__dict__[name] for each in real.__mro__ if name in each.__dict__)

    def constructor(cls: type, *arguments: Any, **named: Any) -> Any:
        return made_by.__get__(None, real if cls is stand_in else cls)(*arguments, **named)

    # Any: only the caller knows which class it binds to.
    of_class: Any = classmethod
    return of_class(constructor)


def _reduced_to(stand_in: Callable[..., Any]) -> Callable[[Any], Any]:
    # The oldest protocol that keeps `fold`: which of two equal times this is.
    return lambda moment: (stand_in, *moment.__reduce_ex__(4)[1:])
