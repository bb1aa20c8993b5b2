"""What the mutation run takes out of the sandbox: scripts/mutations.toml, read and checked, and made on a copy.

    [[mutation]]
    group = "privileges"
    without = "no_new_privs"                    # what is taken out; the name
    file = "walls.c"                            # below containers/launcher/src, or containers/launcher for Python
    old = '...'                                 # must be in the file exactly once
    new = '...'                                 # instead of it; nothing, if not given
    tests = ["walls::test_x"]                   # of tests/containers/conformance; one is expected to fail on each tier
    tiers = ["full"]                            # where it stands; not given: full, userns and restricted-root
    behind = ["another", "and another"]         # it may survive, but not together with these
    because = "..."                             # what those do

For rows of the system call table, instead of file, old and new: rows = "fork vfork", to = "ALLOW" (or "", which takes
them out of the table).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

Tier = Literal["full", "userns", "restricted-root", "restricted-root-vetted"]
#: The longer of two names that begin alike comes first.
TIERS: tuple[Tier, ...] = ("full", "userns", "restricted-root-vetted", "restricted-root")
NATIVE = Path("containers/launcher")
_TABLE = "filters/table.py"


class MutationError(Exception):
    """A mutation cannot be made or tried; the message says which and why."""


class Mutation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    group: str
    without: str
    file: str = _TABLE
    old: str = ""
    new: str = ""
    rows: str = ""
    to: str = "ALLOW"
    tests: tuple[str, ...]
    tiers: tuple[Tier, ...] = ("full", "userns", "restricted-root")
    behind: tuple[str, ...] = ()
    because: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.old) is bool(self.rows):
            raise ValueError(f"{self.without}: either old or rows")
        if bool(self.behind) is not bool(self.because):
            raise ValueError(f"{self.without}: behind and because belong together")
        return self

    def path(self, root: Path) -> Path:
        return root / NATIVE / (self.file if self.file.endswith(".py") else f"src/{self.file}")

    def edited(self, root: Path) -> str:
        """The file at `path` with what is taken out.

        Raises:
            MutationError: it is not, or not only once, to be found there.
        """
        text = self.path(root).read_text()
        if self.old:
            if (found := text.count(self.old)) != 1:
                raise MutationError(f"{self.without}: {self.old!r} is {found} times in {self.file}, not once")
            return text.replace(self.old, self.new)
        runs, name, helpers = text.partition("\nHELPER_ROWS = ")
        for row in self.rows.split():
            new = r"\1" + self.to + r"\n" if self.to else ""
            runs, found = re.subn(rf"(?m)^({row} +\S+ +\S+ +)\w+\n", new, runs)
            if found != 1:
                raise MutationError(f"{self.without}: {row} has {found} rows in {self.file}, not one")
        return runs + name + helpers


def read_mutations(path: Path) -> dict[str, Mutation]:
    """By name.

    Raises:
        MutationError: two have one name, or one is behind an unknown one.
    """
    mutations = [Mutation.model_validate(table) for table in tomllib.loads(path.read_text())["mutation"]]
    named = {mutation.without: mutation for mutation in mutations}
    if len(named) != len(mutations):
        raise MutationError("two mutations have one name")
    for mutation in mutations:
        if unknown := set(mutation.behind) - set(named):
            raise MutationError(f"{mutation.without} is behind {', '.join(unknown)}, of which nothing is known")
    return named


def with_those_before(mutation: Mutation, named: Mapping[str, Mutation]) -> Sequence[Mutation]:
    """The mutation and those that it is behind."""
    return mutation, *(named[other] for other in mutation.behind)
