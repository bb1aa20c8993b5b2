"""What a runtime decides by a rule of its own, which is no part of any problem, and so must decide no verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from judge import Judge, Submission, languages
from tests.conftest import MakePackage

Judges = Callable[..., Judge]

DIGITS = 6000  # more than the 4300 at which Python stops reading and writing integers
PRINTS = f"print(10 ** {DIGITS})\n"
READS = "print(int(input()) - 1 == 0)\n"
WRITTEN = f"print({'1' * DIGITS} % 10)\n"


def installed(language: str) -> str:
    if (problem := languages.get(language).status().problem) is not None:
        pytest.skip(problem)
    return language


@pytest.mark.parametrize("language", ["python3", "pypy3"])
@pytest.mark.parametrize(
    ("source", "given", "answer"),
    [
        (PRINTS, "", "1" + "0" * DIGITS),
        (READS, "1" * DIGITS, "False"),
        (WRITTEN, "", "1"),
    ],
    ids=["prints", "reads", "written in the program"],
)
def test_python_knows_no_longest_integer(
    judges: Judges, package: MakePackage, language: str, source: str, given: str, answer: str
) -> None:
    """Executed for the first test, held for the others."""
    problem = package({f"secret/{number}": (f"{given}\n", f"{answer}\n") for number in range(4)})
    judgement = judges().judge(Submission(source=source.encode(), problem=problem, language=installed(language)))
    assert judgement.accepted, judgement


def test_a_generator_in_python_knows_no_longest_integer(judges: Judges, package: MakePackage) -> None:
    files = {
        "generators/gen.py": PRINTS,
        "generators/generators.yaml": "solution: /submissions/accepted/same.py\ndata:\n  secret:\n    data:\n"
        "      - one: gen.py\n",
        "submissions/accepted/same.py": "print(input())\n",
    }
    problem = package({}, files=files)
    judgement = judges().judge(Submission(source=b"print(input())\n", problem=problem, language="python3"))
    assert judgement.accepted, judgement


#: Each has 20 MiB in use (PyPy 17: it has 29 itself), in one array or in many small ones, and some garbage.
KEEPS_20_MIB = {
    "java, one array": "import java.util.*;\npublic class Main { public static void main(String[] a) {\n"
    "int n = new Scanner(System.in).nextInt(); byte[] x = new byte[20 << 20]; Arrays.fill(x, (byte) 1);\n"
    "long g = 0; for (int i = 0; i < 100000; i++) g += new int[200].length;\n"
    "System.out.println(x[3] + g > 0 ? n : 0); } }\n",
    "java, many": "import java.util.*;\npublic class Main { public static void main(String[] a) {\n"
    "int n = new Scanner(System.in).nextInt(); List<byte[]> x = new ArrayList<>();\n"
    "for (int i = 0; i < 20000; i++) x.add(new byte[1024]);\n"
    "System.out.println(x.size() > 3 ? n : 0); } }\n",
    "csharp, one array": "class P { static void Main() { int n = int.Parse(System.Console.ReadLine());\n"
    "var x = new byte[20 << 20]; for (int i = 0; i < x.Length; i++) x[i] = 1;\n"
    "System.Console.WriteLine(x[3] == 1 ? n : 0); } }\n",
    "csharp, many": "using System.Collections.Generic;\nclass P { static void Main() {\n"
    "int n = int.Parse(System.Console.ReadLine()); var x = new List<byte[]>();\n"
    "for (int i = 0; i < 20000; i++) x.Add(new byte[1024]);\n"
    "System.Console.WriteLine(x.Count > 3 ? n : 0); } }\n",
    "csharp, and garbage": "class P { static byte[] kept = new byte[20 << 20]; static void Main() {\n"
    "int n = int.Parse(System.Console.ReadLine()); long s = 0;\n"
    "for (int i = 0; i < 500; i++) { var x = new byte[4 << 20]; x[i] = 1; s += x[i]; }\n"
    "for (int i = 0; i < 500000; i++) { var x = new byte[1024]; x[i % 1024] = 1; s += x[i % 1024]; }\n"
    "System.Console.WriteLine(s + kept[n] > 3 ? n : 0); } }\n",
    "pypy3, many": 'n = input()\nx = [("%05d" % i) * 200 for i in range(17000)]\n'
    "for _ in range(60):\n    y = [(i, str(i)) for i in range(20000)]\n    x[0] = str(y[0]).encode()\n"
    "print(n if len(x) > 3 else 0)\n",
    "javascript, many": "const x = []; for (let i = 0; i < 20000; i++) x.push(Buffer.alloc(1024, 1));\n"
    'console.log(require("fs").readFileSync(0, "utf8").trim());\n',
}


@pytest.mark.parametrize("what", KEEPS_20_MIB)
def test_twenty_mib_in_use_fit_in_64(judges: Judges, package: MakePackage, what: str) -> None:
    """How a collector divides its heap is its own matter."""
    problem = package({"secret/1": ("7\n", "7\n")}, metadata="limits: {time_limit: 10, memory: 64}\n")
    source, language = KEEPS_20_MIB[what].encode(), installed(what.partition(",")[0])
    judgement = judges().judge(Submission(source=source, problem=problem, language=language))
    assert judgement.accepted, judgement


@pytest.mark.parametrize("what", ["java, one array", "csharp, many"])
def test_eighty_mib_in_use_do_not_fit_in_64(judges: Judges, package: MakePackage, what: str) -> None:
    problem = package({"secret/1": ("7\n", "7\n")}, metadata="limits: {time_limit: 10, memory: 64}\n")
    source = KEEPS_20_MIB[what].replace("20 << 20", "80 << 20").replace("20000", "80000").encode()
    judgement = judges().judge(Submission(source=source, problem=problem, language=installed(what.partition(",")[0])))
    assert judgement.verdict == "MLE", judgement


TYPES = {
    "an error of types": ("const n: string = 7;\nconsole.log(n);\n", "7\n"),
    "a name that has no types here": (
        "console.log(Buffer.from('7').toString(), process.argv.length > 0);\n",
        "7 true\n",
    ),
    "what only TypeScript has": (
        "enum E { A = 3, B }\nnamespace N { export const k = 1; }\n"
        "abstract class P { constructor(public x: number) {} }\n"
        "class Q extends P {}\nconst f = <T,>(a: T): T => a as unknown as T;\nimport * as fs from 'fs';\n"
        "const g: (typeof fs) = fs; let u!: number;\nconsole.log(E.B + N.k + new Q(2).x, f(g !== undefined));\n",
        "7 true\n",
    ),
    "a module that waits at its top level": (
        "import { argv } from 'process';\ninterface I { n: number }\nconst o: I = await Promise.resolve({ n: 7 });\n"
        "console.log(o.n, argv.length > 0);\n",
        "7 true\n",
    ),
}


@pytest.mark.parametrize("what", TYPES)
def test_types_are_no_verdicts(judges: Judges, package: MakePackage, what: str) -> None:
    source, answer = TYPES[what]
    problem = package({"secret/1": ("", answer)}, metadata="limits: {time_limit: 10, memory: 256}\n")
    language = installed("typescript")
    judgement = judges().judge(Submission(source=source.encode(), problem=problem, language=language))
    assert judgement.accepted, judgement


def test_types_are_verdicts_where_they_are_asked_for(judges: Judges, package: MakePackage) -> None:
    source, answer = TYPES["an error of types"]
    problem = package({"secret/1": ("", answer)})
    language = installed("typescript-strict")
    judgement = judges().judge(Submission(source=source.encode(), problem=problem, language=language))
    assert judgement.verdict == "CE"
    assert "not assignable to type 'string'" in judgement.compile.output


def test_syntax_of_typescript_is_checked(judges: Judges, package: MakePackage) -> None:
    problem = package({"secret/1": ("", "7\n")})
    source = b"const n: = 7;\nconsole.log(n);\n"
    judgement = judges().judge(Submission(source=source, problem=problem, language=installed("typescript")))
    assert judgement.verdict == "CE"
    assert "solution.ts(1,10): error TS" in judgement.compile.output


#: What Debian's packages of a runtime bring as files of their own, and others build in.
USUAL = {
    "php": "<?php echo ctype_digit($a = readline()) ? array_sum([$a, readline()]) : 'no', \"\\n\";",
}


@pytest.mark.parametrize("language", USUAL)
def test_what_a_runtime_usually_has(judges: Judges, package: MakePackage, language: str) -> None:
    problem = package({"secret/1": ("3\n4\n", "7\n")})
    source = USUAL[language].encode()
    judgement = judges().judge(Submission(source=source, problem=problem, language=installed(language)))
    assert judgement.accepted, judgement
