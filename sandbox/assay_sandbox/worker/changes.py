"""Tells what a call did to its arguments."""

from __future__ import annotations

from marshal import loads

from . import encoding, watching, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Tuple, Union

    from .stage import Stage


class Changes:
    def __init__(self, encoder: encoding.Encoder, staging: Optional[Stage]) -> None:
        self._encoder = encoder
        self._stage = staging

    def before(self, positional: Tuple[Any, ...], keywords: Dict[str, Any]) -> str:
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
        positional: Tuple[Any, ...],
        keywords: Dict[str, Any],
        watched: Optional[watching.Watched],
        before: Union[bytes, str],
    ) -> str:
        """As `told`, which is only called if something that is watched has changed."""
        if watched is not None and watching.unchanged(watched):
            return ""
        return self.told(positional, keywords, before)

    def told(
        self, positional: Tuple[Any, ...], keywords: Dict[str, Any], before: Union[bytes, str]
    ) -> str:
        """The arguments' text if it differs from that before the call, else nothing.

        `before`: that text, or the packed form of plain arguments that were watched, and changed.
        """
        after = self.text(positional, keywords)
        if after.startswith(encoding.OPAQUE):
            # Arguments that were plain can be compared even if they are too large to be written
            # out. Of others it is unknown whether they have changed.
            plain = isinstance(before, bytes)
            changed = "" if plain and watching.alike(positional, loads(before)) else after
        else:
            was = self.text(loads(before), {}) if isinstance(before, bytes) else before
            changed = "" if after == was else after
        return changed if self._stage is None else self._stage.told(changed)

    def text(self, positional: Tuple[Any, ...], keywords: Dict[str, Any]) -> str:
        """The text of arguments."""
        try:
            return self._encoder.value([list(positional), keywords], drawing=False)
        except writing.Unencodable as reason:
            return self._encoder.opaque(reason.kind, reason.reason)
