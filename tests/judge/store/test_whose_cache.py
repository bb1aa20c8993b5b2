"""A cache, what leads to it and what is in it are ours, and nobody else can change them: else another user of the
machine chooses verdicts, or has us write where a link leads."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from containers import Sandbox, open_sandbox
from judge import languages
from judge.common import config
from judge.common.errors import ConfigError
from judge.compiling import linker
from judge.compiling.compiler import Compiler
from judge.compiling.toolchain import Toolchain
from judge.store.cache import Cache
from tests.conftest import other_users

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="gives files to other users")

ALICE, BOB = 54_321, 54_322
KEY = hashlib.sha256(b"a").hexdigest()


@pytest.fixture
def place() -> Iterator[Path]:
    """Everybody may pass through to it."""
    with tempfile.TemporaryDirectory(prefix="judge-cache-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def use_all(cache: Cache) -> None:
    cache.put(KEY, b"value")
    with cache.reading_headers(), cache.holding("set", Path.exists, lambda _: None):
        pass


def entry(cache: Cache) -> Path:
    return cache.directory / "objects" / KEY[:2] / KEY


def as_user(uid: int, act: Callable[[], object]) -> None:
    """Do it in a process of that user."""
    if not (child := os.fork()):
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            act()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("which", ["home", "home/.cache", "home/.cache/judge"])
def test_root_takes_no_cache_of_another_user(which: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `sudo -E` would."""
    cache = place / "home/.cache/judge"
    cache.mkdir(parents=True)
    os.chown(place / which, ALICE, ALICE)
    monkeypatch.delenv("JUDGE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    with pytest.raises(ConfigError) as caught:
        Cache()
    said = str(caught.value)
    assert f"{place / which} belongs to user {ALICE}, not to root" in said
    assert "unset XDG_CACHE_HOME" in said
    assert "JUDGE_CACHE_DIR" in said
    assert list(cache.iterdir()) == []


@other_users
def test_an_ordinary_user_takes_none_of_another_or_of_root(place: Path) -> None:
    for name, owner in (("alice", ALICE), ("root", 0)):
        (place / name).mkdir()
        os.chown(place / name, owner, owner)
    as_user(ALICE, lambda: Cache(place / "alice").put(KEY, b"mine"))
    assert Cache(place / "root").get(KEY) is None

    def refused() -> None:
        for name in ("alice", "root"):
            with pytest.raises(ConfigError, match=f"{name} belongs to .*, not to user {BOB}"):
                Cache(place / name)

    as_user(BOB, refused)


@pytest.mark.parametrize(("mode", "owner", "taken"), [(0o1777, 0, True), (0o777, 0, False), (0o1777, ALICE, False)])
def test_a_directory_that_all_may_write_must_be_sticky(mode: int, owner: int, taken: bool, place: Path) -> None:
    shared = place / "shared"
    (shared / "below").mkdir(parents=True)
    os.chown(shared / "below", owner, owner)
    shared.chmod(mode)
    if taken:
        Cache(shared / "below/cache").put(KEY, b"value")
        assert Cache(shared / "below/cache").get(KEY) == b"value"
    else:
        with pytest.raises(ConfigError, match=r"may be written by others|belongs to"):
            Cache(shared / "below/cache")


@pytest.mark.parametrize(("name", "taken"), [("root", True), ("shared", False)])
def test_a_group_may_write_what_leads_there_only_if_it_is_a_group_of_one(name: str, taken: bool, place: Path) -> None:
    """A umask of 002 is for groups that hold the user alone."""
    (place / "way").mkdir()
    os.chown(place / "way", 0, 0 if name == "root" else BOB)
    (place / "way").chmod(0o775)
    if taken:
        Cache(place / "way/cache")
    else:
        with pytest.raises(ConfigError, match="chmod go-w"):
            Cache(place / "way/cache")


@pytest.mark.parametrize("owner", [0, ALICE])
def test_a_link_on_the_way_must_be_ours(owner: int, place: Path) -> None:
    (place / "real").mkdir()
    (place / "way").symlink_to(f"../{place.name}/real")
    os.chown(place / "way", owner, owner, follow_symlinks=False)
    if owner == 0:
        Cache(place / "way/cache").put(KEY, b"value")
        assert Cache(place / "real/cache").get(KEY) == b"value"
    else:
        with pytest.raises(ConfigError, match=f"belongs to user {ALICE}"):
            Cache(place / "way/cache")


@pytest.mark.parametrize("name", ["objects", "headers", "testdata"])
@pytest.mark.parametrize("planted", ["link", "directory"])
def test_a_link_or_a_foreign_directory_in_the_cache_is_not_used(name: str, planted: str, place: Path) -> None:
    cache, victim = Cache(place / "c"), place / "victim"
    (victim / "below").mkdir(parents=True)
    path = cache.directory / name
    shutil.rmtree(path, ignore_errors=True)
    if planted == "link":
        path.symlink_to(victim)
    else:
        path.mkdir()
        give_away(path)
    with pytest.raises(ConfigError, match=rf"{name} (is a link|belongs to)"):
        use_all(Cache(cache.directory))
    assert [path.name for path in victim.iterdir()] == ["below"]


@pytest.mark.parametrize("name", ["total", "lock"])
@pytest.mark.parametrize("planted", ["link", "dangling link", "hard link"])
def test_no_counter_and_no_lock_is_written_through_a_link(name: str, planted: str, place: Path) -> None:
    cache, victim = Cache(place / "c"), place / "victim"
    victim.write_text("root's")
    path = cache.directory / "objects" / name
    if planted == "hard link":
        path.hardlink_to(victim)
    else:
        path.symlink_to(victim if planted == "link" else place / "new")
    before = victim.stat()
    cache.put(KEY, b"value")
    assert cache.get(KEY) == b"value"
    try:
        with cache.lock(KEY):
            pass
        cache.prune()
    except ConfigError as error:
        assert name == "lock", error  # a counter is counted anew
    assert victim.read_text() == "root's"
    assert victim.stat().st_mtime_ns == before.st_mtime_ns
    assert not (place / "new").exists()


def test_nothing_is_written_or_dropped_through_a_shard_that_is_a_link(place: Path) -> None:
    cache, victim = Cache(place / "c"), place / "victim"
    victim.mkdir()
    (victim / "file").write_text("root's")
    (cache.directory / "objects" / KEY[:2]).symlink_to(victim)
    cache.put(KEY, b"value")
    assert cache.stats().entries == 0
    cache.prune(1)
    assert [path.name for path in victim.iterdir()] == ["file"]
    cache.clear()
    assert [path.name for path in victim.iterdir()] == ["file"]
    cache.put(KEY, b"value")
    assert cache.get(KEY) == b"value"


def give_away(path: Path) -> None:
    os.chown(path, ALICE, ALICE)


def link(path: Path) -> None:
    path.rename(path.parent.parent.parent / "elsewhere")
    path.symlink_to("../../elsewhere")


def hard_link(path: Path) -> None:
    (path.parent.parent.parent / "elsewhere").hardlink_to(path)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("plant", [give_away, link, hard_link, pipe, lambda path: path.chmod(0o666)])
def test_an_entry_that_another_could_have_made_is_not_read(plant: Callable[[Path], None], place: Path) -> None:
    """The sum in an entry protects from accidents alone: who writes one can compute it."""
    cache = Cache(place / "c")
    cache.put(KEY, b"verdict: AC")
    plant(entry(cache))
    assert cache.get(KEY) is None
    cache.put(KEY, b"verdict: WA")
    assert cache.get(KEY) == b"verdict: WA"


@pytest.fixture
def sandbox(backend: str, place: Path) -> Iterator[Sandbox]:
    with open_sandbox(backend, hide=config.hidden_directories(place / "c")) as opened:
        yield opened


@pytest.mark.parametrize("whose", ["the file", "the directory", "a link"])
def test_what_another_planted_among_the_headers_is_not_used(whose: str, place: Path, sandbox: Sandbox) -> None:
    """An object that is linked to every C program."""
    language = languages.get("c17")
    cache = Cache(place / "c")
    toolchain = Toolchain.of(language, cache)
    toolchain.directory.mkdir()
    planted = toolchain.directory / "freopen.o"
    planted.write_bytes(b"planted")
    choice = linker._choices(clang=False, plain=False)[0]
    (toolchain.directory / "linking-c.json").write_text(json.dumps(asdict(choice)))
    if whose == "a link":
        planted.rename(place / "elsewhere")
        planted.symlink_to(place / "elsewhere")
    else:
        give_away(planted if whose == "the file" else planted.parent)
    compiled = Compiler(Cache(place / "c")).compile(b"int main(void) { return 0; }\n", language, sandbox)
    assert compiled.result.verdict == "ok", compiled.result.output
    assert compiled.program is not None
    compiled.program.close()
    assert planted.read_bytes() != b"planted"
    assert planted.lstat().st_uid == 0


def test_showing_and_clearing_follow_no_links(place: Path) -> None:
    cache, victim = Cache(place / "c"), place / "victim"
    (victim / "below").mkdir(parents=True)
    (victim / "below/file").write_bytes(bytes(5000))
    use_all(cache)
    for name in ("testdata/link", "testdata/set/link", "headers/link"):
        (cache.directory / name).symlink_to(victim)
    found = cache.stats()
    assert found.testdata_bytes + found.headers_bytes < 1000
    cache.prune(0)
    cache.clear()
    assert (victim / "below/file").stat().st_size == 5000
    assert sorted(path.name for path in cache.directory.glob("*/*")) == ["lock", "lock", "lock"]


def test_what_is_made_nobody_else_may_write_whatever_the_umask_is(place: Path) -> None:
    before = os.umask(0)
    try:
        cache = Cache(place / "new/way/c")
        use_all(cache)
        toolchain = Toolchain.of(languages.get("c17"), cache)
        with toolchain.building("something"):
            pass
    finally:
        os.umask(before)
    assert [path for path in (place / "new").rglob("*") if path.stat().st_mode & 0o022] == []
    assert cache.directory.stat().st_mode & 0o001, "compilers of restricted tiers pass through"
    assert toolchain.directory.stat().st_mode & 0o777 == 0o755


def test_a_user_without_a_home_directory_is_told_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "JUDGE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("getuid", "geteuid"):  # whom the system does not know
        monkeypatch.setattr(os, name, lambda: ALICE)
    with pytest.raises(ConfigError, match=f"user {ALICE} has no home directory for the cache; set JUDGE_CACHE_DIR"):
        config.cache_directory()
