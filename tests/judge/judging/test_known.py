"""Verdicts that are known: what is kept, for which submissions it stands, and who must never be given one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import psutil
import pytest

import problems
from judge import CompileResult, Judge, Judgement, Options, Stop, Submission, TestResult, Verdict
from judge.judging import fingerprint
from judge.judging.engine import Engine
from judge.judging.fingerprint import of_problem
from judge.judging.known import lasting
from judge.many.verify import verify
from judge.store.cache import Cache
from judge.store.inputs import Inputs
from problems.model import Comparison, Convention, Grader, Limits, Problem, Program

if TYPE_CHECKING:
    from tests.conftest import MakePackage

Judges = Callable[..., Judge]

KNOWN = Options(verdict_cache=True)
ADD = b"print(sum(map(int, input().split())))\n"
WRONG = b"print(3)\n"


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages are written a moment before they are judged, and files change at most once in a tick."""
    monkeypatch.setattr(fingerprint, "_SETTLED_NS", 0)


@pytest.fixture
def problem(package: MakePackage) -> Path:
    return package({"secret/1": ("1 2\n", "3\n"), "secret/2": ("3 4\n", "7\n")})


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """The submissions that were really judged."""
    seen: list[Submission] = []
    anew = Engine._judge_anew

    def counted(self: Engine, submission: Submission, *how: Any) -> Judgement:
        seen.append(submission)
        return anew(self, submission, *how)

    monkeypatch.setattr(Engine, "_judge_anew", counted)
    return seen


def row(problem: Path, source: bytes = ADD, id_: str | None = None, language: str = "python3") -> Submission:
    return Submission(source=source, problem=problem, language=language, id=id_)


def test_another_process_is_told_what_was_judged(
    judges: Judges, problem: Path, judged: list[Submission], tmp_path: Path
) -> None:
    rows = [row(problem, id_="a"), row(problem, WRONG, "b"), row(problem, b"int main() {", "c", "cpp17")]
    cache = tmp_path / "cache"
    first, second = ({j.id: j for j in judges(cache_directory=cache).judge_many(rows, KNOWN)} for _ in range(2))
    assert len(judged) == 3
    assert [first[name].verdict for name in "abc"] == ["AC", "WA", "CE"]
    assert second == {name: replace(judgement, cached=True) for name, judgement in first.items()}
    assert not any(judgement.cached for judgement in first.values())
    for judgement in second.values():
        assert all(type(test.verdict) is Verdict and type(test.suspicious) is tuple for test in judgement.tests)


def test_within_a_judge_it_is_known_at_once(
    judges: Judges, problem: Path, judged: list[Submission], tmp_path: Path
) -> None:
    judge = judges(cache_directory=tmp_path / "cache")
    assert not judge.judge(row(problem, id_="a"), KNOWN).cached
    future = judge.submit(row(problem, id_="b"), KNOWN)
    assert future.done()
    assert (future.result().id, future.result().cached, len(judged)) == ("b", True, 1)


def test_only_who_asks_is_given_it(judges: Judges, problem: Path, judged: list[Submission], tmp_path: Path) -> None:
    judge = judges(cache_directory=tmp_path / "cache")
    for options in (KNOWN, Options(), None):
        assert not judge.judge(row(problem), options).cached
    assert len(judged) == 3


def test_verifying_a_package_judges_really(
    judges: Judges, package: MakePackage, judged: list[Submission], tmp_path: Path
) -> None:
    labelled = package({"secret/1": ("1 2\n", "3\n")}, files={"submissions/accepted/add.py": ADD.decode()})
    judge = judges(cache_directory=tmp_path / "cache")
    for _ in range(2):
        for options in (None, KNOWN):
            (verified,) = verify(judge, labelled, options)
            assert verified.judgement is not None
            assert verified.judgement.accepted
    assert len(judged) == 4


@pytest.mark.parametrize(
    ("source", "language", "options"),
    [
        (ADD + b"\n", "python3", KNOWN),
        (ADD, "pypy3", KNOWN),
        (ADD, "python3", replace(KNOWN, cpu_ns=5_000_000_000)),
        (ADD, "python3", replace(KNOWN, memory_bytes=1 << 28)),
        (ADD, "python3", replace(KNOWN, stop=Stop.FIRST_FAILURE)),
        (ADD, "python3", replace(KNOWN, language_multiplier=False)),
        (ADD, "python3", replace(KNOWN, confirm_tle=False)),
    ],
)
def test_whatever_differs_is_judged(
    judges: Judges,
    problem: Path,
    judged: list[Submission],
    tmp_path: Path,
    source: bytes,
    language: str,
    options: Options,
) -> None:
    judge = judges(cache_directory=tmp_path / "cache")
    judge.judge(row(problem), KNOWN)
    rest = list(judge.judge_many([row(problem, source, None, language)], options))
    assert not rest[0].cached
    assert judge.judge(row(problem), KNOWN).cached


