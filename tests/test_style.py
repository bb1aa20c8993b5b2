"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("judge", "problems", "containers", "trainer_adapter", "scripts", "tests", "benchmarks", "examples")
#: The concept decides how long a module is. Above this it holds two.
MOST_LINES = 800
#: Paths that exist on one machine only.
MACHINE_PATH = re.compile(r"/(?:work|home|Users|mnt|opt/(?:wheels|pypi))/\w|/root/\.?\w")


def sources() -> list[Path]:
    """Every source file of ours; contestants' programs in the library are not."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".c", ".h"}]
    return [path for path in found if "submissions" not in path.parts]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_is_something_to_check() -> None:
    assert ROOT / "judge" / "common" / "models.py" in sources()


def test_each_module_is_short_enough_to_be_one_concept() -> None:
    lengths = {name(path): len(path.read_text().splitlines()) for path in sources()}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


PACKAGES = ("judge", "problems", "containers", "trainer_adapter")
MOST_PYTHON, MOST_C = 45, 70


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Names of functions, and how many lines each has."""
    text = path.read_text()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.name, (node.end_lineno or 0) - node.lineno + 1
    else:
        for found in re.finditer(r"(?m)^[a-z_].*\b(\w+)\(.*(?:\n .*)*\n\{\n(?:(?!\}).*\n)*\}", text):
            yield found[1], found[0].count("\n") + 1


def test_functions_are_short() -> None:
    ours = [path for path in sources() if path.relative_to(ROOT).parts[0] in PACKAGES]
    most = {".py": MOST_PYTHON, ".c": MOST_C, ".h": MOST_C}
    found = [(path, function, lines) for path in ours for function, lines in functions(path)]
    assert len(found) > 1000
    assert [
        f"{name(path)}: {function}: {lines} lines" for path, function, lines in found if lines > most[path.suffix]
    ] == []


#: Past participles that their ending does not tell, and words with their usual ending that are none.
PARTICIPLES = set(
    [
        "begun",
        "bound",
        "broken",
        "built",
        "caught",
        "chosen",
        "drawn",
        "driven",
        "fallen",
        "found",
        "frozen",
        "given",
        "gone",
        "got",
        "grown",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "left",
        "lent",
        "lost",
        "made",
        "meant",
        "met",
        "paid",
        "said",
        "seen",
        "sent",
        "shown",
        "sold",
        "spent",
        "spoken",
        "stood",
        "stolen",
        "taken",
        "taught",
        "thought",
        "thrown",
        "told",
        "torn",
        "understood",
        "won",
        "worn",
        "written",
    ]
)
NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "reseed", "seed", "speed", "succeed"}


def is_participle(word: str) -> bool:
    return word in PARTICIPLES or (re.fullmatch("[a-z]+ed", word) is not None and word not in NO_PARTICIPLES)


def test_functions_are_named_by_what_they_do() -> None:
    """`read_label`, not `labelled`. A property names what it is."""
    programs = ("problems/library", "judge/selftest/include")  # as their readers know them
    ours = [
        path
        for path in sources()
        if path.suffix == ".py" and name(path).startswith(PACKAGES) and not name(path).startswith(programs)
    ]
    found = [
        f"{name(path)}: {node.name}"
        for path in ours
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and is_participle(node.name.strip("_"))
        and not any("property" in ast.unparse(one) for one in node.decorator_list)
    ]
    assert found == []
    assert is_participle("labelled")
    assert not is_participle("need")


def test_functions_are_counted() -> None:
    assert dict(functions(ROOT / "containers/launcher/src/stub.c"))["is_as_new"] == 6
    assert dict(functions(Path(__file__)))["functions"] == 10


def test_names_no_path_of_one_machine() -> None:
    shipped = [path for path in sources() if "tests" not in path.relative_to(ROOT).parts]
    assert [name(path) for path in shipped if MACHINE_PATH.search(path.read_text())] == []


