"""Precompiled headers: the same objects, byte for byte, and never an error that the program does not have."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from containers import File, RunSpec, Sandbox, open_sandbox
from judge import languages
from judge.common import config
from judge.common.errors import LanguageError
from judge.compiling import headers, linker, toolchain
from judge.compiling.compiler import Compiler
from judge.compiling.headers import ALL, SIGHTINGS, Headers, Use, leading_headers
from judge.compiling.linker import COMPILE_ARGUMENTS
from judge.compiling.toolchain import BUILD_LIMITS, RUN_LIMITS, Toolchain, trim
from judge.compiling.warm import WarmStep, plan, warm
from judge.languages import Language
from judge.store.cache import Cache
from judge.store.directory import Directory

CPP = languages.get("cpp17")
BODY = """
using namespace std;
template <class T> struct Fenwick {
    vector<T> a;
    explicit Fenwick(int n) : a(n + 1) {}
    void add(int i, T x) { for (; i < (int)a.size(); i += i & -i) a[i] += x; }
    T sum(int i) { T s{}; for (; i; i -= i & -i) s += a[i]; return s; }
};
signed main() {
    int n;
    cin >> n;
    Fenwick<long long> f(n);
    map<string, vector<pair<int, int>>> seen;
    for (int i = 1; i <= n; i++) f.add(i, i * 3), seen[to_string(i % 7)].push_back({i, -i});
    for (auto &[name, list] : seen) { sort(list.rbegin(), list.rend()); cout << name << ' ' << list[0].first << '\\n'; }
    cout << f.sum(n) << endl;
}
"""
#: What programs put before and around their includes. True: the precompiled header should help.
CORPUS = {
    "plain": ("#include <bits/stdc++.h>\n", True),
    "comment": ("// a\n/* b\n */\n#include <bits/stdc++.h>\n", True),
    "quotes": ('#include "bits/stdc++.h"\n', True),
    "twice": ("#include <bits/stdc++.h>\n#include <bits/stdc++.h>\n", True),
    "another first": ("#include <iostream>\n#include <bits/stdc++.h>\n", True),
    "harmless macro": ("#define ll long long\n#include <bits/stdc++.h>\n", True),
    "conditional": ("#ifdef ONLINE_JUDGE\n#include <bits/stdc++.h>\n#endif\n", True),
    "set": ("#include <vector>\n#include <iostream>\n#include <map>\n#include <string>\n#include <algorithm>\n", True),
    "extensions": (
        "#include <bits/stdc++.h>\n#include <ext/pb_ds/tree_policy.hpp>\n#include <ext/pb_ds/assoc_container.hpp>\n",
        True,
    ),
    "macro of the header": ("#define NDEBUG\n#define private private\n#include <bits/stdc++.h>\n", False),
    "debug mode": ("#define _GLIBCXX_DEBUG\n#include <bits/stdc++.h>\n", False),
    "undef": ("#undef ONLINE_JUDGE\n#include <bits/stdc++.h>\n", False),
    "optimize": ('#pragma GCC optimize("O3,unroll-loops")\n#include <bits/stdc++.h>\n', False),
    "target": ('#pragma GCC target("avx2")\n#include <bits/stdc++.h>\n', False),
    "pack": ("#pragma pack(1)\n#include <bits/stdc++.h>\n", False),
    "declaration": ("int before;\n#include <bits/stdc++.h>\n", False),
    "set after macro": (
        "#define _GLIBCXX_DEBUG\n#include <map>\n#include <iostream>\n#include <vector>\n#include <algorithm>\n",
        False,
    ),
    "error": ("#include <bits/stdc++.h>\nint broken = ;\n", True),
}


@pytest.fixture(scope="module")
def sandbox(backend: str, shared_cache: Path) -> Iterator[Sandbox]:
    with open_sandbox(backend, hide=config.hidden_directories(shared_cache)) as opened:
        yield opened


@pytest.fixture(scope="module")
def ours(sandbox: Sandbox, shared_cache: Path) -> Headers:
    return prepared(Cache(shared_cache), sandbox)


def prepared(cache: Cache, sandbox: Sandbox, language: Language = CPP) -> Headers:
    toolchain = Toolchain.of(language, cache)
    linking = linker.prepare(toolchain, language, sandbox)
    return Headers(toolchain=toolchain, language=language, linking=linking, sandbox=sandbox)


def compile_object(ours: Headers, text: bytes, use: Use) -> tuple[bytes | None, bytes]:
    """The object, and what g++ -H says of the headers."""
    flags = [part for part in ours.language.compile.argv[1:] if part != "{source}"]
    compiler = (str(ours.toolchain.compiler), *flags, *COMPILE_ARGUMENTS, *use.arguments)
    outcome = ours.sandbox.run(
        RunSpec(
            argv=(*compiler, "-H", "-c", "../in/solution.cpp", "-o", "solution.o"),
            limits=replace(BUILD_LIMITS, stderr_bytes=1 << 20),
            env=languages.ENVIRONMENT,
            files=(File(name="solution.cpp", content=text),),
            mounts=(ours.toolchain.directory,),
            collect=("solution.o",),
        )
    )
    return outcome.files.get("solution.o"), outcome.stderr


#: Each a way of its own; all are tried with those marked `long`.
OFTEN = ("plain", "harmless macro", "debug mode", "error")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.long) for name in CORPUS]
)
def test_the_object_is_the_same_and_the_header_used_where_it_may_be(name: str, ours: Headers) -> None:
    head, helps = CORPUS[name]
    text = (head + BODY).encode()
    for _ in range(SIGHTINGS):  # a set is made when it was seen often enough
        use = ours.use(text)
    plain, _ = compile_object(ours, text, Use())
    with_header, listing = compile_object(ours, text, use)
    assert with_header == plain
    newer = ours.toolchain.compiler.name.endswith("-14")  # itself fails on the pragma
    assert (plain is None) is (name == "error" or (newer and name == "target"))
    assert any(line.startswith(b"! ") for line in listing.splitlines()) is helps  # how -H marks a PCH that it used


@pytest.mark.parametrize("command", ["clang++", *(f"g++-{version}" for version in range(9, 17))])
def test_other_compilers(command: str, sandbox: Sandbox, shared_cache: Path) -> None:
    if command == "clang++":
        language = languages.get("cpp17-clang")
    else:
        found = languages.Tool(commands=(command,), version="(.*)", package=command)
        language = replace(CPP, toolchain=found)
    try:
        compiler = language.find()
    except LanguageError as error:
        pytest.skip(str(error))
    if compiler == CPP.find():
        pytest.skip("it is the one of the other tests")
    theirs = prepared(Cache(shared_cache), sandbox, language)
    for headers_ in ((ALL,), ("algorithm", "iostream", "map", "string", "vector")):
        assert theirs.make(headers_) == "instantiated"
        text = ("".join(f"#include <{name}>\n" for name in headers_) + BODY).encode()
        use = theirs.use(text)
        assert use.arguments
        with_header, listing = compile_object(theirs, text, use)
        assert with_header == compile_object(theirs, text, Use())[0] is not None
        assert b"bits/stl_vector.h" not in listing  # nothing is read again


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("#include <vector>\n", {"vector": 1}),
        ("\n// c\n  # include <vector> // d\n/* e\n*/ #include <map>\n", {"vector": 3, "map": 5}),
        ("#include <vector>\n#include <vector>\n", {"vector": 1}),
        ("#include <vector>\r\n#include <map>\r\n", {"vector": 1, "map": 2}),
        ("#include <vector>", {"vector": 1}),
        ("#include <vector>\nint x;\n#include <map>\n", {"vector": 1}),
        ("#define X\n#include <vector>\n", {}),
        ('#include "vector"\n', {}),
        ("#include <immintrin.h>\n#include <vector>\n", {}),
        ("#include <vector> junk\n", {}),
        ("#include <vector> /* a */ #include <map>\n", {}),
        ("#include <vector> /* a\n*/ int x;\n#include <map>\n", {}),
        ("// spliced \\\n#include <vector>\n#include <map>\n", {}),
        ("// spliced ??/\n#include <vector>\n", {}),
        ("#include <vector> // spliced \\\n#include <map>\n", {}),
        ("/* never closed\n#include <vector>\n", {}),
        ("#if 0\n#include <vector>\n#endif\n", {}),
        ("#inc\\\nlude <vector>\n", {}),
        ("%:include <vector>\n", {}),
    ],
)
def test_leading_headers(text: str, expected: dict[str, int]) -> None:
    assert leading_headers(text.encode()) == expected


def test_a_set_serves_programs_that_include_more(ours: Headers) -> None:
    small = b"#include <cmath>\n#include <iostream>\nint main() {}\n"
    for _ in range(SIGHTINGS):
        use = ours.use(small)
    assert "-include" in use.arguments
    more = ours.use(b"#include <iostream>\n#include <charconv>\n#include <barrier>\n#include <cmath>\nint main() {}\n")
    assert "-include" in more.arguments
    other = ours.use(b"#include <iostream>\n#include <barrier>\nint main() {}\n")
    assert use.arguments != other.arguments  # it would bring in what the program does not include


def test_warming_makes_what_a_first_program_finds(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(shared_cache))
    first, *others = plan(["cpp17"])
    assert [first.headers, others[0].headers] == [(), (ALL,)]
    step = WarmStep(language="cpp17", headers=("cctype", "climits"))
    assert [one.result for one in warm([first, step, step])] == ["ready", "instantiated", "instantiated"]


@pytest.mark.parametrize("names", headers.common())
def test_the_common_sets_are_standard_headers(names: tuple[str, ...]) -> None:
    assert set(names) <= headers._STANDARD
    assert names == tuple(sorted(set(names)))


def test_a_set_that_cannot_be_made_is_not_tried_again(ours: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"#include <iostream>\n#include <stop_token>\n#include <no/such>\n"
    monkeypatch.setattr(headers, "_STANDARD", headers._STANDARD | {"no/such"})
    for _ in range(SIGHTINGS):
        ours.use(text)
    monkeypatch.setattr(Headers, "_build", lambda *_: pytest.fail("tried again"))
    assert all("no/such" not in argument for argument in ours.use(text).arguments)


@pytest.fixture
def own(tmp_path: Path, ours: Headers, sandbox: Sandbox) -> Headers:
    """A cache of its own that holds a copy of what was made already."""
    cache = Cache(tmp_path / "cache")
    assert ours.use(b"#include <bits/stdc++.h>\n").arguments
    target = Toolchain.of(CPP, cache).directory
    target.mkdir()
    for item in ("freopen.o", "linking-c++.json", "instantiate.so"):
        shutil.copy(ours.toolchain.directory / item, target)
    mine = prepared(cache, sandbox)
    shutil.copytree(ours.directory, mine.directory, ignore=shutil.ignore_patterns("sets", "seen"))
    return mine


@pytest.mark.parametrize("how", ["truncated", "removed"])
def test_a_damaged_header_costs_time_only(how: str, own: Headers) -> None:
    gch = own.directory / "bits" / "stdc++.h.gch"
    if how == "truncated":
        gch.write_bytes(gch.read_bytes()[:-4096])
    else:
        gch.unlink()
    text = (CORPUS["plain"][0] + BODY).encode()
    compiled = Compiler(Cache(own.toolchain.directory.parent.parent)).compile(text, CPP, own.sandbox)
    assert compiled.result.verdict == "ok"
    assert compiled.program is not None
    compiled.program.close()


def test_a_header_damaged_unseen_does_not_make_a_compile_error(own: Headers) -> None:
    gch = own.directory / "bits" / "stdc++.h.gch"
    content = bytearray(gch.read_bytes())
    content[len(content) // 4 : len(content) * 3 // 4] = bytes(len(content) * 3 // 4 - len(content) // 4)
    gch.write_bytes(content)
    text = (CORPUS["plain"][0] + BODY).encode()
    compiled = Compiler(Cache(own.toolchain.directory.parent.parent)).compile(text, CPP, own.sandbox)
    assert compiled.result.verdict == "ok", compiled.result.output
    assert compiled.program is not None
    compiled.program.close()


def test_without_the_plugin_the_ordinary_header_is_made(own: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(own.directory)
    (own.toolchain.directory / "instantiate.so").write_bytes(b"no plugin")
    assert own.use(b"#include <bits/stdc++.h>\n").arguments
    assert '"plain"' in (own.directory / "state.json").read_text()
    text = (CORPUS["plain"][0] + BODY).encode()
    assert compile_object(own, text, own.use(text))[0] == compile_object(own, text, Use())[0]


def test_without_a_usable_header_none_is_used(own: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler makes what it then ignores."""
    shutil.rmtree(own.directory)
    monkeypatch.setattr(Headers, "_compile", lambda *_, **__: b"gpch.no")
    assert own.make((ALL,)) == "none"
    assert own.use(b"#include <bits/stdc++.h>\n") == Use()
    text = (CORPUS["plain"][0] + BODY).encode()
    compiled = Compiler(Cache(own.toolchain.directory.parent.parent)).compile(text, CPP, own.sandbox)
    assert compiled.program is not None, compiled.result.output
    compiled.program.close()
    monkeypatch.undo()
    assert own.make((ALL,)) == "none"
    state = own.directory / "state.json"
    os.utime(state, (state.stat().st_mtime - 3600,) * 2)
    assert own.make((ALL,)) == "instantiated", "an hour later it is tried again"


