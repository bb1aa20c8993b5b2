"""Packages that clients send: what is none is refused, and leaves nothing."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import problems
from judge import Judge, Options, ProblemError, Submission, Verdict
from judge.server.problem_facts import ProblemFacts, TooLong
from judge.server.settings import Settings
from judge.server.storing.packages import Packages, check_held
from judge.server.storing.shown import WHOLE
from judge.server.storing.store import Result, Row, Store
from problems.errors import UnknownProblem
from problems.files import archive as archive_module
from problems.files import parcel
from problems.model import SECOND_NS, Convention, GeneratedCase, Limits, Program, StaticCase
from tests.conftest import MakePackage
from tests.judge.server.conftest import Serve, Server
from tests.judge.server.test_v1 import judged
from tests.trainer_adapter.programs import CASES, METADATA, RIGHT

UNKNOWN = "0" * 64
_LOOK = StaticCase(name="secret/static_validation", group="secret")


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def linked() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        entry = zipfile.ZipInfo("problem.yaml")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    return content.getvalue()


def test_a_package_is_judged_on_by_its_digest(server: Server, package: MakePackage) -> None:
    path = package(CASES, metadata=METADATA, name="sum")
    digest = parcel.digest(path)
    where = f"/v1/packages/{digest}"
    assert server.client.get(where).status_code == 404
    for _ in range(2):  # again: nothing changes
        sent = server.client.put(where, params={"name": "sum"}, content=parcel.pack(path))
        assert sent.json() == {"problem": f"package:{digest}"}
    assert server.client.get(where).status_code == 200
    assert judged(server, RIGHT, problem=f"package:{digest}", language="c17")["verdict"] == "AC"
    about = server.client.get(f"/v1/problems/package:{digest}").json()
    assert (about["name"], about["package"], about["tests"]) == ("sum", digest, len(CASES))
    assert about["statements"] == {"en": {"format": "md", "text": "A problem.\n"}}
    for unknown in (UNKNOWN, "x"):
        assert server.client.get(f"/v1/problems/package:{unknown}").status_code == 404
    row = f'{{"problem": "package:{digest}", "source": "x"}}'
    assert server.client.post("/v1/batches", content=row).status_code == 201


def test_a_judgement_that_could_hold_a_slot_for_days_is_refused(server: Server, package: MakePackage) -> None:
    """By a program that sleeps through each test."""
    many = {f"secret/{number}": ("1 2\n", "3\n") for number in range(80)}
    path = package(many, metadata="limits: {time_limit: 600}\n", name="slow")
    problem = f"package:{parcel.digest(path)}"
    sent = server.client.put(f"/v1/packages/{parcel.digest(path)}", params={"name": "slow"}, content=parcel.pack(path))
    assert sent.status_code == 200, sent.text
    refused = server.client.post("/v1/judgements", json={"source": RIGHT, "language": "c17", "problem": problem})
    assert refused.status_code == 422
    assert "one judgement may take 96080 s" in refused.json()["error"]
    assert "allows 86400 s" in refused.json()["error"]
    row = f'{{"problem": "{problem}", "language": "c17", "source": "x"}}'
    assert server.client.post("/v1/batches", content=row).status_code == 422
    less = {"options": {"cpu_ns": 10**8}}
    assert judged(server, RIGHT, problem=problem, language="c17", **less)["verdict"] == "AC"
    test = {"input": {"stdin": "1 2"}, "output": {"stdout": "3"}}
    config = {
        "dataset_type": "CommonOJDataset",
        "language": "python",
        "run_timeout": 600,
        "provided_data": {"id": 1, "test": [test] * 80},
    }
    inline = {"dataset": "x", "id": 1, "completion": "```python\nprint(3)\n```", "config": config}
    assert "96080 s" in server.client.post("/submit", json=inline).json()["error"]


def test_a_long_judgement_is_refused_whatever_stands_beside_it(server: Server, package: MakePackage) -> None:
    """Comparing the speed takes more runs. What else is equal of two rows does not hide that."""
    many = {f"secret/{number}": ("1 2\n", "3\n") for number in range(71)}
    path = package(many, metadata="limits: {time_limit: 600}\n", name="nearly")
    digest = parcel.digest(path)
    sent = server.client.put(f"/v1/packages/{digest}", params={"name": "nearly"}, content=parcel.pack(path))
    assert sent.status_code == 200, sent.text
    row = {"source": RIGHT, "language": "c17", "problem": f"package:{digest}"}
    longer = row | {"options": {"efficiency": True}}
    assert server.client.post("/v1/judgements/many", json=[longer, row]).status_code == 422
    assert server.client.post("/v1/judgements/many", json=[row]).status_code == 202


def test_what_the_longest_judgement_is_made_of() -> None:
    slow, quick = Limits(cpu_ns=10 * SECOND_NS), Limits(cpu_ns=SECOND_NS, wall_ns=SECOND_NS)
    case = problems.load("P1001").cases[0]
    checker = Program(convention=Convention.ICPC, sources=(Path("check.py"),), limits=quick)
    plain = replace(problems.load("P1001"), limits=slow, cases=(case, replace(case, limits=quick)))
    made = GeneratedCase(name="", group="", generator=Path(), arguments=())
    asked = {
        22: plain,
        22 + 2: replace(plain, checker=checker),
        2 * 22 + 2: replace(plain, interactor=checker),
        3 * 22: replace(plain, passes=3),
        22 + 21 + 600: replace(plain, generated=(made,)),
        22 + 1000 * 21 + 7200: replace(plain, generated=(made,) * 1000),
    }
    for seconds, problem in asked.items():
        facts = ProblemFacts(seconds)
        facts.check_length(problem, "c17", Options())
        with pytest.raises(TooLong, match=rf"{seconds + 1} s: .* allows {seconds} s"):
            facts.check_length(replace(problem, static_cases=(_LOOK,), static_validator=checker), "c17", Options())
    ProblemFacts(43).check_length(plain, "python3", Options(language_multiplier=False))
    with pytest.raises(TooLong, match="43 s"):
        ProblemFacts(42).check_length(plain, "python3", Options())
    for name in problems.names():  # in the slowest language
        ProblemFacts(Settings().judgement_seconds).check_length(name, "clojure", Options())


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "sum", "no zip file"),
        (b"PK\3\4 and nothing more", "sum", "no zip file"),
        (zipped(**{"../../escape": "x"}), "sum", "escape"),
        (zipped(**{"/etc/passwd": "x"}), "sum", "passwd"),
        (linked(), "sum", "link"),
        (zipped(**{"problem.yaml": "name: x\n"}), "sum", ""),
        (zipped(**{"problem.yaml": "x"}), "..", "name"),
        (zipped(**{"problem.yaml": "x"}), "a/b", "name"),
        (b"PK\3\4 and nothing more", "sum.zip", "digest"),
    ],
)
def test_what_is_no_package(server: Server, content: bytes, name: str, said: str) -> None:
    answer = server.client.put(f"/v1/packages/{UNKNOWN}", params={"name": name}, content=content)
    assert answer.status_code == 422, answer.text
    assert said in answer.text
    assert server.client.get(f"/v1/packages/{UNKNOWN}").status_code == 404


def test_another_digest_than_its_own(server: Server, package: MakePackage, tmp_path: Path) -> None:
    """Else who sends first would choose the tests of who sends later."""
    path = package(CASES, metadata=METADATA, name="sum")
    answer = server.client.put(f"/v1/packages/{UNKNOWN}", params={"name": "sum"}, content=parcel.pack(path))
    assert answer.status_code == 422
    assert "digest" in answer.json()["error"]


@pytest.mark.parametrize(
    "files",
    [
        {"problem.yaml": "limits: {time_limit: 1000000}\n"},
        {"judge.yaml": "limits: {wall_ns: 900000000000000}\n"},
        {"judge.yaml": "cases: {secret/1: {limits: {cpu_ns: 900000000000000}}}\n"},
        {"problem.yaml": "limits: {validation_time: 1000000}\n", "output_validator/check.py": "raise SystemExit(42)\n"},
    ],
    ids=["cpu", "wall", "test", "checker"],
)
def test_a_package_that_gives_programs_days(server: Server, package: MakePackage, files: dict[str, str]) -> None:
    """A submission that sleeps uses no CPU time, so no limit of its key would end it."""
    own = dict(files)
    path = package(CASES, metadata=own.pop("problem.yaml", METADATA), files=own, name="sum")
    answer = server.client.put(f"/v1/packages/{parcel.digest(path)}", params={"name": "sum"}, content=parcel.pack(path))
    assert (answer.status_code, "600 s" in answer.text) == (422, True), answer.text


def test_a_problem_that_cannot_be_read_tells_no_directory(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, package: MakePackage
) -> None:
    path = package(CASES, metadata=METADATA, name="broken")
    (path / "problem.yaml").write_text("name: [")
    monkeypatch.setenv("JUDGE_PROBLEMS", str(path.parent))
    answer = serve().client.get("/v1/problems/broken")
    assert answer.status_code == 409
    assert answer.json()["error"].startswith("problem.yaml:")
    assert str(path.parent) not in answer.text


def test_an_unknown_package(server: Server) -> None:
    sent = {"source": RIGHT, "language": "c17", "problem": f"package:{UNKNOWN}"}
    answer = server.client.post("/v1/judgements", json=sent)
    assert answer.status_code == 422
    assert answer.json()["where"] == ["body", "problem"]
    assert server.client.post("/v1/judgements", json=sent | {"problem": "package:../x"}).status_code == 422
    row = f'{{"problem": "package:{UNKNOWN}", "source": "x"}}'
    assert server.client.post("/v1/batches", content=row).status_code == 422


def stored(
    where: str | Path, package: MakePackage, most_bytes: int, *names: str
) -> tuple[Store, Packages, dict[str, str]]:
    """A store with these packages, sent in this order, and their digests."""
    store = Store(where)
    packages = Packages(store, most_bytes)
    digests = {}
    for name in names:
        path = package(CASES, metadata=METADATA, name=name)
        digests[name] = parcel.digest(path)
        packages.take(digests[name], name, "", parcel.pack(path))
    return store, packages, digests


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Of a database of each kind."""
    if request.param == "sqlite":
        return tmp_path / "x.sqlite"
    return str(request.getfixturevalue("postgres"))


