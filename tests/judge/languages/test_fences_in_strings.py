"""Fences within a string or a comment of a program are its text; where nothing shows that, a fence closes its block."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from judge import languages
from judge.languages.extraction import Reason, extract
from judge.languages.fences import language_of
from judge.languages.spans import follow, has_spans

F = "```"
Q, A = '"""', "'''"


def fenced(tag: str, *lines: str) -> str:
    return "\n".join((F + tag, *lines, F, ""))


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def _language(tag: str) -> str:
    found = language_of(tag)
    assert found is not None
    return found.name


#: Tag, and the lines of a program that is taken whole.
WHOLE: dict[str, tuple[str, tuple[str, ...]]] = {
    "a pair in a docstring": ("python", ("def f():", f"    {Q}", F, "f()", F, f"    {Q}", "    return 1")),
    "one alone in a docstring": ("python", (Q, F, Q, "print(1)")),
    "a pair with a tag": ("python", ("def f():", f"    {Q}Use:", F + "python", "f()", F, f"    {Q}", "    return 1")),
    "a pair with a tag of text": ("python", (Q, F + "text", "1 2", F, Q, "print(3)")),
    "single quotes": ("py", (A, F, "x", F, A, "print(1)")),
    "two docstrings": ("python", (Q, F, "x", F, Q, "a = 1", "def f():", f"  {A}", F, "y", F, f"  {A}", "print(a)")),
    "two pairs in one": ("python", (Q, F, "in", F, "and", F, "out", F, Q, "print(1)")),
    "a raw string": ("python", (f"r{Q}\\", F, "x", F, Q, "print(1)")),
    "an f-string": ("python", (f"s = f{Q}", F, "{1}", F, Q, "print(s)")),
    "an escaped quote in it": ("python", (f"s = {Q}\\{Q}", F, "x", F, Q, "print(s)")),
    "other quotes in it": ("python", (f"s = {Q} {A}", F, "x", F, f"{A} {Q}", "print(s)")),
    "behind a comment with a quote": ("python", (f"# it's {Q}", Q, F, "x", F, Q, "print(1)")),
    "behind a string with a quote": ("python", ("s = \"'''\"", Q, F, "x", F, Q, "print(1)")),
    "ends and begins in one line": ("python", (Q, F, f"{Q}; s = {Q}", F, Q, "print(1)")),
    "pypy": ("pypy3", (Q, F, "x", F, Q, "print(1)")),
    "a version": ("python3.11", (Q, F, "x", F, Q, "print(1)")),
    "a comment of C++": ("cpp", ("/*", F, "1 2", F, "*/", "int main() {}")),
    "a comment of C++, one alone": ("cpp", ("/*", F, "*/", "int main() {}")),
    "a comment of C++ with a tag": ("c++", ("/*", F + "cpp", "f();", F, "*/", "int main() {}")),
    "behind an address": ("cpp", ('auto s = "http://x";', "/*", F, "*/", "int main() {}")),
    "behind a character": ("cpp", ("char c = '\"';", "/*", F, "x", F, "*/", "int main() {}")),
    "behind separated digits": ("cpp", ("int a = 1'000;", "/*", F, "x", F, "*/", "int main() {}")),
    "C": ("c", ("/*", F, "x", F, " */", "int main(void) { return 0; }")),
    "Java": ("java", ("/**", F, "x", F, "*/", "class Main {}")),
    "a text of Java": ("java", (f"class Main {{ String s = {Q}", F, "x", F, f"{Q}; }}")),
    "a text of Kotlin": ("kotlin", (f"val s = {Q}", F, "x", F, Q, "fun main() {}")),
    "a text of C#": ("csharp", (f"var s = {Q}", F, "x", F, f"{Q};", "class P {}")),
    "JavaScript": ("js", ("/*", F, "x", F, "*/", "console.log(1)")),
    "TypeScript": ("typescript", ("const s = 'it is /* none';", "/*", F, "x", F, "*/", "console.log(1)")),
    "Go": ("go", ("/*", F, "x", F, "*/", "package main")),
    "Rust": ("rust", ("fn f<'a>(x: &'a str) {}", "/*", F, "x", F, "*/", "fn main() {}")),
    "a raw string of C++": ("cpp", ('auto s = R"(', F, '*/ " x', F, ')";', "int main() {}")),
    "a raw string of C++ with a name": ("cpp", ('auto s = u8R"md[(', F, ')" )md', F, ')md[";', "int main() {}")),
    "no raw string of C++": ("cpp", ('auto s = FOOR "x(";', "/*", F, "*/", "int main() {}")),
    "a raw string of Rust": ("rust", ('let s = r#"', F, '" x', F, '"#;', "fn main() {}")),
    "a string of Rust": ("rust", ("let c = '\"'; let s = \"", F, '\\" x', F, '";', "fn main() {}")),
    "a comment within one of Rust": ("rust", ("/* /* */", F, "x", F, "*/", "fn main() {}")),
    "a document of Rust": ("rust", ("/// ```", "/// f();", "/// ```", "fn main() {}")),
    "Go behind a string in back-ticks": ("go", ("s := `", "/*", '"', "`", "/*", F, "x", F, "*/", "func main() {}")),
    "JavaScript behind a template": ("js", ("const s = `", "/* it's ${x}", "`;", "/*", F, "x", F, "*/", "f();")),
    "escaped ticks of JavaScript": ("js", ("const s = `", "\\`\\`\\`js", "x", "\\`\\`\\`", "`;")),
    "comments of Python": ("python", ("# ```", "# f()", "# ```", "print(1)")),
    "documents of R": ("r", ("#' ```", "#' f()", "#' ```", "print(1)")),
    "PHP": ("php", ("<?php", "/*", F, "x", F, "*/", "echo 1;")),
    "a document of PHP": ("php", ("<?php", "$s = <<<'EOT'", F, "x", F, "EOT;", "echo $s;")),
    "D": ("d", ("/+ /+ +/", F, "x", F, "+/", "void main() {}")),
    "a string of D": ("d", ('auto s = r"', F, "x", F, '\\";', "void main() {}")),
    "Kotlin, whose comments nest": ("kotlin", ("/* /* */", F, "x", F, "*/", "fun main() {}")),
    "Scala": ("scala", (f"val s = s{Q}\\", F, "x", F, Q, "object M")),
    "four quotes of C#": ("csharp", (f'var s = {Q}"', Q, F, "x", F, f'{Q}";', "class P {}")),
    "C# with @": ("csharp", ('var s = @"\\', F, '"" x', F, '";', "class P {}")),
    "Ruby": ("ruby", ("=begin", F, "x", F, "=end", "puts 1")),
    "a document of Ruby": ("ruby", ("s = <<~EOS.strip", F, "it's #{x}", F, "EOS", "puts s")),
    "a document of Ruby in quotes": ("ruby", ("a << b", "s = <<'a'", F, "x", F, "a", "puts s")),
    "Perl": ("perl", ("my $n = $#a;", 'print <<"EOT";', F, "x", F, "EOT", "print 1;")),
    "a document of Perl": ("perl", ("=pod", "", F, "x", F, "", "=cut", "print 1;")),
    "a shell": ("bash", ("cat > x.md <<'EOF'", F, "it's", F, "EOF", "echo ${#a}")),
    "Lua": ("lua", ("--[[", F, "x", F, "]]", "print(1)")),
    "a string of Lua": ("lua", ("local s = [==[", F, "]]", F, "]==]", "-- [[", "print(s)")),
    "Haskell": ("haskell", ("{- {- -}", F, "x", F, "-}", "main = print (foldl' (+) 0 [])")),
    "OCaml": ("ocaml", ("let f = ( * )", "(* (* *)", F, "x", F, "*)", "let () = ()")),
    "a string of OCaml": ("ocaml", ("let s = {md|", F, '"', F, "|md}", "let c = '\"'")),
    "Pascal": ("pascal", ("{ it's", F, "x", F, "}", "begin end.")),
    "Pascal with stars": ("pascal", ("(*", F, "x", F, "*)", "begin end.")),
    "Nim": ("nim", ("##[ #[ ]#", F, "x", F, "]##", "echo 1")),
    "Elixir": ("elixir", ("defmodule M do", f"  @doc ~S{Q}", F, "iex> M.f()", F, f"  {Q}", "end")),
    "Erlang": ("erlang", ('-doc "', F, "x", F, '".', 'main(_) -> $" .')),
    "Lisp": ("lisp", ('(defun f () "', F, "(f)", F, '"', '  #\\")')),
    "Racket": ("racket", ("#|", F, "x", F, "|#", "(f)")),
    "Clojure": (
        "clojure",
        (
            '(defn f "',
            F,
            "(f)",
            F,
            '" [] \\")',
        ),
    ),
    "R": ("r", ('s <- r"--[', F, ')"', F, ']--"', "print(s)")),
    "a string of R": ("r", ('s <- "', F, "x", F, '"', "print(s)  # it's")),
    "Octave": ("octave", ("%{", F, "x", F, "%}", "a = b';")),
    "Prolog": ("prolog", ("/*", F, "x", F, "*/", "main :- X = 0'a.")),
    "SQL": ("sql", ("/*", F, "x", F, "*/", "select 'it''s';")),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    "around", ["{}", "Here:\n\n{}\nIt is O(n).\n", "{}\nOutput:\n```\n3\n```\n", "<think>x</think>\n{}"]
)
def test_a_program_is_not_cut_within_a_string(name: str, around: str) -> None:
    tag, lines = WHOLE[name]
    found = extract(around.replace("{}", fenced(tag, *lines)), _language(tag))
    assert found.code == text(*lines)


