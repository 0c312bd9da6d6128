"""Test vectors of semantic triangulation: small cases with hand-reasoned verdicts.

``python -m assay_bench.vectors FILE.json`` prints one JSON line per vector (`name`,
`scheme`, `expected`, `got`, `ok`) and exits with 0 if all hold, 1 if some do not or cannot be
evaluated, 2 if the file cannot be read or there is no sandbox.
"""
