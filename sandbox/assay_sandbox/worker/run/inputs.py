"""The calls of a batch, as the host hands them over, and what each did to its arguments.

Mutable parts of plain arguments are compared without calling the program.
"""

from __future__ import annotations

import gc
from marshal import loads

from ..core import is_
from ..inspecting import kind_of
from ..values import encoding, standard_types, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from ..scene.stage import Stage

    # The items of an argument, what they were, and the function that compares the two.
    Watched = Sequence[tuple[Any, tuple[Any, ...], Callable[[Any, Any], bool]]]
    from typing import Any

_HOLDERS = frozenset((list, tuple, dict))
# One object for all: memory that is not touched is not copied into every child.
_NOTHING: Watched = ()


class _Held:
    """A list, tuple or dict inside an argument, by its contents.

    It does not hold the object itself, so that a program that removes it is the last to hold it.
    """

    __slots__ = ("keys", "kind", "values")

    def __init__(self, holder: Any) -> None:
        self.kind = kind_of(holder)
        self.keys: tuple[Any, ...] | None = tuple(holder) if self.kind is dict else None
        self.values = _held(holder.values() if self.kind is dict else holder)


def _held(parts: Any) -> tuple[Any, ...]:
    if _HOLDERS.isdisjoint(map(type, parts)):
        return tuple(parts)
    return tuple([_Held(part) if _can_change(part) else part for part in parts])


def _can_change(value: Any) -> bool:
    kind = kind_of(value)
    return kind is list or kind is dict or (kind is tuple and any(map(_can_change, value)))


def watched(arguments: tuple[Any, ...]) -> Watched:
    """The present state of all that can change among plain arguments.

    A dict comes twice, by its values and by its keys; both keep the order in which it is read.
    """
    found: list[tuple[Any, tuple[Any, ...], Callable[[Any, Any], bool]]] = []
    for argument in filter(_can_change, arguments):
        kind = kind_of(argument)
        parts: Any = argument.values() if kind is dict else argument
        # Most arguments contain nothing mutable, and this runs for every call.
        if _HOLDERS.isdisjoint(map(type, parts)):
            found.append((parts, tuple(parts), is_))
        else:
            found.append((parts, _held(parts), _alike if any(map(_can_change, parts)) else is_))
        if kind is dict:
            found.append((argument, tuple(argument), is_))
    return tuple(found) if found else _NOTHING


def unchanged(watched: Watched) -> bool:
    """Whether each still holds the very same leaves in the same order."""
    return all(_same(items, before, alike) for items, before, alike in watched)


def _same(items: Any, before: tuple[Any, ...], alike: Callable[[Any, Any], bool]) -> bool:
    return len(items) == len(before) and all(map(alike, items, before))


def _alike(part: Any, before: Any) -> bool:
    """Looks no deeper than the earlier state: the present one may be endless."""
    if type(before) is not _Held:
        return part is before
    if kind_of(part) is not before.kind:
        return False
    if before.keys is None:
        return _same(part, before.values, _alike)
    return _same(part, before.keys, is_) and _same(part.values(), before.values, _alike)


def alike(now: Any, before: Any) -> bool:
    """Whether a value equals an earlier plain one: in types, leaves and order, also of keys.

    Looks no deeper than the earlier value.
    """
    pending = [(now, before)]
    while pending:
        one, other = pending.pop()
        kind = kind_of(other)
        if kind_of(one) is not kind:
            return False
        if kind is list or kind is tuple or kind is dict:
            if len(one) != len(other):
                return False
            pending += zip(one, other)  # noqa: B905 (3.9)
            if kind is dict:
                pending += zip(one.values(), other.values())  # noqa: B905 (3.9)
        elif one != other if kind is not float else repr(one) != repr(other):
            return False
    return True


class Changes:
    def __init__(self, encoder: encoding.Encoder, staging: Stage | None) -> None:
        self._encoder = encoder
        self._stage = staging

    def before(self, positional: tuple[Any, ...], keywords: dict[str, Any]) -> str:
        """The arguments' text before the call; nameless objects in it are known until `end`."""
        self._encoder.given.take()
        try:
            return self.text(positional, keywords)
        finally:
            self._encoder.given.taken()

    def end(self) -> None:
        self._encoder.given.forget()

    def after(
        self,
        positional: tuple[Any, ...],
        keywords: dict[str, Any],
        watched: Watched | None,
        before: bytes | str,
    ) -> str:
        """As `told`, which is only called if something that is watched has changed."""
        if watched is not None and unchanged(watched):
            return ""
        return self.told(positional, keywords, before)

    def told(
        self, positional: tuple[Any, ...], keywords: dict[str, Any], before: bytes | str
    ) -> str:
        """The arguments' text if it differs from that before the call, else nothing.

        `before`: that text, or the packed form of plain arguments that were watched, and changed.
        """
        after = self.text(positional, keywords)
        if after.startswith(encoding.OPAQUE):
            # Arguments that were plain can be compared even if they are too large to be written
            # out. Of others it is unknown whether they have changed.
            plain = isinstance(before, bytes)
            changed = "" if plain and alike(positional, loads(before)) else after
        else:
            was = self.text(loads(before), {}) if isinstance(before, bytes) else before
            changed = "" if after == was else after
        return changed if self._stage is None else self._stage.told(changed)

    def text(self, positional: tuple[Any, ...], keywords: dict[str, Any]) -> str:
        """The text of arguments."""
        try:
            return self._encoder.value([list(positional), keywords], drawing=False)
        except writing.Unencodable as reason:
            return self._encoder.opaque(reason.kind, reason.reason)


class BatchInputs:
    """The calls of a batch, and their surroundings.

    By call: `packed` has the packed form of its arguments, `parsed` the arguments themselves. Where
    `watched` has None, `parsed` has their typed JSON, because only the program can make them.
    `modules` are those of standard types among the arguments, and the one that awaits.
    """

    # Written out, because making a named tuple costs every start 2.5 ms.
    __slots__ = ("modules", "packed", "parsed", "scenes", "stdin", "watched")

    def __init__(
        self,
        packed: list[bytes],
        parsed: list[Any],
        watched: list[Watched | None],
        stdin: dict[int, str],
        scenes: dict[int, list[Any]],
        modules: list[str],
    ) -> None:
        self.packed = packed
        self.parsed = parsed
        self.watched = watched
        self.stdin = stdin
        self.scenes = scenes
        self.modules = modules

    def touch(self) -> None:
        """Make this process copy the pages with these objects, which it shares with its parent.

        Reading an object changes its reference count. Otherwise each call would copy its own pages.
        """
        for _arguments, watched in zip(self.parsed, self.watched):  # noqa: B905 (3.9)
            for looked_at in watched or ():
                for _part in looked_at:
                    continue


def read_inputs(content: bytes) -> BatchInputs:
    """The inputs of the host's `wire.inputs_bytes`, made before the first program is called."""
    # The garbage collector need not traverse permanent objects again and again. Arguments are not
    # frozen: a program can make reference cycles of them, which would then never be collected.
    gc.freeze()
    gc.disable()
    packed, tagged, stdin, scenes = loads(content)
    parsed = list(map(loads, packed))
    all_watched: list[Watched | None] = [
        None if place in tagged else watched(arguments) for place, arguments in enumerate(parsed)
    ]
    gc.enable()
    # Plain arguments have no such types, and most inputs are plain.
    typed = content if scenes else b"".join(packed[place] for place in tagged)
    modules = standard_types.named(typed)
    if b"await" in typed or b"async" in typed:
        modules.append("asyncio")
    return BatchInputs(packed, parsed, all_watched, stdin, scenes, modules)
