"""A disk that is full or read-only costs time: no judgement is lost, what is there is read, and it is said once."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judge import ConfigError, Judge, Submission
from judge.cli import main
from judge.compiling.headers import Headers
from judge.store.cache import Cache
from tests.judge.judging.test_generated import RECIPES, SHARED, SOLUTION

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounts file systems")

Judges = Callable[..., Judge]
PYTHON = "print(sum(map(int, input().split())))"
C = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d%d", &a, &b); printf("%d\\n", a + b); }\n'
CPP = "#include <bits/stdc++.h>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"


def key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


@contextmanager
def mounted(path: Path, *arguments: str) -> Iterator[Path]:
    path.mkdir(exist_ok=True)
    subprocess.run(("mount", *arguments, path), check=True)
    try:
        yield path
    finally:
        subprocess.run(("umount", "-l", path), check=True)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=64k,mode=755", "none") as path:
        yield path


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


@contextmanager
def read_only(cache: Path) -> Iterator[Path]:
    """The same directory, where nothing can be written."""
    with mounted(cache, "--bind", str(cache)):
        subprocess.run(("mount", "-o", "remount,bind,ro", cache), check=True)
        yield cache


def test_a_full_disk_keeps_what_is_there_and_takes_no_more(small: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(small / "c")
    assert cache.problem() is None
    cache.put(key("a"), b"before")
    fill(small)
    with caplog.at_level(logging.WARNING, "judge"):
        for number in range(5):
            cache.put(key(str(number)), bytes(5000))
    assert [record.getMessage() for record in caplog.records] == [
        f"the cache at {small}/c cannot be written, nothing is kept there: No space left on device; "
        "free space, or set JUDGE_CACHE_DIR"
    ]
    assert cache.get(key("a")) == b"before"
    assert cache.get(key("1")) is None
    with cache.lock(key("a")), cache.reading_headers():
        assert cache.stats().problem == "No space left on device"
    assert [path.name for path in small.rglob(".new-*")] == []
    (small / "filler").unlink()
    cache.put(key("1"), bytes(5000))
    assert cache.get(key("1")) == bytes(5000)
    assert cache.problem() is None


def test_a_read_only_cache_is_read(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    cache.put(key("a"), b"before")
    with cache.holding("set", Path.exists, lambda directory: (directory / "file").touch()):
        pass
    with read_only(tmp_path / "c") as path:
        cache = Cache(path)
        assert cache.get(key("a")) == b"before"
        cache.put(key("b"), b"after")
        with cache.lock(key("b")), cache.reading_headers():
            assert cache.get(key("b")) is None
        with cache.holding("set", Path.exists, lambda _: pytest.fail("it is there")) as found:
            assert (found / "file").exists()
        assert cache.problem() == "Read-only file system"
        with pytest.raises(ConfigError, match="Read-only file system"), cache.holding("x", Path.exists, lambda _: None):
            pass


@pytest.mark.parametrize("source", [PYTHON, C], ids=["python3", "c17"])
def test_programs_are_judged_on_a_read_only_cache(source: str, judges: Judges, tmp_path: Path) -> None:
    language = "python3" if source is PYTHON else "c17"

    def judged(source: str) -> str:
        row = Submission(source=source.encode(), problem="P1001", language=language)
        return judges(cache_directory=tmp_path / "c").judge(row).verdict

    assert judged(source) == "AC"
    with read_only(tmp_path / "c"):
        assert judged(source) == "AC"
        assert judged(f"{source}\n") == "AC"


def test_programs_are_judged_on_a_full_disk(judges: Judges, small: Path) -> None:
    judge = judges(cache_directory=small / "c")
    c = Submission(source=C.encode(), problem="P1001", language="c17")
    assert judge.judge(c).verdict == "AC"
    fill(small)
    for number in range(3):
        source = f"{C}// {number}\n"
        assert judge.judge(Submission(source=source.encode(), problem="P1001", language="c17")).verdict == "AC"
        python = Submission(source=f"{PYTHON}  # {number}".encode(), problem="P1001", language="python3")
        assert judge.judge(python).verdict == "AC"
    assert judge.judge(c).compile.cached  # type: ignore[union-attr]


def test_a_header_that_cannot_be_kept_is_not_made_for_every_program(
    judges: Judges, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Path] = []
    build = Headers._build

    def counted(self: Headers, directory: Path, headers: tuple[str, ...]) -> None:
        built.append(directory)
        build(self, directory, headers)

    monkeypatch.setattr(Headers, "_build", counted)
    judge = judges(cache_directory=small / "c")
    for number in range(3):
        row = Submission(source=f"{CPP}// {number}\n".encode(), problem="P1001", language="cpp17")
        assert judge.judge(row).verdict == "AC"
    assert len(built) == 1
    assert [path.name for path in small.rglob(".new-*")] == []


def test_the_first_c_program_on_a_full_disk_says_what_to_do(judges: Judges, small: Path) -> None:
    judge = judges(cache_directory=small / "c")
    fill(small)
    with pytest.raises(ConfigError, match=r"cannot write the cache at .*: No space left on device; free space"):
        judge.judge(Submission(source=C.encode(), problem="P1001", language="c17"))


def test_test_data_that_find_no_room_are_one_clear_error_and_leave_nothing(
    judges: Judges, small: Path, package: Callable[..., Path]
) -> None:
    problem = package(
        {"sample/1": ("1 2\n", "3\n")},
        files={
            "generators/gen.py": "print('1 ' * 30_000)\n",
            "generators/shared.py": SHARED,
            "generators/generators.yaml": RECIPES,
            "submissions/accepted/std.py": SOLUTION,
        },
    )
    judge = judges(cache_directory=small / "c")
    row = Submission(source=SOLUTION.encode(), problem=problem, language="python3")
    with pytest.raises(ConfigError, match=r"cannot write the cache at .*/testdata: No space left on device"):
        judge.judge(row)
    assert [path.name for path in (small / "c/testdata").iterdir()] == ["lock"]


def test_doctor_and_cache_say_that_nothing_can_be_kept(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Cache(small / "c")
    fill(small)
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(small / "c"))
    for arguments in (["cache"], ["doctor", "--json"]):
        assert main(arguments) == 0
        said = capsys.readouterr().out
        assert "nothing can be kept there: No space left on device" in said
    assert json.loads(said)["cache"]["directory"] == str(small / "c")
