"""A filter of warnings, without the module."""

import _warnings

_warnings.filters.insert(0, ("always", None, Warning, None, 0))
file = open(0)
