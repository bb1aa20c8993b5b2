from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import judge.cli
import problems
from judge import languages
from judge.selftest.bench import measure
from tests.conftest import MakePackage, other_users
from tests.judge.cli.conftest import ADD, SUBTRACT, Cli
from tests.test_style import ROOT, anchors

COMMANDS = [(name,) for name in judge.cli.COMMANDS]
SUBCOMMANDS = [("problems", name) for name in ("list", "show", "verify", "check", "new")]
SUBCOMMANDS += [("cache", name) for name in ("show", "path", "clear", "prune", "warm")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_has_examples(cli: Cli, command: tuple[str, ...]) -> None:
    ran = cli(*command, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "Examples:" in ran.out
    assert f"judge {command[0]}" in ran.out


@pytest.mark.parametrize("command", [(), *COMMANDS, *SUBCOMMANDS], ids=" ".join)
def test_help_names_the_page_that_says_more(cli: Cli, command: tuple[str, ...]) -> None:
    (page,) = re.findall(r"Documentation: (\S+)", cli(*command, "--help").out)
    file, _, anchor = page.partition("#")
    assert not anchor or anchor in anchors(ROOT / file)
    assert (ROOT / file).exists()


@pytest.mark.parametrize("command", SUBCOMMANDS, ids=" ".join)
def test_subcommands_explain_themselves(cli: Cli, command: tuple[str, ...]) -> None:
    ran = cli(*command, "-h")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: judge {' '.join(command)}")


@pytest.mark.parametrize("command", [(), ("problems",)], ids=["judge", "problems"])
def test_no_command_is_answered_by_the_help(cli: Cli, command: tuple[str, ...]) -> None:
    ran = cli(*command)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == cli(*command, "--help").out


@other_users
@pytest.mark.skipif(os.geteuid() != 0, reason="takes root's capabilities away")
def test_root_without_capabilities_is_told_who_needs_none(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(ADD)
    powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
    command = (*powerless, sys.executable, "-m", "judge", "run", "a.cpp", "-p", "P1001")
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "run as an ordinary user, who needs none" in ran.stderr
    refused = set(re.findall(r"/tmp/judge-slot-\w+", ran.stderr))
    assert refused
    assert not any(Path(path).exists() for path in refused)


def test_what_is_listed_is_had_as_json_too(cli: Cli) -> None:
    def said(*command: str) -> Any:
        ran = cli(*command, "--json")
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    one = said("problems", "show", "P1001")
    assert one in said("problems", "list")
    assert one["title"].keys() == {"en", "zh"}
    assert one["tests"]["sample"] >= 1
    assert (one["cpu_ns"], one["submissions"]["AC"] >= 1) == (10**9, True)
    assert said("problems", "check", "P1001") == [{"problem": "P1001", "findings": [], "prose": {}}]
    names = {row["name"]: row for row in said("languages")}
    assert names.keys() == set(languages.names())
    assert names["cpp17"]["version"]
    cache = said("cache", "show")
    assert cache["objects_bytes"] <= cache["limit_bytes"]


def test_verified_submissions_are_had_as_json_too(cli: Cli, package: MakePackage, backend: str) -> None:
    files = {"submissions/accepted/std.cpp": ADD, "submissions/wrong_answer/s.cpp": SUBTRACT}
    path = package({"secret/1": ("5 -7\n", "-2\n")}, files=files)
    (one,) = json.loads(cli("problems", "verify", path, "--json", "--backend", backend).out)
    assert one["problem"] == str(path)
    assert {finding["severity"] for finding in one["findings"]} == {"warning"}
    rows = {row["name"]: row for row in one["submissions"]}
    assert (rows["accepted/std.cpp"]["expected"], rows["accepted/std.cpp"]["verdict"]) == (["AC"], "AC")
    assert not any(row["complaint"] for row in rows.values())


def test_help_and_version_load_nothing_heavy(environment: dict[str, str]) -> None:
    for flag in ("--help", "--version"):
        done = subprocess.run(
            (sys.executable, "-X", "importtime", "-m", "judge", flag),
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "click" in loaded
        assert not loaded & {"pydantic", "rich", "asyncio", "yaml", "judge.many.pool"}
        assert done.stdout


def test_a_cached_run_loads_little(environment: dict[str, str], tmp_path: Path, backend: str) -> None:
    (tmp_path / "a.cpp").write_text(ADD)
    command = (sys.executable, "-X", "importtime", "-m", "judge", "run", "a.cpp", "-p", "P1001", "--backend", backend)
    for _ in range(2):  # the second finds all in the cache
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "judge.judging.engine" in loaded
    assert not loaded & {
        "asyncio",
        "rich.progress",
        "rich.console",
        "cyaron",
        "pydantic",
        "yaml",
        "problems.reading.package",
    }


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(cli: Cli, shell: str) -> None:
    ran = cli("completion", shell)
    assert ran.code == 0
    assert "_JUDGE_COMPLETE" in ran.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("judge ba", {"batch"}),
        ("judge problems ver", {"verify"}),
        ("judge run x.cpp -p P100", {"P1001"}),
        ("judge run x.cpp --language cpp2", {"cpp20", "cpp20-clang", "cpp23"}),
        ("judge run --time", {"--time-limit"}),
    ],
)
def test_bash_completes(environment: dict[str, str], words: str, expected: set[str]) -> None:
    variables = {"_JUDGE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        (sys.executable, "-c", "import judge.cli; judge.cli.main()"),
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert {line.split(",")[1] for line in done.stdout.splitlines()} == expected


def test_languages_lists_all_and_how_to_get_the_missing(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran = cli("languages")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == list(languages.names())
    monkeypatch.setattr("judge.languages._SEARCH", (tmp_path,))
    ran = cli("languages")
    assert ran.code == 0
    assert ran.out.count("missing") == len(languages.names())
    assert "apt-get install g++" in ran.out


@pytest.mark.long
def test_languages_smoke(cli: Cli, backend: str) -> None:
    ran = cli("languages", "--smoke", "--backend", backend)
    assert ran.code == 0
    assert re.search(r"^cpp17 .* works$", ran.out, re.MULTILINE)
    assert re.search(r"^python3 .* works$", ran.out, re.MULTILINE)
    assert "fails" not in ran.out


def test_cache(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: MakePackage, backend: str) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "cache"))
    path = package({"secret/1": ("1 2", "3")})
    (tmp_path / "a.c").write_text("int main(void) { return 1; }")

    def compiled_before() -> bool:
        ran = cli("run", tmp_path / "a.c", "-p", path, "--backend", backend, "--json")
        return bool(json.loads(ran.out)["compile"]["cached"])

    assert cli("cache", "path").out == f"{tmp_path / 'cache'}\n"
    assert [compiled_before(), compiled_before()] == [False, True]
    shown = cli("cache").out
    assert shown.startswith(f"{tmp_path / 'cache'}\n")
    assert re.search(r"^programs and problems +[1-9]\d* +[\d.]+ KiB +2\.0 GiB$", shown, re.MULTILINE)
    (tmp_path / "cache" / "testdata" / "set").mkdir(parents=True)
    (tmp_path / "cache" / "testdata" / "set" / "0.in").write_bytes(bytes(2048))
    assert re.search(r"^generated test data +1 +2\.0 KiB +with the above$", cli("cache", "show").out, re.MULTILINE)
    assert cli("cache", "prune").out == "freed 0 B\n"
    assert compiled_before()
    assert re.fullmatch(r"freed [1-9][\d.]* KiB\n", cli("cache", "clear").out)
    assert not (tmp_path / "cache" / "testdata" / "set").exists()
    assert not compiled_before()


def test_doctor_names_tier_slots_and_toolchains(cli: Cli) -> None:
    ran = cli("doctor")
    assert ran.code == 0
    assert re.search(r"^isolation tier: (full|userns)$", ran.out, re.MULTILINE)
    assert re.search(r"^slots: \d+, bound by ", ran.out, re.MULTILINE)
    assert re.search(r"^memory: \d+ MiB of \d+ MiB available, bound by .*\d+ compiles at once$", ran.out, re.MULTILINE)
    assert "cpp17" in ran.out
    assert "seccomp" in ran.out


def test_doctor_as_json_and_with_a_required_tier(cli: Cli) -> None:
    found = json.loads(cli("doctor", "--json").out)
    assert found["tier"] == found["isolation"]["tier"]
    assert {"name": "seccomp", "ok": True, "detail": "stands", "remedy": ""} in found["checks"]
    assert found["slots"]["count"] >= 1
    assert found["memory"]["compiles"] >= 1
    asked = json.loads(cli("doctor", "--json", "--memory-budget", "4G").out)["memory"]
    assert (asked["bytes"], asked["bound_by"]) == (4 << 30, "what was asked for")
    assert cli("doctor", "--require", found["tier"]).code == 0
    refused = cli("doctor", "--require", "perfect")
    assert refused.code == 1
    assert "unknown tier 'perfect'" in refused.err


def test_problems_list_lines_up_with_chinese_titles(cli: Cli) -> None:
    ran = cli("problems", "list")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(problems.names())
    assert len({cell_len(line) for line in lines}) == 1


def test_a_locale_without_chinese_is_no_error(environment: dict[str, str]) -> None:
    done = subprocess.run(
        (sys.executable, "-m", "judge", "problems", "list"),
        env=environment | {"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert b"\\u95ee\\u9898" in done.stdout


def test_a_broken_problem_does_not_hide_the_others(
    cli: Cli, package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = package({"secret/1": ("1", "1")}, name="broken")
    (path / "problem.yaml").write_text("[")
    monkeypatch.setenv("JUDGE_PROBLEMS", str(path.parent))
    ran = cli("problems", "list")
    assert ran.code == 0
    assert re.fullmatch(r"broken: .*problem\.yaml.*", ran.out.splitlines()[-1]), "below the table, which stays narrow"
    assert re.search(r"^P1001 ", ran.out, re.MULTILINE)


def test_show_samples(cli: Cli) -> None:
    """The conversation of an interactive problem, never what its interactor alone reads."""
    talk = "<7\n>? 4\n<>\n>? 6\n<<\n>? 5\n<=\n>! 5\n"
    assert json.loads(cli("problems", "show", "guess", "--json").out)["samples"] == [
        {"name": "sample/1", "interaction": talk}
    ]
    assert "".join(f"    {line}\n" for line in talk.splitlines()) in cli("problems", "show", "guess").out
    assert f"```\n{talk}```\n" in cli("problems", "show", "guess", "--statement", "zh").out
    plain = cli("problems", "show", "P1001").out
    assert "sample/1:\n  input:\n    20 30\n  answer:\n    50\n" in plain


def test_show(cli: Cli) -> None:
    ran = cli("problems", "show", "P1001")
    assert ran.code == 0
    assert re.search(r"^tests: +\d+ in sample, \d+ in secret$", ran.out, re.MULTILINE)
    assert "整数" in cli("problems", "show", "P1001", "--statement", "zh").out
    ran = cli("problems", "show", "P1001", "--statement", "fr")
    assert ran.code == 2
    assert "it has: en, zh" in ran.err
    worth = (
        "3 in secret/1 (30 points), 2 in secret/2 (30 points), 2 in secret/3 (40 points, needs secret/1 and secret/2)"
    )
    assert f"1 in sample (not counted), {worth}" in cli("problems", "show", "range-sums").out
    groups = json.loads(cli("problems", "show", "range-sums", "--json").out)["groups"]
    assert [(group["name"], group["tests"], group["points"]) for group in groups][:2] == [
        ("sample", 1, 0),
        ("secret/1", 3, 30),
    ]


def test_a_directory_of_the_search_path_that_is_not_there(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_PROBLEMS", "/no/where")
    assert "JUDGE_PROBLEMS names /no/where, which is no directory" in cli("problems", "show", "nothing").err
    ran = cli("problems", "list")
    assert (ran.code, ran.err) == (0, "judge: JUDGE_PROBLEMS names /no/where, which is no directory\n")


def test_verify_without_submissions_checks_the_data(cli: Cli, package: MakePackage, backend: str) -> None:
    files = {"input_validators/no.py": "import sys\nsys.exit(43)\n"}
    ran = cli("problems", "verify", package({"secret/1": ("5 -7\n", "-2\n")}, files=files), "--backend", backend)
    assert ran.code == 1
    assert "no labelled submission, so only the data was checked" in ran.out
    assert "refused by input validator" in ran.out


def test_verify_tells_right_labels_from_wrong_ones(cli: Cli, package: MakePackage, backend: str) -> None:
    cases = {"secret/1": ("5 -7\n", "-2\n")}
    right = {"submissions/accepted/a.cpp": ADD, "submissions/wrong_answer/s.cpp": SUBTRACT}
    ran = cli("problems", "verify", package(cases, files=right, name="right"), "--backend", backend)
    assert ran.code == 0
    assert "2 submissions, all as labelled" in ran.out
    wrong = right | {"submissions/time_limit_exceeded/a.cpp": ADD}
    ran = cli("problems", "verify", package(cases, files=wrong, name="wrong"), "--backend", backend)
    assert ran.code == 1
    assert "3 submissions, 1 not as labelled" in ran.out
    assert "expected TLE, got AC" in ran.out


def test_constants_in_statements_and_submissions(cli: Cli, package: MakePackage, backend: str) -> None:
    files = {
        "submissions/accepted/a.cpp": ADD.replace("a + b", "a {{sign}} b"),
        "statement/problem.en.md": "a {{sign}} b\n",
    }
    path = package({"secret/1": ("5 -7\n", "-2\n")}, files=files, metadata="constants: {sign: +}\n")
    assert cli("problems", "verify", path, "--backend", backend).code == 0
    assert cli("problems", "show", path, "--statement", "en").out == "a + b\n\n"


def test_verify_runs_the_validators(cli: Cli, package: MakePackage, backend: str) -> None:
    files = {"submissions/accepted/a.cpp": ADD, "input_validators/no.py": "import sys\nsys.exit(43)\n"}
    ran = cli("problems", "verify", package({"secret/1": ("5 -7\n", "-2\n")}, files=files), "--backend", backend)
    assert ran.code == 1
    assert "1 submissions, all as labelled" in ran.out
    assert "error: data/secret/1.in: refused by input validator no" in ran.out


def test_check_runs_the_validators(cli: Cli, package: MakePackage, backend: str) -> None:
    files = {"input_validators/small.py": "import sys\nsys.exit(42 if len(input()) < 9 else 43)\n"}
    files |= {"submissions/accepted/a.cpp": ADD, "data/invalid_input/short.in": "1 2\n"}
    path = package({"secret/1": ("123456 7\n", "123463\n"), "secret/2": ("1 2\n", "3\n")}, files=files)
    found = cli("problems", "check", path, "--backend", backend)
    assert found.code == 1
    assert "error: data/invalid_input/short.in: accepted by every input validator" in found.out
    assert "error: data/secret/1.in: refused by" not in found.out
    (path / "data/secret/1.in").write_text("1234567 7\n")
    shown = cli("problems", "check", path, "--backend", backend).out
    assert "error: data/secret/1.in: refused by input validator small" in shown
    assert cli("problems", "check", path, "--no-validators", "--backend", "no such").code == 0


@pytest.mark.parametrize("verb", ["check", "verify"])
def test_a_package_that_cannot_be_used_stops_no_other(cli: Cli, tmp_path: Path, verb: str) -> None:
    (tmp_path / "broken").mkdir()
    ran = cli("problems", verb, tmp_path / "broken", "P1046")
    assert ran.code == 1
    assert "broken: cannot be used\n  error: " in ran.out
    assert "is no problem package (no problem.yaml)" in ran.out
    assert "\nP1046: " in ran.out
    broken, well = json.loads(cli("problems", verb, tmp_path / "broken", "P1046", "--json").out)
    assert (broken["problem"], "no problem.yaml" in broken["error"]) == (str(tmp_path / "broken"), True)
    assert (well["problem"], well["findings"]) == ("P1046", [])


def test_check_lists_prose_with_the_reason(cli: Cli, package: MakePackage) -> None:
    path = package({"secret/1": ("1 2\n", "3\n")}, files={"submissions/accepted/a.cpp": ADD}, name="good")
    assert cli("problems", "check", path).code == 0
    path = package({"secret/1": ("1 2\n", "3\n"), "secret/2": ("数据过大，见附件\n", "略\n")}, name="prose")
    ran = cli("problems", "check", path)
    assert ran.code == 1
    assert re.search(r"^  dropped by --cjk drop: secret/2: .+$", ran.out, re.MULTILINE)
    assert "secret/1" not in ran.out


def test_new_makes_what_verify_accepts(cli: Cli, tmp_path: Path, backend: str) -> None:
    path = tmp_path / "fresh"
    assert cli("problems", "new", path).code == 0
    assert cli("problems", "check", path).code == 0
    assert cli("problems", "verify", path, "--backend", backend).code == 0
    ran = cli("problems", "new", path)
    assert ran.code == 2
    assert "exists already" in ran.err


def test_cache_warm_says_what_it_made(cli: Cli) -> None:
    ran = cli("cache", "warm", "-l", "c17", "--json")
    assert ran.code == 0
    assert [(one["language"], one["what"], one["result"]) for one in json.loads(ran.out)] == [
        ("c17", "toolchain", "ready")
    ]
    assert "1/1" in ran.err
    assert cli("cache", "warm", "-l", "cpp71").code == 2


def test_bench_measures_the_sandbox_beside_subprocess(backend: str) -> None:
    with closing(measure(backend, slots=1)) as figures:
        figure = next(figures)
    assert (figure.what, figure.unit) == ("run A+B", "ms")
    assert 0 < figure.ratio == figure.ours / figure.plain