def held_now(directory: Path) -> tuple[int, list[str]]:
    """How many descriptors are open, and what lies below `directory`."""
    return len(list(Path("/proc/self/fd").iterdir())), sorted(str(path) for path in directory.rglob("*"))


@pytest.mark.parametrize("name", ["sum", "sum.zip", "sum.kpp"])
def test_a_refused_package_leaves_nothing(
    tmp_path: Path, package: MakePackage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Else a few hundred requests would take all descriptors of the server, and the judgements of all others fail."""
    (tmp_path / "there").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "there"))
    store = Store(tmp_path / "x.sqlite")
    packages = Packages(store, 1 << 20)
    before = held_now(tmp_path / "there")
    sound = parcel.pack(package(CASES, metadata=METADATA, name="sum"))
    unreadable = zipped(**{"problem.yaml": "name: [", "data/secret/1.in": "1"})
    for content in (sound, unreadable, zipped(a="1"), b"PK", b""):
        with pytest.raises(ProblemError) as told:
            packages.take(UNKNOWN, name, "", content)
        assert str(tmp_path) not in str(told.value)
    assert held_now(tmp_path / "there") == before
    store.close()


@pytest.mark.parametrize("name", ["sum", "sum.zip"])
def test_nothing_of_another_digest_is_unpacked(
    tmp_path: Path, package: MakePackage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Else whoever may send packages fills the disk with what is refused afterwards."""
    unpacked: list[str] = []
    monkeypatch.setattr(parcel, "unpack", lambda _, name, *__: unpacked.append(name))
    store = Store(tmp_path / "x.sqlite")
    packages = Packages(store, 1 << 20)
    with pytest.raises(ProblemError, match="the digest of this package is"):
        packages.take(UNKNOWN, name, "", parcel.pack(package(CASES, metadata=METADATA, name="sum")))
    assert not unpacked
    packages.close()
    store.close()


@pytest.mark.parametrize("inner", ["", "inner/"])
def test_a_sent_zip_is_unpacked_where_packages_make_room(
    tmp_path: Path, package: MakePackage, monkeypatch: pytest.MonkeyPatch, inner: str
) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "there"))
    source = package(CASES, metadata=METADATA, name="other")
    texts = {f"{inner}{file.relative_to(source)}": file.read_text() for file in source.rglob("*") if file.is_file()}
    (tmp_path / "sum.zip").write_bytes(zipped(**texts))
    store = Store(tmp_path / "x.sqlite")
    packages, digest = Packages(store, 1 << 20), parcel.digest(tmp_path / "sum.zip")
    packages.take(digest, "sum.zip", "", (tmp_path / "sum.zip").read_bytes())
    problem = problems.load(packages.path(digest))
    assert (problem.name, len(problem.cases)) == ("sum", len(CASES))
    packages.close()
    assert not list((tmp_path / "there").iterdir())
    store.close()


