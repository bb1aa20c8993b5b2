"""Programs that come with a script `build`, or a script `run` (2025-09, "Programs").

    build    run once in the directory of the program; it makes what `run` needs, perhaps `run` itself
    run      called in its place, with its arguments

Both run in the sandbox, as compilers and programs do. A tar of the directory is what is compiled, and what comes out.
A build may set modes, and so execute what it has compiled. All files are executable for `run`, by the tar.
Programs find their directory by the variable that `run` is called with ($0), and begin in the working directory of
each run.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from judge import languages
from judge.languages import Compile, Language, RunCommand
from problems.model import SCRIPTS

#: The scripts start programs.
PROCESSES = 32
_OUTPUT = "program.tar"
_BUILD = (
    'mkdir .program && cd .program && tar -xf "../$1" && '
    "if [ -f build ]; then ./build >&2 || exit 1; fi && "
    'if [ ! -f run ]; then echo "build made no file called run" >&2; exit 1; fi && '
    'case $(readlink -f run) in "$(pwd -P)"/*) ;; *) echo "run is a link out of its directory" >&2; exit 1;; esac && '
    "tar --mode=u+rwx -cf ../program.tar ."
)
_RUN = 'mkdir .program && tar -xf "$1" -C .program && shift && exec ./.program/run "$@"'


@cache
def language() -> Language:
    """How such a program is built and run."""
    shell = languages.get("bash")
    return replace(
        shell,
        name=SCRIPTS,
        title="build and run scripts",
        source="source.tar",
        compile=Compile(argv=("{compiler}", "-c", _BUILD, "build", "{source}"), output=_OUTPUT, runs=True, modes=True),
        run=RunCommand(argv=("{compiler}", "-c", _RUN, "run", "{output}")),
        processes=PROCESSES,
    )


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """The files of a program, by their names with "/", as one tar that depends on nothing else."""
    import tarfile  # noqa: PLC0415 - few packages bring scripts

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
