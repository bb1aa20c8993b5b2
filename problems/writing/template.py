"""Writes a new problem package, which is complete and passes `judge problems verify`.

The problem is the sum of n integers. It is small enough to be replaced in a minute, and its tests, generator, input
validator and wrong submissions show where everything goes.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

from problems.errors import ProblemError

_PROBLEM = """\
problem_format_version: "2025-09"
type: pass-fail
name:
  zh: 数列求和
  en: Sum of a Sequence
uuid: {uuid}
license: unknown            # cc0, cc by, …; most need an owner: credits or source
limits:
  time_limit: 1             # seconds
  memory: 256               # MiB
keywords: [example]
"""

_TEST_GROUP = """\
# Output is compared token by token. Without this line upper and lower case would be the same.
# Other rules: [float_tolerance, "1e-6"], [space_change_sensitive], or your own program in output_validator/.
output_validator_args: [case_sensitive]
"""

_STATEMENT_ZH = """\
给定 $n$ 个整数，求它们的和。

## 输入格式

第一行一个整数 $n$（$1 \\le n \\le 10^5$）。

第二行 $n$ 个整数，绝对值均不超过 $10^9$。

## 输出格式

一行一个整数，表示所有数的和。
"""

_STATEMENT_EN = """\
Given $n$ integers, find their sum.

## Input

The first line has one integer $n$ ($1 \\le n \\le 10^5$).

The second line has $n$ integers, none of them larger than $10^9$ in absolute value.

## Output

One line with one integer: the sum of all numbers.
"""

_GENERATOR = '''\
"""Prints one test case: gen.py n=<count> limit=<largest absolute value> seed=<number>. The same arguments always print
the same bytes; generators/sha256sums pins them."""

import random
import sys

arguments = dict(argument.split("=") for argument in sys.argv[1:])
count, limit = int(arguments["n"]), int(arguments["limit"])
random.seed(int(arguments["seed"]))
print(count)
print(*(random.randint(-limit, limit) for _ in range(count)))
'''

_GENERATORS = """\
# Tests that are too large for the repository: built at first use, by generators/gen.py and the solution.
# Names are those of the test cases: secret/03-large. After a change, correct generators/sha256sums.
solution: /submissions/accepted/std.cpp
data:
  secret:
    data:
      - 03-large: gen.py n=100000 limit=1000000000 seed=3
"""

#: What gen.py and std.cpp print for 03-large.
_SUMS = """\
667f028a94373aef6f2fb9088edcc116188b9539db7da2b43262f8eca19fdef6  secret/03-large.in
1cbdb04e9b91023491ff65c1d5b43d53bbdf403c20c351343884790e762f23ed  secret/03-large.ans
"""

_VALIDATOR = '''\
"""Exit code 42: this input is as the statement says."""

import re
import sys

text = sys.stdin.read()
match = re.fullmatch(r"([1-9][0-9]*)\\n((?:0|-?[1-9][0-9]*)(?: (?:0|-?[1-9][0-9]*))*)\\n", text)
assert match, "two lines, numbers separated by single spaces"
numbers = [int(word) for word in match[2].split()]
assert 1 <= len(numbers) == int(match[1]) <= 10**5
assert all(abs(number) <= 10**9 for number in numbers)
sys.exit(42)
'''

_STD_CPP = """\
#include <iostream>

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int n;
    std::cin >> n;
    long long sum = 0;
    for (int i = 0, x; i < n && std::cin >> x; ++i) sum += x;
    std::cout << sum << '\\n';
}
"""

_STD_PY = """\
import sys

print(sum(map(int, sys.stdin.read().split()[1:])))
"""

_OVERFLOW = """\
// Adds in 32 bits, and overflows.
#include <cstdio>

int main() {
    int n, x;
    unsigned sum = 0;
    std::scanf("%d", &n);
    while (n-- > 0 && std::scanf("%d", &x) == 1) sum += static_cast<unsigned>(x);
    std::printf("%d\\n", static_cast<int>(sum));
}
"""

_EMPTY_LINE = """\
# Expects the numbers one on a line.
n = int(input())
print(sum(int(input()) for _ in range(n)))
"""

_CASES = {
    "sample/1": ("3\n1 2 3\n", "6\n"),
    "secret/01-single": ("1\n-7\n", "-7\n"),
    "secret/02-long-sum": ("4\n1000000000 1000000000 1000000000 1000000000\n", "4000000000\n"),
}


def files() -> Mapping[str, str]:
    """Path below the package's directory -> text."""
    result = {
        "problem.yaml": _PROBLEM.replace("{uuid}", str(uuid.uuid4())),
        "statement/problem.zh.md": _STATEMENT_ZH,
        "statement/problem.en.md": _STATEMENT_EN,
        "data/sample/test_group.yaml": _TEST_GROUP,
        "data/secret/test_group.yaml": _TEST_GROUP,
        "generators/gen.py": _GENERATOR,
        "generators/generators.yaml": _GENERATORS,
        "generators/sha256sums": _SUMS,
        "input_validators/validate.py": _VALIDATOR,
        "submissions/accepted/std.cpp": _STD_CPP,
        "submissions/accepted/std.py": _STD_PY,
        "submissions/wrong_answer/overflow.cpp": _OVERFLOW,
        "submissions/run_time_error/one_per_line.py": _EMPTY_LINE,
    }
    for case, (given, answer) in _CASES.items():
        result[f"data/{case}.in"] = given
        result[f"data/{case}.ans"] = answer
    return result


def create(directory: Path) -> Path:
    """Write a new package into `directory`, which must not exist or be empty.

    Raises:
        ProblemError: the place is taken or cannot be written, or its name is none for a problem.
    """
    name = directory.absolute().name
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise ProblemError(f"{directory}: {name!r} is no name for a problem; use letters and digits")
    existed = directory.exists()
    if existed and (not directory.is_dir() or any(directory.iterdir())):
        raise ProblemError(f"{directory}: exists already; choose another place or remove it")
    try:
        for path, text in files().items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        shutil.rmtree(directory, ignore_errors=True)
        if existed:
            directory.mkdir(exist_ok=True)
        why = f"{directory}: cannot be written: {error.strerror}; check permissions and free space"
        raise ProblemError(why) from error
    return directory
