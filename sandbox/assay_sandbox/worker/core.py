"""Parts of the interpreter's core, imported from the modules written in C that have them.

The standard library's modules around them make enumerations and wrappers: a sixth of a start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections import OrderedDict, defaultdict, deque
    from functools import partial
    from operator import is_
    from weakref import ref as reference
else:
    import _signal as signal
    from _collections import OrderedDict, defaultdict, deque
    from _functools import partial
    from _operator import is_
    from _weakref import ref as reference

__all__ = ["OrderedDict", "defaultdict", "deque", "is_", "partial", "reference", "signal"]
