"""What one check before a run found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Precheck:
    name: str
    #: None: it could not be looked at here, and `detail` says why.
    ok: bool | None
    detail: str
    #: What to do if it is not ok.
    remedy: str = ""
