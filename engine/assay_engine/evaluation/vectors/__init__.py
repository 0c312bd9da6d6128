"""Test vectors of semantic triangulation: small cases with hand-reasoned verdicts.

``python -m assay_engine.evaluation.vectors FILE.json`` prints one JSON line per vector (`name`,
`scheme`, `expected`, `got`, `ok`) and exits with 0 if all hold, 1 if not, 2 if it could not run.
"""

from assay_engine.evaluation.vectors.judging import Judged, judge
from assay_engine.evaluation.vectors.reading import BadVectors, Vector, read_vectors

__all__ = ["BadVectors", "Judged", "Vector", "judge", "read_vectors"]
