"""What a run sees of the machine, and what it has."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from containers import File, Outcome, RunSpec, Sandbox
from containers.launcher import slot_directory
from containers.spec import ALL
from tests.containers.conformance.conftest import LIMITS, Probe, Variant

PYTHON = "/usr/bin/python3"


def python(slot: Sandbox, code: str, **how: object) -> str:
    """Runs Python code in the sandbox and gives what it printed."""
    if not Path(PYTHON).exists():
        pytest.skip("no /usr/bin/python3 here")
    spec = RunSpec(
        argv=(PYTHON, "-I", "../in/code.py"), limits=LIMITS, **how, files=(File(name="code.py", content=code.encode()),)
    )  # type: ignore[arg-type]
    outcome = slot.run(spec)
    assert outcome.exit_code == 0, outcome
    return outcome.stdout.decode().strip()


def test_only_a_minimal_root_is_visible(variant: Variant, slot: Sandbox, probe: Probe) -> None:
    refused = [b"read EACCES\n", *([b"read ENOENT\n"] if variant.own_root else [])]
    for path in ("/etc/hostname", "/var/log"):
        assert probe("reads", path).stdout in refused, path
    if variant.closed_root:
        for path in ("/", "/etc", "/proc", "/proc/1/status", "/proc/self/maps"):
            assert probe("reads", path).stdout == b"read EACCES\n", path
        assert probe("reads", "/etc/passwd").stdout == (b"read ok\n" if variant.own_root else b"read EACCES\n")
        return
    assert set(python(slot, "import os; print(*os.listdir('/'))").split()) <= {
        "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "dev", "proc", "tmp", "box", "var",
    }  # fmt: skip
    below = "import os; print(*(os.path.join(at, name) for at, _, names in os.walk('/var') for name in names))"
    of_var = python(slot, below).split()
    assert all(path.startswith("/var/lib/ghc/package.conf.d/") for path in of_var)
    allowed = "passwd group nsswitch.conf ld.so.cache ld.so.conf ld.so.conf.d alternatives localtime nim R racket mono"
    seen = {
        name
        for name in python(slot, "import os; print(*os.listdir('/etc'))").split()
        if not name.startswith(("java", "python", "pypy", "fpc"))
    }
    assert seen <= set(allowed.split())


@pytest.mark.parametrize(
    "path",
    [
        "/root",
        "/home",
        "/var/lib/dpkg",
        "/var/log",
        "/var/tmp",
        "/run",
        "/sys",
        "/etc/shadow",
        "/dev/kmsg",
        "/dev/sda",
        "/dev/tty",
        "/dev/shm",
        "/box/../root",
    ],
)
def test_no_such_path(probe: Probe, path: str) -> None:
    assert probe("reads", path).stdout in (b"read ENOENT\n", b"read EACCES\n")


@pytest.mark.parametrize(
    "path",
    [
        "/x",
        "/usr/x",
        "/usr/bin/python3",
        "/etc/passwd",
        "/box/x",
        "/box/in/x",
        "/proc/sys/kernel/core_pattern",
        "/dev/x",
    ],
)
def test_nothing_outside_the_working_directory_can_be_written(probe: Probe, path: str) -> None:
    assert probe("writes", path).stdout.split()[1] in (b"EROFS", b"EACCES", b"ENOENT", b"EPERM"), path


@pytest.mark.parametrize("path", ["x", "/tmp/judge-conformance", "/dev/null"])
def test_what_can_be_written(variant: Variant, probe: Probe, path: str) -> None:
    assert probe("writes", path).stdout == (
        b"write ok\n" if variant.own_root or path[:5] != "/tmp/" else b"write EACCES\n"
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a directory in /usr/local")
def test_hidden_directories_are_empty(open_slot: Callable[..., Sandbox], probe: Probe) -> None:
    """The judge itself may be installed in the view, with the answers of its problems."""
    hidden = Path(tempfile.mkdtemp(dir="/usr/local/lib", prefix="judge-hidden-"))
    try:
        hidden.chmod(0o755)
        (hidden / "answer").write_text("42")
        assert probe("reads", hidden / "answer", on=open_slot()).stdout == b"read ok\n"
        masked = open_slot(hide=(hidden,))
        assert probe("reads", hidden / "answer", on=masked).stdout in (b"read ENOENT\n", b"read EACCES\n")
        assert probe("reads", "/usr/local/lib", on=masked).stdout == b"read ok\n"
    finally:
        shutil.rmtree(hidden)


def test_only_its_own_process_is_in_proc(variant: Variant, slot: Sandbox) -> None:
    if variant.closed_root:
        assert (
            python(slot, "import os; print(os.access('/proc', os.R_OK), os.path.exists('/proc/self'))") == "True True"
        )
        return  # cannot be opened: test_only_a_minimal_root_is_visible
    pids = [name for name in python(slot, "import os; print(*os.listdir('/proc'))").split() if name.isdigit()]
    assert pids in (["2"], [], ["1", "2"])  # if 1 is listed, nothing is in it: test_the_stub_cannot_be_read


def test_the_stub_cannot_be_read(probe: Probe) -> None:
    for name in ("environ", "mem", "fd", "maps", "cmdline", "root"):
        assert probe("reads", f"/proc/1/{name}").stdout in (b"read ENOENT\n", b"read EACCES\n", b"read EPERM\n")


def test_environment_is_what_was_given(slot: Sandbox) -> None:
    os.environ["JUDGE_CANARY"] = "secret"
    try:
        seen = python(
            slot, "import os; print(*sorted(os.environ.items()))", env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        )
    finally:
        del os.environ["JUDGE_CANARY"]
    names = {pair.split("'")[1] for pair in seen.split("(")[1:]}
    assert names - {"LC_CTYPE"} == {"HOME", "TMPDIR", "PATH", "LANG"}


def test_only_the_standard_descriptors_are_open(probe: Probe) -> None:
    canary = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(canary, True)
    try:
        assert probe("open_fds").stdout.split() == [b"0", b"1", b"2"]
    finally:
        os.close(canary)


def test_host_name_is_not_the_host_s(variant: Variant, probe: Probe) -> None:
    assert probe("host_name").stdout.decode().strip() == ("judge" if variant.own_root else os.uname().nodename)


def test_no_network_device_is_up(variant: Variant, slot: Sandbox) -> None:
    if not variant.own_root:
        return  # the container's: no socket can be made (test_sockets_of_every_family_are_refused)
    code = """
