"""Reads rows whose tests give input or call a function: APPS, TACO, LiveCodeBench, DeepCoder, PrimeIntellect's, Eurus-2
and other rows of verl's, NVIDIA's Nemotron RL data, AllenAI's RLVR code, rStar-Coder."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import Any

from judge.checkers.calls import is_list
from problems.model import Function
from problems.text.statement import samples
from trainer_adapter.data import packed
from trainer_adapter.data.arrays import as_list
from trainer_adapter.data.calls import Tests, join_parts, read_tests
from trainer_adapter.data.item import Item, Row, Unusable, label, loads, megabytes, refuse_unknown_keys, seconds, text
from trainer_adapter.data.names import find_misspelt
from trainer_adapter.data.schemas.schema import Schema, columns
from trainer_adapter.data.tests_column import DataError

#: How SYNTHETIC-1 and -2 call tasks of programming.
_CODE_TASKS = ("", "verifiable_code", "prime_rl_code")
#: How verl's data sets call the ability, and AllenAI's their data sets of programming.
_CODE_ABILITIES, _CODE_VERIFIERS = ("", "code", "coding"), ("code", "code_stdio")
_FUNCTION_NAMES = ("func_name", "fn_name")


def _read_tests(tests: Tests) -> dict[str, Any]:
    """What tests decide of an Item. Raises Unusable if there are none: samples of a statement are no tests."""
    if not tests.cases:
        raise Unusable("there are no tests")
    found: dict[str, Any] = {"tests": tests.cases, "function": tests.function}
    if tests.held is not None:
        found |= {
            "missing": tests.held.left_out,
            "absolute_tolerance": tests.held.absolute_tolerance,
            "relative_tolerance": tests.held.relative_tolerance,
        }
    return found


def _read_statement(statement: str, tests: Tests) -> dict[str, Any]:
    """The statement, its samples, and what tests decide."""
    return {"statement": statement, "samples": () if tests.function else samples(statement), **_read_tests(tests)}


def verifiable(row: Row) -> Item:
    """open-r1/verifiable-coding-problems-python, PrimeIntellect/verifiable-coding-problems, SYNTHETIC-1 and -2."""
    if text(row, "task_type") not in _CODE_TASKS:
        raise Unusable("is no programming problem")
    info = loads(row["verification_info"])
    if not isinstance(info, Mapping):
        raise Unusable("there are no tests")
    refuse_unknown_keys(info, ("language", "test_cases", "ground_truth", "dataset_type"))
    held = [info[key] for key in ("test_cases", "ground_truth") if info.get(key) is not None]
    if len(held) != 1:
        raise Unusable("verification_info has neither test_cases nor ground_truth, or both")
    statement = _unwrap(text(row, "problem_statement", "problem") or _read_prompt(row.get("prompt")))
    return Item(id=label(row, "problem_id", "in_source_id"), **_read_statement(statement, read_tests(held[0])))


def apps(row: Row) -> Item:
    """APPS, and TACO, which adds limits."""
    tests = read_tests(row["input_output"] or None)
    return Item(
        id=label(row, "problem_id", "id", "url", "name"),
        title=label(row, "name"),
        difficulty=label(row, "difficulty"),
        starter=_starter(row, tests.function),
        cpu_ns=seconds(row.get("time_limit")),
        memory_bytes=megabytes(row.get("memory_limit")),
        pictures=_pictures(row.get("picture_num")),
        **_read_statement(text(row, "question"), tests),
    )


def _pictures(value: Any) -> int:
    """How many pictures the statement had, as TACO says it: a number, a text of one, or nothing."""
    return int(value) if str(value or "").strip().isdecimal() else 0


def livecodebench(row: Row) -> Item:
    """livecodebench/code_generation and code_generation_lite. `metadata` names the function."""
    name = _name_function(row.get("metadata"))
    shown = read_tests(row["public_test_cases"], name=name)
    tests = read_tests(_private(text(row, "private_test_cases")), name=name)
    function = join_parts(shown, tests).function
    if not tests.cases:
        raise Unusable("there are no private tests")
    return Item(
        id=label(row, "question_id"),
        title=label(row, "question_title"),
        statement=text(row, "question_content"),
        difficulty=label(row, "difficulty"),
        samples=shown.cases,
        tests=tests.cases,
        function=function,
        starter=_starter(row, function),
    )


def _name_function(metadata: Any) -> str:
    """The function that a row's metadata name; "": none. They hold other things, too."""
    about = loads(metadata or None)
    if about is None:
        return ""
    if not isinstance(about, Mapping):
        raise Unusable("metadata are not understood")
    for key, held in about.items():
        meant = None if held is None or key in _FUNCTION_NAMES else find_misspelt(str(key), _FUNCTION_NAMES)
        if meant:
            raise Unusable(f"metadata have a key {key!r}, which is not read; is it {meant!r}?")
    return str(about.get("func_name") or about.get("fn_name") or "")