@pytest.mark.parametrize("name", WHOLE)
def test_a_prompt_that_opened_the_block(name: str) -> None:
    tag, lines = WHOLE[name]
    for end in (F, F + "\nThat is all.\n", ""):
        assert extract(text(*lines) + end, _language(tag), prompt=f"Solve it.\n{F}{tag}\n").code == text(*lines)


SMOKE = sorted(path for path in Path(languages.__file__).parent.glob("smoke.*"))


@pytest.mark.parametrize("path", SMOKE, ids=lambda path: path.suffix)
def test_a_whole_file_ends_within_nothing(path: Path) -> None:
    found = languages.find_by_suffix(path.suffix)
    assert found is not None
    within = None
    for line in path.read_text().splitlines(keepends=True) if has_spans(found.family) else ():
        within = follow(found.family, line, within)
    assert within is None


RIGHT = ("print(1)",)
AS_BEFORE: dict[str, tuple[str, str | None]] = {
    "nothing closes the block later": (text(F + "python", Q, F, "That is all."), text(Q)),
    "the string never ends": (text(F + "python", Q, F, "x", F, "y"), text(Q)),
    "a right one follows a broken one": (
        fenced("python", Q, "x") + "Better:\n" + fenced("python", *RIGHT),
        "print(1)\n",
    ),
    "it has a docstring": (
        fenced("python", Q, "x") + "Better:\n" + fenced("python", f"{Q}doc{Q}", *RIGHT),
        f"{Q}doc{Q}\nprint(1)\n",
    ),
    "it has an apostrophe in its docstring": (
        fenced("python", A, "x") + "Better:\n" + fenced("python", f"{A}It's{A}", *RIGHT),
        f"{A}It's{A}\nprint(1)\n",
    ),
    "a forgotten fence, and a program with a docstring": (
        text(F + "python", Q, "x") + fenced("python", f"{Q}doc{Q}", *RIGHT),
        f"{Q}doc{Q}\nprint(1)\n",
    ),
    "a comment that is open": (
        fenced("cpp", "/* x") + "Better:\n" + fenced("cpp", "/* y */", "int main() {}"),
        "/* y */\nint main() {}\n",
    ),
    "a regular expression with a mark": (
        fenced("js", "s.match(/[/*]/)") + "Prints:\n" + fenced("", "*/"),
        "s.match(/[/*]/)\n",
    ),
    "a mark in a string": (fenced("cpp", 'puts("/*");') + "Output:\n" + fenced("", "/*", "*/"), 'puts("/*");\n'),
    "a mark in a comment": (fenced("cpp", "// see /*", "int x;") + fenced("", "*/", "*/"), "// see /*\nint x;\n"),
    "a quote in a comment": (fenced("python", f"# {Q}", *RIGHT) + fenced("", Q), f"# {Q}\nprint(1)\n"),
    "a string that ended": (fenced("python", f"{Q}x{Q}", *RIGHT) + fenced("", Q), f"{Q}x{Q}\nprint(1)\n"),
    "a backslash before the quote": (
        fenced("python", f"print('\\\\{A[0]})", *RIGHT) + fenced("", "'"),
        f"print('\\\\{A[0]})\nprint(1)\n",
    ),
    "two programs": (fenced("python", "print(0)") + fenced("python", *RIGHT), "print(1)\n"),
    "an indented fence": (
        fenced("python", Q, f"    {F}", f"    {F}", Q, *RIGHT),
        text(Q, f"    {F}", f"    {F}", Q, *RIGHT),
    ),
    "longer fences": (
        text(f"{F}`python", Q, F, "x", F, Q, *RIGHT, f"{F}`"),
        text(Q, F, "x", F, Q, *RIGHT),
    ),
    "a language whose strings we do not know": (fenced("ada", "=begin", F, "=end", "puts 1"), "=begin\n"),
    "back-ticks end a string of them": (text(F + "go", "s := `", F, "That is all.", "`", F), "s := `\n"),
    "a template that never ends": (fenced("js", "let s = `x") + "Prints:\n" + fenced("", "`"), "let s = `x\n"),
    "a shift of C++": (fenced("cpp", "a = 1 << EOT;", "int x;") + fenced("", "EOT"), "a = 1 << EOT;\nint x;\n"),
    "a shift in a shell": (fenced("bash", "echo $((1 << x))") + "Prints:\n" + fenced("", "2"), "echo $((1 << x))\n"),
    "an array of Ruby": (fenced("ruby", "a <<B", "p a") + fenced("text", "B"), "a <<B\np a\n"),
    "a quote of R in a comment": (fenced("r", "# it's", "print(1)") + fenced("", "'"), "# it's\nprint(1)\n"),
    "no tag": (fenced("", Q, F, Q, "print(1)"), f"{Q}\n"),
}


