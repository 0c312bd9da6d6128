"""Event bus, middleware pipeline and call decorators."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Handler = Callable[..., Any]
Middleware = Callable[[Any, Callable[[Any], Any]], Any]


@dataclass(eq=False)
class _Subscription:
    handler: Handler
    priority: int


class EventBus:
    def __init__(self) -> None:
        self._subscriptions: defaultdict[str, list[_Subscription]] = defaultdict(list)

    def subscribe(
        self, event: str, handler: Handler, *, priority: int = 0
    ) -> Callable[[], None]:
        """Have ``handler`` called whenever ``event`` is emitted.

        Handlers with a higher priority are called earlier; those with equal
        priority are called in the order in which they were subscribed. A
        handler that is subscribed twice is called twice.

        Args:
            event: Name of the event.
            handler: Called with the arguments of ``emit``.
            priority: Any integer.

        Returns:
            A function without arguments that ends this one subscription.
            Calling it again has no effect.

        >>> bus = EventBus()
        >>> stop = bus.subscribe("saved", str.upper)
        >>> bus.emit("saved", "draft")
        ['DRAFT']
        >>> stop()
        >>> bus.emit("saved", "draft")
        []
        """
        entries = self._subscriptions[event]
        entry = _Subscription(handler, priority)
        position = len(entries)
        while position and entries[position - 1].priority < priority:
            position -= 1
        entries.insert(position, entry)

        def unsubscribe() -> None:
            if entry in entries:
                entries.remove(entry)

        return unsubscribe

    def emit(self, event: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Call the handlers of ``event`` and collect what they return.

        Every handler that is subscribed at the time of the call is called
        exactly once per subscription, with the given arguments. Handlers may
        subscribe and unsubscribe handlers, themselves included; this makes a
        difference from the next ``emit`` onwards only. An exception raised by
        a handler is passed on, and the handlers after it are not called.

        Returns:
            The handlers' results, in calling order. Empty if there are none.
        """
        results = []
        for subscription in self._subscriptions.get(event, ()):
            results.append(subscription.handler(*args, **kwargs))
        return results


class Pipeline:
    def __init__(self, endpoint: Callable[[Any], Any], *middleware: Middleware) -> None:
        self._endpoint = endpoint
        self._middleware = list(middleware)

    def use(self, middleware: Middleware) -> Middleware:
        self._middleware.append(middleware)
        return middleware

    def run(self, request: Any) -> Any:
        """Send a request through the middleware to the endpoint.

        The middleware that was added first sees the request first and the
        response last. Each is called as ``middleware(request, call_next)``
        and its return value is the response for the one before it.
        ``call_next(request)`` hands a request, the same or another, to the
        rest of the pipeline and returns the response; a middleware may call
        it any number of times, and if it does not call it, the rest of the
        pipeline does not run.

        Without middleware the endpoint is called directly.

        >>> def shout(request, call_next):
        ...     return call_next(request.upper()) + "!"
        >>> Pipeline(lambda request: f"<{request}>", shout).run("hi")
        '<HI>!'
        """

        def bind(middleware: Middleware, call_next: Callable[[Any], Any]):
            return lambda request: middleware(request, call_next)

        call = self._endpoint
        for middleware in reversed(self._middleware):
            call = bind(middleware, call)
        return call(request)


def once_per(
    key: Callable[..., Hashable],
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function so that it runs only once for each key.

    The key of a call is computed by calling ``key`` with the same arguments.
    The first call with a key runs the function; later calls with an equal key
    give the result of that first call back without running the function. If
    the function raises, the exception is passed on, nothing is remembered and
    the next call with that key runs the function again. Every decorated
    function has its own memory.

    >>> @once_per(lambda order, **_: order["id"])
    ... def confirm(order, *, by):
    ...     print("mail to", by)
    ...     return f"#{order['id']}"
    >>> confirm({"id": 7}, by="ann")
    mail to ann
    '#7'
    >>> confirm({"id": 7}, by="bob")
    '#7'
    """

    def decorate(func: Callable[P, R]) -> Callable[P, R]:
        results: dict[Hashable, R] = {}

        @functools.wraps(func)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            call_key = key(*args, **kwargs)
            result = results.get(call_key)
            if result is None:
                result = results[call_key] = func(*args, **kwargs)
            return result

        return wrapper

    return decorate


def retry(
    times: int,
    *,
    on: type[Exception] | tuple[type[Exception], ...] = Exception,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function so that it is tried again when it fails.

    :param times: a call that fails is tried up to this many times before
        giving up; at least 1
    :param on: exception type or types that count as a failure; others are
        passed on at once
    :returns: a decorator; the decorated function returns the first successful
        result, or raises the exception of the last try
    :raises ValueError: if ``times`` is less than 1
    """
    if times < 1:
        raise ValueError("times must be at least 1")

    def decorate(func: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(func)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            for _ in range(times - 1):
                try:
                    return func(*args, **kwargs)
                except on:
                    pass
            return func(*args, **kwargs)

        return wrapper

    return decorate
