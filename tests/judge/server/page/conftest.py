"""A server with something to look at, and a real Chromium. Without one the tests are skipped, and fail where
JUDGE_REQUIRE names `page`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judge.server.guarding.keys import new_key
from problems.files import parcel
from tests.judge.server.conftest import Server
from tests.packages import MINIMAL, PROBLEM, USUAL_LIMITS, write_files, write_package

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REQUIRED = "page" in os.environ.get("JUDGE_REQUIRE", "").split(",")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

#: What a hostile submission puts wherever it can; `window.hit` is set where one of them runs.
SCRIPT = "<script>window.hit=1</script>"
INJECTION = f"\"'>{SCRIPT}<img src=x onerror='window.hit=1'><svg onload=window.hit=1>{{{{7*7}}}}</textarea></pre>"

SLOW = "import time\ntime.sleep(0.2)\nprint(sum(map(int, input().split())))\n"
WRONG = """\
#include <iostream>

// Adds two numbers, but for the largest ones.
int main() {
    int a, b;
    std::cin >> a >> b;
    if (a < 0 && b < 0)
        std::cout << a - b << '\\n';
    else
        std::cout << a + b << '\\n';
}
"""
RIGHT = WRONG.replace("a - b", "a + b")
BROKEN = "#include <iostream>\n\nint main() {\n    std::cout << undeclared\n}\n"
LONG = "import sys\nprint('begun with ' + sys.stdin.readline().strip())\nfor n in range(4000):\n    print('line', n)\n"
#: Wrong on two tests of a thousand.
NEARLY = """\
#include <iostream>
int main() { int n; std::cin >> n; std::cout << (n == 333 || n == 777 ? -n : n) << '\\n'; }
"""
FOREVER = "while True:\n    pass\n"
GUESS = "#include <iostream>\nint main() { for (int i = 1; i <= 3; ++i) std::cout << i * 7 << std::endl; }\n"


def missing() -> str | None:
    """Why no page can be opened here; None: one can."""
    if shutil.which("chromium") is None:
        return "there is no chromium: apt-get install chromium"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is missing: pip install '.[dev]'"
    return None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Not for the session: while Playwright runs, its event loop counts as running, and other tests have their own."""
    if why := missing():
        if REQUIRED:
            pytest.fail(why)
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(_FLAGS))
        yield one
        one.close()


