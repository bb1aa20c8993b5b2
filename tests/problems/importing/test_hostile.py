"""What strangers may put into a source of any format: it is refused with one clear message, and nothing is written."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from problems import ProblemError
from problems.files import archive
from problems.importing import import_problems
from tests.packages import write_files
from tests.problems.importing.contest_examples import CMS, DMOJ, SINOL
from tests.problems.importing.examples import EXAMPLES, HYDRO, LUOGU, SYZOJ

Files = Mapping[str, str | bytes]
#: The files that the readers of the formats read themselves, with what they hold.
READ: Mapping[str, tuple[Files, str]] = {
    "luogu": (LUOGU, "config.yml"),
    "hydro": (HYDRO, "sum/testdata/config.yaml"),
    "syzoj": (SYZOJ, "data.yml"),
    "dmoj": (DMOJ, "init.yml"),
    "cms": (CMS, "task.yaml"),
    "sinol": (SINOL, "sum/config.yml"),
}


def _zip(path: Path, files: Files, *more: tuple[zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
        for info, content in more:
            packed.writestr(info, content)
    return path


def _refused(source: Path, into: Path) -> str:
    """Why it, or the first problem in it, is refused."""
    try:
        found = list(import_problems(source, into))
    except ProblemError as error:
        return str(error)
    assert found[0].package is None
    assert not into.exists() or {path.name for path in into.iterdir()} <= {one.name for one in found[1:]}
    return found[0].error or ""


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_link_in_a_zip(tmp_path: Path, name: str) -> None:
    link = zipfile.ZipInfo("passwd.in")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    source = _zip(tmp_path / "x.zip", EXAMPLES[name], (link, b"/etc/passwd"))
    assert "'passwd.in' is a link or a device" in _refused(source, tmp_path / "made")


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("outside", ["/tmp/judge-was-here", "../judge-was-here", "a/../../b", "a\\..\\b"])
def test_a_name_that_leaves_the_zip(tmp_path: Path, name: str, outside: str) -> None:
    source = _zip(tmp_path / "x.zip", EXAMPLES[name], (zipfile.ZipInfo(outside), b"1\n"))
    assert "would leave the package" in _refused(source, tmp_path / "made")
    assert not (tmp_path / "judge-was-here").exists()


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_bomb(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cap counts what comes out."""
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 1 << 20)
    source = _zip(tmp_path / "x.zip", {**EXAMPLES[name], "zero.in": bytes(2 << 20)})
    assert "unpacks to more than" in _refused(source, tmp_path / "made")


def _table(entries: int) -> bytes:
    """A zip that is a table of contents alone: a million entries in 47 megabytes."""
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, entries & 0xFFFF, entries & 0xFFFF, entries * len(entry), 0, 0)
    return entry * entries + end


def test_a_million_entries(tmp_path: Path) -> None:
    source = tmp_path / "x.zip"
    source.write_bytes(_table(1_000_000))
    assert "x.zip: has more than 20000 entries" in _refused(source, tmp_path / "made")
    source.write_bytes(_table(30_000))
    assert "x.zip: has 30000 entries, more than 20000" in _refused(source, tmp_path / "made")
    with pytest.raises(ProblemError, match="has more than 20000 entries"):
        write_files(tmp_path, {"x.zip": _table(1_000_000)})
        archive.unpack(source)


def test_a_zip_in_a_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DMOJ's archives lie in the source: the same rules hold."""
    link = zipfile.ZipInfo("sum.1.in")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr(link, b"/etc/passwd")
    for content, says in (
        (inner.getvalue(), "is a link or a device"),
        (_table(1_000_000), "has more than 20000 entries"),
    ):
        source = write_files(tmp_path / says[-7:], {**DMOJ, "sum.zip": content})
        assert says in _refused(source, tmp_path / "made")
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", 1 << 20)
    bomb = _zip(tmp_path / "bomb.zip", {"sum.1.in": bytes(2 << 20)})
    source = write_files(tmp_path / "bomb", {**DMOJ, "sum.zip": bomb.read_bytes()})
    assert "sum.zip: unpacks to more than" in _refused(source, tmp_path / "made")


@pytest.mark.parametrize("name", READ)
def test_aliases_and_tags_of_yaml(tmp_path: Path, name: str) -> None:
    files, path = READ[name]
    laughs = "".join(f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 12))
    for text, says in (
        (f"l0: &l0 [lol]\n{laughs}", ":2: YAML aliases (*name) are not supported"),
        ("x: !!python/object/apply:os.system ['true']\n", ":1: YAML tag"),
        ("x: " + "[" * 5000, "is nested more than 32 deep"),
        ("x: " + "1" * 5000, "a number has 5000 characters"),
        ("- 1\n- 2\n", "does not hold a map"),
        (b"x: \xff\n", "is not UTF-8"),
    ):
        source = write_files(tmp_path / "source", {**files, path: text})
        said = _refused(source, tmp_path / "made")
        assert says in said
        assert f"{path}:" in said


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_link_in_a_directory(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("root\n")
    source = write_files(tmp_path / "source", EXAMPLES[name])
    first = min(path for path in source.rglob("*") if path.suffix in (".in", ".txt", ".xml", ".a", ".zip"))
    first.unlink()
    first.symlink_to(secret)
    assert "symbolic link that leaves the package" in _refused(source, tmp_path / "made")


@pytest.mark.parametrize("name", EXAMPLES)
def test_odd_files_beside_it_lose_nothing(tmp_path: Path, name: str) -> None:
    """Names that no package may have are told or ignored: never a crash, never another verdict."""
    odd: Files = {"中文 名字.dat": "", "-rf": "", "a\nb": "", "x" * 200: "", ".hidden": "", "__MACOSX/._x": ""}
    source = write_files(tmp_path / "source", {**EXAMPLES[name], **odd})
    for one in import_problems(source, tmp_path / "made", lenient=True):
        assert one.error is None