import os
for names in (
    lambda: os.listdir("/sys/class/net"),
    lambda: [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line],
):
    try:
        print(*names())
    except OSError:
        pass
"""
    assert set(python(slot, code).split()) <= {"lo"}


def test_working_directory_is_fresh_for_each_run(slot: Sandbox, probe: Probe) -> None:
    probe("writes", "left")
    probe("leave_files")
    assert python(slot, "import os; print(os.listdir('.'), os.getcwd() == os.environ['HOME'])") == "[] True"


def test_files_are_found_and_only_those_of_work_can_change(slot: Sandbox) -> None:
    files = (File(name="a.txt", content=b"A"), File(name="b.txt", content=b"B", work=True))
    code = """
import os
print(open("../in/a.txt").read(), open("b.txt").read(), os.listdir("../in"))
open("b.txt", "w").write("changed")
for change in (
    lambda: open("../in/a.txt", "w"),
    lambda: os.unlink("../in/a.txt"),
    lambda: os.rename("../in/a.txt", "x"),
    lambda: os.chmod("../in/a.txt", 0o777),
    lambda: os.chmod("../in", 0o777),
    lambda: os.symlink("x", "../in/y"),
    lambda: os.mkdir("../new"),
    lambda: os.rename("../in", "../moved"),
    lambda: os.rename("../work", "../moved"),
    lambda: os.rename("../../run", "../../moved"),
    lambda: os.symlink("/", "../../link"),
    lambda: os.chmod("..", 0o777),
):
    try:
        change()
        print("CHANGED")
    except OSError:
        pass
