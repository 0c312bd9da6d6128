"""Freezes the clock of `datetime`, by stand-ins for the classes that give the time.

Attributes of the real classes cannot be set. The stand-ins make instances of the real ones, so that
values stay what they are, and a class that a program derives from a stand-in is an ordinary class.
Two limitations remain. ``type(moment) is datetime`` is false, while ``==`` is true. And no class
can derive from a stand-in and from another class that has a metaclass.
"""

from __future__ import annotations

from .inspecting import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar

_CONSTRUCTORS = """
combine fromisocalendar fromisoformat fromordinal fromtimestamp strptime utcfromtimestamp
"""


def stand_still(said: Callable[[], float]) -> None:
    """Replace the classes. `said`: gives the time, in seconds since 1970."""
    import copyreg
    import datetime as module

    real_date, real_datetime = module.date, module.datetime

    class date(real_date, metaclass=_StandIn):
        def __new__(cls, *arguments: Any, **named: Any) -> Any:
            return real_date.__new__(real_date if cls is date else cls, *arguments, **named)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(said())

    class datetime(real_datetime, metaclass=_StandIn):
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

    _StandIn.reals = {identity(date): real_date, identity(datetime): real_datetime}
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


class _StandIn(type):
    """The metaclass of both stand-ins, and so of classes derived from them, or from both.

    `reals` has the real class of each stand-in, by its identity.
    """

    reals: ClassVar[dict[int, type]] = {}

    def __instancecheck__(cls, instance: object) -> bool:
        real = _StandIn.reals.get(identity(cls))
        return super().__instancecheck__(instance) if real is None else isinstance(instance, real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        real = _StandIn.reals.get(identity(cls))
        return super().__subclasscheck__(subclass) if real is None else issubclass(subclass, real)

    def __eq__(cls, other: object) -> bool:
        return cls is other or other is _StandIn.reals.get(identity(cls), cls)

    def __hash__(cls) -> int:
        real = _StandIn.reals.get(identity(cls))
        return super().__hash__() if real is None else hash(real)


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
