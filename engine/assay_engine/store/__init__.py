"""What is remembered between runs: replies, reports, what was spent and what was agreed to."""

from assay_engine.store.named import open_named_store
from assay_engine.store.store import Store, memory_store, open_store

__all__ = ["Store", "memory_store", "open_named_store", "open_store"]
