"""What was learnt of a model at an endpoint: shared by all that ask it, and kept in the store."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import cast

import msgspec

from assay_engine.digest import of_parts
from assay_engine.errors import StoreError
from assay_engine.models.dialect import Dialect
from assay_engine.models.providers import dialect_of
from assay_engine.settings import Endpoint
from assay_engine.store import Store


class LearntDialect:
    """The dialect of one model, as it is known by now.

    `is_known` tells whether the model has been asked before: what one request learns, the others
    need not pay for, so the first goes alone (`first`).
    """

    def __init__(self, endpoint: Endpoint, store: Store | None = None) -> None:
        self._store = store
        self._key = of_parts((endpoint.base_url, endpoint.model, repr(sorted(endpoint.extra_body))))
        kept = self._kept()
        self.dialect = kept or dialect_of(endpoint)
        self.is_known = kept is not None
        self.first = asyncio.Lock()

    def try_on(self, dialect: Dialect) -> None:
        """Use a dialect from the next request on, as long as this process lives."""
        self.dialect = dialect

    def keep(self, dialect: Dialect) -> None:
        """Keep the dialect of a request that was answered, for other processes as well."""
        # Others may have learnt of room and effort meanwhile, from the replies.
        known = self.dialect
        kept = msgspec.structs.replace(
            dialect,
            room=max(dialect.room, known.room),
            effort=known.effort if dialect.effort is None else dialect.effort,
        )
        if kept == known and self._kept() == kept:
            return
        self.dialect = kept
        if self._store is not None:
            with suppress(StoreError):
                self._store.put_dialect(self._key, msgspec.to_builtins(kept))

    def _kept(self) -> Dialect | None:
        if self._store is None:
            return None
        try:
            found = cast("object", self._store.dialect(self._key))
            return None if found is None else msgspec.convert(found, Dialect)
        except (StoreError, msgspec.ValidationError):
            return None
