"""What no judgement depends on goes along with an export, or is told."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import yaml

import problems
from problems.exporting import export
from tests.packages import LEGACY, MINIMAL, write_files

FOR_PEOPLE = {
    "attachments/tool/play.py": "print(1)\n",
    "solution/solution.en.md": "Add.\n",
    "input_visualizer/draw.py": "print(2)\n",
    "output_visualizer/draw.py": "print(3)\n",
    "data/secret/01.png": "a picture",
    "data/secret/absent.png": "of no test",
}


@pytest.mark.parametrize("packed", [False, True])
def test_a_package_of_the_format_goes_whole(tmp_path: Path, packed: bool) -> None:
    files = {**MINIMAL, **FOR_PEOPLE, "data/secret/01.yaml": "hint: mind {{n}}\nargs: [x]\nfull_feedback: true\n"}
    files["data/secret/02.hint"] = "Use 64 bits.\n"
    root = write_files(tmp_path / "sum", files)
    done = export(problems.load(root), "icpc", tmp_path / ("out.zip" if packed else "sum2"))
    if packed:
        zipfile.ZipFile(done.place).extractall(tmp_path / "unpacked")
    place = tmp_path / "unpacked" / "sum" if packed else done.place
    for name in FOR_PEOPLE:
        assert (place / name).exists() is ("absent" not in name), name
    assert yaml.safe_load((place / "data/secret/01.yaml").read_text()) == {"args": ["x"], "hint": "mind {{n}}"}
    assert yaml.safe_load((place / "data/secret/02.yaml").read_text()) == {"hint": "Use 64 bits.\n"}
    assert [note for note in done.notes if "full_feedback" in note]
    assert [case.arguments for case in problems.load(place).cases] == [(), ("x",), ()]


def test_version_legacy_has_places_for_some(tmp_path: Path) -> None:
    files = {**LEGACY, **FOR_PEOPLE, "data/secret/02.hint": "Use 64 bits.\n"}
    done = export(problems.load(write_files(tmp_path / "sum", files)), "kattis", tmp_path / "out")
    there = {path.relative_to(done.place).as_posix() for path in done.place.rglob("*") if path.is_file()}
    assert {"attachments/tool/play.py", "data/secret/01.png", "data/secret/02.hint"} <= there
    for name in ("solution", "input_visualizer", "output_visualizer"):
        assert f"not in it: {name}/, for which the format has no place" in done.notes
        assert not (done.place / name).exists()


def test_a_link_takes_no_file_of_the_machine_along(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    (tmp_path / "outside").write_text("a secret of the machine")
    (root / "attachments").mkdir()
    (root / "attachments" / "a.txt").symlink_to(tmp_path / "outside")
    done = export(problems.load(root), "icpc", tmp_path / "out")
    assert "not in it: attachments/a.txt, a link to nowhere here" in done.notes
    assert not any(path.name == "a.txt" for path in done.place.rglob("*"))
    (root / "data" / "secret" / "01.in").unlink()
    (root / "data" / "secret" / "01.in").symlink_to(tmp_path / "outside")
    with pytest.raises(problems.ProblemError, match=r"01\.in"):
        export(problems.load(root), "icpc", tmp_path / "again")
