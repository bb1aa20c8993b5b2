"""Every way in which a package is refused: the message names the file, the line where YAML has one, and the remedy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import problems
from problems import ProblemError
from problems.files.parcel import pack
from problems.importing import import_problems
from problems.validate import validate
from tests.packages import DRAFT, LEGACY, MINIMAL, PROBLEM, Files, scored, write_files

G = "generators/generators.yaml"
CUSTOM = {**LEGACY, "problem.yaml": "name: Sum\ntype: scoring\n", "graders/g.py": "print('AC 1')\n"}
GEN = {"generators/gen.py": "print(1)\n"}


def generators(body: str) -> dict[str, str]:
    return {**MINIMAL, **GEN, G: body}


#: name -> (files, message after the package's path)
BROKEN: dict[str, tuple[Files, str]] = {
    "no problem.yaml": (
        {**MINIMAL, "problem.yaml": None},
        ": is no problem package (no problem.yaml); `judge problems new` makes one",
    ),
    "unknown version": (
        {**MINIMAL, "problem.yaml": "name: x\nproblem_format_version: 2031-01\n"},
        "/problem.yaml:2: unknown problem_format_version '2031-01'; "
        "convert the package to one of 2025-09, 2023-07-draft, legacy",
    ),
    "bad YAML": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limits: {time_limit: 1\n"},
        "/problem.yaml:5: bad YAML: did not find expected ',' or '}'; correct the syntax there",
    ),
    "no map": (
        {**MINIMAL, "data/secret/test_group.yaml": "- a\n"},
        "/data/secret/test_group.yaml:1: does not hold a map of keys; write `key: value` lines",
    ),
    "key twice": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limits: {}\nlimits: {}\n"},
        "/problem.yaml:5: key 'limits' is given twice; keep one of them",
    ),
    "alias": (
        {**MINIMAL, "problem.yaml": PROBLEM + "keywords: [&a x, *a]\n"},
        "/problem.yaml:4: YAML aliases (*name) are not supported; write the value out",
    ),
    "tag": (
        {**MINIMAL, "problem.yaml": PROBLEM + "keywords: !!set {a, b}\n"},
        "/problem.yaml:4: YAML tag 'tag:yaml.org,2002:set' is not supported; remove it",
    ),
    "key that is a list": (
        {**MINIMAL, "problem.yaml": PROBLEM + "[a, b]: c\n"},
        "/problem.yaml:4: a list or a map is used as a key; write a plain key",
    ),
    "too deep": (
        {**MINIMAL, "problem.yaml": PROBLEM + "keywords: " + "[" * 50_000 + "\n"},
        "/problem.yaml:4: is nested more than 32 deep; is this the right file?",
    ),
    "impossible date": (
        {**MINIMAL, "problem.yaml": PROBLEM + "embargo_until: 2025-02-30\n"},
        "/problem.yaml:1: bad YAML: day is out of range for month; correct or quote the value there",
    ),
    "unknown key": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limts: {}\n"},
        "/problem.yaml:4: unknown key 'limts'; did you mean 'limits'?",
    ),
    "unknown nested key": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limits:\n  time_limit: 1\n  memori: 5\n"},
        "/problem.yaml:6: unknown key 'limits.memori'; did you mean 'memory'?",
    ),
    "key like no other": (
        {**MINIMAL, "problem.yaml": PROBLEM + "xyzzy: 1\n"},
        "/problem.yaml:4: unknown key 'xyzzy'; remove it",
    ),
    "no name": (
        {**MINIMAL, "problem.yaml": "problem_format_version: 2025-09\n"},
        "/problem.yaml:1: key 'name' is missing; add it",
    ),
    "empty name": (
        {**MINIMAL, "problem.yaml": "problem_format_version: 2025-09\nname: {}\n"},
        "/problem.yaml:1: name: must give at least one title; correct the value",
    ),
    "negative limit": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limits: {time_limit: -1}\n"},
        "/problem.yaml:4: limits.time_limit: is -1; write a number above 0",
    ),
    "limit that is no number": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limits:\n  memory: lots\n"},
        "/problem.yaml:5: limits.memory: is 'lots'; write a whole number",
    ),
    "infinite limit": (
        {**MINIMAL, "problem.yaml": PROBLEM + "limits: {time_limit: .inf}\n"},
        "/problem.yaml:4: limits.time_limit: is inf; write a finite number",
    ),
    "unknown type": (
        {**MINIMAL, "problem.yaml": PROBLEM + "type: batch\n"},
        "/problem.yaml:4: type: unknown type 'batch': use some of pass-fail, scoring, multi-pass, interactive, "
        "submit-answer; correct the value",
    ),
    "types that exclude each other": (
        {**MINIMAL, "problem.yaml": PROBLEM + "type: [pass-fail, scoring]\n"},
        "/problem.yaml:4: type: 'pass-fail' and 'scoring' exclude each other; correct the value",
    ),
    "unknown licence": (
        {**MINIMAL, "problem.yaml": PROBLEM + "license: GPL\n"},
        "/problem.yaml:4: license: is 'GPL'; write 'unknown', 'public domain', 'cc0', 'cc by', 'cc by-sa', "
        "'educational' or 'permission'",
    ),
    "not UTF-8": (
        {**MINIMAL, "problem.yaml": PROBLEM.encode() + "keywords: [求和]\n".encode("gbk")},
        "/problem.yaml:4: is not UTF-8; convert it (iconv -f GB18030 -t UTF-8, say)",
    ),
    "no tests": (
        {"problem.yaml": PROBLEM},
        "/data/secret: has no test cases; add NAME.in with NAME.ans, or generators/generators.yaml",
    ),
    "samples only": (
        {name: text for name, text in MINIMAL.items() if "secret" not in name}
        | {"problem.yaml": f"{PROBLEM}type: scoring\n"},
        "/data/secret: has no test cases; add NAME.in with NAME.ans, or generators/generators.yaml",
    ),
    "input without answer": (
        {**MINIMAL, "data/secret/02.ans": None},
        "/data/secret/02.in: has no answer file; add 02.ans",
    ),
    "answer of another name": (
        {**MINIMAL, "data/secret/02.ans": None, "data/secret/02.out": "11\n"},
        "/data/secret/02.in: has no answer file; rename 02.out to 02.ans",
    ),
    "answer without input": (
        {**MINIMAL, "data/sample/1.in": None},
        "/data/sample/1.ans: is an answer without input; add 1.in or remove it",
    ),
    "configuration without case": (
        {**MINIMAL, "data/secret/03.yaml": "args: [x]\n"},
        "/data/secret/03.yaml: configures a test case that does not exist; add 03.in or remove it",
    ),
    "case and directory of one name": (
        {**MINIMAL, "data/secret/01/x.in": "1\n", "data/secret/01/x.ans": "1\n"},
        "/data/secret/01: is both a test case and a directory of cases; rename one of them",
    ),
    "directory in .files": (
        {**MINIMAL, "data/secret/01.files/a/b.txt": "1\n"},
        "/data/secret/01.files/a: directories inside .files are not supported; put the files side by side",
    ),
    "unknown key of a case": (
        {**MINIMAL, "data/secret/01.yaml": "arg: [x]\n"},
        "/data/secret/01.yaml:1: unknown key 'arg'; did you mean 'args'?",
    ),
    "unknown validator argument": (
        {**MINIMAL, "data/secret/test_group.yaml": "output_validator_args: [ignore_case]\n"},
        "/data/secret/test_group.yaml: unknown argument 'ignore_case' of the default output validator; "
        "correct output_validator_args there",
    ),
    "tolerance missing": (
        {**MINIMAL, "data/secret/test_group.yaml": "output_validator_args: [float_tolerance]\n"},
        "/data/secret/test_group.yaml: float_tolerance needs a number; correct output_validator_args there",
    ),
    "tolerance that is none": (
        {**MINIMAL, "data/secret/test_group.yaml": "output_validator_args: [float_tolerance, nan]\n"},
        "/data/secret/test_group.yaml: float_tolerance 'nan' is no tolerance; correct output_validator_args there",
    ),
    "tolerance twice": (
        {**MINIMAL, "data/secret/01.yaml": "output_validator_args: float_tolerance 1 float_absolute_tolerance 2\n"},
        "/data/secret/01.yaml: the absolute tolerance is given twice; correct output_validator_args there",
    ),
    "unbounded score": (
        scored(g1="max_score: unbounded\n"),
        "/data/secret/g1/test_group.yaml: max_score: unbounded, but that of data/secret is a number; "
        "give a number, or write max_score: unbounded in data/secret, too",
    ),
    "unbounded score of what is passed, or not": (
        scored(g1="max_score: unbounded\n") | {"data/secret/test_group.yaml": "max_score: unbounded\n"},
        "/data/secret/g1/test_group.yaml: max_score: unbounded, but it is passed, or not; give a number",
    ),
    "unbounded score without a reference": (
        scored(g1="score_aggregation: sum\n", g2="max_score: 5\n")
        | {"data/secret/test_group.yaml": "max_score: unbounded\n", "output_validator/v.py": ""},
        "/data/secret/test_group.yaml: max_score: unbounded, but nothing says of how much a score is to be a share; "
        "state it in judge.yaml (groups: {secret/g1: {points: 100}}), or "
        "the best submission's score in submissions.yaml",
    ),
    "unbounded score that nobody writes": (
        scored(g1="score_aggregation: sum\n")
        | {
            "data/secret/test_group.yaml": "max_score: unbounded\n",
            "judge.yaml": "groups: {secret/g1: {points: 9}}\n",
        },
        "/data/secret: max_score: unbounded, but no validator writes score.txt; add output_validator/",
    ),
    "no points left": (
        scored(g1="max_score: 100\n", g2=""),
        "/data/secret: no points are left for group 'secret/g2'; give every group a max_score",
    ),
    "cases beside groups": (
        scored(g1="max_score: 1\n") | {"data/secret/x.in": "1\n", "data/secret/x.ans": "1\n"},
        "/data/secret: holds both cases and groups; move the cases into a group",
    ),
    "unknown required group": (
        scored(g1="max_score: 100\nrequire_pass: secret/g9\n"),
        "/data/secret/g1: requires group 'secret/g9', which does not exist; name some of sample, secret/g1",
    ),
    "a group in one that is not there": (
        scored(g1="max_score: 100\n") | {"judge.yaml": "groups: {secret/g1: {within: secret/g9}}\n"},
        "/data/secret/g1: lies in group 'secret/g9', which does not exist; name some of sample, secret/g1",
    ),
    "groups in each other": (
        scored(g1="max_score: 50\n", g2="max_score: 50\n")
        | {"judge.yaml": "groups: {secret/g1: {within: secret/g2}, secret/g2: {within: secret/g1}}\n"},
        "/data/secret/g1: lies in itself, directly or by way of others; correct within",
    ),
    "groups that require each other": (
        scored(g1="max_score: 50\nrequire_pass: secret/g2\n", g2="max_score: 50\nrequire_pass: secret/g1\n"),
        "/data/secret/g1: requires itself, directly or by way of others; correct require_pass",
    ),
    "interactive without validator": (
        {**MINIMAL, "problem.yaml": PROBLEM + "type: interactive\n"},
        ": is interactive, but has no output_validator/; add the program that interacts",
    ),
    "several validators": (
        {**MINIMAL, "output_validator/a/v.py": "1\n", "output_validator/b/v.py": "1\n"},
        "/output_validator: has several programs (a, b); keep the one to judge with",
    ),
    "validator in another language": (
        {**MINIMAL, "output_validator/V.jar": "PK\n"},
        "/output_validator/V.jar: is no source of a known language; ship the program's source",
    ),
    "test_group.yaml too large with its constants": (
        {
            **MINIMAL,
            "problem.yaml": PROBLEM + f"constants: {{n: {'x' * 1000}}}\n",
            "data/secret/test_group.yaml": f"# {'{{n}}' * 5000}\n",
        },
        "/data/secret/test_group.yaml: is larger than 4 MiB with its constants; use shorter ones",
    ),
    "main that is not there": (
        {**MINIMAL, "judge.yaml": "checker: {main: x.cpp}\n", "output_validator/v.py": "1\n"},
        "/output_validator: has no file 'x.cpp', which judge.yaml names as main; correct it",
    ),
    "unknown group in judge.yaml": (
        {**MINIMAL, "judge.yaml": "groups: {secret/9: {points: 1}}\n"},
        "/judge.yaml: groups: there is no 'secret/9'; correct the name or remove it",
    ),
    "unknown case in judge.yaml": (
        {**MINIMAL, "judge.yaml": "cases: {secret/9: {weight: 1}}\n"},
        "/judge.yaml: cases: there is no 'secret/9'; correct the name or remove it",
    ),
    "file name with a path in judge.yaml": (
        {**MINIMAL, "judge.yaml": "file_io: {input: ../x}\n"},
        "/judge.yaml:1: file_io.input: String should match pattern '^[A-Za-z0-9_][A-Za-z0-9_.-]*$'; correct the value",
    ),
    "generator missing": (
        generators("data: {secret: {data: [big: make.py 1]}}\n"),
        f"/{G}: case 'secret/big': there is no generators/make.py; add it or correct the name",
    ),
    "generator outside": (
        generators("data: {secret: {data: [big: ../gen.py 1]}}\n"),
        f"/{G}: case 'secret/big': generator '../gen.py' is no name in generators/; "
        "put the program there, or ship the data",
    ),
    "generator in C++": (
        generators("data: {secret: {data: [big: gen.cpp 1]}}\n"),
        f"/{G}: case 'secret/big': there is no generators/gen.cpp; add it or correct the name",
    ),
    "seed to be filled in": (
        generators("data: {secret: {data: [big: 'gen.py {seed}']}}\n"),
        f"/{G}: case 'secret/big': {{seed}} and {{name}} are not supported; write the seed out",
    ),
    "entry without command": (
        generators("data: {secret: {data: [big: {in: '1'}]}}\n"),
        f"/{G}: case 'secret/big' has no command; write `name: generator.py arguments`, or ship the data",
    ),
    "case name of other characters": (
        generators("data: {secret: {data: ['大': gen.py 1]}}\n"),
        f"/{G}: case name 'secret/大' is not allowed; use letters, digits, _ . -",
    ),
    "case listed twice": (
        generators("data: {secret: {data: [a: gen.py 1, a: gen.py 2]}}\n"),
        f"/{G}: case 'secret/a' is listed twice; rename one of them, or ship the data",
    ),
    "entries that are none": (
        generators("data: {secret: {data: [gen.py 1]}}\n"),
        f"/{G}: data is no list of `name: command` entries; write `- name: gen.py arguments`",
    ),
    "solution missing": (
        generators("solution: /submissions/accepted/std.cpp\ndata: {secret: {data: [a: gen.py 1]}}\n"),
        f"/{G}: there is no solution '/submissions/accepted/std.cpp'; name a file of the package: /submissions/…",
    ),
    "solution outside": (
        generators("solution: /../../etc/passwd\ndata: {secret: {data: [a: gen.py 1]}}\n"),
        f"/{G}: there is no solution '/../../etc/passwd'; name a file of the package: /submissions/…",
    ),
    "sums that are none": (
        generators("data: {secret: {data: [a: gen.py 1]}}\n") | {"generators/sha256sums": "\nabc  secret/a.in\n"},
        "/generators/sha256sums:2: is no line of `<sha256>  secret/name.in`; write it with sha256sum",
    ),
    "generated cases that compare differently": (
        generators("data: {secret: {data: {g: {data: [a: gen.py 1]}, b: gen.py 2}}}\n")
        | {"data/secret/g/test_group.yaml": "output_validator_args: [case_sensitive]\n"},
        f"/{G}: generated cases 'secret/g/a' and 'secret/b' have different output_validator_args; "
        "give all generated cases the same",
    ),
    "generated case with limits": (
        generators("data: {secret: {data: [a: gen.py 1]}}\n")
        | {"judge.yaml": "cases: {secret/a: {limits: {cpu_ns: 1}}}\n"},
        "/judge.yaml: cases.secret/a: a generated case can have nothing but a weight of its own; "
        "commit its data, or drop them",
    ),
    "unknown verdict": (
        {**MINIMAL, "submissions/submissions.yaml": "accepted:\n  permitted: [AC, XX]\n"},
        "/submissions/submissions.yaml:2: accepted.permitted: unknown verdict 'XX': use AC, WA, TLE, RTE; "
        "correct the value",
    ),
    "unknown key of a submission": (
        {**MINIMAL, "submissions/submissions.yaml": "accepted:\n  permited: [AC]\n"},
        "/submissions/submissions.yaml:2: unknown key 'accepted.permited'; remove it",
    ),
    # legacy
    "legacy: unknown validation": (
        {**LEGACY, "problem.yaml": "validation: special\n"},
        "/problem.yaml: validation 'special' is unknown; write default, or custom [score] [interactive] [multi-pass]",
    ),
    "legacy: minimise": (
        {**LEGACY, "problem.yaml": "type: scoring\ngrading: {objective: min}\n"},
        "/problem.yaml: grading.objective: min, but nothing says what the best score is; "
        "add `objective: {direction: min, best: …}` to judge.yaml",
    ),
    "legacy: unknown key beside one of another version": (
        {**LEGACY, "problem.yaml": "name: x\ncredits: me\nxyzzy: me\n"},
        "/problem.yaml:3: unknown key 'xyzzy'; remove it",
    ),
    "variants of a constant without a value": (
        {**MINIMAL, "problem.yaml": PROBLEM + "constants: {n: {tex: '5'}}\n"},
        "/problem.yaml:4: constants: n has variants, but no value; correct the value",
    ),
    "legacy: custom grader": (
        {**CUSTOM, "data/testdata.yaml": "grading: custom\n"},
        "/data/testdata.yaml: grading: custom, but no range says how many points there are; add range: 0 100, or "
        "state in judge.yaml how many (groups: {secret: {points: 100}})",
    ),
    "legacy: custom grading without scores": (
        {**LEGACY, "data/testdata.yaml": "grading: custom\nrange: 0 10\n"},
        "/data/testdata.yaml: grading: custom is for scoring problems; write type: scoring in problem.yaml",
    ),
    "legacy: custom grading without a grader": (
        {**CUSTOM, "data/testdata.yaml": "grading: custom\nrange: 0 10\n", "graders/g.py": None},
        "/data/testdata.yaml: grading: custom, but there is no graders/; add the grader",
    ),
    "domjudge-problem.ini": (
        {**LEGACY, "domjudge-problem.ini": "timelimit = soon\n"},
        "/domjudge-problem.ini: time limit 'soon' is no number of seconds; write a positive number",
    ),
    "domjudge-problem.ini that is none": (
        {**LEGACY, "domjudge-problem.ini": "timelimit = 1\nnonsense\n"},
        "/domjudge-problem.ini:2: is no list of `key = value` lines; correct the syntax there",
    ),
    ".timelimit": (
        {**DRAFT, ".timelimit": "0\n"},
        "/.timelimit: time limit '0' is no number of seconds; write a positive number",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_refused(name: str, tmp_path: Path) -> None:
    files, message = BROKEN[name]
    root = write_files(tmp_path / "sum", files)
    with pytest.raises(ProblemError) as caught:
        problems.load(root)
    assert str(caught.value) == f"{root}{message}"


def test_link_that_leaves(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    secret = tmp_path / "secret.txt"
    secret.write_text("host file\n")
    (root / "data/secret/01.ans").unlink()
    (root / "data/secret/01.ans").symlink_to(secret)
    with pytest.raises(ProblemError) as caught:
        problems.load(root)
    assert str(caught.value) == (
        f"{root}/data/secret/01.ans: is a symbolic link that leaves the package; put a copy of the file there"
    )


@pytest.mark.parametrize("name", ["problem.yaml", "judge.yaml", ".timelimit", "generators/generators.yaml"])
def test_no_single_file_is_read_through_a_link_that_leaves(tmp_path: Path, name: str) -> None:
    root = write_files(tmp_path / "sum", {**MINIMAL, name: None})
    (tmp_path / "outside").write_text(PROBLEM)
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(tmp_path / "outside")
    with pytest.raises(ProblemError, match="leaves the package"):
        problems.load(root)


@pytest.mark.parametrize("name", ["data", "data/secret", "generators", "submissions", "output_validator"])
def test_no_directory_is_read_through_a_link_that_leaves(tmp_path: Path, name: str) -> None:
    files = {path: text for path, text in MINIMAL.items() if not path.startswith(f"{name}/")}
    root = write_files(tmp_path / "sum", files)
    write_files(
        tmp_path / "other", {**MINIMAL, **GEN, "submissions/accepted/a.py": "1\n", "output_validator/v.py": "1\n"}
    )
    (root / name).symlink_to(tmp_path / "other" / name, target_is_directory=True)
    with pytest.raises(ProblemError, match=f"sum/{name}: is a symbolic link that leaves the package"):
        problems.load(root)


def test_link_to_nowhere(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    (root / "data/secret/03.in").symlink_to("absent.in")
    with pytest.raises(ProblemError, match=r"03\.in: is a symbolic link to nowhere; remove it or put the file there"):
        problems.load(root)


@pytest.mark.parametrize(
    "name", ["problem.pdf", "statement/problem.zh.md", "attachments", "data/secret/01.png", "solution/solution.en.tex"]
)
def test_a_lost_link_that_only_people_read_stops_nothing(tmp_path: Path, name: str) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    (tmp_path / "outside").write_text("secret")
    (root / name).parent.mkdir(exist_ok=True)
    for target in ("absent", tmp_path / "outside"):
        (root / name).symlink_to(target)
        problem = problems.load(root)
        assert [case.name for case in problem.cases] == ["sample/1", "secret/01", "secret/02"]
        assert (root / name) not in problem.statements.values()
        told = [str(finding) for finding in validate(problem) if finding.file == f"sum/{name}"]
        assert told == [f"warning: sum/{name}: is a link to nowhere here, so nobody can read it; put the file there"]
        assert name.encode() not in pack(root)
        (one,) = import_problems(root, tmp_path / "made" / str(target).replace("/", ""))
        assert any(loss.file.endswith(name) and "link to nowhere" in loss.message for loss in one.losses)
        assert one.package is not None, one.error
        (root / name).unlink()


@pytest.mark.parametrize(
    "name",
    [
        "data/secret/03.files/a.pdf",
        "data/statement",
        "submissions/accepted/a.py",
        "output_validator/solution",
        "input_validators/table.png",
    ],
)
def test_a_lost_link_that_decides_is_refused(tmp_path: Path, name: str) -> None:
    root = write_files(tmp_path / "sum", {**MINIMAL, "data/secret/03.in": "1 2\n", "data/secret/03.ans": "3\n"})
    (root / name).parent.mkdir(exist_ok=True, parents=True)
    (root / name).symlink_to("absent")
    with pytest.raises(ProblemError, match="is a symbolic link to nowhere"):
        problems.load(root)


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("cpp/runner.cpp", "#include <unistd.h>\n# include <sys/wait.h>\n", "# include <sys/wait.h>"),
        ("python3/main.py", "import os\npid = os.fork()\n", "os.fork("),
        ("java/Main.java", 'Process p = new ProcessBuilder("java").start();\n', "ProcessBuilder("),
        ("rust/main.rs", "let child = Command::new(path);\n", "Command::new("),
    ],
)
def test_a_grader_that_starts_processes_is_refused(tmp_path: Path, name: str, text: str, word: str) -> None:
    root = write_files(tmp_path / "sum", {**MINIMAL, f"include/{name}": text})
    with pytest.raises(ProblemError, match=rf"{name}: starts processes \({re.escape(word)}\)"):
        problems.load(root)
    (root / "include" / name).write_text("// fork() and wait() are names like others\n")
    assert problems.load(root).grader


def test_loop_of_links(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", MINIMAL)
    (root / "data/secret/again").symlink_to("..", target_is_directory=True)
    with pytest.raises(ProblemError, match="nested too deeply"):
        problems.load(root)


def test_endless_yaml(tmp_path: Path) -> None:
    root = write_files(tmp_path / "sum", {**MINIMAL, "problem.yaml": PROBLEM + "# " + "x" * (5 << 20)})
    with pytest.raises(ProblemError, match=r"problem\.yaml: is larger than 4 MiB; is this the right file"):
        problems.load(root)


def test_test_data_that_went_away(tmp_path: Path) -> None:
    problem = problems.load(write_files(tmp_path / "sum", MINIMAL))
    problem.cases[1].input.unlink()
    with pytest.raises(ProblemError, match=r"test secret/01: cannot read .*01.in: No such file or directory; check"):
        problem.cases[1].read_input()


def test_unknown_group(tmp_path: Path) -> None:
    problem = problems.load(write_files(tmp_path / "sum", MINIMAL))
    with pytest.raises(ProblemError, match="problem sum: no test group 'secret/9'"):
        problem.group("secret/9")
