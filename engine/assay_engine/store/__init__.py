"""What is remembered between runs: replies, reports, what was spent and what was agreed to."""

from assay_engine.store.store import DEFAULT_MAX_BYTES, Store, memory_store, open_store

__all__ = ["DEFAULT_MAX_BYTES", "Store", "memory_store", "open_store"]
