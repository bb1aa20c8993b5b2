"""What the tests of all rooms share."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from containers.launcher.tiers import closed_way
from tests.packages import write_package

#: Of a test in which another user does something: where / is closed to others, that user reaches nothing.
other_users = pytest.mark.skipif(closed_way() is not None, reason=str(closed_way()))

#: The backend on which everything is tested, unless a test is about one.
BACKEND = os.environ.get("JUDGE_TEST_BACKEND", "native")


# In the background of a script Ctrl-C is ignored, also by what tests start: by commands that are to be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: Tests that ask something of the machine, and where nothing is left of its cores the answer is not the judge's. What
#: fails there is tried once more when a core is free, and named in the summary; an escape stays a failure. Directories
#: or modules, and why.
_TRIED_AGAIN = {
    "tests/containers": "what a program gets before it is stopped, and how soon its end is seen",
    "tests/robustness": "processes are killed at moments that are hit only where they go on meanwhile",
    "tests/judge/cli/test_calibrate.py": "what is measured, and what runs on until its time is out",
    "tests/judge/cli/test_graders.py": "graders of other projects time out by the clock",
    "tests/judge/judging": "time-outs, and who ran beside whom",
    "tests/judge/languages/test_languages.py": "runtimes that take long to start have limits of their own",
    "tests/judge/languages/test_starting.py": "interpreters are held once runs were seen in time",
    "tests/judge/many": "nodes of Ray and workers that do not answer in time are given up",
    "tests/judge/server": "servers, clients and browsers that wait for each other",
    "tests/trainer_adapter/test_early_judging.py": "how much of the time a trainer waits",
    "tests/trainer_adapter/test_rewards_on_ray.py": "nodes of Ray that do not answer in time are given up",
    "tests/trainer_adapter/integrations": "runners of other projects have time limits of their own",
    "problems/library": "labels of programs that time out",
}
#: How long a second try waits for a core; who looks for one keeps it busy for so long.
_FREE_MOST_S, _FREE_S = 10, 0.3
#: Suites that are run on each variant of a sandbox.
_OF_VARIANTS = tuple(Path(__file__).parent / name for name in ("containers", "robustness"))
#: Seconds that a test may take, and one marked `long`, unless it says so itself. Then its process ends. A worker of
#: pytest-xdist cannot say why: `faulthandler_timeout` has shown the stacks of all threads before. Not by a signal: what
#: a signal raises in the main thread leaves locks taken there, and what clears up after the test would hang next.
_MOST_S, _LONG_S = 900, 7200


def _wants_variants(config: pytest.Config) -> bool:
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    return any(path.is_relative_to(suite) or suite.is_relative_to(path) for path in asked for suite in _OF_VARIANTS)


def pytest_configure(config: pytest.Config) -> None:
    """The first process finds out what this machine grants; workers of pytest-xdist hear of it."""
    if _wants_variants(config):
        from tests.containers.variants import find_refusals

        find_refusals()


@pytest.hookimpl(tryfirst=True)  # before those marked `long` are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.name.startswith("slow/"):  # submissions of the library that are right, or out of time
            item.add_marker(pytest.mark.long)
    if config.pluginmanager.hasplugin("rerunfailures"):
        places = [Path(__file__).parents[1] / name for name in _TRIED_AGAIN]
        for item in items:
            if any(item.path.is_relative_to(place) for place in places):
                item.add_marker(pytest.mark.flaky(reruns=1, rerun_except="ESCAPED"))
    if not config.pluginmanager.hasplugin("timeout"):
        return
    for item in items:
        if not item.get_closest_marker("timeout"):
            most_s = _LONG_S if item.get_closest_marker("long") else _MOST_S
            item.add_marker(pytest.mark.timeout(most_s, method="thread"))


def _has_core() -> bool:
    """Whether who computes gets a core nearly all the time."""
    end_s, began_s = time.monotonic() + _FREE_S, time.process_time()
    while time.monotonic() < end_s:
        pass
    return time.process_time() - began_s > 0.9 * _FREE_S


def pytest_runtest_setup(item: pytest.Item) -> None:
    end_s = time.monotonic() + _FREE_MOST_S
    while getattr(item, "execution_count", 1) > 1 and time.monotonic() < end_s and not _has_core():
        time.sleep(1)


def pytest_collection_finish() -> None:
    """What stands now stays to the end: twelve thousand items, and the libraries that their modules import. Each full
    collection would walk through it for a second, and training asks for one after each step."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.pluginmanager.hasplugin("timeout"):
        terminalreporter.write_line("no test had a time limit, for pytest-timeout is not installed")
    for report in terminalreporter.stats.get("rerun", ()):  # what a second try hides
        terminalreporter.write_line(f"failed once: {report.nodeid}\n{report.longreprtext[-3000:]}")
    if _wants_variants(config):
        from tests.containers.variants import find_refusals

        if refusals := find_refusals():
            names = {reason: [name for name in refusals if refusals[name] == reason] for reason in refusals.values()}
            why = "; ".join(f"{', '.join(alike)}: {reason}" for reason, alike in names.items())
            terminalreporter.write_line(f"not tried, for this machine does not grant it: {why}")


@pytest.fixture(scope="session")
def backend() -> str:
    return BACKEND


@pytest.fixture(scope="session")
def shared_cache() -> Path:
    """One compile cache for the whole test run, also between runs: what is compiled does not change."""
    root = Path(os.environ.get("JUDGE_TEST_CACHE", Path(__file__).parent.parent / "build" / "test-cache"))
    root.mkdir(parents=True, exist_ok=True)
    return root


@pytest.fixture
def judges(backend: str, shared_cache: Path) -> Iterator[Callable[..., object]]:
    """Makes Judges that are closed at the end of the test."""
    from judge import Judge

    with ExitStack() as stack:

        def make(**how: object) -> Judge:
            settings = {"slots": 1, "backend": backend, "cache_directory": shared_cache, **how}
            return stack.enter_context(Judge(**settings))  # type: ignore[arg-type]

        yield make


class MakePackage(Protocol):
    def __call__(
        self,
        cases: Mapping[str, tuple[str, str]],
        *,
        metadata: str = "",
        files: Mapping[str, str] = {},
        name: str = "package",
    ) -> Path: ...


@pytest.fixture
def package(tmp_path: Path) -> MakePackage:
    """`write_package` below the test's own directory."""

    def make(
        cases: Mapping[str, tuple[str, str]],
        *,
        metadata: str = "",
        files: Mapping[str, str] = {},
        name: str = "package",
    ) -> Path:
        return write_package(tmp_path / name, cases, metadata=metadata, files=files)

    return make
