"""Preconditions that a docstring states of its arguments; inputs that break them are only noise.

Preconditions are bounds of numbers (`bounds`, `limits`), shapes of lists and texts (`shapes`, in
the words of `phrases`) and equal lengths (`lengths`). They are read from prose (`prose`), unless
the prose qualifies them (`qualified`). Inputs are made to keep them in `keeping`.
"""

from assay_engine.inputs.preconditions.keeping import Preconditions

__all__ = ["Preconditions"]
