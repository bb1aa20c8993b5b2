"""What runs inside the virtual machine, as its root: the parts, one after the other.

root         tier full, and every tier on this kernel's Landlock, as root
delegated    tier full as an ordinary user in a cgroup that was delegated to it
plain        the tiers of an ordinary user to whom nothing was delegated
cgroup       what is true of cgroup version 2 alone: test_cgroup2.py
limits       of the suite, only what a cgroup bounds and measures (memory, tasks), in a delegated one
attacks      the attack suite's class `resources` on tier full
smoke        `judge doctor` and `judge run`

An emulated processor is ten to thirty times slower: JUDGE_TIME_SCALE widens the limits under which honest programs run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

#: The last line; "passed", or the parts that failed.
DONE = "vm-result: "
CGROUPS = Path("/sys/fs/cgroup")
USER = 1234
_SCALE = "20"
#: Without Go: before it compiles a first program its library is compiled, longer than a compile may take in here.
_CONFORMANCE = ("tests/containers/conformance", "-k", "not [go- and not -go]")
#: Hypothesis is needed by no test here, and its plugin is most of what is imported.
_WITHOUT = ("-m", "", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
#: An emulated machine is slow, and not evenly so; an escape stays a failure.
_AGAIN = ("--reruns", "1", "--rerun-except", "ESCAPED", "-r", "R")


def _as_user(argv: tuple[str, ...], cgroup: Path | None) -> tuple[str, ...]:
    """Commands in a session of their own, as in the user's: in their cgroup before they are the user's."""
    enter = f"echo $$ > {cgroup}/cgroup.procs && " if cgroup else ""
    drop = f'exec setpriv --reuid {USER} --regid {USER} --clear-groups --no-new-privs -- "$@"'
    return ("sh", "-c", enter + drop, "sh", *argv)


def delegate(name: str) -> Path:
    """What `systemd-run --user --scope -p Delegate=yes` makes."""
    (CGROUPS / "cgroup.subtree_control").write_text("+memory +pids +cpu")
    made = CGROUPS / name
    made.mkdir()
    for path in (made, *(made / file for file in ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control"))):
        os.chown(path, USER, USER)
    return made


def _run(argv: tuple[str, ...], *, user: bool = False, cgroup: Path | None = None, **environment: str) -> bool:
    home = Path(f"/tmp/home-{user:d}")
    home.mkdir(exist_ok=True)
    if user:
        os.chown(home, USER, USER)
    base = {key: os.environ[key] for key in ("PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    env = {**base, "HOME": str(home), "JUDGE_TEST_CACHE": f"{home}/cache", "JUDGE_TIME_SCALE": _SCALE, **environment}
    return subprocess.run(_as_user(argv, cgroup) if user else argv, env=env, check=False).returncode == 0


def _pytest(*arguments: str, variants: str, user: bool = False, cgroup: Path | None = None) -> bool:
    """`variants`: those to test, of which none may be skipped."""
    argv = (sys.executable, "-m", "pytest", "-vv", *_WITHOUT, "-n", "2", *_AGAIN, *arguments)
    chosen = {"JUDGE_VARIANTS": variants, "JUDGE_REQUIRE": variants.replace(" ", ",")}
    return _run(argv, user=user, cgroup=cgroup, **chosen)


def _judge(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "judge", *arguments)


def root() -> bool:
    return _pytest(*_CONFORMANCE, variants="full restricted-root")


def delegated() -> bool:
    return _pytest(*_CONFORMANCE, variants="full", user=True, cgroup=delegate("delegated"))


def limits() -> bool:
    chosen = (f"{_CONFORMANCE[0]}/test_limits.py", "-k", "memory or threads")
    return _pytest(*chosen, variants="full", user=True, cgroup=delegate("limits"))


def plain() -> bool:
    return _pytest(*_CONFORMANCE, variants="userns restricted-user", user=True)


def cgroup() -> bool:
    return _pytest("tests/containers/vm", variants="cgroup2")


def attacks() -> bool:
    return _pytest("tests/containers/escape/test_attacks.py", "-k", "resources", variants="full")


def smoke() -> bool:
    solution = "problems/library/P1001/submissions/accepted/std.cpp"
    run = _judge("run", solution, "--problem", "P1001", "--require", "full", "--time-limit", "20s")
    doctor = _run(_judge("doctor"))
    as_user = _run(run, user=True, cgroup=delegate("smoke"))
    return _run(run) and as_user and doctor


PARTS: Mapping[str, Callable[[], bool]] = {
    part.__name__: part for part in (cgroup, limits, root, delegated, plain, attacks, smoke)
}
SHORT = ("cgroup", "limits")
LONG = tuple(part for part in PARTS if part != "limits")


def main(names: list[str]) -> int:
    print(f"Linux {os.uname().release}, {os.cpu_count()} CPUs, {(CGROUPS / 'cgroup.controllers').read_text().strip()}")
    failed = []
    for name in names:
        began = time.monotonic()
        print(f"=== {name}", flush=True)
        if not PARTS[name]():
            failed.append(name)
        print(f"=== {name}: {'failed' if name in failed else 'passed'} in {time.monotonic() - began:.0f} s", flush=True)
    print(DONE + (f"failed: {', '.join(failed)}" if failed else "passed"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
