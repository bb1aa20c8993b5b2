"""How calls name files: what the listener looks at where the kernel has no Landlock and grants no mount (src/vet.c)."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import NamedTuple

from containers.launcher.filters.table import numbers


class How(IntEnum):
    """What is done with the file. `enum use_how` of src/wire.h. Of an open: the number of the argument with its
    flags."""

    #: The name's directory is changed.
    DIRECTORY = -1
    #: The file is, through links.
    CONTENT = -2
    #: The file is executed.
    EXECUTE = -3
    #: The directory becomes the working directory.
    ENTER = -4
    #: The link is read.
    LINK = -5


class Use(NamedTuple):
    """`struct use` of src/wire.h. Numbers of arguments; directory -1: the working directory."""

    call: int
    directory: int
    name: int
    how: int


_USES = (
    ("openat", 0, 1, 2),
    ("unlinkat", 0, 1, How.DIRECTORY),
    ("mkdirat", 0, 1, How.DIRECTORY),
    ("renameat", 0, 1, How.DIRECTORY),
    ("renameat", 2, 3, How.DIRECTORY),
    ("renameat2", 0, 1, How.DIRECTORY),
    ("renameat2", 2, 3, How.DIRECTORY),
    ("linkat", 0, 1, How.DIRECTORY),
    ("linkat", 2, 3, How.DIRECTORY),
    ("truncate", -1, 0, How.CONTENT),
    ("symlinkat", 1, 2, How.DIRECTORY),
    ("execve", -1, 0, How.EXECUTE),
    ("chdir", -1, 0, How.ENTER),
    ("readlinkat", 0, 1, How.LINK),
    # The older forms, which aarch64 never had.
    ("open", -1, 0, 1),
    ("creat", -1, 0, How.CONTENT),
    ("unlink", -1, 0, How.DIRECTORY),
    ("rmdir", -1, 0, How.DIRECTORY),
    ("mkdir", -1, 0, How.DIRECTORY),
    ("rename", -1, 0, How.DIRECTORY),
    ("rename", -1, 1, How.DIRECTORY),
    ("link", -1, 0, How.DIRECTORY),
    ("link", -1, 1, How.DIRECTORY),
    ("symlink", -1, 1, How.DIRECTORY),
    ("readlink", -1, 0, How.LINK),
)


@cache
def uses(on: str) -> tuple[Use, ...]:
    number = numbers(on)
    return tuple(Use(number[call], directory, name, how) for call, directory, name, how in _USES if call in number)
