"""Packages that are sent to another machine."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest

import problems
from problems import ProblemError
from problems.files import parcel
from problems.lookup import find
from tests.packages import LEGACY, MINIMAL, write_files
from tests.problems.test_archive import pack


def data(problem: problems.Problem) -> list[tuple[str, bytes, bytes]]:
    return [(case.name, case.read_input(), case.read_answer()) for case in problem.cases]


@pytest.mark.parametrize("name", ["P1001", "P5960"])  # data; a checker and generated data
def test_what_arrives_is_what_was_sent(tmp_path: Path, name: str) -> None:
    sent = find(name)
    arrived = parcel.unpack(parcel.pack(sent), sent.name, tmp_path)
    assert parcel.digest(arrived) == parcel.digest(sent)
    there, here = problems.load(arrived), problems.load(name)
    assert (there.name, there.limits, data(there)) == (here.name, here.limits, data(here))


def test_the_time_limit_beside_a_legacy_package_is_sent(tmp_path: Path) -> None:
    sent = write_files(tmp_path / "sum", {**LEGACY, ".timelimit": "7\n"})
    (tmp_path / "there").mkdir()
    arrived = parcel.unpack(parcel.pack(sent), sent.name, tmp_path / "there")
    assert problems.load(arrived).limits.cpu_ns == 7_000_000_000
    before = parcel.digest(sent)
    (sent / ".timelimit").write_text("8\n")
    assert parcel.digest(sent) != before == parcel.digest(arrived)


def test_a_zip_is_sent_as_it_is(tmp_path: Path) -> None:
    pack(tmp_path / "sum.zip", MINIMAL)
    (tmp_path / "there").mkdir()
    arrived = parcel.unpack(parcel.pack(tmp_path / "sum.zip"), "sum.zip", tmp_path / "there")
    assert parcel.digest(arrived) == parcel.digest(tmp_path / "sum.zip")
    assert problems.load(arrived).name == "sum"


def test_the_digest_sees_names_contents_and_the_package_s_own_name(tmp_path: Path) -> None:
    first = write_files(tmp_path / "a" / "sum", MINIMAL)
    same = write_files(tmp_path / "b" / "sum", MINIMAL)
    renamed = write_files(tmp_path / "c" / "other", MINIMAL)
    assert parcel.digest(first) == parcel.digest(same) != parcel.digest(renamed)
    answer = next(path for path in same.rglob("*.ans"))
    answer.write_bytes(answer.read_bytes() + b" ")
    assert parcel.digest(first) != parcel.digest(same)
    answer.write_bytes(answer.read_bytes()[:-1])
    answer.rename(answer.with_stem("moved"))
    assert parcel.digest(first) != parcel.digest(same)


def test_the_digest_before_unpacking_is_the_one_after(tmp_path: Path) -> None:
    """Of zips that no `pack` made, too: neither their order nor files that no reader looks at count."""
    parts = ("a", "b", "B", "0", "a.b", "a-b", "_", ".timelimit", ".hidden", "__pycache__", "a b", "ä", "data")
    chance = random.Random(1)
    for number in range(300):
        ways = {"/".join(chance.choices(parts, k=chance.randint(1, 4))) for _ in range(chance.randint(0, 12))}
        names = [way for way in ways if not any(other.startswith(f"{way}/") for other in ways)]
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name in chance.sample(names, len(names)):
                archive.writestr(chance.choice(("", "./")) + name, chance.randbytes(chance.randint(0, 9)))
        (tmp_path / str(number)).mkdir()
        arrived = parcel.unpack(content.getvalue(), "sum", tmp_path / str(number))
        assert parcel.digest_packed(content.getvalue(), "sum") == parcel.digest(arrived)


def test_links_that_leave_are_not_followed(tmp_path: Path) -> None:
    package = write_files(tmp_path / "sum", MINIMAL)
    (tmp_path / "outside").write_text("secret")
    (package / "data" / "link").symlink_to(tmp_path / "outside")
    with pytest.raises(ProblemError, match="link that leaves the package"):
        parcel.pack(package)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="no such package"):
        find(tmp_path / "none")


def test_the_current_directory_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_files(tmp_path / "sum", MINIMAL))
    assert find(".").name == "sum"