@pytest.mark.parametrize("name", AS_BEFORE)
def test_what_a_fence_closes_as_before(name: str) -> None:
    completion, code = AS_BEFORE[name]
    tag = completion.partition("\n")[0].strip("`")
    language = tag if tag in ("ada", "bash", "ruby", "r", "go", "js") else None
    assert extract(completion, language).code == code


#: A block without a tag, or with one that says only that it is a program, is of the wanted language.
@pytest.mark.parametrize("tag", ["", "code", "program"])
@pytest.mark.parametrize(
    "name", ["a pair in a docstring", "a comment of C++", "a raw string of Rust", "Ruby", "Elixir"]
)
def test_a_block_without_a_tag(name: str, tag: str) -> None:
    its, lines = WHOLE[name]
    completion = f"Here:\n{fenced(tag, *lines)}\nIt is O(n).\n"
    assert extract(completion, _language(its)).code == text(*lines)
    assert extract(text(*lines) + F, _language(its), prompt=f"Solve it.\n{F}{tag}\n").code == text(*lines)


@pytest.mark.parametrize("name", WHOLE)
def test_a_program_ends_within_nothing(name: str) -> None:
    tag, lines = WHOLE[name]
    found = language_of(tag)
    assert found is not None
    within = None
    for line in text(*lines).splitlines(keepends=True):
        within = follow(found.family, line, within)
    assert within is None