def _starter(row: Row, function: Function | None) -> str:
    starter = text(row, "starter_code")
    if starter and function is None:
        raise Unusable("has starter code, and tests that call no function")
    return starter


def _private(value: str) -> Any:
    """JSON, or base64 of zlib of a pickled string of JSON."""
    if not value or value.lstrip().startswith(("[", "{")):
        return value or None
    try:
        return packed.read_text(value)
    except (ValueError, zlib.error, DataError):
        raise Unusable("private tests are neither JSON nor a packed string") from None


def deepcoder(row: Row) -> Item:
    """agentica-org/DeepCoder-Preview-Dataset, any of its configurations."""
    tests = read_tests(row["tests"], name=_name_function(row.get("metadata")))
    return Item(
        id=label(row, "problem_id", "id", "name"),
        starter=_starter(row, tests.function),
        **_read_statement(_unwrap(text(row, "problem")), tests),
    )


def eurus(row: Row) -> Item:
    """PRIME-RL/Eurus-2-RL-Data, Skywork-OR1 and others in the schema of verl; their mathematics is left out."""
    model = row["reward_model"]
    model = loads(model) if isinstance(model, str) else model
    if text(row, "ability").lower() not in _CODE_ABILITIES or not isinstance(model, Mapping):
        raise Unusable("is no programming problem")
    refuse_unknown_keys(model, ("style", "ground_truth"))
    if model.get("ground_truth") is None:
        raise Unusable("reward_model has no ground_truth")
    return Item(
        id=_index(row), **_read_statement(_unwrap(_read_prompt(row.get("prompt"))), read_tests(model["ground_truth"]))
    )


def _read_prompt(prompt: Any) -> str:
    """The text of a prompt, or the last of its messages that is the user's."""
    prompt = as_list(prompt)
    if isinstance(prompt, str):
        return prompt
    turns = [str(one["content"]) for one in prompt or () if one["role"] == "user"]
    return turns[-1] if turns else ""


def _index(row: Row) -> str:
    extra = row.get("extra_info")
    extra = extra if isinstance(extra, Mapping) else {}
    number = extra.get("index")
    return "" if number is None else f"{label(row, 'data_source')}-{extra.get('split', 'train')}-{number}"


def nemotron(row: Row) -> Item:
    """nvidia/Nemotron-RL-coding-competitive_coding and other rows of NeMo Gym's servers of programming."""
    about = loads(row["verifier_metadata"])
    if not isinstance(about, Mapping) or about.get("unit_tests") is None:
        raise Unusable("is no programming problem: verifier_metadata has no unit_tests")
    refuse_unknown_keys(about, ("unit_tests", "problem_id", "difficulty", "language"))
    asked = loads(row["responses_create_params"])
    statement = _unwrap(_read_prompt(asked["input"]))
    return Item(id=label(row, "hash_id", "id"), **_read_statement(statement, read_tests(about["unit_tests"])))


