"""The version of Assay."""

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """The version of the installed package; "0" if Assay runs from its sources."""
    try:
        return version("assay")
    except PackageNotFoundError:
        return "0"
