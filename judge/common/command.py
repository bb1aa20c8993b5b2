"""A command line to run in the sandbox as it is (`Command`): no language, no compiler, no problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from containers import Trust
from judge.common.errors import ConfigError
from judge.common.execution import check_given, check_names, check_texts
from judge.common.stated import check_limits, check_type
from problems.model import MIB, SECOND_NS

#: How many variables a run gets, beside HOME and TMPDIR.
_MOST_VARIABLES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Times in nanoseconds, sizes in bytes."""

    #: argv[0] is the program's absolute path in the sandbox.
    argv: tuple[str, ...]
    #: The program itself, if the caller brings it: argv[0] is then only its name.
    executable: bytes | None = None
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    stdin: bytes = b""
    #: Files of the working directory, by path (`containers.spec.check_path`). All of them may be executed and changed.
    files: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    #: Plain names of files to bring back from the working directory.
    collect: tuple[str, ...] = ()
    cpu_ns: int = 10 * SECOND_NS
    #: None: twice `cpu_ns` and a second more.
    wall_ns: int | None = None
    memory_bytes: int = 512 * MIB
    output_bytes: int = 16 * MIB
    #: So much of what goes to standard error is kept.
    stderr_bytes: int = MIB
    #: How many processes and threads it may have at once; 0: threads, but no other processes.
    processes: int = 0
    #: `Trust.TOOL` of a compiler that executes nothing that the caller gave it.
    trust: Trust = Trust.HOSTILE

    def __post_init__(self) -> None:
        """
        Raises:
            ConfigError: a limit is not positive, or too large, or a name or an argument cannot be one.
            TypeError: something is of another type than its annotation says.
        """
        check_given(self.files, self.collect, argv=self.argv)
        check_type("stdin", self.stdin, bytes, "bytes, by .encode()")
        limits = ("cpu_ns", "wall_ns", "memory_bytes", "output_bytes", "stderr_bytes")
        check_limits({name: getattr(self, name) for name in limits})
        check_names(self.files, self.collect)
        if len(self.env) > _MOST_VARIABLES:
            raise ConfigError(f"there are {len(self.env)} variables, more than {_MOST_VARIABLES}")
        check_texts((*self.argv, *self.env, *self.env.values()))
