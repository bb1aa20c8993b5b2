"""Columns of rows whose names are not quite those of a column that decides how programs are judged: the row is dropped
with the column's name, or the column is understood. What is tried follows from the table of such columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.trainer_adapter.test_schemas import BOTH, LISTED, MORE, PLUS, ROWS, SCRAPED
from trainer_adapter.data import schemas
from trainer_adapter.data.deciding import refuse_deciding, refuse_other_calls
from trainer_adapter.data.item import Item, Unusable
from trainer_adapter.data.names import NAMES, Decides, find_meant, squeeze
from trainer_adapter.data.tests_column import DataError
from trainer_adapter.data.tests_text import unpack

VALUES: dict[Decides, Any] = {
    Decides.OUTPUTS: "x",
    Decides.TESTS: LISTED,
    Decides.HELD_TESTS: BOTH,
    Decides.CALLED: "other",
    Decides.STARTER: "def other(): ...",
    Decides.LIMITS: 9,
    Decides.STREAMS: "a.txt",
}
DECIDING = [(kind, name) for kind, names in NAMES.items() for name in names]
#: Columns that schemas read, and that say nothing of how programs are judged: statements, names, and what tells about
#: tests, which are in a column that every row of that schema needs.
TELLING = frozenset(
    [
        *("ability", "answer", "background", "cf_rating", "content", "data_source", "description", "difficulty"),
        *("examples", "extra_info", "formatI", "formatO", "generator", "generator_cmd", "hash_id", "hint", "id"),
        *("in_source_id", "inputFormat", "input_format", "is_synthesized", "labels", "markdown", "messages"),
        *("metadata", "name", "note", "outputFormat", "output_format", "picture_num", "pid", "platform", "problem"),
        *("problem_description", "problem_id", "problem_statement", "problem_title", "prompt", "query", "question"),
        *("question_content", "question_id", "question_title", "rating", "responses_create_params", "samples"),
        *("source", "statement", "task_id", "task_type", "test_case_type", "test_imports", "test_info"),
        *("test_setup_code", "text", "title", "url"),
    ]
)
#: What decides in its own schema only.
OWN = frozenset(("dataset", "executable", "inputs", "official_tests_complete", "outputs"))


def edits(name: str, letters: str = "xe_") -> Iterator[str]:
    """The name with one letter more, less or wrong, with two neighbours exchanged, and in other ways of writing."""
    for place in range(len(name) + 1):
        yield from (name[:place] + letter + name[place:] for letter in letters)
        if place < len(name):
            yield name[:place] + name[place + 1 :]
            yield from (name[:place] + letter + name[place + 1 :] for letter in letters)
            yield name[:place] + name[place : place + 2][::-1] + name[place + 2 :]
    words = name.split("_")
    yield from (name.upper(), name.title(), "-".join(words), " ".join(words), ".".join(words), "".join(words))
    yield from (words[0] + "".join(map(str.capitalize, words[1:])), f" {name} ", f"{name}s", name.removesuffix("s"))


def is_dropped(kind: Decides, held: dict[str, Any]) -> bool:
    try:
        refuse_deciding(held, "a column")
        if kind is Decides.CALLED:
            refuse_other_calls(held, "f")
    except Unusable as reason:
        assert any(repr(name) in str(reason) for name in held)
        return True
    return False


@pytest.mark.parametrize(("kind", "name"), DECIDING, ids=str)
def test_a_column_that_decides_is_named_however_it_is_spelt(kind: Decides, name: str) -> None:
    letters = "xe_" if len(name) > 6 else "qx_"  # "score", "text" and "best" are other words
    missed = [one for one in {name, *edits(name, letters)} if one and not is_dropped(kind, {one: VALUES[kind]})]
    assert [one for one in missed if squeeze(one) not in ("input", "output", "text", "texts", "score", "grade")] == []


@pytest.mark.parametrize("place", ["extra_info", "metadata", "verification_info", "reward_model", "about", "labels"])
def test_such_a_column_is_found_in_what_columns_hold(place: str) -> None:
    row = {"eurus": "extra_info reward_model", "verifiable": "verification_info", "deepcoder": "metadata"}
    name = next((name for name, places in row.items() if place in places), "apps")
    for kind, column in DECIDING:
        for other in (column[:-1] + "x", column[1:], column.upper()):
            if find_meant(other) is None or other.lower() in ("ground_truth", "test_case"):
                continue
            held = ROWS[name].get(place) or {}
            held = json.loads(held) if isinstance(held, str) else held
            with pytest.raises(Unusable, match=rf"{other}|class_name"):
                schemas.read(schemas.get(name), ROWS[name] | {place: {**held, other: VALUES[kind]}})


def test_each_column_that_a_schema_reads_is_in_the_table_or_only_tells() -> None:
    read = {name for schema in schemas.SCHEMAS for name in schema.reads}
    known = {squeeze(name) for _, name in DECIDING}
    unknown = {name for name in read - TELLING - OWN if squeeze(name) not in known}
    assert unknown == set(), "does it decide? Then `names.NAMES` needs it"
    assert known & TELLING == set()


#: What a row's tests are read as, apart from what it is called.
def judged(item: Item) -> tuple[Any, ...]:
    stated = (item.cpu_ns, item.memory_bytes, item.absolute_tolerance, item.input_file, item.output_file)
    return (item.tests, item.checker, item.function, item.starter, item.missing, *stated)


#: Rows in which every column that decides holds something.
FULL: dict[str, dict[str, Any]] = {
    **ROWS,
    **MORE,
    "codeforces with a checker": ROWS["codeforces"] | {"generated_checker": "print(1)", "input_mode": "file"},
    "code_contests with files": ROWS["code_contests"] | {"input_file": "a.in", "output_file": "a.out"},
    "mbpp": {"task_id": 1, "prompt": "Halve.", "test_list": ["assert half(2) == 1"],
        "test": PLUS.format("", "", "", "", "half")},
    "rstar that calls": {
        "question": SCRAPED, "inputs": '["1\\n2"]', "outputs": '["3"]', "func_name": "add", "class_name": "Solution",
        "starter_code": "class Solution:\n    def add(self, a, b):\n",
    },
    "own": {
        "prompt": "Add two numbers.", "problem_id": "sum", "tests": [{"input": "1 2", "output": "3"}],
    },
}  # fmt: skip
FULL["own"]["prompt"] = [{"role": "user", "content": "Add two numbers."}]


@pytest.mark.parametrize("empty", [False, True], ids=["left out", "filled with None"])
@pytest.mark.parametrize("name", FULL)
def test_a_misspelt_column_of_a_schema_is_dropped_or_understood(name: str, empty: bool) -> None:
    """Arrow fills in None for the column that a row lacks, where other rows have it."""
    row = {key: value for key, value in FULL[name].items() if value is not None}
    whole = judged(schemas.read(schemas.detect(row), row))
    for column in row.keys() - TELLING:
        for other in {*edits(column, "x")} - row.keys() - {"text"}:  # MBPP's statement
            left = {key: None if key == column else value for key, value in row.items() if empty or key != column}
            try:
                found = schemas.read(schemas.detect(left | {other: row[column]}), left | {other: row[column]})
            except (Unusable, DataError):
                continue
            assert judged(found) == whole, (column, other)


#: What rows of public data sets hold beside what is read: open-r1's, PrimeIntellect's, DeepMind's, BAAI's, KodCode's,
#: AceCode's, EvalPlus's, NVIDIA's, AllenAI's, Microsoft's, Skywork's, LLM360's and LeetCode's.
_WORDS = [
    *("raw_problem", "case_id", "test_type", "input_format", "output_format", "r1_solution"),
    *("chosen_trial", "bug_type", "failure_symptoms", "benchmark_instruction", "context_messages"),
    *("raw_prompt", "hf_dataset_name", "llm_response", "reason", "subset", "seed_question_id"),
    *("synthetic_question_id", "original_dataset", "dataset_source", "custom_id", "predicted_label"),
    *("setting_key", "license", "uuid", "query", "contest_date", "scored_by", "verified_by", "is_verified"),
    *("score_max", "grade_level", "full_text", "best_of", "retest", "tool", "test_difficulty", "num_steps"),
    *("n_reps", "lang_ch", "statement_zh", "model_name", "response", "guessability", "locale", "provider"),
    *("category", "online_judge", "llm_judge_score", "judge_model", "check_date", "answer_type_note"),
]
HARMLESS: dict[str, Any] = {
    **dict.fromkeys(_WORDS, "some words"),
    "outputs": ["a completion"],
    "test_reward": 1.0,
    "pass_rate": 0.5,
    "num_tests": 12,
    "true_positive_rate": 0.9,
    "gpt_pass_sequence": [1, 0],
    "cf_points": 500.0,
    "inferences": [{"model_name": "m", "pass_rate": 0.5, "pass_cases": 3, "completion": "x"}],
    "trials": {"trial_0": {"test_code": None, "solution": "x"}},
    "is_description_translated": True,
    "context": {"original_prompt": "x", "reference": "x", "function_name": None},
}


@pytest.mark.parametrize(
    "more",
    [
        {"type": "interactive"},
        {"problem_type": "Special Judge"},
        {"judge": "SPJ"},
        {"tags": ["dp", "interactive"]},
        {"info": {"kind": "output-only"}},
        {"case_sensitive": False},
        {"orderMatters": "false"},
        {"custom_judge": "def check(a, b): return True"},
        {"custom_judge": True},
        {"judge": "special"},
        {"custom_check": "x"},
        {"spjCode": "x"},
        {"tol": 1e-6},
        {"metadata": {"tol": 1e-6}},
        {"unordered": True},
        {"order_insensitive": True},
        {"meta": [{"checker": "x"}]},
        {"tags": "interactive, dp"},
    ],
    ids=str,
)
def test_what_says_that_comparing_is_not_enough_is_not_passed_over(more: dict[str, Any]) -> None:
    row = ROWS["apps"] | more
    with pytest.raises(Unusable, match="may decide how programs are judged"):
        schemas.read(schemas.detect(row), row)


@pytest.mark.parametrize("more", [{"type": "stdin"}, {"tags": ["dp"]}, {"case_sensitive": True}, {"kind": None}])
def test_what_says_that_comparing_is_enough_is_passed_over(more: dict[str, Any]) -> None:
    row = ROWS["apps"] | more
    assert schemas.read(schemas.detect(row), row).tests


@pytest.mark.parametrize(
    "tests",
    [
        '{"inputs": ["5 6"], "outputs": ["11"], "outputs": ["12"]}',
        '{"inputs": ["1"], "outputs": ["2"], "fn_name": "f", "fn_name": null}',
        '{"tests": [{"input": "1", "output": "2"}], "checker": {"source": "x"}, "checker": null}',
        '{"inputs": ["1\\n2"], "outputs": ["3"], "fn_name": "f", "function": "g"}',
        '{"inputs": [[1]], "outputs": [3], "fn_name": "f", "func_name": "g"}',
    ],
)
def test_tests_that_say_two_things_are_refused(tests: str) -> None:
    with pytest.raises(DataError, match=r"is given twice|call several functions"):
        unpack(tests)


@pytest.mark.parametrize("name", HARMLESS)
def test_columns_of_public_rows_are_no_misspelt_ones(name: str) -> None:
    for row in (ROWS["apps"], ROWS["codeforces"], MORE["allenai, packed"]):
        assert schemas.read(schemas.detect(row), row | {name: HARMLESS[name]}).tests


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"time_limit": "4.0 seconds", "memory_limit": "64 megabytes", "memory_limit_bytes": None}},
        {"metadata": json.dumps({"time_limit": "{'seconds': 4, 'nanos': 0}", "memory_limit_bytes": 64 << 20})},
        {"problem_metadata": {"time_limit_ms": 4000, "memory_limit_kb": 64 << 10}},
        {"time_limit": 4, "memory_limit": "64 MB"},
        {"time_limit": "4000 ms", "info": {"time_limit_seconds": 1}, "memory_limit_mb": 64},
    ],
)
def test_limits_that_a_row_states_elsewhere_are_its_limits(more: dict[str, Any]) -> None:
    """open-r1's and PrimeIntellect's verifiable problems have them in `metadata`: at ours, right programs were TLE."""
    item = schemas.read(schemas.get("verifiable"), ROWS["verifiable"] | more)
    assert (item.cpu_ns, item.memory_bytes) == (4 * 10**9, 64 << 20)
    with pytest.raises(Unusable, match=r"time limit is not understood|'time_limit_ms', which is not understood"):
        schemas.read(schemas.get("verifiable"), ROWS["verifiable"] | {"metadata": {"time_limit": "long"}})


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("taco", {"time_limit": 2000}, "time limit is not understood"),
        ("codeforces", {"time_limit": 0.001}, "time limit is not understood"),
        ("codeforces", {"memory_limit": 262144}, "memory limit is not understood"),
        ("code_contests", {"time_limit": {"sec": 2}}, "time limit is not understood"),
        ("code_contests", {"memory_limit_bytes": 256}, "memory limit is not understood"),
        ("apps", {"input_output": {"inputs": ["1", None], "outputs": ["1", "2"]}}, "no inputs"),
        ("deepcoder", {"tests": [LISTED[0] | {"metadata": {"checker": "x"}}]}, "'checker'"),
        ("apps", {"entry_point": ["add"]}, "'entry_point'"),
    ],
)
def test_a_limit_in_another_unit_and_what_a_test_lacks_are_refused(
    name: str, change: dict[str, Any], reason: str
) -> None:
    """2000 s for 2000 ms took a program that never ends for a slow one; a test without input was one of no input."""
    with pytest.raises(Unusable, match=reason):
        schemas.read(schemas.detect(ROWS[name]), ROWS[name] | change)


@pytest.mark.parametrize("name", ["fn_name", "entry_point"])
def test_what_to_call_beside_tests_that_a_person_wrote(name: str) -> None:
    with pytest.raises(Unusable, match=f"'{name}'"):
        schemas.read(schemas.get("own"), FULL["own"] | {name: "f"})


def test_limits_beside_tests_as_a_person_writes_them_are_not_lost() -> None:
    own = FULL["own"] | {"time_limit": 9}
    with pytest.raises(Unusable, match="write cpu_ns and memory_bytes into tests"):
        schemas.read(schemas.get("own"), own)


def test_a_long_text_of_tests_in_a_column_that_is_not_read_is_found() -> None:
    many = json.dumps([{"input": "1\n" * 50_000, "output": "1\n"}])
    for name in ("data", "input_outptu"):
        with pytest.raises(Unusable, match=f"'{name}'"):
            schemas.read(schemas.get("rstar"), MORE["rstar"] | {name: many})