"""
    spec = RunSpec(
        argv=(PYTHON, "../in/code.py"),
        limits=LIMITS,
        files=(*files, File(name="code.py", content=code.encode())),
        collect=("b.txt", "none"),
    )
    outcome = slot.run(spec)
    assert outcome.stdout in (b"A B ['a.txt', 'code.py']\n", b"A B ['code.py', 'a.txt']\n")
    assert outcome.files == {"b.txt": b"changed"}


def test_collect_follows_no_link_and_takes_no_device(slot: Sandbox) -> None:
    code = "import os; os.symlink('/etc/passwd', 'link'); os.mkdir('dir'); open('ok', 'w').write('yes')"
    spec = RunSpec(
        argv=(PYTHON, "../in/code.py"),
        limits=LIMITS,
        files=(File(name="code.py", content=code.encode()),),
        collect=("link", "dir", "ok"),
    )
    assert slot.run(spec).files == {"ok": b"yes"}


def test_all_files_are_collected_but_for_links_and_directories(slot: Sandbox) -> None:
    code = """
import os
os.symlink('/etc/passwd', 'link')
os.mkdir('dir')
open('dir/below', 'w').write('below')
open('kept', 'w').write('yes')
open('empty', 'w').close()
open('a name\\n' + 'x' * 240, 'wb').write(bytes(range(256)) * 300)
os.chmod('kept', 0)
"""
    spec = RunSpec(
        argv=(PYTHON, "../in/code.py"),
        limits=LIMITS,
        files=(File(name="code.py", content=code.encode()), File(name="given", content=b"given", work=True)),
        collect=ALL,
    )
    expected = {"kept": b"yes", "empty": b"", "given": b"given", "a name\n" + "x" * 240: bytes(range(256)) * 300}
    assert slot.run(spec).files == expected


def test_of_all_files_those_are_collected_that_fit_with_their_names(slot: Sandbox) -> None:
    code = "import os\nfor name in 'abc':\n    os.truncate(os.open(name, os.O_CREAT | os.O_WRONLY), 24 << 10)"
    files = (File(name="code.py", content=code.encode()),)
    limits = replace(LIMITS, directory_bytes=64 << 10)
    found = slot.run(RunSpec(argv=(PYTHON, "../in/code.py"), limits=limits, files=files, collect=ALL)).files
    assert [len(content) for content in found.values()] == [24 << 10] * 2


def test_mounts_are_visible_read_only_at_their_own_path(slot: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)  # the file system lets everybody write
    (tmp_path / "shown").write_text("shown")
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    code = f"""
print(open({str(tmp_path / "shown")!r}).read())
try:
    open({str(tmp_path / "new")!r}, "w")
except OSError as error:
    print(error.errno in (13, 30))
"""
    assert python(slot, code, mounts=(tmp_path,)) == "shown\nTrue"
    assert not (tmp_path / "new").exists()


def test_other_users_of_the_machine_reach_no_file_of_a_run(slot: Sandbox) -> None:
    """A checker's files hold the answer, and where nothing is mounted they have a path on this machine."""
    code = "import time\nprint(open('../in/answer').read())\ntime.sleep(2)"
    files = (File(name="code.py", content=code.encode()), File(name="answer", content=b"secret"))
    outcomes: list[Outcome] = []
    spec = RunSpec(argv=(PYTHON, "../in/code.py"), limits=LIMITS, files=files)
    thread = threading.Thread(target=lambda: outcomes.append(slot.run(spec)))
    thread.start()
    time.sleep(1)
    answers = list(slot_directory._PLACE.glob("judge-slot-*/run/in/answer"))
    open_to_others = [path for path in answers if path.parents[2].stat().st_mode & 0o007]
    read = b""
    if os.geteuid() == 0:  # only root can be somebody else
        stranger = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        for answer in answers:
            for command in (("cat", answer), ("ls", answer.parent), ("ls", answer.parents[2])):
                read += subprocess.run((*stranger, *command), capture_output=True, check=False).stdout
    thread.join()
    assert outcomes[0].stdout == b"secret\n"
    assert (open_to_others, read) == ([], b"")


def test_a_directory_that_was_made_anew_is_the_one_that_is_shown(slot: Sandbox) -> None:
    """As a cache that somebody cleared while a slot stood."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="judge-mounted-") as top:
        Path(top).chmod(0o755)
        mounted = Path(top, "mounted")
        for text in ("one", "two"):
            mounted.mkdir(mode=0o755)
            (mounted / "file").write_text(text)
            assert python(slot, f"print(open('{mounted}/file').read())", mounts=(mounted,)) == text
            shutil.rmtree(mounted)
