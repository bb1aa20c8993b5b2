"""Test data that are built at first use."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import problems
from containers.outcome import counts_processes
from judge import Judge, Judgement, LanguageError, ProblemError, Submission
from judge.judging import generated, generators
from judge.store.cache import Cache
from problems.model import SECOND_NS
from problems.reading.testdata import MOST_GENERATED

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

GENERATOR = """
import random
import sys
from cyaron import String
from shared import numbers
args = dict(arg.split("=") for arg in sys.argv[1:])
random.seed(args["seed"])
assert len(String.random(5)) == 5
print(*numbers(int(args["n"])))
"""
SHARED = "import random\n\n\ndef numbers(n):\n    return [random.randint(1, 9) for _ in range(n)]\n"
RECIPES = """
solution: /submissions/accepted/std.py
data:
  secret:
    data:
      - "02-small": gen.py n=3 seed=1
      - "01-large": gen.py n=1000 seed=2
"""
SOLUTION = "print(sum(map(int, input().split())))\n"


@pytest.fixture
def problem(package: MakePackage) -> Path:
    files = {
        "generators/gen.py": GENERATOR,
        "generators/shared.py": SHARED,
        "generators/generators.yaml": RECIPES,
        "submissions/accepted/std.py": SOLUTION,
    }
    return package({"sample/1": ("1 2\n", "3\n"), "secret/03-by-hand": ("5\n", "5\n")}, files=files)


def judged(judge: Judge, problem: Path, source: str = SOLUTION) -> Judgement:
    return judge.judge(Submission(source=source.encode(), problem=problem, language="python3"))


def built(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (cache / "testdata").glob("*/*")}


def pin(problem: Path, cache: Path, **changes: bytes) -> None:
    """Write the sums of what was built, with changes."""
    names = {"0": "secret/01-large", "1": "secret/02-small"}
    lines = []
    for name, data in {**built(cache), **changes}.items():
        stem, _, suffix = name.partition(".")
        if suffix in ("in", "ans"):
            lines.append(f"{hashlib.sha256(data).hexdigest()}  {names[stem]}.{suffix}\n")
    (problem / "generators" / "sha256sums").write_text("".join(sorted(lines)))


def test_built_and_judged_in_name_order(judges: Judges, problem: Path, tmp_path: Path) -> None:
    judgement = judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert judgement.accepted
    names = [test.name for test in judgement.tests]
    assert names == ["sample/1", "secret/01-large", "secret/02-small", "secret/03-by-hand"]
    files = built(tmp_path / "cache")
    assert len(files["0.in"].split()) == 1000
    assert len(files["1.in"].split()) == 3
    assert sum(map(int, files["0.in"].split())) == int(files["0.ans"])
    wrong = judged(judges(cache_directory=tmp_path / "cache"), problem, "print(3)")
    assert not wrong.accepted


def test_an_input_that_no_generator_prints(judges: Judges, problem: Path, tmp_path: Path) -> None:
    """The solution answers it. Samples may be built, too."""
    recipes = problem / "generators/generators.yaml"
    samples = """  sample: {data: {"2": {copy: manual/04}, "3": "gen.py n=2 'seed=7 x'"}}\n"""
    recipes.write_text(f'{RECIPES}      - "04": {{copy: manual/04}}\n{samples}')
    (problem / "generators/manual").mkdir()
    (problem / "generators/manual/04.in").write_text("20 22\n")
    judge = judges(cache_directory=tmp_path / "cache")
    assert judged(judge, problem).accepted
    with judge.build_tests(problems.load(problem)) as whole:
        made = {case.name: (case.read_input(), case.read_answer(), case.sample) for case in whole.cases}
    assert made["secret/04"] == (b"20 22\n", b"42\n", False)
    assert made["sample/2"] == (b"20 22\n", b"42\n", True)
    assert [name for name in made if name.startswith("sample")] == list(made)[:3], "samples come first"
    (problem / "generators/manual/04.in").write_text("1\n")
    with judge.build_tests(problems.load(problem)) as whole:
        assert b"1\n" in [case.read_input() for case in whole.cases], "another input is another set"


def test_a_solution_that_reads_and_writes_files(judges: Judges, problem: Path, tmp_path: Path) -> None:
    (problem / "judge.yaml").write_text("file_io: {input: sum.in, output: sum.out}\n")
    solution = "print(sum(map(int, open('sum.in').read().split())), file=open('sum.out', 'w'))\n"
    (problem / "submissions/accepted/std.py").write_text(solution)
    assert judged(judges(cache_directory=tmp_path / "cache"), problem, solution).accepted
    assert int(built(tmp_path / "cache")["0.ans"]) > 1000
    (problem / "submissions/accepted/std.py").write_text("print(sum(map(int, open(0).read().split())))\n")
    assert judged(judges(cache_directory=tmp_path / "cache"), problem, solution).accepted, "one of its own may print"
    (problem / "submissions/accepted/std.py").write_text("")
    with pytest.raises(ProblemError, match=r"the solution printed nothing, and wrote no sum.out"):
        judged(judges(cache_directory=tmp_path / "cache"), problem, solution)


def test_a_solution_in_bash_may_start_what_bash_starts(judges: Judges, problem: Path, tmp_path: Path) -> None:
    (problem / "generators/generators.yaml").write_text(RECIPES.replace("std.py", "std.sh"))
    (problem / "submissions/accepted/std.sh").write_text("echo $(($(tr ' ' + | cat)))\n")
    judge = judges(cache_directory=tmp_path / "cache")
    if not counts_processes(judge.isolation):
        pytest.skip(f"no program has several processes on {judge.isolation}")
    assert judged(judge, problem).accepted


def test_a_library_that_is_not_installed_is_named(
    judges: Judges, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generators, "_LIBRARIES", ("no_such_library",))
    generators._libraries.cache_clear()
    try:
        with pytest.raises(LanguageError, match=re.escape("pip install '.[generators]' in judge's checkout")):
            judged(judges(cache_directory=tmp_path / "cache"), problem)
    finally:
        generators._libraries.cache_clear()


def test_built_once(judges: Judges, problem: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert judged(judges(cache_directory=cache), problem).accepted
    [sizes] = (cache / "testdata").glob("*/sizes.json")
    before = sizes.stat().st_mtime_ns, sizes.parent.stat().st_ino
    assert judged(judges(cache_directory=cache), problem).accepted
    assert (sizes.stat().st_mtime_ns, sizes.parent.stat().st_ino) == before


def test_damaged_data_are_built_anew(judges: Judges, problem: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert judged(judges(cache_directory=cache), problem).accepted
    before = built(cache)
    next((cache / "testdata").glob("*/1.ans")).write_bytes(b"")
    next((cache / "testdata").glob("*/0.in")).unlink()
    assert judged(judges(cache_directory=cache), problem).accepted
    assert built(cache) == before


def test_a_changed_generator_makes_other_data(judges: Judges, problem: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    judged(judges(cache_directory=cache), problem)
    shared = problem / "generators" / "shared.py"
    shared.write_text(shared.read_text().replace("randint(1, 9)", "randint(100, 900)"))
    judged(judges(cache_directory=cache), problem)
    assert len([path for path in (cache / "testdata").iterdir() if path.is_dir()]) == 2


def test_sums(judges: Judges, problem: Path, tmp_path: Path) -> None:
    assert judged(judges(cache_directory=tmp_path / "first"), problem).accepted
    pin(problem, tmp_path / "first")
    assert judged(judges(cache_directory=tmp_path / "second"), problem).accepted
    assert built(tmp_path / "second") == built(tmp_path / "first")
    pin(problem, tmp_path / "first", **{"0.in": b"other"})
    with pytest.raises(ProblemError, match=r"secret/01-large: the input differs from generators/sha256sums"):
        judged(judges(cache_directory=tmp_path / "third"), problem)
    pin(problem, tmp_path / "first", **{"1.ans": b"other"})
    with pytest.raises(ProblemError, match=r"secret/02-small: the answer differs"):
        judged(judges(cache_directory=tmp_path / "third"), problem)
    assert built(tmp_path / "third") == {}, "nothing half built stays"


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("generators/gen.py", "print(1 / 0)\n", r"generator gen.py failed \(exit code 1\): ZeroDivisionError"),
        ("submissions/accepted/std.py", "exit(3)\n", r"the solution failed \(exit code 3\)"),
        ("submissions/accepted/std.py", "def (\n", "solution .* does not compile"),
    ],
)
def test_what_cannot_be_built(
    judges: Judges, problem: Path, tmp_path: Path, *, file: str, text: str, says: str
) -> None:
    (problem / file).write_text(text)
    with pytest.raises(ProblemError, match=says):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert built(tmp_path / "cache") == {}


def test_a_generator_that_never_ends(
    judges: Judges, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated, "GENERATOR_LIMITS", replace(generated.GENERATOR_LIMITS, cpu_ns=SECOND_NS // 5))
    (problem / "generators/gen.py").write_text("while True:\n    pass\n")
    with pytest.raises(ProblemError, match=r"secret/01-large: generator gen.py failed \(cpu"):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert built(tmp_path / "cache") == {}


def test_a_set_that_takes_too_long(
    judges: Judges, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time is counted from the first test on, whatever each alone may take."""
    monkeypatch.setattr(generated, "MOST_SET_NS", SECOND_NS // 5)
    (problem / "generators/gen.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(ProblemError, match=r"secret/01-large: generator gen.py failed \(wall"):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    monkeypatch.setattr(generated, "MOST_SET_NS", 0)
    with pytest.raises(ProblemError, match=r"making 0 of \d+ generated tests took 0 h, the most for all"):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert built(tmp_path / "cache") == {}


def test_several_judges_at_once_build_the_same(judges: Judges, problem: Path, tmp_path: Path) -> None:
    found: list[Judgement] = []
    threads = [
        threading.Thread(target=lambda judge=judge: found.append(judged(judge, problem)))
        for judge in [judges(cache_directory=tmp_path / "cache") for _ in range(3)]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [judgement.accepted for judgement in found] == [True] * 3
    assert len([path for path in (tmp_path / "cache" / "testdata").iterdir() if path.is_dir()]) == 1


def test_too_many_are_refused_when_the_package_is_read(package: MakePackage) -> None:
    lines = "".join(f"      - '{number}': gen.py\n" for number in range(MOST_GENERATED + 1))
    files = {
        "generators/gen.py": "print(1)\n",
        "generators/generators.yaml": f"solution: /submissions/accepted/std.py\ndata:\n  secret:\n    data:\n{lines}",
        "submissions/accepted/std.py": SOLUTION,
    }
    with pytest.raises(
        ProblemError, match=rf"generators.yaml: lists {MOST_GENERATED + 1} .* more than {MOST_GENERATED}"
    ):
        problems.load(package({"sample/1": ("1\n", "1\n")}, files=files))


@pytest.mark.parametrize("who", ["generator", "solution"])
def test_a_file_that_is_too_large_is_refused(judges: Judges, problem: Path, tmp_path: Path, *, who: str) -> None:
    name = "generators/gen.py" if who == "generator" else "submissions/accepted/std.py"
    (problem / name).write_text("block = 'x' * (1 << 20)\nwhile True:\n    print(block)\n")
    with pytest.raises(ProblemError, match=rf"{who}.* wrote more than 256 MiB, the most that one file may hold"):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert built(tmp_path / "cache") == {}


@pytest.mark.parametrize("bound", ["set", "cache"])
def test_a_set_that_is_too_large_is_refused(
    judges: Judges, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, bound: str
) -> None:
    (problem / "generators/gen.py").write_text("print('1 ' * 30_000)\n")
    if bound == "set":
        monkeypatch.setattr(generated, "MOST_SET_BYTES", 100_000)
    else:
        monkeypatch.setenv("JUDGE_CACHE_LIMIT", "100K")
    with pytest.raises(ProblemError, match=r"02-small: .* wrote more than is left .* JUDGE_CACHE_LIMIT"):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert built(tmp_path / "cache") == {}


def test_a_set_that_was_evicted_is_built_again(judges: Judges, problem: Path, tmp_path: Path) -> None:
    judge = judges(cache_directory=tmp_path / "cache")
    assert judged(judge, problem).accepted
    before = built(tmp_path / "cache")
    other = Cache(tmp_path / "cache", limit_bytes=2000)
    assert other.stats().sets == 1
    other.put(hashlib.sha256(b"a").hexdigest(), bytes(1800))
    assert (other.stats().sets, built(tmp_path / "cache")) == (0, {})
    assert judged(judge, problem).accepted
    assert built(tmp_path / "cache") == before


def test_a_set_that_a_judgement_reads_stays(judges: Judges, problem: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    judge = judges(cache_directory=cache)
    assert judged(judge, problem).accepted
    [directory] = (path for path in (cache / "testdata").iterdir() if path.is_dir())
    slow = "import time\ntime.sleep(0.5)\n" + SOLUTION
    found: list[Judgement] = []
    thread = threading.Thread(target=lambda: found.append(judged(judge, problem, slow)))
    thread.start()
    cleared = 0
    while thread.is_alive():
        Cache(cache).clear()
        cleared += directory.exists()
    thread.join()
    assert found[0].accepted, found[0]
    assert cleared, "it was cleared while the judgement went on"
    Cache(cache).clear()
    assert not directory.exists()


def test_what_a_killed_builder_left_goes(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", limit_bytes=10_000)

    def build(directory: Path) -> None:
        (directory / "0.in").write_bytes(bytes(8000))
        cache.put(hashlib.sha256(b"a").hexdigest(), bytes(5000))
        assert (directory / "0.in").exists(), "it is being built"

    with cache.holding("set", Path.exists, build):
        pass
    (tmp_path / "cache/testdata/set").rename(tmp_path / "cache/testdata/.new-set")
    assert cache.stats().testdata_bytes == 8000
    cache.prune(0)
    assert cache.stats().testdata_bytes == 0
