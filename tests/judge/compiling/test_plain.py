"""The slow road, JUDGE_PLAIN=1: other programs are made on it, which get the same verdicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from containers import open_sandbox
from judge import Judge, Judgement, Submission, Verdict, languages
from judge.common import config
from judge.common.errors import ConfigError
from judge.compiling.compiler import Compiler
from judge.store.cache import Cache
from tests.conftest import MakePackage
from tests.distinct import declaration

HEAD = b"#include <bits/stdc++.h>\n%s" % declaration().encode()
PROGRAMS = {
    b"int main() { long long a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }\n": Verdict.AC,
    b"int main() { std::vector<int> v(1); int a, b; std::cin >> a >> b; std::cout << v.at(a + b); }\n": Verdict.RE,
    b"int main() { std::cout << max(3, 4); }\n": Verdict.CE,
}


def _facts(judgement: Judgement) -> object:
    return judgement.verdict, judgement.score, [(test.verdict, test.exit_code, test.detail) for test in judgement.tests]


def test_both_roads_give_the_same_verdicts(
    judges: Callable[..., Judge], package: MakePackage, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = package({"secret/1": ("1 2\n", "3\n")})
    found = []
    for plain in ("0", "1"):
        monkeypatch.setenv("JUDGE_PLAIN", plain)
        judge = judges()
        found.append([judge.judge(Submission(source=HEAD + body, problem=problem)) for body in PROGRAMS])
    fast, slow = found
    assert [one.verdict for one in fast] == list(PROGRAMS.values())
    assert list(map(_facts, slow)) == list(map(_facts, fast))
    assert not any(one.compile.cached for one in slow if one.compile)  # nothing of the other road
    assert slow[2].compile.output == fast[2].compile.output  # type: ignore[union-attr]


def test_a_wrong_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_PLAIN", "yes")
    with pytest.raises(ConfigError, match="neither 0 nor 1"):
        config.plain()


@pytest.mark.parametrize("name", ["cpp17", "cpp17-clang"])
def test_both_compilers_say_the_same_on_both_roads(name: str, backend: str, shared_cache: Path) -> None:
    language = languages.get(name)
    if (problem := language.status().problem) is not None:
        pytest.skip(problem)
    text = (
        b"#include <bits/stdc++.h>\n%sint main() { struct X {}; std::set<X> s; s.insert(X()); }\n"
        % declaration().encode()
    )
    with open_sandbox(backend, hide=config.hidden_directories(shared_cache)) as sandbox:
        fast, slow = (
            Compiler(Cache(shared_cache), plain=plain).compile(text, language, sandbox).result
            for plain in (False, True)
        )
    assert "In file included from" in slow.output
    assert (fast.verdict, fast.output) == ("error", slow.output)