def damaged() -> Iterator[bytes]:
    """A zip in which each byte in turn is another, by each method."""
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", method) as archive:
            archive.writestr("problem.yaml", "name: x\n" * 3)
        sound = content.getvalue()
        for place in range(0, len(sound), 2):
            yield sound[:place] + bytes([sound[place] ^ 0xFF]) + sound[place + 1 :]
    yield zipped(**{"problem.yaml": "x", "problem.yaml/a": "x"})
    yield zipped(**{"/".join(["a" * 200] * 30): "x"})


def test_damaged_zips_are_their_senders_fault(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite")
    packages = Packages(store, 1 << 20)
    for content in damaged():
        with pytest.raises(ProblemError):
            packages.take(UNKNOWN, "x", "", content)
    packages.close()
    store.close()


@pytest.mark.parametrize("name", ["x", "x.zip"])
def test_a_table_of_contents_that_takes_memory(tmp_path: Path, name: str) -> None:
    entry = b"PK\1\2" + bytes(24) + b"\1" + bytes(17) + b"a"
    count = archive_module.MAX_ENTRIES + 2
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, count * len(entry), 0, 0)
    (tmp_path / name).write_bytes(entry * (count - 1) + b"?" + entry[1:] + end)  # zipfile reads on to the last
    store = Store(tmp_path / "x.sqlite")
    packages = Packages(store, 1 << 30)
    digest = parcel.digest(tmp_path / name) if name == "x.zip" else UNKNOWN
    with pytest.raises(ProblemError, match="more than 20000"):
        packages.take(digest, name, "", (tmp_path / name).read_bytes())
    packages.close()
    store.close()


