"""What is installed of this project."""

from __future__ import annotations

#: Its name where packages are installed from. (`judge` on PyPI is somebody else's; ours is not published.)
DISTRIBUTION = "judge-rl"


def installed_version() -> str | None:
    """None: it runs from a source tree that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to import

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return None
