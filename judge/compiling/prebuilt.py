"""Makes once what a compile step needs beside its compiler: Go's standard library, a driver of javac.

    headers/<compiler>/library-<hash>/    plain files, read-only to compilers; the hash is of how they are made

We make it in the sandbox, from our own files only, before any submission is compiled there. A submission's compile step
finds it behind a read-only mount. A rename puts it in place as a whole.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
from pathlib import Path

from containers import File, RunSpec, Sandbox, Trust
from judge.common.errors import LanguageError
from judge.compiling.toolchain import BUILD_LIMITS, Toolchain, has_succeeded, run
from judge.languages import ENVIRONMENT, Language, resource
from judge.store.directory import writing

_log = logging.getLogger(__name__)

_ARCHIVE = "library.tar"
_MESSAGE_BYTES = 300


def prepare(toolchain: Toolchain, language: Language, sandbox: Sandbox) -> Path | None:
    """The directory, made now if it does not exist; None: the language needs none.

    Raises:
        LanguageError: the toolchain cannot make it.
        ConfigError: it cannot be written to the cache.
    """
    if not language.prepare.argv:
        return None
    files = tuple(File(name=name, content=resource(name)) for name in language.prepare.files)
    recipe = json.dumps([language.prepare.argv, *(hashlib.sha256(file.content).hexdigest() for file in files)])
    directory = toolchain.directory / f"library-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if directory.exists():
        return directory
    with toolchain.building(directory.name):
        if not directory.exists():
            _log.info("preparing %s, which may take half a minute; it is kept", language.title)
            archive = _make(toolchain, language, files, sandbox)
            with writing(directory.parent):
                _unpack(archive, directory)
    return directory


def _make(toolchain: Toolchain, language: Language, files: tuple[File, ...], sandbox: Sandbox) -> bytes:
    compiler = toolchain.compiler
    spec = RunSpec(
        argv=tuple(part.format(compiler=compiler, bin=compiler.parent) for part in language.prepare.argv),
        limits=BUILD_LIMITS,
        trust=Trust.TOOL,
        env=ENVIRONMENT,
        files=files,
        collect=(_ARCHIVE,),
    )
    outcome = run(sandbox, spec)
    if not has_succeeded(outcome) or _ARCHIVE not in outcome.files:
        why = outcome.stderr[-_MESSAGE_BYTES:].decode("utf-8", "replace").strip() or outcome.termination.value
        raise LanguageError(f"{language.title}: it cannot be prepared; {language.toolchain.repair} ({why})")
    return outcome.files[_ARCHIVE]


def _unpack(archive: bytes, directory: Path) -> None:
    import shutil  # noqa: PLC0415 - these three are slow to import, and needed once
    import tarfile  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    building = Path(tempfile.mkdtemp(dir=directory.parent, prefix=".new-"))
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            for member in opened:
                content = opened.extractfile(member) if member.isreg() else None
                if content is not None:
                    path = building / Path(member.name).name
                    path.write_bytes(content.read())
                    path.chmod(0o444)
        building.chmod(0o755)
        building.rename(directory)
    finally:
        shutil.rmtree(building, ignore_errors=True)
