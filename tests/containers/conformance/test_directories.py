"""Files in directories: given to a run, and brought back from it, by relative paths that cannot lead out."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from containers import File, RunSpec, Sandbox, SandboxError, Unsupported
from containers.spec import PATH_BYTES, PATH_PARTS
from tests.containers.conformance.conftest import LIMITS
from tests.containers.conformance.test_view import python

GIVEN = (
    File(name="code.py", content=b"import pkg.part.name\npkg.part.name.begin()\n"),
    File(name="pkg/part/name.py", content=b""),
    File(name="data/a.txt", content=b"one", work=True),
    File(name="data/deep/b.txt", content=b"two", work=True),
    File(name="data/deep/c.txt", content=b"three", work=True),
)
#: What a run may and may not do with them, and what it leaves.
CODE = b"""
import os

def refused(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        return
    print(what.__name__, *arguments, "was granted")

def begin():
    print(*(open("data/" + name).read() for name in ("a.txt", "deep/b.txt", "deep/c.txt")))
    for path in ("../in/pkg", "../in/pkg/part"):
        refused(open, path + "/new", "w")
        refused(os.mkdir, path + "/new")
        refused(os.rename, path, path + "2")
    refused(open, "../in/pkg/part/name.py", "w")
    refused(os.unlink, "../in/pkg/part/name.py")
    open("data/a.txt", "a").write(" more")
    os.unlink("data/deep/c.txt")
    os.makedirs("made/by/me")
    open("made/by/me/x", "w").write("new")
    open("data/deep/d.txt", "w").write("four")
    os.mkdir("hidden")
    open("hidden/x", "w").write("closed")
    os.symlink("made", "link")
    os.symlink("/etc", "etc")
    os.symlink("../../in/code.py", "made/out")
    os.rename("data/deep", "moved")
"""
COLLECT = (
    *("data/a.txt", "made/by/me/x", "moved/d.txt", "moved/b.txt", "moved/c.txt", "hidden/x"),
    *("link/by/me/x", "etc/passwd", "made/out", "made/by", "data/a.txt/x", "none/x"),
)


def test_files_in_directories(slot: Sandbox) -> None:
    files = tuple(replace(one, content=CODE) if one.name == "pkg/part/name.py" else one for one in GIVEN)
    spec = RunSpec(argv=("/usr/bin/python3", "../in/code.py"), limits=LIMITS, files=files, collect=COLLECT)
    for _ in range(2):  # nothing of the first run is there in the second
        outcome = slot.run(spec)
        assert (outcome.stdout, outcome.stderr) == (b"one two three\n", b""), outcome
        assert outcome.files == {
            "data/a.txt": b"one more",
            "made/by/me/x": b"new",
            "moved/d.txt": b"four",
            "moved/b.txt": b"two",
            "hidden/x": b"closed",
        }
    assert python(slot, "import os; print(os.listdir('.'), os.listdir('../in'))") == "[] ['code.py']"


def test_as_deep_and_as_long_as_paths_may_be(slot: Sandbox) -> None:
    deep = "/".join("d" * 10 for _ in range(PATH_PARTS - 1))
    name = f"{deep}/{'n' * (PATH_BYTES - len(deep) - 1)}"
    files = (File(name="code.py", content=b""), File(name=name, content=b"in", work=True))
    spec = RunSpec(argv=("/usr/bin/python3", "../in/code.py"), limits=LIMITS, files=files, collect=(name,))
    assert slot.run(spec).files == {name: b"in"}


OUTSIDE = {
    "up": "../x",
    "up later": "a/../../x",
    "up at the end": "a/..",
    "absolute": f"/tmp/judge-left-{os.getpid()}",
    "absolute twice": "//x",
    "empty part": "a//x",
    "empty": "",
    "ends with a slash": "a/",
    "itself": ".",
    "itself in between": "a/./x",
    "NUL": "a\0/x",
    "too deep": "/".join("a" * (PATH_PARTS + 1)),
    "too long": "a/" + "b" * PATH_BYTES,
}


@pytest.mark.parametrize("how", OUTSIDE)
def test_a_path_that_could_leave_is_refused(how: str) -> None:
    with pytest.raises(ValueError, match=r"relative path|a path of more than"):
        File(name=OUTSIDE[how], content=b"")


class Unchecked(File):
    """What the launcher itself must refuse, whoever asks."""

    def __post_init__(self) -> None:
        pass


@pytest.mark.parametrize("how", [how for how in OUTSIDE if how != "NUL"])
@pytest.mark.parametrize("work", [True, False])
def test_the_launcher_refuses_it_too(slot: Sandbox, how: str, work: bool) -> None:
    spec = RunSpec(argv=("/usr/bin/true",), limits=LIMITS)
    with pytest.raises(SandboxError):
        slot.run(replace(spec, files=(Unchecked(name=OUTSIDE[how], content=b"", work=work),)))
    assert not Path(OUTSIDE["absolute"]).exists()


def test_a_file_that_is_a_directory_too_is_refused(slot: Sandbox) -> None:
    for names in (("a", "a/b"), ("a/b", "a"), ("a/b", "a/b")):
        with pytest.raises(Unsupported, match="files: "):
            slot.run(
                RunSpec(
                    argv=("/usr/bin/true",),
                    limits=LIMITS,
                    files=tuple(File(name=name, content=b"", work=True) for name in names),
                )
            )
