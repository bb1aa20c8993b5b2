"""The wrapper of freopen, linked as submissions are: every spelling in C and C++, against real linkers and libcs."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

WRAPPER = files("judge").joinpath("compiling", "link", "freopen.c").read_bytes()
WRAP = "-Wl,--wrap=freopen,--wrap=freopen64"
LINKERS = [linker for linker in ("bfd", "gold", "lld", "mold") if shutil.which(f"ld.{linker}") or shutil.which(linker)]
LINKINGS = [(f"-fuse-ld={linker}", *kind) for linker in LINKERS for kind in ((), ("-static",))]

#: Each line of main prints whether a redirection of stdin left it alone, then one other stream is really reopened.
C_SPELLINGS = r"""
#include <stdio.h>
#include <string.h>
#define IN(x) freopen(x ".in", "r", stdin)
#define FR freopen
#define CAT(a, b) a##b
typedef FILE *opener(const char *, const char *, FILE *);
static opener *table[] = {freopen};
static FILE *call(opener *f) { return f("missing.in", "r", stdin); }
int main(void)
{
    FILE *other, *again;
    opener *pointer = &freopen;
    char text[8] = "";
    int a, b;
    fprintf(stderr, "%d", freopen("missing.in", "r", stdin) == stdin);
    fprintf(stderr, "%d", (freopen)("missing.in", "r", (stdin)) == stdin);
    fprintf(stderr, "%d", IN("missing") == stdin);
    fprintf(stderr, "%d", FR("missing.in", "r", stdin) == stdin);
    fprintf(stderr, "%d", CAT(fre, open)("missing.in", "r", stdin) == stdin);
    fprintf(stderr, "%d", fre\
open("missing.in", "r", stdin) == stdin);
    fprintf(stderr, "%d", pointer("missing.in", "r", stdin) == stdin);
    fprintf(stderr, "%d", table[0]("missing.in", "r", stdin) == stdin);
    fprintf(stderr, "%d", call(freopen) == stdin);
    /* freopen("missing.in", "r", stdin) */
    fputs("freopen(\"x\", \"r\", stdin)", stderr);
    if (scanf("%d%d", &a, &b) == 2) printf("%d\n", a + b);
    other = fopen("one.txt", "w");
    again = freopen("two.txt", "w", other);
    fputs("two", again);
    fclose(again);
    other = fopen("two.txt", "r");
    again = freopen("one.txt", "r", other);
    fprintf(stderr, "[%d", again != NULL && fgets(text, 8, again) == NULL);
    again = freopen("two.txt", "r", again);
    fprintf(stderr, "%d]", again != NULL && fgets(text, 8, again) != NULL && strcmp(text, "two") == 0);
    return 0;
}
"""
C_COUNT = 9

CXX_SPELLINGS = r"""
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#define IN(x) freopen(x ".in", "r", stdin)
template <class F> FILE *call(F f) { return f("missing.in", "r", stdin); }
template <FILE *(*F)(const char *, const char *, FILE *)> FILE *fixed() { return F("missing.in", "r", stdin); }
namespace mine { using std::freopen; }
int main()
{
    auto f = std::freopen;
    std::function<FILE *(const char *, const char *, FILE *)> g = ::freopen;
    auto h = [](const char *name) { return std::freopen(name, "r", stdin); };
    std::cerr << (freopen("missing.in", "r", stdin) == stdin) << (std::freopen("missing.in", "r", stdin) == stdin)
              << (::freopen("missing.in", "r", stdin) == stdin) << (IN("missing") == stdin)
              << (std::fre\
open("missing.in", "r", stdin) == stdin) << (f("missing.in", "r", stdin) == stdin)
              << (g("missing.in", "r", stdin) == stdin) << (h("missing.in") == stdin) << (call(std::freopen) == stdin)
              << (fixed<std::freopen>() == stdin) << (mine::freopen("missing.in", "r", stdin) == stdin);
    // std::freopen("missing.in", "r", stdin)
    std::cerr << R"(freopen("x", "r", stdin))";
    int a, b;
    if (std::cin >> a >> b) std::cout << a + b << "\n";
    FILE *other = std::freopen("two.txt", "w", std::fopen("one.txt", "w"));
    std::fputs("two", other);
    other = std::freopen("one.txt", "r", other);
    std::cerr << "[" << (std::fgetc(other) == EOF);
    other = std::freopen("two.txt", "r", other);
    std::cerr << (std::fgetc(other) == 't') << "]";
}
"""
CXX_COUNT = 11

SPELLINGS = [("gcc", C_SPELLINGS, C_COUNT), ("g++", CXX_SPELLINGS, CXX_COUNT)]


def compile_objects(directory: Path, source: str, compiler: str = "g++", *options: str) -> None:
    program = directory / ("program.c" if compiler == "gcc" else "program.cpp")
    program.write_text(source)
    (directory / "wrapper.c").write_bytes(WRAPPER)
    run(directory, "gcc", "-c", "-O2", "-Wall", "-Wextra", "-Werror", "wrapper.c")
    run(directory, compiler, "-c", "-O2", *options, program.name)


def link(directory: Path, compiler: str = "g++", *options: str) -> Path:
    run(directory, compiler, "program.o", *options, "-o", "program")
    return directory / "program"


def run(directory: Path, *argv: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=directory,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={"PATH": "/usr/bin:/bin"},
    )


@pytest.mark.parametrize("options", [(), ("-D_FILE_OFFSET_BITS=64",)], ids=["default", "large-files"])
@pytest.mark.parametrize(("compiler", "source", "count"), SPELLINGS)
def test_standard_streams_stay(
    tmp_path: Path, compiler: str, source: str, count: int, options: tuple[str, ...]
) -> None:
    compile_objects(tmp_path, source, compiler, *options)
    for linking in LINKINGS:
        program = link(tmp_path, compiler, "wrapper.o", WRAP, *linking)
        result = run(tmp_path, program, stdin="3 4\n")
        assert (result.stdout, linking) == ("7\n", linking)
        assert (result.stderr, linking) == ("1" * count + 'freopen("x", "r", stdin)[11]', linking)


@pytest.mark.parametrize(("compiler", "source", "count"), SPELLINGS)
def test_without_the_wrapper_the_spellings_redirect(tmp_path: Path, compiler: str, source: str, count: int) -> None:
    """The control: the same program, linked plainly, loses its input."""
    compile_objects(tmp_path, source, compiler)
    result = run(tmp_path, link(tmp_path, compiler), stdin="3 4\n")
    assert result.stdout == ""
    assert result.stderr.startswith("0" * count)


@pytest.mark.parametrize("mode", ["w", "a"])
def test_output_streams_stay(tmp_path: Path, mode: str) -> None:
    source = f"""
    #include <cstdio>
    int main() {{
        std::puts("before");
        if (!std::freopen("x.out", "{mode}", stdout) || !std::freopen("x.err", "{mode}", stderr)) return 1;
        if (!std::freopen(nullptr, "{mode}", stdout)) return 2;
        std::puts("after");
        std::fputs("error", stderr);
    }}"""
    compile_objects(tmp_path, source)
    result = run(tmp_path, link(tmp_path, "g++", "wrapper.o", WRAP))
    assert (result.stdout, result.stderr) == ("before\nafter\n", "error")
    assert not (tmp_path / "x.out").exists()
    assert not (tmp_path / "x.err").exists()


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_a_program_without_freopen_links(tmp_path: Path, compiler: str) -> None:
    compile_objects(tmp_path, "int main(void) { return 0; }", compiler)
    for linking in LINKINGS:
        run(tmp_path, link(tmp_path, compiler, "wrapper.o", WRAP, *linking))


@pytest.mark.parametrize(
    "compiler", [("gcc", "-std=c99", "-pedantic"), ("g++", "-std=c++11", "-pedantic", "-x", "c++")]
)
def test_the_wrapper_compiles_as_either_language(tmp_path: Path, compiler: tuple[str, ...]) -> None:
    (tmp_path / "wrapper.c").write_bytes(WRAPPER)
    run(tmp_path, *compiler, "-c", "-Wall", "-Wextra", "-Werror", "wrapper.c", "-o", "wrapper.o")
    symbols = run(tmp_path, "nm", "wrapper.o").stdout
    assert {line.split()[-1] for line in symbols.splitlines() if " T " in line} == {
        "__wrap_freopen",
        "__wrap_freopen64",
    }
