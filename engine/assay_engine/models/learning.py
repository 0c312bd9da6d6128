"""What was learnt of a model at an endpoint: shared by all that ask it, and kept in the store."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import cast

import msgspec

from assay_engine.config.settings import Endpoint
from assay_engine.digest import of_parts
from assay_engine.errors import StoreError
from assay_engine.models.dialect import Dialect
from assay_engine.models.failures import ThoughtAway
from assay_engine.models.providers import dialect_of
from assay_engine.store import Store


class LearntDialect:
    """The dialect of one model, as it is known by now.

    `is_known` tells whether the model has been asked before: what one request learns, the others
    need not pay for, so the first goes alone (`first`).
    """

    def __init__(
        self, endpoint: Endpoint, store: Store | None = None, *, anew: bool = False
    ) -> None:
        """Begin with what the store holds, or `anew` with what is known of the provider."""
        self._store = store
        self._key = of_parts((endpoint.base_url, endpoint.model, repr(sorted(endpoint.extra_body))))
        # The efforts with which the model has answered.
        self._efforts = set[str]()
        kept = None if anew else self._kept()
        self.dialect = kept or dialect_of(endpoint)
        self.is_known = kept is not None
        self.first = asyncio.Lock()
        self.try_again()

    def try_again(self) -> None:
        """Forget that the model came to no answer: whoever asks now may have mended that."""
        self.has_answered = False
        self.hopeless: ThoughtAway | None = None

    def despair(self, failure: ThoughtAway) -> None:
        """Note a reply that was nothing but thoughts, although there was room for an answer."""
        if not self.has_answered:
            self.hopeless = failure

    def try_on(self, dialect: Dialect) -> None:
        """Use a dialect from the next request on, as long as this process lives."""
        self.dialect = dialect

    def without_untried(self, dialect: Dialect) -> Dialect | None:
        """The dialect without an effort that the model has never taken yet; else None."""
        untried = dialect.takes_effort and dialect.effort not in (None, *self._efforts)
        return msgspec.structs.replace(dialect, takes_effort=False) if untried else None

    def keep(self, dialect: Dialect) -> None:
        """Keep the dialect of a request that was answered, for other processes as well."""
        if dialect.takes_effort and dialect.effort is not None:
            self._efforts.add(dialect.effort)
        # Others may have learnt of these meanwhile, from the replies.
        known = self.dialect
        kept = msgspec.structs.replace(
            dialect,
            room=max(dialect.room, known.room),
            effort=known.effort if dialect.effort is None else dialect.effort,
            caches=dialect.caches or known.caches,
        )
        if kept != known or self._kept() != kept:
            self._put(kept)

    def note_cache(self) -> None:
        """Note that the endpoint has read a prompt from its cache."""
        if not self.dialect.caches:
            self._put(msgspec.structs.replace(self.dialect, caches=True))

    def _put(self, kept: Dialect) -> None:
        self.dialect = kept
        if self._store is not None:
            with suppress(StoreError):
                self._store.put("dialect", self._key, msgspec.to_builtins(kept))

    def _kept(self) -> Dialect | None:
        if self._store is None:
            return None
        try:
            found = cast("object", self._store.get("dialect", self._key))
            return None if found is None else msgspec.convert(found, Dialect)
        except (StoreError, msgspec.ValidationError):
            return None