def test_other_walls_are_another_context(judges: Judges, problem: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert not judges(cache_directory=cache).judge(row(problem), KNOWN).cached
    assert not judges(cache_directory=cache, backend="unsafe").judge(row(problem), KNOWN).cached


def test_an_edited_package_is_judged_again(
    judges: Judges, problem: Path, tmp_path: Path, judged: list[Submission]
) -> None:
    cache = tmp_path / "cache"
    assert judges(cache_directory=cache).judge(row(problem), KNOWN).accepted
    answer = problem / "data/secret/2.ans"
    answer.write_text("8\n")
    assert judges(cache_directory=cache).judge(row(problem), KNOWN).verdict is Verdict.WA
    answer.write_text("7\n")
    again = judges(cache_directory=cache).judge(row(problem), KNOWN)
    assert (again.verdict, again.cached, len(judged)) == ("AC", True, 2)


def test_a_package_edited_meanwhile_leaves_nothing_behind(
    judges: Judges, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged on the edited data must not stand for the data as they were, and are again."""
    cache, answer, anew = tmp_path / "cache", problem / "data/secret/2.ans", Engine._judge_anew

    def edited(self: Engine, *what: Any) -> Judgement:
        answer.write_text("8\n")
        return anew(self, *what)

    monkeypatch.setattr(Engine, "_judge_anew", edited)
    assert judges(cache_directory=cache).judge(row(problem), KNOWN).verdict is Verdict.WA
    monkeypatch.setattr(Engine, "_judge_anew", anew)
    answer.write_text("7\n")
    found = judges(cache_directory=cache).judge(row(problem), KNOWN)
    assert (found.verdict, found.cached) == ("AC", False)


def test_an_edited_input_reaches_the_program(judges: Judges, problem: Path) -> None:
    judge = judges()
    assert judge.judge(row(problem)).accepted
    (problem / "data/secret/2.in").write_text("3 5\n")
    assert judge.judge(row(problem)).verdict is Verdict.WA


def test_inputs_are_kept_by_content_and_given_back(problem: Path) -> None:
    case = problems.load(problem).cases[0]
    inputs = Inputs()
    before = psutil.Process().num_fds()
    for text in ("1 2\n", "", "5 6\n" * 100_000):
        case.input.write_text(text)
        for _ in range(2):
            with inputs.open(case) as stdin:
                assert os.pread(stdin, 1 << 20, 0).decode() == text
                with pytest.raises(OSError, match="Bad file"):
                    os.write(stdin, b"x")
    inputs.close()
    assert psutil.Process().num_fds() == before


def test_a_damaged_entry_is_judged_again(
    judges: Judges, problem: Path, tmp_path: Path, judged: list[Submission]
) -> None:
    cache = tmp_path / "cache"
    judges(cache_directory=cache).judge(row(problem), KNOWN)
    for path in cache.glob("objects/??/*"):
        path.write_bytes(path.read_bytes()[:-2])
    assert not judges(cache_directory=cache).judge(row(problem), KNOWN).cached
    assert judges(cache_directory=cache).judge(row(problem), KNOWN).cached
    assert len(judged) == 2


def test_files_that_change_right_now_have_no_fingerprint(
    judges: Judges, problem: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "_SETTLED_NS", 3_600_000_000_000)
    judge = judges(cache_directory=tmp_path / "cache")
    assert [judge.judge(row(problem), KNOWN).cached for _ in range(2)] == [False, False]


RAN = TestResult(name="1", group="secret", verdict=Verdict.AC, score=1.0, exit_code=0)
GOOD = Judgement(
    problem="p",
    language="c17",
    verdict=Verdict.AC,
    accepted=True,
    score=1.0,
    compile=CompileResult(verdict="ok"),
    tests=(RAN,),
)


@pytest.mark.parametrize(
    ("change", "options", "lasts"),
    [
        ({}, KNOWN, True),
        ({"verdict": Verdict.IE, "error": "test 1: the checker failed"}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.IE),)}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.TLE),)}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.TLE, confirmed="TLE"),)}, KNOWN, True),
        ({"tests": (RAN, replace(RAN, verdict=Verdict.TLE))}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.MLE, exit_code=0),)}, KNOWN, True),
        ({"tests": (replace(RAN, verdict=Verdict.MLE, exit_code=1),)}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.MLE, exit_code=None, signal="SIGKILL"),)}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.RE, signal="SIGSEGV"),)}, KNOWN, True),
        ({"tests": (replace(RAN, verdict=Verdict.RE, signal="SIGKILL"),)}, KNOWN, False),
        ({"tests": (replace(RAN, verdict=Verdict.OLE),)}, KNOWN, True),
        ({"complete": False}, replace(KNOWN, stop=Stop.FIRST_FAILURE), True),
        ({"complete": False}, replace(KNOWN, stop=Stop.ACCEPTED_ONLY), False),
        ({}, replace(KNOWN, stop=Stop.ACCEPTED_ONLY), True),
        ({"compile": CompileResult(verdict="error", output="no")}, KNOWN, True),
        ({"compile": CompileResult(verdict="error", output="the compiler was ended by signal 9")}, KNOWN, False),
        ({"compile": CompileResult(verdict="time")}, KNOWN, False),
        ({"compile": CompileResult(verdict="memory")}, KNOWN, False),
        ({"compile": None}, KNOWN, False),
    ],
)
def test_what_load_or_luck_decided_is_not_kept(change: Mapping[str, Any], options: Options, lasts: bool) -> None:
    assert lasting(replace(GOOD, **change), options) is lasts


class TestFingerprint:
    @pytest.fixture
    def cache(self, tmp_path: Path) -> Cache:
        return Cache(tmp_path / "cache")

    def digest(self, problem: Problem, cache: Cache) -> str:
        found = of_problem(problem, cache)
        assert found is not None
        return found.digest

    def test_it_is_the_content_not_the_place(self, package: MakePackage, cache: Cache) -> None:
        cases = {"secret/1": ("1 2\n", "3\n")}
        one, two = (problems.load(package(cases, name=name)) for name in ("one", "two"))
        assert self.digest(one, cache) == self.digest(replace(two, name="one"), cache)
        assert self.digest(one, cache) != self.digest(two, cache), "the name stands in the Judgement"

    @pytest.mark.parametrize(
        "change",
        [
            {"limits": Limits(cpu_ns=7)},
            {"checker": Comparison(case_sensitive=False)},
            {"file_io": problems.model.FileIO(input="a.in")},
            {"groups": ()},
            {"cases": ()},
        ],
    )
    def test_whatever_judging_asks_counts(self, problem: Path, cache: Cache, change: Mapping[str, Any]) -> None:
        loaded = problems.load(problem)
        assert self.digest(loaded, cache) != self.digest(replace(loaded, **change), cache)

    @pytest.mark.parametrize("change", [{"weight": 2.0}, {"sample": True}, {"arguments": ("x",)}, {"group": "g"}])
    def test_so_does_each_case(self, problem: Path, cache: Cache, change: Mapping[str, Any]) -> None:
        loaded = problems.load(problem)
        other = replace(loaded, cases=(replace(loaded.cases[0], **change), *loaded.cases[1:]))
        assert self.digest(loaded, cache) != self.digest(other, cache)

    def test_so_do_programs_by_name_and_content(self, problem: Path, cache: Cache, tmp_path: Path) -> None:
        loaded = problems.load(problem)
        digests = set()
        for number, (name, text) in enumerate((("a.cpp", "1"), ("a.cpp", "2"), ("b.cpp", "2"))):
            path = tmp_path / str(number) / name
            path.parent.mkdir()
            path.write_text(text)
            checker = Program(convention=Convention.TESTLIB, sources=(path,))
            grader = Grader(files=MappingProxyType({"cpp": (path,)}))
            digests |= {self.digest(replace(loaded, **{"checker": checker}), cache)}
            digests |= {self.digest(replace(loaded, grader=grader), cache)}
        assert len(digests) == 6

    def test_words_about_the_problem_do_not(self, problem: Path, cache: Cache) -> None:
        loaded = problems.load(problem)
        other = replace(
            loaded, title=MappingProxyType({"en": "Another"}), keywords=("x",), authors=("y",), submissions=()
        )
        assert self.digest(loaded, cache) == self.digest(other, cache)

    def test_the_same_size_and_time_are_not_the_same_content(self, problem: Path, cache: Cache) -> None:
        loaded = problems.load(problem)
        before = of_problem(loaded, cache)
        path = loaded.cases[0].input
        status = path.stat()
        time.sleep(0.02)  # another tick of the file system's clock
        path.write_text("2 1\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        after = of_problem(loaded, cache)
        assert before is not None
        assert after is not None
        assert not before.current()
        assert before.digest != after.digest

    def test_a_missing_file_has_none(self, problem: Path, cache: Cache) -> None:
        loaded = problems.load(problem)
        loaded.cases[0].input.unlink()
        assert of_problem(loaded, cache) is None
