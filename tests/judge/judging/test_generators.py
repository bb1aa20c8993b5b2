"""Generators in every language: programs of the package, compiled and run in the sandbox as its checkers are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import problems
from judge import Judge, Judgement, Submission, languages
from judge.common.errors import LanguageError
from judge.judging import generated
from problems.errors import ProblemError
from problems.validate import validate
from problems.writing.write import write
from tests.conftest import MakePackage
from tests.judge.put import put_language

Judges = Callable[..., Judge]

SOLUTION = "print(sum(map(int, input().split())))\n"
#: Of testlib.h, what a generator needs: enough to see that it is found, and that the seed is all its chance.
TESTLIB = """#include <cstdio>
#include <cstdlib>
static unsigned state = 1;
static void registerGen(int argc, char **argv, int) {
    for (int i = 1; i < argc; i++) for (char *p = argv[i]; *p; p++) state = state * 31 + *p;
}
static int next(int n) { state = state * 1103515245u + 12345u; return (state >> 16) % n; }
"""
#: Each prints as many numbers as its first argument says, with the second one as the seed.
PROGRAMS = {
    "c": {"gen.c": "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n"
          "    srand(atoi(v[c - 1]));\n    for (int n = atoi(v[1]); n--;) printf(\"%d \", rand() % 9);\n}\n"},
    "testlib": {
        "gen.cpp": '#include "testlib.h"\nint main(int argc, char *argv[]) {\n    registerGen(argc, argv, 1);\n'
        '    for (int n = atoi(argv[1]); n--;) printf("%d ", next(9));\n}\n',
        "testlib.h": TESTLIB,
        "other.cpp": "int main() { return 1; }\n",
    },
    "java": {"Gen.java": "import java.util.Random;\npublic class Gen {\n"
             "    public static void main(String[] a) {\n        Random r = new Random(Long.parseLong(a[1]));\n"
             '        for (int n = Integer.parseInt(a[0]); n > 0; n--) System.out.print(r.nextInt(9) + " ");\n'
             "    }\n}\n"},
    "bash": {"gen.sh": 'RANDOM=$2\nfor _ in $(seq "$1"); do printf "%d " $((RANDOM % 9)); done\n'},
    "perl": {"gen.pl": 'srand($ARGV[1]); print int(rand(9)), " " for 1 .. $ARGV[0];\n'},
    "directory": {
        "gen/main.cpp": '#include "part.h"\n#include <cstdlib>\nint main(int, char **v) '
        "{ srand(atoi(v[2])); some(atoi(v[1])); }\n",
        "gen/part.cpp": '#include "part.h"\n#include <cstdio>\n#include <cstdlib>\n'
        'void some(int n) { while (n--) printf("%d ", rand() % 9); }\n',
        "gen/part.h": "void some(int);\n",
    },
    "scripts": {
        "gen/build": "#!/bin/sh\nset -e\ng++ -o program part/gen.cpp\n",
        "gen/run": '#!/bin/sh\nexec "$(dirname "$0")/program" "$@"\n',
        "gen/part/gen.cpp": "#include <cstdio>\n#include <cstdlib>\nint main(int, char **v) {\n"
        '    srand(atoi(v[2]));\n    for (int n = atoi(v[1]); n--;) printf("%d ", rand() % 9);\n}\n',
    },
}  # fmt: skip


def with_generator(package: MakePackage, files: dict[str, str], *commands: str) -> Path:
    lines = "".join(f'      - "0{number}-made": {command}\n' for number, command in enumerate(commands, 2))
    return package(
        {"sample/1": ("1 2\n", "3\n")},
        files={
            **{f"generators/{name}": text for name, text in files.items()},
            "generators/generators.yaml": "solution: /submissions/accepted/std.py\n"
            f"data:\n  secret:\n    data:\n{lines}",
            "submissions/accepted/std.py": SOLUTION,
        },
    )


def judged(judge: Judge, problem: Path) -> Judgement:
    return judge.judge(Submission(source=SOLUTION.encode(), problem=problem, language="python3"))


def inputs(cache: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((cache / "testdata").glob("*/*.in"))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_generator_of_each_language(judges: Judges, package: MakePackage, tmp_path: Path, name: str) -> None:
    files = PROGRAMS[name]
    command = next(iter(files)).partition("/")[0]
    problem = with_generator(package, files, f"{command} 5 7", f"{command} 5 7", f"{command} 6 8")
    judge = judges()
    assert judged(judge, problem).accepted
    with judge.build_tests(problem) as built:
        made = [case.read_input() for case in built.cases[1:]]
    assert [len(data.split()) for data in made] == [5, 5, 6]
    assert made[0] == made[1] != made[2][: len(made[0])], "its arguments are all its chance"
    again = problems.load(write(problems.load(problem), tmp_path / "written"))
    with judge.build_tests(again) as built:
        assert [case.read_input() for case in built.cases[1:]] == made
    generator = problem / "generators" / command
    assert judge.generate([(generator, ("5", "7")), (generator, ("999", "7"))], 100) == [made[0], None]


def test_another_header_makes_other_data(judges: Judges, package: MakePackage, tmp_path: Path) -> None:
    files = {
        "gen.c": '#include <stdio.h>\n#include "n.h"\nint main(void) { printf("%d", N); }\n',
        "n.h": "#define N 4\n",
    }
    problem = with_generator(package, files, "gen.c")
    assert judged(judges(cache_directory=tmp_path / "cache"), problem).accepted
    (problem / "generators/n.h").write_text("#define N 9\n")
    assert judged(judges(cache_directory=tmp_path / "cache"), problem).accepted
    assert sorted(inputs(tmp_path / "cache")) == [b"4", b"9"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"gen.c": "int main(void) { return x; }\n"}, r"generator .*generators/gen\.c does not compile:\n.*undeclared"),
        ({"gen.c": "int main(void) { return 3; }\n"}, r"02-made: generator gen\.c failed \(exit code 3\)"),
        ({"gen.c": "int main(void) { return *(volatile int *)0; }\n"}, r"generator gen\.c failed \(signaled\)"),
        ({"gen.c": "int main(void) { for (;;); }\n"}, r"generator gen\.c failed \(cpu-limit\)"),
        ({"gen.xyz": "1\n"}, r"generators/gen\.xyz: no language has the suffix '\.xyz'; give it that of a language"),
        ({"gen.cpp": '#include "testlib.h"\n'}, r"generators/gen\.cpp does not compile:\n.*testlib\.h: No such file"),
    ],
)
def test_what_does_not_work_is_the_package_s_fault(
    judges: Judges,
    package: MakePackage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    says: str,
) -> None:
    limits = replace(generated.GENERATOR_LIMITS, cpu_ns=100_000_000)
    monkeypatch.setattr(generated, "GENERATOR_LIMITS", limits)
    problem = with_generator(package, files, f"{next(iter(files))} 1")
    with pytest.raises(ProblemError, match=f"(?s){says}"):
        judged(judges(cache_directory=tmp_path / "cache"), problem)
    assert inputs(tmp_path / "cache") == []


def test_a_language_that_is_missing_is_never_the_submission_s_fault(
    judges: Judges, package: MakePackage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even of one in the same language, which it chose by its fence."""
    problem = with_generator(package, PROGRAMS["perl"], "gen.pl 1 2")
    perl = languages.get("perl")
    put_language(monkeypatch, replace(perl, toolchain=replace(perl.toolchain, commands=("no such",))))
    for language in ("perl", "python3"):
        submission = Submission(source=b"", problem=problem, language=language, default_language="cpp17")
        with pytest.raises(LanguageError, match=r"generator .*generators/gen\.pl: .*apt-get install perl"):
            judges(cache_directory=tmp_path / "cache").judge(submission)