def allenai(row: Row) -> Item:
    """allenai's RLVR code and Dolci: `ground_truth` holds assertions, or tests of input and output. `dataset` says how
    it is judged. Either may stand in a list of one."""
    kind, truth = (_only(row[name]) for name in ("dataset", "ground_truth"))
    if kind not in _CODE_VERIFIERS:
        raise Unusable("is no programming problem")
    if isinstance(truth, str) and truth.lstrip().startswith("assert "):
        truth = [truth]
    elif isinstance(truth, str) and not truth.lstrip().startswith(("[", "{")):
        try:
            truth = packed.read(truth)
        except (ValueError, zlib.error, DataError):
            raise Unusable("ground_truth is neither JSON nor packed") from None
    tests = read_tests(truth)
    if (tests.function is None) is (kind == "code"):
        raise Unusable("ground_truth is not what dataset says")
    return Item(id=label(row, "id"), **_read_statement(_unwrap(_read_prompt(row["messages"])), tests))


def _only(value: Any) -> Any:
    value = as_list(value)
    if not is_list(value):
        return value
    if len(value) == 1 and isinstance(value[0], str) and not value[0].lstrip().startswith("assert"):
        return value[0]
    return value


def rstar(row: Row) -> Item:
    """microsoft/rStar-Coder, its configurations with test cases: lists, or JSON of them."""
    if text(row, "class_name") not in ("", "Solution"):
        raise Unusable("tests call a class other than Solution")
    tests = read_tests(
        {name: loads(as_list(row[name])) for name in ("inputs", "outputs")}, name=text(row, "func_name").strip()
    )
    return Item(
        id=label(row, "question_id"),
        starter=_starter(row, tests.function),
        **_read_statement(_unwrap(text(row, "question")), tests),
    )


#: What authors of data sets put around statements, but for white space.
_WRAPPER = re.compile(
    r"\A\s*+Solve the following coding problem using the programming language \w+:\s*|"
    r"\A\s*+You are a helpful and harmless assistant\.\s*You should think step-by-step before responding to the "
    r"instruction below\.\s*Please use python programming language only\.\s*You must use ```python for just the final "
    r"solution code block with the following format:\s*```python\s*# Your code here\s*```\s*|"
    r"The input will be stdin and you should print your solution to stdout.{0,200}\Z|"
    r"Now solve the problem and return the code\.?\s*\Z|"
    r"Write Python code to solve the problem\.\s*Present the code in\s*```python\s*Your code\s*```"
    r"\s*at the end.{0,99}\Z",
    re.IGNORECASE | re.DOTALL,
)


def _unwrap(prompt: str) -> str:
    """The prompt without its own orders on language and form of the answer: our prompt gives others."""
    return _WRAPPER.sub("", prompt).strip()


SCHEMAS = (
    Schema(
        "livecodebench",
        columns("question_content public_test_cases private_test_cases"),
        livecodebench,
        columns("question_id question_title difficulty starter_code metadata"),
    ),
    Schema(
        "verifiable",
        columns("verification_info"),
        verifiable,
        columns("problem_statement problem prompt problem_id in_source_id task_type source"),
    ),
    Schema("eurus", columns("reward_model data_source"), eurus, columns("ability prompt extra_info")),
    Schema(
        "nemotron", columns("responses_create_params verifier_metadata"), nemotron, columns("hash_id id dataset source")
    ),
    Schema("allenai", columns("messages ground_truth dataset"), allenai, columns("id")),
    Schema(
        "rstar",
        columns("question inputs outputs"),
        rstar,
        columns("question_id starter_code func_name class_name is_synthesized test_case_type"),
    ),
    Schema(
        "apps",
        columns("question input_output"),
        apps,
        columns("problem_id id url name difficulty starter_code time_limit memory_limit picture_num source"),
    ),
    Schema("deepcoder", columns("problem tests"), deepcoder, columns("problem_id id name metadata starter_code")),
)
