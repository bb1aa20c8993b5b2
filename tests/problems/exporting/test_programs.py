"""Comparisons and validators that stand in for what a format lacks say what ours say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from judge.checkers.compare import compare
from problems import Comparison, Convention, Mode, Problem, Program
from problems.exporting.programs import comparing, in_one, of_convention
from problems.exporting.target import Target

RULES = (
    Comparison(),
    Comparison(mode=Mode.TOKENS_CI, case_sensitive=False),
    Comparison(space_sensitive=True),
    Comparison(mode=Mode.EXACT),
    Comparison(mode=Mode.LINES),
    Comparison(mode=Mode.FULL_LINES),
    Comparison(mode=Mode.STRIPPED_LINES),
    Comparison(mode=Mode.ALIKE_SPACES),
    Comparison(mode=Mode.NUMBERS, absolute_tolerance=1e-3),
    Comparison(mode=Mode.TOKENS_BY_LINE),
    Comparison(mode=Mode.TOKENS_BY_LINE, absolute_tolerance=1e-3),
    Comparison(mode=Mode.TOKENS_BY_EVERY_LINE),
    Comparison(mode=Mode.YESNO),
    Comparison(mode=Mode.SORTED_LINES),
    Comparison(mode=Mode.UNORDERED_TOKENS, case_sensitive=False),
    Comparison(mode=Mode.FLOAT, absolute_tolerance=1e-3),
    Comparison(mode=Mode.FLOAT, relative_tolerance=1e-6, absolute_tolerance=1e-6, case_sensitive=False),
    Comparison(mode=Mode.FLOAT, absolute_tolerance=0.1, space_sensitive=True),
)
ANSWERS = ("yes\nno\n", "1.5 abc\n2e3  x\n", "nan inf 0.1\n", "", "b a\n\nc\n", "b a\n\n\n", "\n\n")
OUTPUTS = (
    *ANSWERS,
    *("YES\nNO\n", "yes no", "no\nyes\n", "yes\r\nno\r\n\n\n", "yes\nno\nyes\n", "yes"),
    *("1.50001 abc\n2000  x\n", "1.5004 ABC 2e3 x", "1.6 abc\n2e3  x\n", "0x1p1 abc\n2e3  x\n", "1_5 abc\n2e3  x\n"),
    *(
        "NaN Infinity 0.1000001\n",
        "nan -inf 0.1\n",
        "inf nan 0.1\n",
        "c\nb a\n",
        "a b c",
        " b a \n \nc \n\n",
        "b a\n\nc\n\n \n",
        "b a\r\rc",
        "b a \n\nc \n",
        "b\ta\r\n\nc",
        "b\na\n\nc",
        "x = 1.5004, y = 2\n3",
        "\v\0\xff",
        *("b a\n \n", "b a\n\n \n", " \n"),
    ),
)


def target(**settings: object) -> Target:
    problem = Problem(name="x", directory=Path("/nowhere"), title={})
    return Target(problem=problem, format="the format", lenient=False, packed=False, **settings)  # type: ignore[arg-type]


def built(source: str | bytes, place: Path) -> Path:
    text = source if isinstance(source, bytes) else source.encode()
    place.with_suffix(".cpp").write_bytes(text)
    command = ["g++", "-std=c++14", "-O0", "-Wall", "-Wextra", "-Werror", "-o", place, place.with_suffix(".cpp")]
    subprocess.run(command, check=True)
    return place


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.mode}-{RULES.index(rule)}")
def test_a_written_checker_compares_as_ours_does(tmp_path: Path, rule: Comparison) -> None:
    testlib = built(comparing(target(), rule, Convention.TESTLIB), tmp_path / "testlib")
    icpc = built(comparing(target(), rule, Convention.ICPC), tmp_path / "icpc") if rule == RULES[0] else None
    files = [tmp_path / name for name in ("input", "output", "answer")]
    files[0].write_bytes(b"")
    seen = set()
    for answer in ANSWERS:
        if rule.mode is Mode.YESNO and answer != ANSWERS[0]:
            continue  # no answer of such a problem
        for output in OUTPUTS:
            files[1].write_text(output, "latin-1", newline="")
            files[2].write_text(answer, newline="")
            ours = compare(files[1].read_bytes(), files[2].read_bytes(), rule).score > 0
            told = subprocess.run([testlib, *files], capture_output=True, text=True, errors="replace", check=False)
            assert (told.returncode, ours) in ((0, True), (1, False)), (rule, answer, output, told.stderr)
            assert told.stderr.startswith("ok" if ours else "wrong answer ")
            seen.add(ours)
            if icpc is not None:
                arguments = [icpc, files[0], files[2], f"{tmp_path}/"]
                assert subprocess.run(arguments, input=files[1].read_bytes(), check=False).returncode == 43 - ours
    assert seen == {True, False}


ICPC = """#include <cstdlib>
#include <fstream>
#include <iostream>
#include "part.h"
int main(int argc, char **argv) {
    std::ifstream input(argv[1]), answer(argv[2]);
    int n, expected, got = -1;
    input >> n;
    answer >> expected;
    std::cin >> got;
    if (argc > 4) expected += std::atoi(argv[4]);
    std::ofstream(std::string(argv[3]) + "judgemessage.txt") << "n is " << n;
    if (got == expected / 2) std::ofstream(std::string(argv[3]) + "score_multiplier.txt") << PART;
    if (got == 99) std::exit(7);
    std::exit(got == expected || got == expected / 2 ? 42 : 43);
}
"""


def test_a_checker_of_the_icpc_convention_behind_testlibs_calls(tmp_path: Path) -> None:
    (tmp_path / "c.cpp").write_text(ICPC)
    (tmp_path / "part.h").write_text("#define PART 0.25\n")
    sources = (tmp_path / "c.cpp", tmp_path / "part.h")
    program = Program(convention=Convention.ICPC, sources=sources, arguments=("10",))
    source, header = in_one(of_convention(target(), program, Convention.TESTLIB, "checker"))
    assert header is None
    checker = built(source, tmp_path / "made")
    for name, text in (("input", "5"), ("answer", "30")):
        (tmp_path / name).write_text(text)
    expected = {
        "40": (0, "ok n is 5"),
        "1": (1, "wrong answer n is 5"),
        "20": (7, "points 0.25 n is 5"),
        "99": (3, "FAIL"),
    }
    for output, (code, said) in expected.items():
        (tmp_path / "output").write_text(output)
        files = [tmp_path / name for name in ("input", "output", "answer")]
        ran = subprocess.run([checker, *files], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert ran.returncode == code, (output, ran.stderr)
        assert ran.stderr.startswith(said)
    assert not list(tmp_path.glob("feedback*")), "it leaves no directory"


TESTLIB = """#include <cstdlib>
#include <fstream>
#include <iostream>
int main(int, char **argv) {
    int got = -1, expected;
    std::ifstream(argv[2]) >> got;
    std::ifstream(argv[3]) >> expected;
    if (got == 5) { std::cerr << "points 0.5 half"; std::exit(7); }
    return got == expected ? 0 : 1;
}
"""


def test_a_checker_of_testlibs_convention_behind_the_icpc_formats_calls(tmp_path: Path) -> None:
    (tmp_path / "c.cpp").write_text(TESTLIB)
    program = Program(convention=Convention.TESTLIB, sources=(tmp_path / "c.cpp",))
    (source,) = of_convention(target(), program, Convention.ICPC, "checker").values()
    checker = built(source, tmp_path / "made")
    (tmp_path / "answer").write_text("10\n")
    for output, code in (("10", 42), ("9", 43), ("5", 42)):
        place = tmp_path / output
        place.mkdir()
        arguments = ["/dev/null", tmp_path / "answer", f"{place}/"]
        assert subprocess.run([checker, *arguments], input=output.encode(), check=False).returncode == code
    assert (tmp_path / "5" / "score_multiplier.txt").read_text() == "0.5"


def test_an_input_validator_changes_its_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "v.cpp").write_text("#include <cstdio>\nint main() { return std::getchar() == 'x' ? 42 : 1; }\n")
    program = Program(convention=Convention.ICPC, sources=(tmp_path / "v.cpp",))
    validator = built(in_one(of_convention(target(), program, Convention.TESTLIB, "validator"))[0], tmp_path / "made")
    assert subprocess.run([validator], input=b"x", check=False).returncode == 0
    assert subprocess.run([validator], input=b"y", check=False).returncode == 3
