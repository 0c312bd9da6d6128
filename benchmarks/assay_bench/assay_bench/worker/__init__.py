"""The code that runs inside the sandbox for an evaluation.

On our side, only tests import it, except for `likeness.RELATIVE_DIFFERENCE`.
"""
