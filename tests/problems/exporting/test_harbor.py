"""A task of Harbor holds no answer, and its verifier pays for verdicts alone. Harbor's own reader takes the task where
Harbor is installed (Python 3.12)."""

from __future__ import annotations

import json
import runpy
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import problems
from problems.errors import ProblemError
from problems.exporting import export, harbor
from tests.packages import write_package

CASES = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("20 22\n", "a hidden answer\n")}
FILES = {"statement/problem.en.md": "Add.\n", "submissions/accepted/right.py": "print('a right program')\n"}


@pytest.fixture
def task(tmp_path: Path) -> Path:
    package = write_package(tmp_path / "sum", CASES, files=FILES)
    return export(problems.load(package), "harbor", tmp_path / "task").place


def test_no_answer_is_in_the_task(task: Path) -> None:
    texts = {str(path.relative_to(task)): path.read_text() for path in task.rglob("*") if path.is_file()}
    assert sorted(texts) == [
        "environment/Dockerfile",
        "instruction.md",
        "task.toml",
        "tests/Dockerfile",
        "tests/test.sh",
        "tests/verify.py",
    ]
    assert "1 2" in texts["instruction.md"]
    for secret in ("a hidden answer", "20 22", "a right program"):
        assert not any(secret in text for text in texts.values())


def test_harbor_takes_the_task(task: Path) -> None:
    module = pytest.importorskip("harbor.models.task.task")
    assert module.Task.is_valid_dir(task)
    found = module.Task(task)
    mode = pytest.importorskip("harbor.models.task.verifier_mode")
    definition = mode.resolve_verifier_environment_definition(found.config, found.paths)
    assert (definition.directory, definition.bundled_tests) == (task / "tests", True)


class Judge(BaseHTTPRequestHandler):
    """Answers what the test says, a code and a body, one after the other; the last one for ever."""

    answers: list[tuple[int, Any]]
    asked: list[Any]

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.do_GET()

    def do_GET(self) -> None:
        code, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Judge]]:
    handler = type("Handler", (Judge,), {"answers": [], "asked": []})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("JUDGE_URL", f"http://127.0.0.1:{server.server_address[1]}")
        yield handler
        server.shutdown()
        thread.join()


def verdict(name: str) -> tuple[int, Any]:
    return 200, {"state": "done", "judgement": {"verdict": name, "accepted": name == "AC"}}


def paid(task: Path, tmp_path: Path, name: str = "solution.py") -> str | None:
    answer, logs = tmp_path / "answer", tmp_path / "logs"
    answer.mkdir(exist_ok=True)
    if not (answer / name).is_symlink():
        (answer / name).write_text("print(3)")
    (logs / "reward.txt").unlink(missing_ok=True)
    main = runpy.run_path(str(task / "tests" / "verify.py"))["main"]
    main.__globals__["PAUSE_S"] = 0
    code = main("sum", answer, logs)
    written = (logs / "reward.txt").read_text() if (logs / "reward.txt").exists() else None
    assert (code == 0) is (written is not None)
    return written


def test_right_and_wrong(task: Path, tmp_path: Path, judge: type[Judge]) -> None:
    for name, reward in (("AC", "1\n"), ("WA", "0\n"), ("CE", "0\n")):
        judge.answers = [(202, {"state": "accepted", "id": "7"}), verdict(name)]
        assert paid(task, tmp_path) == reward
    assert judge.asked[0] == {"problem": "sum", "language": "python3", "source": "print(3)"}


@pytest.mark.parametrize(
    "lost", [verdict("IE"), (503, {"error": "away"}), (200, []), (422, {"error": "unknown problem"})]
)
def test_a_lost_judgement_is_no_reward(lost: tuple[int, Any], task: Path, tmp_path: Path, judge: type[Judge]) -> None:
    judge.answers = [lost]
    assert paid(task, tmp_path) is None
    judge.answers = [lost, verdict("AC")]
    assert paid(task, tmp_path) == "1\n"


def test_a_program_that_is_too_large_is_worth_nothing(task: Path, tmp_path: Path, judge: type[Judge]) -> None:
    judge.answers = [(413, {"error": "too large"})]
    assert paid(task, tmp_path) == "0\n"


def test_a_link_is_no_program(task: Path, tmp_path: Path, judge: type[Judge]) -> None:
    """The verifier would send what it names: its own key, of /proc/self/environ."""
    (tmp_path / "key").write_text("secret")
    (tmp_path / "answer").mkdir()
    (tmp_path / "answer" / "solution.py").symlink_to(tmp_path / "key")
    judge.answers = [verdict("AC")]
    assert paid(task, tmp_path) == "0\n"
    assert judge.asked == []


@pytest.mark.parametrize(
    ("metadata", "files", "reason"),
    [
        ("languages: [perl]\n", {}, "problems for perl alone"),
        ("", {"include/cpp/main.cpp": "int solve(int); int main() {}\n"}, "functions that a judge calls"),
    ],
)
def test_what_the_task_cannot_say_is_refused(metadata: str, files: dict[str, str], reason: str, tmp_path: Path) -> None:
    package = write_package(tmp_path / "sum", CASES, metadata=metadata, files=FILES | files)
    with pytest.raises(ProblemError, match=reason):
        export(problems.load(package), "harbor", tmp_path / "task")


def test_the_instruction_names_what_the_problem_takes(tmp_path: Path) -> None:
    package = write_package(
        tmp_path / "sum", CASES, metadata="languages: [cpp, python3]\nlimits: {memory: 64}\n", files=FILES
    )
    place = export(problems.load(package), "harbor", tmp_path / "task").place
    instruction = (place / "instruction.md").read_text()
    assert "`solution.cpp`, `solution.py`" in instruction
    assert "CPU time that the judge measures" in instruction


def test_both_lists_of_languages_are_the_same(task: Path) -> None:
    assert runpy.run_path(str(task / "tests" / "verify.py"))["LANGUAGES"] == harbor.LANGUAGES


def test_no_program_is_worth_nothing(task: Path, tmp_path: Path) -> None:
    assert paid(task, tmp_path, "notes.txt") == "0\n"
