"""A language is one file: each table that is made of it has an answer for each language."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path, PurePath

import pytest
from pygments.lexers import get_lexer_by_name

import problems.files.languages
from judge import languages
from problems.files.entry import defines_main, entry, source_suffixes
from problems.files.languages import Names, by_name, by_suffix, facts, pattern, tables
from problems.files.tree import Tree
from problems.importing.draft import Draft
from problems.importing.source import Source
from problems.importing.understood import Part, part_of

ROOT = Path(__file__).parents[3]
#: Codes of the ICPC package format's languages table that are ours.
ICPC = {
    *("ada", "bash", "c", "cpp", "csharp", "elixir", "erlang", "fortran", "go", "haskell", "java", "javascript"),
    *("kotlin", "lisp", "ocaml", "octave", "pascal", "perl", "php", "prolog", "python3", "racket", "ruby", "rust"),
    *("scala", "typescript"),
}
SITES = tuple(field.name for field in fields(Names))
TCL = """
name = "tcl"
title = "Tcl 8.6"
family = "tcl"
source = "solution.tcl"
suffixes = [".tcl"]
smoke = "smoke.tcl"

[toolchain]
commands = ["tclsh8.6"]
version = "(x)"
package = "tcl8.6"

[compile]
argv = ["/bin/true"]

[run]
argv = ["{compiler}", "{source}"]

[text]
comment = "#"
lexer = "tcl"

[names]
hustoj = ["tcl"]
"""


@pytest.fixture
def with_tcl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """One file more, in a copy of the directory."""
    place = tmp_path / "languages"
    shutil.copytree(problems.files.languages.DIRECTORY, place, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "tcl.toml").write_text(TCL)
    cached = [
        value
        for module in (problems.files.languages, languages, sys.modules["problems.files.entry"])
        for value in vars(module).values()
        if hasattr(value, "cache_clear")
    ]
    monkeypatch.setattr(problems.files.languages, "DIRECTORY", place)
    monkeypatch.setattr(problems.files.languages, "_tables", None)
    for function in cached:
        function.cache_clear()
    yield place
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()


def test_one_file_is_a_language_everywhere(with_tcl: Path) -> None:
    assert languages.get("tcl").run.argv[-1] == "{source}"
    assert languages.for_path(Path("a.tcl")).name == "tcl"
    assert ".tcl" in source_suffixes()
    assert entry([(Path("b.tcl"), b"puts 1")]) == Path("b.tcl")
    assert by_name("hustoj")["tcl"].name == "tcl"
    assert part_of(PurePath("checker.tcl")) is Part.DECIDING
    source = Source(tree=Tree(root=with_tcl, shown="x"), work=with_tcl, lenient=False, name="x")
    draft = Draft.begin(source, "x", with_tcl)
    draft.add_known(Path("std.tcl"), frozenset({"AC"}))
    assert draft.solutions


@pytest.mark.parametrize(
    ("instead", "says"),
    [('comment = "#"\nlexr', "lexr"), ('lexer = "tcl"\ncoment', "coment"), ('comment = "#"\nlexer', "judge1")],
)
def test_a_misspelt_key_is_an_error(with_tcl: Path, instead: str, says: str) -> None:
    text = TCL.replace('comment = "#"\nlexer', instead)
    (with_tcl / "tcl.toml").write_text(text if says in text else text.replace("hustoj", says))
    with pytest.raises(TypeError, match=says):
        facts()


@pytest.mark.parametrize("name", languages.names())
def test_its_text(name: str) -> None:
    language = languages.get(name)
    assert get_lexer_by_name(language.facts.text.lexer).name
    source = language.smoke_source()
    suffix = (language.suffixes or (Path(language.smoke).suffix,))[0]
    if pattern(language.facts.text.main) is not None:
        assert defines_main(Path(f"any{suffix}"), source)
    assert language.facts.family == language.family


@pytest.mark.parametrize("site", SITES)
def test_no_name_means_two_languages(site: str) -> None:
    listed = [table["names"][site] for table in tables().values() if site in table.get("names", {})]
    count = Counter(name for one in listed for name in (one if isinstance(one, list) else [one]))
    assert count.keys() == by_name(site).keys()
    assert [name for name, times in count.items() if times > 1] == []


def test_no_suffix_means_two_languages() -> None:
    count = Counter(suffix for language in facts().values() for suffix in language.suffixes)
    assert [suffix for suffix, times in count.items() if times > 1] == []
    assert by_suffix(".cpp") is facts()["cpp17"]


def test_the_specification_s_codes() -> None:
    assert by_name("icpc").keys() == ICPC


@pytest.mark.parametrize("site", ["polygon", "hustoj", "qduoj"])
def test_what_a_format_names_has_a_suffix(site: str) -> None:
    assert [language.name for language in by_name(site).values() if not language.suffixes] == []


def test_a_dialect_is_called_as_its_family() -> None:
    assert languages.get("cpp23-strict").facts.names.icpc == "cpp"
    assert languages.get("pypy3").facts.names.icpc == "python3"
    assert by_name("judge0")[76].name == "cpp17-clang"
    assert by_name("sandbox_fusion")["java"].name == "java-assertions"
    assert by_name("sandbox_fusion")["D_ut"].name == "d-unittest"


def test_both_pages_have_a_row_for_each() -> None:
    done = subprocess.run(
        (sys.executable, ROOT / "scripts/language_tables.py", "--check"), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    page = (ROOT / "docs/languages.md").read_text()
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE)
    assert listed[: len(languages.names())] == list(languages.names())