def test_links_do_not_leave_the_package(package: MakePackage, tmp_path: Path) -> None:
    (tmp_path / "secret.h").write_text("")
    problem = with_generator(package, {"gen.c": "int main(void) {}\n"}, "gen.c")
    (problem / "generators/secret.h").symlink_to(tmp_path / "secret.h")
    with pytest.raises(ProblemError, match=r"generators/secret\.h: is a symbolic link that leaves the package"):
        generated.Generated.of(problems.load(problem))


def test_a_header_of_testlib_that_is_not_there_is_told_before(package: MakePackage) -> None:
    problem = with_generator(package, {"gen.cpp": '#include "testlib.h"\n'}, "gen.cpp")
    told = [finding for finding in validate(problems.load(problem)) if finding.file.endswith("generators/gen.cpp")]
    assert [finding.message for finding in told] == ["includes testlib.h, which is not there"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_files_beside_it_are_shown_to_a_directory(judges: Judges, package: MakePackage, tmp_path: Path) -> None:
    files = {
        "gen/main.sh": 'source "$(dirname "$0")/lib.sh"\nnumbers 4\n',
        "gen/lib.sh": 'numbers() { seq -s " " "$1"; }\n',
    }
    problem = with_generator(package, files, "gen")
    assert judged(judges(cache_directory=tmp_path / "cache"), problem).accepted
    assert inputs(tmp_path / "cache") == [b"1 2 3 4\n"]