def test_packages_used_longest_ago_make_room(where: str | Path, package: MakePackage) -> None:
    size = len(parcel.pack(package(CASES, metadata=METADATA, name="size")))
    store, packages, digests = stored(where, package, int(size * 3.5), "one", "two", "three")
    assert all(map(store.has_package, digests.values()))
    row = Row(id="1", kind="judgement", owner="", request="", problem=f"package:{digests['one']}")
    store.add([row], check=partial(check_held, digests={digests["one"]}))  # the oldest, but one waits for it
    for name in ("four", "five"):
        path = package(CASES, metadata=METADATA, name=name)
        packages.take(parcel.digest(path), name, "", parcel.pack(path))
    service = {name for name, digest in digests.items() if store.has_package(digest)}
    assert service == {"one"}
    (claimed,) = store.claim("", 1, 60)
    store.finish([Result(row=claimed, text="{}", samples=WHOLE, verdict="AC")])
    path = package(CASES, metadata=METADATA, name="six")
    packages.take(parcel.digest(path), "six", "", parcel.pack(path))
    path = package(CASES, metadata=METADATA, name="seven")
    packages.take(parcel.digest(path), "seven", "", parcel.pack(path))
    path = package(CASES, metadata=METADATA, name="eight")
    packages.take(parcel.digest(path), "eight", "", parcel.pack(path))
    assert not store.has_package(digests["one"])
    again = Row(id="2", kind="judgement", owner="", request="", problem=row.problem)
    with pytest.raises(UnknownProblem):
        store.add([again], check=partial(check_held, digests={digests["one"]}))
    assert store.get("2") is None, "all or nothing"
    with pytest.raises(ProblemError, match="all packages together may have 10"):
        Packages(store, 10).take(digests["one"], "one", "", b"x" * 11)
    packages.close()
    store.close()


def test_unpacked_packages_make_room_but_not_those_in_use(tmp_path: Path, package: MakePackage) -> None:
    store, packages, digests = stored(tmp_path / "x.sqlite", package, 1 << 20, "one", "two", "three")
    packages.unpacked._most_bytes = 1  # no more than the one that is asked for
    used = f"package:{digests['one']}"
    packages.unpacked.begin(used)
    one, two = packages.path(digests["one"]), packages.path(digests["two"])
    assert one.exists()
    three = packages.path(digests["three"])
    assert (one.exists(), two.exists(), three.exists()) == (True, False, True)
    packages.unpacked.end(used)
    assert packages.path(digests["two"]).exists()
    assert not one.exists()
    assert not three.exists()
    packages.close()
    store.close()


def test_what_a_killed_server_had_unpacked_does_not_stay(
    tmp_path: Path, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store, packages, digests = stored(tmp_path / "x.sqlite", package, 1 << 20, "one")
    before = set(archive_module._held)
    killed, living = Packages(store, 1 << 20), Packages(store, 1 << 20)
    one, two = killed.path(digests["one"]), living.path(digests["one"])
    os.close(archive_module._held.pop(killed._directory))  # as the kernel does for who is killed
    Packages(store, 1 << 20).close()
    assert (one.exists(), two.exists()) == (False, True)
    living.close()
    assert not two.exists()
    assert set(archive_module._held) == before, "no descriptor stays open"
    tmp_path.chmod(0o777)  # as a pod's volume has it: others could replace what is unpacked there, but nobody is there
    shared = Packages(store, 1 << 20)
    three = shared.path(digests["one"])
    assert three.is_relative_to(tmp_path)
    shared.close()
    assert not three.parents[1].exists()
    packages.close()
    store.close()


def test_a_package_that_made_room_is_sent_again(
    serve: Serve, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [package(CASES, metadata=METADATA, name=name) for name in ("one", "two")]
    monkeypatch.setenv("JUDGE_SERVE_PACKAGES_BYTES", str(int(len(parcel.pack(paths[0])) * 1.5)))
    server = serve()
    with Judge(executor="server", address=str(server.client.base_url)) as judge:
        for path in paths * 2:
            submission = Submission(source=RIGHT.encode(), problem=path, language="c17")
            assert judge.judge(submission).verdict is Verdict.AC
