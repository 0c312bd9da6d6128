"""Which Assay this is."""

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """Of the installed package; "0" for who runs it from its sources."""
    try:
        return version("assay")
    except PackageNotFoundError:
        return "0"