def test_nothing_asks_for_the_package_of_that_name_on_pypi() -> None:
    """`pip install judge` gets somebody else's package. Ours comes from a checkout, or from a folder of wheels."""
    written = [path for folder in (*FOLDERS, "docs") for path in (ROOT / folder).rglob("*")]
    kinds = {".md", ".py", ".ipynb", ".service", ".sh", ".Dockerfile"}
    texts = [path for path in (*written, *ROOT.glob("*.md")) if path.suffix in kinds]
    # Between the two stand options and folders. Without an index only a folder is looked into.
    wanted = re.compile(r"pip install (?:(?!--no-index)\S*[-/$]\S* )*['\"]?judge\b")
    assert len(texts) > 100
    assert [name(path) for path in texts if wanted.search(path.read_text()) and path != Path(__file__)] == []


def test_the_two_readmes_have_the_same_shape() -> None:
    """Code blocks are word for word the same, headings and table rows as many."""
    english, chinese = (ROOT.joinpath(readme).read_text() for readme in ("README.md", "README.zh-CN.md"))
    assert shape(english) == shape(chinese)


def shape(text: str) -> list[str]:
    kinds = (("    ", "code"), ("#", "heading"), ("|", "row"))
    found = []
    for line in text.splitlines():
        kind = next((kind for start, kind in kinds if line.startswith(start)), None)
        if kind == "code":
            found.append(re.sub(r"\s*#.*", "", line))  # comments are translated
        elif kind == "heading":
            found.append("heading " + line.split()[0])
        elif kind:
            found.append(kind)
    return found


def test_each_page_is_listed() -> None:
    """In both indexes and in the site."""
    pages = {page.name for page in (ROOT / "docs").glob("*.md") if not page.name.startswith("README")}
    english, chinese = ((ROOT / "docs" / name).read_text() for name in ("README.md", "README.zh-CN.md"))
    assert {page for page in pages if f"]({page})" not in english} == set()
    translated = {page.replace(".zh-CN", "") for page in pages if ".zh-CN" in page}
    expected = {page for page in pages if page not in translated}
    assert {page for page in expected if f"]({page})" not in chinese} == set()
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    assert set(re.findall(r"[\w-]+\.md", nav)) == {page for page in pages if ".zh-CN" not in page} | {"README.md"}


PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.md")))
#: More words than these have to be read twice.
MOST_WORDS, MOST_CELL_WORDS = 35, 40


def count_words(text: str) -> int:
    """A piece of code is one word, and of a link its text is read."""
    text = re.sub(r"`+[^`]+`+", "code", re.sub(r"\]\([^)]*\)", "]", text))
    return sum(any(character.isalnum() for character in word) for word in text.split())


def find_long(text: str) -> Iterator[str]:
    """Sentences and cells of tables that are too long. Code, and what stands in columns, is not read."""
    text = re.sub(r"(?ms)^```.*?^```|^\x08\n.*?(?:^$|\Z)", "", text)
    items = re.sub(r"(?m)^ *(?:[-*]|\d+\.|\w+:) |^(?:    |#).*|^.*(?:\S {2,}\S|──|->).*", "\n\n", text)
    for block in re.split(r"\n\s*\n|\n(?=\|)", items):
        cells = re.split(r"(?<!\\)\|", block) if block.startswith("|") else []
        yield from (cell for cell in cells if count_words(cell) > MOST_CELL_WORDS)
        for part in cells or [block]:
            hidden = re.sub(r"`+[^`]+`+", lambda code: "C" + code[0].replace(".", "·"), part)
            sentences = re.split(r"(?<=[.!?])[)\"'*_”]*\s+(?=[(*\[\"“]*[A-Z0-9\"“])", hidden)
            yield from (sentence for sentence in sentences if count_words(sentence) > MOST_WORDS)


def read_public_docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield "" if getattr(node, "name", "").startswith("_") else ast.get_docstring(node) or ""


