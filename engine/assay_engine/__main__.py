"""`python -m assay_engine`: the command line without the console script."""

from __future__ import annotations

from assay_engine.cli import main

if __name__ == "__main__":
    main()
