"""What a docstring states of its arguments, so that inputs keep to it: noise lies beyond it.

Bounds of numbers (`bounds`, `limits`), shapes of lists and texts (`shapes`, in the words of
`phrases`) and equal lengths (`lengths`), read out of prose (`prose`), unless that qualifies them
(`qualified`), and kept (`keeping`).
"""

from assay_engine.inputs.preconditions.keeping import Preconditions

__all__ = ["Preconditions"]
