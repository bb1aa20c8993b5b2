"""The compile cache: atomic, verified, limited, shared. (Whose it is: test_whose_cache; faults: test_disk_faults.)"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import threading
import time
from pathlib import Path

import pytest

from judge.common.errors import ConfigError
from judge.store.cache import Cache
from judge.store.directory import lock_file


def key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def entry(cache: Cache, name: str) -> Path:
    return cache.directory / "objects" / key(name)[:2] / key(name)


def test_a_value_comes_back(tmp_path: Path) -> None:
    Cache(tmp_path / "c").put(key("a"), b"one\ntwo")
    assert Cache(tmp_path / "c").get(key("a")) == b"one\ntwo"
    assert Cache(tmp_path / "c").get(key("b")) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data + b"x",
        lambda data: data[:-1] + b"X",
        lambda data: b"X" + data[1:],
        lambda data: bytes(len(data)),
    ],
    ids=["truncated", "empty", "longer", "payload", "header", "zeros"],
)
def test_a_damaged_entry_is_dropped(tmp_path: Path, damage: object) -> None:
    cache = Cache(tmp_path / "c")
    cache.put(key("a"), b"payload")
    path = entry(cache, "a")
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert cache.get(key("a")) is None
    assert not path.exists()
    cache.put(key("a"), b"payload")
    assert cache.get(key("a")) == b"payload"


def test_an_entry_under_the_wrong_name_is_dropped(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    cache.put(key("a"), b"payload")
    entry(cache, "b").parent.mkdir(exist_ok=True)
    entry(cache, "a").rename(entry(cache, "b"))
    assert cache.get(key("b")) is None


def test_the_oldest_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", limit_bytes=10_000)
    for number in range(9):
        cache.put(key(str(number)), bytes(900))
        os.utime(entry(cache, str(number)), ns=(number, number))
    assert cache.get(key("0")) is not None  # used: now the youngest
    cache.put(key("new"), bytes(900))
    kept = [name for name in ("0", "1", "2", "3", "8", "new") if entry(cache, name).exists()]
    assert kept == ["0", "3", "8", "new"]  # down to nine tenths
    assert cache.stats().objects_bytes <= 10_000


def test_it_stays_under_its_limit_whatever_is_written(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", limit_bytes=50_000)
    for number in range(200):
        cache.put(key(str(number)), bytes(number * 7))
        assert cache.stats().objects_bytes <= 50_000
    assert cache.get(key("199")) is not None


def test_a_lost_total_is_counted_anew(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", limit_bytes=5_000)
    for number in range(4):
        cache.put(key(str(number)), bytes(1000))
    (cache.directory / "objects" / "total").write_text("nonsense")
    cache.put(key("4"), bytes(1000))
    assert cache.stats().objects_bytes <= 5_000


def test_prune_and_clear(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    for number in range(10):
        cache.put(key(str(number)), bytes(1000))
    (cache.headers / "id").mkdir()
    (cache.headers / "id" / "x.gch").write_bytes(bytes(500))
    before = cache.stats()
    assert (before.entries, before.headers_bytes >= 500) == (10, True)
    assert cache.prune(before.objects_bytes // 2) > 0
    assert cache.stats().objects_bytes <= before.objects_bytes // 2
    assert cache.clear() >= 500
    after = cache.stats()
    assert (after.entries, after.objects_bytes, after.headers_bytes) == (0, 0, 0)


def test_clear_waits_for_compilers_that_read_headers(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    header = cache.headers / "x.h"
    header.write_text("")
    clearing = threading.Thread(target=cache.clear)
    with lock_file(cache.headers / "lock", shared=True):
        clearing.start()
        clearing.join(0.2)
        assert header.exists()
    clearing.join()
    assert not header.exists()


def test_nobody_else_may_enter_or_write(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    cache.put(key("a"), b"")
    assert (cache.directory / "objects").stat().st_mode & 0o077 == 0
    assert entry(cache, "a").stat().st_mode & 0o077 == 0
    cache.directory.chmod(0o777)
    with pytest.raises(ConfigError, match="chmod go-w"):
        Cache(tmp_path / "c")


def test_an_unusable_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"file/c.*JUDGE_CACHE_DIR"):
        Cache(tmp_path / "file" / "c")


def test_settings_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("JUDGE_CACHE_LIMIT", "3 MiB")
    assert (Cache().directory, Cache().limit_bytes) == (tmp_path / "named", 3 * 1024**2)
    monkeypatch.delenv("JUDGE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert Cache().directory == tmp_path / "xdg" / "judge"
    monkeypatch.setenv("JUDGE_CACHE_LIMIT", "-3")
    with pytest.raises(ConfigError, match="JUDGE_CACHE_LIMIT='-3' is not a size"):
        Cache()


def _make_once(directory: Path, log: Path) -> None:
    cache = Cache(directory)
    with cache.lock(key("shared")):
        if cache.get(key("shared")) is None:
            with log.open("a") as file:
                file.write("made\n")
            time.sleep(0.05)
            cache.put(key("shared"), b"value")


def test_one_maker_a_key_over_processes_and_threads(tmp_path: Path) -> None:
    log = tmp_path / "log"
    spawn = multiprocessing.get_context("spawn")
    workers: list[threading.Thread | multiprocessing.process.BaseProcess] = []
    workers += [threading.Thread(target=_make_once, args=(tmp_path / "c", log)) for _ in range(4)]
    workers += [spawn.Process(target=_make_once, args=(tmp_path / "c", log)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert log.read_text() == "made\n"


def test_other_keys_do_not_wait(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    entered = threading.Event()

    def enter() -> None:
        with cache.lock(key("b")):
            entered.set()

    with cache.lock(key("a")):
        thread = threading.Thread(target=enter)
        thread.start()
        assert entered.wait(30)
    thread.join()


def _write_much(directory: Path, seed: int) -> None:
    cache = Cache(directory, limit_bytes=20_000)
    for number in range(60):
        cache.put(key(f"{seed} {number % 20}"), b"%d" % (number % 20) * 300)


def test_readers_see_whole_entries_while_others_write_and_evict(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write_much, args=(tmp_path / "c", seed % 2)) for seed in range(3)]
    for writer in writers:
        writer.start()
    cache = Cache(tmp_path / "c", limit_bytes=20_000)
    while any(writer.is_alive() for writer in writers):
        for number in range(20):
            value = cache.get(key(f"0 {number}"))
            assert value is None or value == b"%d" % number * 300
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    cache.put(key("last"), b"")
    assert cache.stats().objects_bytes <= 20_000
