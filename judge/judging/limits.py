"""What one run of a submission may use."""

from __future__ import annotations

from judge.common.models import Options
from judge.languages import Language
from judge.ruling.classify import Allowed
from judge.slots.slot import PATIENCE
from problems.model import MIB, Limits, usual_wall_ns


def limits_of(limits: Limits, language: Language, options: Options, *, alone: bool) -> Allowed:
    """The caller's limits, else the test case's or the problem's, times the language's multiplier. `alone`: with no
    other run of ours beside it, the wall clock may wait longer."""
    factor = language.time_multiplier if options.language_multiplier else 1
    cpu_ns = int((options.cpu_ns or limits.cpu_ns) * factor)
    wall_ns = limits.wall_ns if options.cpu_ns is None else None  # it belongs to the overridden CPU limit
    return Allowed(
        cpu_ns=cpu_ns,
        wall_ns=(int((wall_ns or 0) * factor) or usual_wall_ns(cpu_ns)) * (PATIENCE if alone else 1),
        memory_bytes=options.memory_bytes or limits.memory_bytes,
        output_bytes=limits.output_bytes,
        runtime_bytes=language.run.files_mib * MIB,
    )
