"""The memory between runs: replies, reports, tokens spent, and things the user has agreed to."""

from assay_engine.store.store import Leases, Store, memory_store, open_named_store, open_store

__all__ = ["Leases", "Store", "memory_store", "open_named_store", "open_store"]
