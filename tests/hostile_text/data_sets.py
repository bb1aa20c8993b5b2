"""Readers of data sets, called with hostile text."""

from __future__ import annotations

import json
import pickle
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from judge.checkers.assertions import NotHeld
from judge.checkers.assertions.reading import read_assertions
from trainer_adapter.data import hazards, luogu, packed, schemas, sources, tests_text
from trainer_adapter.data.build import _decimal, _question
from trainer_adapter.data.calls import read_tests
from trainer_adapter.data.deciding import refuse_deciding, refuse_other_calls
from trainer_adapter.data.item import Unusable
from trainer_adapter.data.limits import Stated
from trainer_adapter.data.tests_column import Case, Inline


def _called(given: str) -> None:
    """As arguments and result of a function, in both forms, and as assertions."""
    with suppress(NotHeld):
        read_assertions(given)
    for task in (
        [{"input": given, "output": given, "fn_name": "f"}],
        {"inputs": [given], "outputs": [given], "fn_name": "f"},
    ):
        with suppress(Unusable):
            for test in read_tests(task).cases:
                _decimal(test)


def _column(name: str) -> None:
    with suppress(Unusable):
        refuse_deciding({name: "x"}, "a column")


def _called(name: str) -> None:
    with suppress(Unusable):
        refuse_other_calls({"fn_name": name}, "f")


def _unread(given: str) -> None:
    with suppress(Unusable):
        refuse_deciding({"about": given}, "a column")


def _limit(given: str) -> None:
    with suppress(Unusable):
        Stated().take({"time_limit": given, "memory_limit": given})


_JSON: Mapping[str, Callable[[int], str]] = {
    "lists": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "open": lambda size: "[" * size,
    "maps": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "many": lambda size: "{" + ",".join(f'"a{one}":[[],{{}}]' for one in range(size // 16)) + "}",
    "digits": lambda size: "[" + "1" * size + "]",
    "white": lambda size: " " * size + "{}",
}
_CALLS: Mapping[str, Callable[[int], str]] = {
    "lines": lambda size: "[1]\n" * (size // 4),
    "many": lambda size: "assert f(1) == 1\n" * (size // 17),
    "long": lambda size: f"assert f(1) == [{'1, ' * (size // 3)}]",
    "deep": lambda size: "assert f(1) == " + "-" * size + "1",
    "nested": lambda size: "assert f(1) == " + "[" * (size // 2) + "]" * (size // 2),
    "names": lambda size: f"x = [{'1, ' * (size // 6)}]\n" + "assert f(x) == x\n" * (size // 34),
    "doubled": lambda size: "x = [1]\n" + "x = [x, x]\n" * (size // 11) + "assert f(x) == x\n",
    "changed": lambda size: (
        "x0 = [1]\n"
        + "".join(f"x{one} = [x{one - 1}]\n" for one in range(1, size // 40))
        + "".join(f"g(x{one})\n" for one in range(size // 40))
    ),
    "functions with names": lambda size: (
        "".join(f"x{one} = 1\nx{one} = 2\n" for one in range(size // 60)) + "def t(y):\n assert f(y)\n" * (size // 60)
    ),
    "given at once": lambda size: "".join(f"x{one} = " for one in range(size // 9)) + "[1]\nassert f(x0)\n",
    "taken apart": lambda size: (
        ",".join(f"x{one}" for one in range(size // 14)) + "=" + ",".join(["[1]"] * (size // 14)) + "\nassert f(x0)\n"
    ),
    "joined beside a function": lambda size: (
        f"x = [{','.join(f'x{one}' for one in range(size // 8))}]\ndef t():\n assert f(x)\nx.append(1)\n"
    ),
    "given anew": lambda size: "".join(f"x{one} = 1\n" for one in range(size // 24)) + "exec(y)\n" * (size // 16),
    "functions": lambda size: "x = 1\n" * (size // 12) + "def t():\n pass\n" * (size // 30),
    "loops": lambda size: "".join(f"{' ' * i}for x in y:\n" for i in range(min(90, size))) + " " * 91 + "pass\n",
}


_ROWS: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    "verifiable": lambda text: {
        "verification_info": json.dumps({"test_cases": _tests_of(text)}),
        "problem_statement": text,
        "problem_id": text,
    },
    "apps": lambda text: {"question": text, "input_output": text, "problem_id": 1, "time_limit": text},
    "livecodebench": lambda text: {
        "question_content": text,
        "public_test_cases": None,
        "private_test_cases": text,
        "question_id": "1",
    },
    "code_contests": lambda text: {
        "description": text,
        "input_file": text,
        "public_tests": None,
        "private_tests": _tests_of(text),
        "generated_tests": None,
    },
    "eurus": lambda text: {"reward_model": text, "data_source": "x", "prompt": text, "extra_info": {}},
    "codeforces": lambda text: {
        "description": text,
        "official_tests": None,
        "examples": _tests_of(text),
        "time_limit": text,
    },
    "allenai": lambda text: {"messages": text, "ground_truth": text, "dataset": "code_stdio"},
    "rstar": lambda text: {"question": text, "inputs": [text], "outputs": [text], "func_name": text},
    "sandbox_fusion": lambda text: {"content": text, "test": [{"input": {"stdin": text}, "output": {"stdout": text}}]},
    "leetcode": lambda text: {"problem_description": text, "entry_point": text, "test": text},
    "deepcoder": lambda text: {"problem": text, "tests": text, "metadata": text},
    "luogu": lambda text: {"pid": text, "markdown": text, "samples": [[text, text]]},
}


def _tests_of(text: str) -> list[Mapping[str, str]]:
    return [{"input": text, "output": "1"}]


def _row_of(schema: str, given: str) -> None:
    found = schemas.read(schemas.get(schema), _ROWS[schema](given))
    found = replace(found, solutions=(("python3", given),))
    list(hazards.find(hazards.Looked(item=found, shown=found.samples, hidden=found.tests, decimal=False)))
    _question(found)


def _markdown(given: str) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory, "P1.md")
        path.write_text(given, encoding="utf-8")
        luogu.markdown_row(path)


def _nested(size: int) -> str:
    """Fences in fences."""
    most = int((size / 2) ** 0.5)
    return "## Examples\n" + "".join("`" * length + "\n" for length in range(most, 2, -1))


def _files(given: bytes) -> None:
    with TemporaryDirectory() as directory:
        for suffix in (".json", ".jsonl"):
            path = Path(directory, f"rows{suffix}")
            path.write_bytes(given)
            list(sources.rows(str(path)))


def _packed(given: bytes) -> None:
    tests_text.unpack("judge1:" + b64encode(zlib.compress(given)).decode())


def _pickled(given: bytes) -> None:
    with suppress(ValueError, tests_text.DataError):
        packed.read(b64encode(zlib.compress(given)).decode())


_PICKLES: Mapping[str, Callable[[int], bytes]] = {
    "one text": lambda size: pickle.dumps("1" * size),
    "texts": lambda size: pickle.dumps([str(one) for one in range(size // 8)]),
    "maps": lambda size: pickle.dumps([{"input": str(one), "output": "1"} for one in range(size // 40)]),
    "one text many times": lambda size: pickle.dumps(["1" * (size // 2)] * (size // 4)),
    "marks": lambda size: b"(" * size,
    "nested": lambda size: b"]" * (size // 2) + b"a" * (size // 2) + b".",
}


def _tests(size: int) -> bytes:
    return Inline(tests=(Case(input="1" * size, output="1"),)).model_dump_json().encode()