def test_a_specialisation_of_what_the_header_instantiated_is_no_error(ours: Headers, shared_cache: Path) -> None:
    """g++ takes this, and g++ 12 refuses it ("after instantiation") with the header alone: we try without."""
    text = b"#include <bits/stdc++.h>\n"
    text += b"namespace std { template <> inline const int &max<int>(const int &a, const int &) { return a; } }\n"
    text += b"int main() { return std::max(3, 4); }\n"
    refused = compile_object(ours, text, ours.use(text))[0] is None
    assert refused or ours.toolchain.compiler.name.endswith("-14")
    compiled = Compiler(Cache(shared_cache)).compile(text, CPP, ours.sandbox)
    assert compiled.result.verdict == "ok"
    assert compiled.program is not None
    with compiled.program as program:
        assert ours.sandbox.run(program.spec(limits=RUN_LIMITS)).exit_code == 3


def test_the_sets_used_least_go_when_there_are_too_many(own: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (f"#include <{name}>\n#include <cstdio>\n".encode() for name in ("cctype", "climits"))
    for text in (first, second):
        for _ in range(SIGHTINGS):
            own.use(text)
    made = sorted((own.directory / "sets").glob("*/headers.h.gch"))
    assert len(made) == 2
    monkeypatch.setattr(headers, "_SETS_LIMIT_BYTES", sum(path.stat().st_size for path in made))
    own.use(first)  # touched last
    for _ in range(SIGHTINGS):
        own.use(b"#include <cstring>\n")
    assert "-include" in own.use(first).arguments
    assert "-include" not in own.use(second).arguments
    assert len(list((own.directory / "sets").glob("*/headers.h"))) == 3  # still there for who was about to read it


def test_sets_that_are_only_wanted_take_no_room(own: Headers) -> None:
    """A program chooses its headers: a file for each set would be files without end."""
    names = sorted(headers._STANDARD - {ALL})[:40]
    for first, second in combinations(names, 2):
        own.use(f"#include <{first}>\n#include <{second}>\n".encode())
    assert list((own.directory / "sets").glob("*")) == []
    assert (own.directory / "seen").stat().st_size <= headers._SEEN_BYTES


def test_sets_that_cannot_be_made_go_when_there_are_too_many(own: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Headers, "_compile", lambda *_, **__: None)
    monkeypatch.setattr(headers, "_MOST_SETS", 4)
    monkeypatch.setattr(headers, "_READ_S", -1.0)
    for name in sorted(headers._STANDARD - {ALL})[:8]:
        assert own.make((name,)) == "none"
    assert len(list((own.directory / "sets").iterdir())) == 4


def test_toolchains_that_nobody_uses_go_when_all_take_too_much(own: Headers, monkeypatch: pytest.MonkeyPatch) -> None:
    used = own.toolchain.directory
    top = used.parent
    for days, name in enumerate(("older", "old", "recent")):
        (top / name).mkdir()
        (top / name / "x.gch").write_bytes(bytes(100_000))
        then = time.time() - (3 - days) * 86_000
        os.utime(top / name, (then, then))
    left = top / "recent" / ".new-half"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    os.utime(top / "recent", (then, then))
    trim(top)
    assert {path.name for path in top.iterdir()} >= {used.name, "older", "old", "recent"}
    assert not left.exists()
    monkeypatch.setattr(toolchain, "HEADERS_BYTES", Directory.of(top).size() - 150_000)
    with own.toolchain.building("anything"):
        pass
    assert {path.name for path in top.iterdir()} == {used.name, "recent", "lock"}
    monkeypatch.setattr(toolchain, "HEADERS_BYTES", 0)
    trim(top)
    assert {path.name for path in top.iterdir()} == {used.name, "recent", "lock"}, "used within a day"