def test_a_program_that_was_cut_off_is_none() -> None:
    assert extract(text(F + "python", Q, "x")).reason is Reason.UNCLOSED


def test_thinking_ends_behind_such_a_program() -> None:
    draft = fenced("python", Q, F, "x", F, Q, "print(0)")
    assert extract(f"<think>\n{draft}So:\n</think>\n{fenced('python', *RIGHT)}").code == "print(1)\n"


def test_the_end_is_looked_for_a_few_times_only() -> None:
    """Nine broken blocks, and a tenth that goes on behind its string: after eight it is not looked for."""
    broken = text(F + "python", Q, F, "", F, "") + text(F + "text", "", F)
    whole = fenced("python", Q, F, "x", F, Q, "print(1)")
    assert extract(broken + whole).code == text(Q, F, "x", F, Q, "print(1)")


@pytest.mark.parametrize("seed", range(200))
def test_random_programs_are_taken_whole(seed: int) -> None:
    """Each is valid Python with fences in its docstrings alone."""
    chance = random.Random(seed)
    lines: list[str] = []
    for _ in range(chance.randint(1, 6)):
        quote = chance.choice((Q, A))
        inner = [
            line for _ in range(chance.randint(0, 3)) for line in (F + chance.choice(("", "python", "text")), "x", F)
        ]
        lines += chance.choice(
            (
                [f"s = {quote}it is", *inner, f"{quote}"],
                [f"s = r{quote}", *inner, f"a\\n{quote}  # it's {Q}"],
                [f"# {A} and {Q}"],
                ['s = "it\'s" + \'"""\'', f"s = {quote}one{quote}"],
                ["print('a', \"b\")"],
            )
        )
    code = text(*lines)
    compile(code, "code", "exec")
    assert extract(f"Here:\n{fenced('python', *lines)}\nDone.\n", "python3").code == code