def test_prose_is_read_once() -> None:
    """No sentence of a page or of a public docstring is longer than 35 words, no cell of a table than 40."""
    texts = [(page, page.read_text()) for page in PAGES if ".zh-CN" not in page.name]
    modules = [path for path in sources() if path.suffix == ".py" and name(path).startswith(PACKAGES)]
    modules = [path for path in modules if "library" not in path.parts]
    texts += [(path, text) for path in modules for text in read_public_docstrings(path)]
    assert [f"{name(path)}: {' '.join(long.split())}" for path, text in texts for long in find_long(text)] == []
    assert list(find_long("word " * 35 + "end.")) == ["word " * 35 + "end."]
    assert list(find_long("| " + "Word. " * 41 + "|")) == [" " + "Word. " * 41]
    assert not list(find_long("word " * 34 + "end. Word `" + "a " * 40 + "` " + "word " * 30))


LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        found = page.parent / file if file else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def anchors(page: Path) -> list[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text())
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", ["security.md", "security.zh-CN.md"])
def test_the_reading_order_of_the_launcher_is_whole(page: str) -> None:
    """Each file has its place, and the reader is told how much there is to read."""
    text, sources = (ROOT / "docs" / page).read_text(), sorted((ROOT / "containers/launcher/src").glob("*.[ch]"))
    assert not [path.name for path in sources if path.suffix == ".c" and f"`{path.name}`" not in text]
    lines = sum(len(path.read_text().splitlines()) for path in sources)
    (said,) = re.findall(r"(\d \d{3}) (?:lines of C|行 C)", text)
    assert abs(int(said.replace(" ", "")) - lines) < 50
    assert lines <= 4200, "more than the pages promise"


@pytest.mark.parametrize("page", ["security.md", "security.zh-CN.md"])
def test_each_test_that_a_page_names_exists(page: str) -> None:
    """What the code relies on, and what no submission can choose: each names the test that shows it."""
    text = (ROOT / "docs" / page).read_text()
    named = set(re.findall(r"`([\w/.-]+\.\w+)(?:::(\w+))?`", text))
    tests = {(file, test) for file, test in named if test}
    assert len(tests) > 40
    for file, test in tests:
        assert re.search(rf"(?m)^def {test}\(", (ROOT / "tests" / file).read_text()), (file, test)
    programs = {file for file, _ in named if file.startswith("containers/escape/")}
    assert not [file for file in programs if not (ROOT / "tests" / file).exists()]
    sections = re.findall(r"(?ms)^## (?:What the code relies on|代码依赖什么)\n(.*?)^## ", text)
    assert [line for line in sections[0].splitlines() if line.startswith("| ") and "::test_" not in line][1:] == []


def test_each_wall_can_be_taken_out() -> None:
    """What the mutation report takes out stands in the sources, and its tests are there: else it ends at once."""
    subprocess.run([sys.executable, "scripts/mutation_report.py", "--check"], cwd=ROOT, check=True)
    mutations = tomllib.loads((ROOT / "scripts/mutations.toml").read_text())["mutation"]
    for module, test in {tuple(test.split("::")) for mutation in mutations for test in mutation["tests"]}:
        assert f"\ndef {test}(" in (ROOT / f"tests/containers/conformance/test_{module}.py").read_text(), test


def test_no_ring_among_the_files_of_the_launcher(tmp_path: Path) -> None:
    """So that each can be read after those that it calls. What interpreter.c takes the place of is the C library's."""
    sources = sorted((ROOT / "containers/launcher/src").glob("*.c"))
    (tmp_path / "interpreter.so").touch()  # main.c holds it
    for source in sources:
        out = ("-fPIC", f"-Wa,-I,{tmp_path}", "-c", source.name, "-o", str(tmp_path / f"{source.stem}.o"))
        subprocess.run(["cc", "-std=c11", *out], cwd=source.parent, check=True)
    defined, used = (
        {source.name: symbols(tmp_path, source.stem, kinds) for source in sources} for kinds in ("TDBR", "U")
    )
    defined["interpreter.c"] = set()
    calls = {file: {other for other in defined if used[file] & defined[other]} for file in used}
    assert len(calls["stub.c"]) > 5
    list(TopologicalSorter(calls).static_order())  # raises CycleError


def symbols(directory: Path, stem: str, kinds: str) -> set[str]:
    shown = subprocess.run(["nm", f"{stem}.o"], cwd=directory, capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in shown.splitlines() if line.split()[-2] in kinds}