class Site:
    """A server without keys, with judgements of every kind."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.url = str(server.client.base_url).rstrip("/")
        self.ids: dict[str, str] = {}

    def judge(self, name: str, source: str, problem: str, language: str, **more: object) -> None:
        body = {"source": source, "problem": problem, "language": language, **more}
        answer = self.server.client.post("/v1/judgements?wait=60", json=body)
        assert answer.status_code == 200, answer.text
        self.ids[name] = answer.headers["location"].rsplit("/", 1)[1]

    def run(self, name: str, source: str, stdin: str) -> None:
        body = {"source": source, "language": "python3", "stdin": stdin}
        answer = self.server.client.post("/v1/executions?wait=60", json=body)
        assert answer.status_code == 200, answer.text
        self.ids[name] = answer.headers["location"].rsplit("/", 1)[1]

    def send(self, path: Path) -> str:
        """A package, as clients send it: how it is named then."""
        where = f"/v1/packages/{parcel.digest(path)}"
        answer = self.server.client.put(where, params={"name": path.name}, content=parcel.pack(path))
        name: str = answer.json()["problem"]
        return name

    def batch(self, rows: list[dict[str, str]]) -> None:
        body = "".join(json.dumps(row) + "\n" for row in rows)
        self.ids["batch"] = self.server.client.post("/v1/batches", content=body).json()["id"]
        with self.server.client.stream("GET", f"/v1/batches/{self.ids['batch']}/results?follow=true") as stream:
            assert len(list(stream.iter_lines())) == len(rows)


def _fill(site: Site, directory: Path) -> None:
    site.judge("AC", RIGHT, "P1001", "cpp17")
    site.judge("WA", WRONG, "P1001", "cpp17", id="rollout-17/3")
    site.judge("CE", BROKEN, "P1001", "cpp17")
    site.judge("thousand", NEARLY, "thousand", "cpp17")
    site.judge("package", WRONG, site.send(directory / "sent" / "adding"), "cpp17")
    site.judge("talk", GUESS, "guess", "cpp17", options={"stop": "first_failure"})
    site.judge("TLE", FOREVER, "P1001", "python3", options={"stop": "first_failure", "cpu_ns": 100_000_000})
    site.run("execution", "import sys\nprint(sys.stdin.read()[::-1])\nprint('done', file=sys.stderr)\n", "stressed")
    site.run("long", LONG, "x" * 5000)
    sources = (RIGHT, WRONG, BROKEN, RIGHT + "//\n", WRONG + "//\n", RIGHT + "// 2\n")
    rows = [{"id": f"row-{n}", "problem": "P1001", "source": source} for n, source in enumerate(sources)]
    site.batch([*rows, {"id": "lost", "problem": "P1001", "completion": "There is no program here."}])
    _fill_hostile(site)


def _fill_hostile(site: Site) -> None:
    """Submissions that try to run a script in the page, in every field that they can fill."""
    printing = f"import sys\nprint({INJECTION!r})\nprint({INJECTION!r}, file=sys.stderr)\nsys.exit(3)\n"
    site.judge("hostile", f"// {INJECTION}\n#error {INJECTION}\n", "P1001", "cpp17", id=INJECTION[:200])
    site.judge("hostile output", printing.replace("sys.exit(3)", ""), "P1001", "python3", id=INJECTION[:200])
    site.judge("hostile end", printing, "P1001", "python3")
    site.judge("hostile talk", f"print({INJECTION!r})\n", "guess", "python3")
    site.run("hostile run", printing, INJECTION)
    site.judge("hostile problem", f"print({INJECTION!r})\n", "hostile", "python3")


def _hostile_problem(directory: Path) -> None:
    statement = f"# {INJECTION}\n\n{INJECTION}\n\n$\\text{{{INJECTION}}}$ $\\href{{javascript:window.hit=1}}{{x}}$\n\n"
    statement += f"[link](javascript:window.hit=1) ![image](x) `{INJECTION}`\n\n$${INJECTION}$$\n"
    cases = {"sample/1": (f"{INJECTION}\n", f"{INJECTION[:30]}\n")}
    made = write_package(directory / "hostile", cases, files={"statement/problem.en.md": statement})
    metadata = (made / "problem.yaml").read_text()
    (made / "problem.yaml").write_text(metadata.replace("name: hostile", f"name: {json.dumps(INJECTION)}"))


def _thousand(directory: Path) -> None:
    cases = {f"secret/{n:04}": (f"{n}\n", f"{n}\n") for n in range(1, 1000)}
    write_package(directory / "thousand", {"sample/1": ("0 " + "7 " * 3000, "0\n"), **cases})


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    _hostile_problem(directory / "problems")
    _thousand(directory / "problems")
    adding = {"problem.yaml": PROBLEM + USUAL_LIMITS, "data/secret/03.in": "-3 -4\n", "data/secret/03.ans": "-7\n"}
    write_files(directory / "sent" / "adding", {**MINIMAL, **adding})
    strength = {"problem": "P1001", "kill_rate": 0.96, "kill_rate_low": 0.86, "kill_rate_high": 0.99}
    strength |= {"killed": 48, "survivors": [{}, {}]}
    (directory / "strength.json").write_text(json.dumps([strength]))
    before = dict(os.environ)
    os.environ |= {
        "JUDGE_PROBLEMS": str(directory / "problems"),
        "JUDGE_SERVE_STRENGTH": str(directory / "strength.json"),
    }
    try:
        server = Server(directory, shared_cache, backend, "--slots", "2")
    finally:
        os.environ.clear()
        os.environ |= before
    try:
        made = Site(server)
        _fill(made, directory)
        yield made
    finally:
        server.stop()


class Guarded:
    """A server with keys, and the keys by role."""

    def __init__(self, server: Server, keys: dict[str, str]) -> None:
        self.server, self.keys = server, keys
        self.url = str(server.client.base_url).rstrip("/")


@pytest.fixture(scope="package")
def guarded(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, backend: str) -> Iterator[Guarded]:
    directory = tmp_path_factory.mktemp("guarded")
    keys, lines = {}, ""
    for role in ("submit", "read", "admin"):
        keys[role], text = new_key(role)
        lines += text.replace('["submit"]', f'["{role}"]')
    (directory / "keys.toml").write_text(lines)
    server = Server(directory, shared_cache, backend, "--slots", "1", "--keys", str(directory / "keys.toml"))
    try:
        yield Guarded(server, keys)
    finally:
        server.stop()
