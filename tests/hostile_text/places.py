"""Where text from outside is read, by whom, and its worst cases.

Each place that `found.places` finds is in `MEETINGS` or in `ours.OURS`. A meeting calls what a caller of the packages
calls, with all that bounds the text. Its cases are those that people thought of; those that follow from an expression
itself are made by `worst.texts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from containers import nsjail
from judge.common.marks import break_marks
from judge.compiling import held, tokens
from judge.languages import extraction
from judge.server.compat.go_judge import prepare
from judge.server.page.wordings import say_detail
from problems.text.freedom import read_freedom
from problems.text.statement import samples
from tests.hostile_text.data_sets import (
    _CALLS,
    _JSON,
    _PICKLES,
    _ROWS,
    _called,
    _column,
    _files,
    _limit,
    _markdown,
    _nested,
    _packed,
    _pickled,
    _row_of,
    _tests,
    _unread,
)
from tests.hostile_text.foreign import EXPORTED, SCORED, asked_of_judge0, asked_of_piston, count_values, imported, keys
from tests.hostile_text.readers import (
    _COMPLETIONS,
    _DEEP,
    _FAMILIES,
    _FILE_CASES,
    _FILES,
    _OUTPUT_PLACES,
    _OUTPUTS,
    _RULES,
    _VARIED,
    Meeting,
    _author,
    _case,
    _compared,
    _completion_row,
    _constants,
    _detail,
    _echoed,
    _example,
    _file,
    _followed,
    _headers,
    _imported_names,
    _lines_of_json,
    _look_for_signs,
    _mutated,
    _names,
    _normal,
    _numbered,
    _options,
    _pattern,
    _prompt,
    _rated,
    _recipe,
    _reference,
    _repeated,
    _rollout,
    _row,
    _rules,
    _said,
    _seen,
    _shown,
    _source,
    _task,
    _unknown,
    _unzipped,
    _validator,
    _value,
    _varied,
    _word_problem,
    _words,
    _yaml,
    _zip,
)
from trainer_adapter.data.build import _TESTLIB
from trainer_adapter.data.shown import is_chinese

_FENCE_PLACES = (
    *("_FENCE", "_LATE", "_WITHIN", "_INLINE", "_NO_COLUMNS", "_MARKUP", "_INVISIBLE", "_TAG", "_CPP_TAG"),
    *("_VERSIONED", "_DATA", "_COMMENT_MARK"),
)
_SPAN_PLACES = tuple(
    f"judge.languages.spans:{name}" for name in ("_CODE", "_ESCAPED_ENDS", "_NESTED_ENDS", "_DOUBLED_END")
)
_SPLIT = "problems.reading.metadata:split_words"
MEETINGS: Mapping[str, Meeting] = {
    **{
        f"source: {family}": Meeting(
            text="a submission's source, cleaned and searched for freopen",
            places=tuple(
                f"judge.compiling.redirections:{name}"
                for name in ("_SPLICE", "_DELIMITER", "_REST", "_DEFINED", "_C", "_GNU_C", "_CXX")
            ),
            meet=partial(_source, family),
            raw=True,
            cases=_repeated("source") | {"different macros": _numbered("#define a{0} freopen\n#ifdef a{0}\n")},
        )
        for family in ("c", "c++")
    },
    "leading headers": Meeting(
        text="a submission's source, where it begins by including headers",
        places=tuple(f"judge.compiling.headers:{name}" for name in ("_BLANK", "_INCLUDE", "_SPLICE", "_MENTIONS_ALL")),
        meet=_headers,
        raw=True,
        cases=_repeated("leading headers"),
    ),
    "tokens": Meeting(
        text="a submission's source, of which the tokens are compared",
        places=tuple(f"judge.compiling.tokens:{name}" for name in ("_SPLICED", "_TELLS", "_PIECE", "_IN_GAP")),
        meet=tokens.normal_form,
        raw=True,
        cases=_repeated("tokens"),
    ),
    "telling words": Meeting(
        text="a submission's source, before a held compiler may read it",
        places=("judge.compiling.held:_TELLING",),
        meet=held._TELLING.search,
        raw=True,
    ),
    "compiler's options": Meeting(
        text="options that the sender of a program gives to its compiler",
        places=("judge.languages.options:_DIALECTS", "judge.languages.options:_OTHERS"),
        meet=_options,
    ),
    "compiler's words": Meeting(
        text="what a compiler says of a submission, which chooses names and texts in it",
        places=(
            "judge.checkers.conventions:_COMPILED_AS",
            "judge.compiling.meaning:_ENDED_BY_LIMIT",
            "judge.compiling.compiler:_LACKS",
            "judge.compiling.compiler:_STARVED",
            "judge.compiling.meaning:_LIMIT_MESSAGES",
            "judge.compiling.meaning:_OBJECT",
            "judge.compiling.meaning:_PRECOMPILED_FROM",
            "judge.compiling.meaning:diagnostics",
            "judge.compiling.headers:FAILURES",
            "judge.compiling.held:_FROM",
            "judge.compiling.held:_OTHERWISE",
            "judge.compiling.toolchain:_KILLED",
        ),
        meet=_said,
        raw=True,
        cases=_repeated("compiler's words"),
    ),
    **{
        f"completion, for {whom}": Meeting(
            text="a model's completion",
            places=(
                *(
                    f"judge.common.marks:{name}"
                    for name in (
                        *("HARMONY", "SPECIAL", "ANSWER_BEGINS", "ANSWER_ENDS"),
                        *("THOUGHT_TAG", "THOUGHT_TOKEN", "THOUGHT_DETAILS"),
                    )
                ),
                *(f"judge.languages.answers:{name}" for name in ("_MARK", "_BLANK")),
                *(f"judge.languages.fences:{name}" for name in _FENCE_PLACES),
                *_SPAN_PLACES,
            ),
            meet=meet,
            cases=_COMPLETIONS,
        )
        for whom, meet in (
            ("a trainer", partial(extraction.extract, language="cpp17")),
            ("a row", _completion_row),
            ("a prompt", _prompt),
        )
    },
    **{
        f"code: {family}": Meeting(
            text="a program in a model's completion, line by line",
            places=_SPAN_PLACES,
            meet=partial(_followed, family),
            cases=_repeated("code"),
            derived=False,
        )
        for family in _FAMILIES
    },
    "an unknown name": Meeting(
        text="a key, a name of a language or a problem: in a row, of a fence, in a package",
        places=("problems.errors:_nearest", "judge.many.rows:_OF_THE_PROBLEM"),
        meet=_unknown,
        cases=_repeated("an unknown name"),
    ),
    "a number's completion": Meeting(
        text="a model's completion, and the answer of a data set",
        places=tuple(
            f"trainer_adapter.rewards.gsm8k:{name}"
            for name in ("_FRACTION", "_THOUSANDS", "_NOISE", "_MIXED", "_NUMBER", "number", "_rewards", "_strict")
        ),
        meet=_word_problem,
        cases=_repeated("a number's completion"),
    ),
    "normal form": Meeting(
        text="a program in a model's completion",
        places=tuple(
            f"trainer_adapter.rollouts.selection.normal_form:{name}"
            for name in ("_CPP_TOKEN", "_PYTHON_TOKEN", "_NAME", "_F_STRING", "_STRING", "_INCLUDE")
        ),
        meet=_normal,
    ),
    "signs": Meeting(
        text="a program in a model's completion",
        places=tuple(f"trainer_adapter.audit.signs:{name}" for name in ("_HASH", "_CALLS", "_QUOTED", "_ESCAPE")),
        meet=_look_for_signs,
    ),
    "rollout": Meeting(
        text="a line of a file of rollouts, or of problems held out",
        places=tuple(f"trainer_adapter.rollouts.selection.{name}" for name in ("files:objects", "held_out:_name")),
        meet=_rollout,
        raw=True,
        cases=_DEEP,
    ),
    "words": Meeting(
        text="a problem's statement, beside a benchmark's",
        places=tuple(f"trainer_adapter.rollouts.selection.contamination:{name}" for name in ("_WORD", "_IS_CHARACTER")),
        meet=_seen,
    ),
    "detail": Meeting(
        text="what the judge said of a test, in a file of judged rollouts",
        places=("trainer_adapter.rollouts.selection.source:_CPU_TIME",),
        meet=_detail,
    ),
    "text for a model": Meeting(
        text="what others wrote, on its way into a prompt",
        places=("judge.common.marks:_STEERS",),
        meet=break_marks,
        cases=_COMPLETIONS,
    ),
    "a mutant's origin": Meeting(
        text="an accepted submission of a package, of which mutants are made: its tokens and statements",
        places=(
            "problems.strength.shared:_DECIMAL",
            "problems.strength.cpp:_RESETS",
            "problems.strength.cpp:_HARMLESS",
            "problems.strength.cpp:_WIDE",
        ),
        meet=_mutated,
        raw=True,
    ),
    "a varied input": Meeting(
        text="an input of a package, near which random ones are made; commands of its generators; names of its tests",
        places=_VARIED,
        meet=_varied,
        raw=True,
    ),
    "a trainer's task": Meeting(
        text="what a data set says of a problem, as text, from another trainer",
        places=(
            "trainer_adapter.integrations.core:_row",
            "trainer_adapter.integrations.openrlhf:_Handler.do_POST",
        ),
        meet=_task,
        raw=True,
        cases=_DEEP,
    ),
    "rating": Meeting(
        text="what a language model says of an answer",
        places=("trainer_adapter.rewards.llm_judge:rating",),
        meet=_rated,
        raw=True,
        cases=_DEEP,
    ),
    "row": Meeting(
        text="a line of `judge batch`, and of the results to go on with; a column with reference solutions",
        places=(
            "judge.many.rows:_parse",
            "judge.cli.results:Results._know",
            "trainer_adapter.data.references:_load_text",
        ),
        meet=_row,
        raw=True,
        cases=_DEEP,
    ),
    **{
        f"output: {name}": Meeting(
            text="what a program prints, beside the answer",
            places=_OUTPUT_PLACES,
            meet=partial(_compared, rule),
            raw=True,
            cases=_OUTPUTS,
            derived=False,
        )
        for name, rule in _RULES.items()
    },
    "value": Meeting(
        text="the answer of a problem that calls a function, and what it returned",
        places=("judge.checkers.values:written_values",),
        meet=_value,
        raw=True,
        cases=_DEEP | {"lists": lambda size: b"[" + b"[],[0]," * (size // 8) + b"0]"},
    ),
    "call": Meeting(
        text="a data set's tests of a function",
        places=(
            *("judge.checkers.calls:_LIKE_JSON", "judge.checkers.calls:_json", "trainer_adapter.data.build:_decimal"),
            *(
                f"trainer_adapter.data.calls:{name}"
                for name in ("_NAME", "_FLOAT", "read_tests", "_read_arguments", "_read_list")
            ),
            "judge.checkers.assertions.reading:read_assertions",
        ),
        meet=_called,
        cases=_DEEP | _CALLS,
    ),
    "shown": Meeting(
        text="what programs and compilers write, at a terminal",
        meet=_shown,
        raw=True,
        cases=_repeated("shown"),
    ),
    "yaml": Meeting(
        text="a package's YAML",
        places=("problems.files.yamlfile:_compose", "problems.files.yamlfile:_construct"),
        meet=_yaml,
        cases=_repeated("yaml")
        | {
            "laughs": lambda size: (
                "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, size // 30))
            ),
            "different keys": _numbered("key{}: 1\n"),
            "nested in the schema": lambda size: "name: " + "{a: " * 31 + "b" * size + "}" * 31,
            "many items": lambda size: "keywords: [" + "a, " * (size // 3) + "]",
        },
    ),
    **{
        name: Meeting(
            text="a file of a package",
            places=(
                *("problems.reading.package:_VERSION", "problems.reading.legacy:_SETTING"),
                "problems.reading.legacy:side_time_limit",
                *("problems.reading.generated:read_sums", "problems.reading.submissions:_read_tags"),
            ),
            meet=partial(_file, name, read),
            cases=_FILE_CASES,
        )
        for name, read in _FILES.items()
    },
    "author": Meeting(
        text="the authors of a legacy package",
        places=("problems.reading.legacy:from_yaml",),
        meet=_author,
        cases=_repeated("author"),
    ),
    "validator": Meeting(
        text="the sources that a package brings to judge with, and programs of several files",
        places=(
            *(f"problems.reading.programs:{name}" for name in ("_COMMENT", "_INCLUDES_TESTLIB", "_ICPC_EXIT")),
            *(f"problems.reading.programs:{name}" for name in ("_MAIN", "_STARTS", "_WORD")),
            *(f"problems.importing.polygon_tests:{name}" for name in ("_READS_ANSWER", "_TESTLIBS")),
            "problems.files.languages:pattern",
        ),
        meet=_validator,
        cases=_repeated("validator"),
    ),
    "constants": Meeting(
        text="a package's files, and the constants to be put there",
        places=("problems.text.constants:_SEQUENCE",),
        meet=_constants,
        cases=_repeated("constants"),
    ),
    "imported": Meeting(
        text="problems of other formats",
        places=(
            "problems.importing.draft:_QUANTITY",
            *(f"problems.importing.source:{name}" for name in ("_DIGITS", "_UNSAFE")),
            *(f"problems.importing.{name}" for name in ("fps:_name", "luogu:_read_description", "source:Source._json")),
            *(f"problems.importing.hydro_files:{name}" for name in ("_NUMBERED", "_BEHIND", "_OF_SUBTASK", "_BEFORE")),
            *(
                f"problems.importing.contests.{name}"
                for name in ("dmoj:_DIGITS", "sinol:_TEST", "sinol:_add_solutions")
            ),
            *(f"problems.importing.contests.cms:{name}" for name in ("_OPENS", "_STREAMS")),
            *(f"problems.importing.xmlfile:{name}" for name in ("_KNOWN", "_DECLARED")),
            "problems.importing.contests.omegaup:_DURATION",
            "problems.importing.contests.tps:_manager",
        ),
        meet=imported,
        cases={**_repeated("imported"), "a key twice": keys},
    ),
    "checker's words": Meeting(
        text="what a checker says, which may quote the output",
        places=(
            *(
                f"judge.checkers.words:{name}"
                for name in (
                    "_NUMBER",
                    "_OF_JAVASCRIPT",
                    "_LEADING",
                    "_ONE_ORDER",
                    "_ORDER",
                    "_COCI",
                    "_DMOJ",
                    "_RATIO",
                    "_RAW_RATIO",
                )
            ),
            *(f"judge.checkers.words:{name}" for name in ("_LEMON_POINTS", "_OF_QT", "_PER_CENT")),
            "judge.checkers.conventions:_FRACTION",
        ),
        meet=_words,
        cases=_repeated("checker's words"),
    ),
    "detail of a test": Meeting(
        text="what is said of a test, which may quote the output, on the page in Chinese",
        places=("judge.server.page.wordings:_WORDINGS",),
        meet=partial(say_detail, language="zh"),
        cases=_repeated("checker's words"),
    ),
    "column of a data set": Meeting(
        text="names of columns of a data set that are not read",
        places=(
            *(
                f"trainer_adapter.data.deciding:{name}"
                for name in ("_ABOUT", "_CALLED", "_DECIDES", "_SHOWN", "_TESTS", "_decides")
            ),
            "trainer_adapter.data.names:_WORD",
            "trainer_adapter.data.names:squeeze",
        ),
        meet=_column,
        cases=_repeated("names"),
    ),
    "what a row says is called": Meeting(
        text="a column of a data set that names what tests call",
        places=("trainer_adapter.data.deciding:refuse_other_calls",),
        meet=_called,
        cases=_repeated("names"),
    ),
    "text in a column that is not read": Meeting(
        text="JSON in a column of a data set that is not read",
        places=tuple(f"trainer_adapter.data.deciding:{name}" for name in ("open_text", "_KEY", "_tells_kind")),
        meet=_unread,
        cases=_JSON,
    ),
    "a limit that a row states": Meeting(
        text="a limit of time or memory in a column or a map of a data set",
        places=("trainer_adapter.data.limits:guess_time",),
        meet=_limit,
        cases=_JSON,
    ),
    "imported names": Meeting(
        text="names of files, keys and programs in a problem of another format, and SQL in it",
        places=(
            *(
                f"problems.importing.understood:{name}"
                for name in ("_ASIDE", "_BESIDE", "_DECIDER", "_DECIDES", "_WORDS")
            ),
            *(f"problems.importing.fps:{name}" for name in ("_DROP", "_STATED_POINTS")),
        ),
        meet=_imported_names,
        cases=_repeated("imported names"),
    ),
    "lines of JSON": Meeting(
        text="a JSON file in a problem of another format, of which a value is wrong",
        places=tuple(f"problems.importing.keys:{name}" for name in ("_TOKEN", "line_of_value")),
        meet=_lines_of_json,
        cases=_repeated("lines of JSON"),
    ),
    "client's command": Meeting(
        text="the command of a client of go-judge",
        places=("judge.server.compat.go_judge.prepare:_COMPILER",),
        meet=prepare._COMPILER.fullmatch,
        cases=_repeated("names"),
    ),
    "exported": EXPORTED,
    "scored": SCORED,
    "names": Meeting(
        text="what a package calls its files, groups and arguments",
        places=(
            "problems.files.tree:VALID_NAME",
            "problems.reading.entries:_JUDGES",
            *(f"problems.reading.testdata:{name}" for name in ("_PACKED", "_refuse_other_sets")),
            "problems.reading.package:_STATEMENT",
            "problems.validate:_UUID",
            "problems.validate:_DIRECTORY",
            "problems.reading.comparison:_FLOAT",
            "problems.lookup:_natural",
        ),
        meet=_names,
        cases=_repeated("names"),
    ),
    "recipe": Meeting(
        text="a package's entry of generators.yaml, and flags of its validators",
        places=("problems.reading.generated:_NUMBER", _SPLIT),
        meet=_recipe,
        cases=_repeated("recipe"),
    ),
    "patterns of submissions": Meeting(
        text="a package's patterns in submissions.yaml",
        places=("problems.reading.submission_rules:_BRACE", "problems.reading.submission_rules:_alternatives"),
        meet=_rules,
        cases=_repeated("patterns of submissions") | {"a short one": _pattern},
    ),
    "the name of a problem": Meeting(
        text="the name of a problem: in a row, in a data set",
        meet=_reference,
        cases=_repeated("the name of a problem"),
    ),
    "archive": Meeting(
        text="the names in a package's zip file",
        meet=_unzipped,
        raw=True,
        cases={
            "many": lambda size: _zip([f"a/{n}" for n in range(size // 1000)], size),
            "long": lambda size: _zip([f"{n}" + "a" * 60000 for n in range(16)], size),
            "deep": lambda size: _zip([f"{n}" + "/a" * 30000 for n in range(16)], size),
            "no end": lambda size: b"PK\x05\x06" * (size // 4),
            "no entries": lambda size: b"PK\x01\x02" * (size // 4) + _zip(["a"], 1),
        },
    ),
    "test case": Meeting(
        text="a test of a package or a data set, that may be prose",
        places=(
            *(
                f"problems.text.filters:{name}"
                for name in (
                    "_HAN",
                    "_HAN_RUN",
                    "_FOREIGN",
                    "_NUMERALS",
                    "_PLACEHOLDER",
                    "_LABEL",
                    "_MARKUP",
                    "_ELLIPSIS",
                    "_GLUE",
                    "_FUNCTION",
                    "_text",
                    "_looks_gbk",
                    "_about_tests",
                    "_find_elision",
                    "_format",
                    "_explaining",
                    "_fullwidth",
                    "_sentence",
                    "_plain",
                    "_BESIDE_ASCII",
                )
            ),
        ),
        meet=_case,
        cases=_repeated("test case")
        | {
            "different words": _echoed,
            "marks out of order": lambda size: "\u0300" * (size // 4) + "\u0316" * (size // 4),
        },
    ),
    "statement": Meeting(
        text="a problem's statement, with its samples",
        places=tuple(
            f"problems.text.statement:{name}"
            for name in ("_MARKS", "_HEADING", "_BOLD", "_RULED", "_FENCE", "_INFO", "_PRE", "_mark")
        ),
        meet=samples,
        cases=_repeated("statement") | {"nested": _nested, "different": _numbered("Input {}\n")},
    ),
    "language of a statement": Meeting(
        text="a problem's statement, whose prompt is in its language",
        places=tuple(f"trainer_adapter.data.shown:{name}" for name in ("_HAN", "_LETTER", "_KANA")),
        meet=is_chinese,
        cases=_repeated("statement"),
    ),
    "freedom": Meeting(
        text="what a problem's statement leaves free",
        places=tuple(
            f"problems.text.freedom:{name}" for name in ("DOUBT", "CERTIFICATE", "_ERROR", "_ABSOLUTE", "_RELATIVE")
        ),
        meet=read_freedom,
        cases=_repeated("statement") | {"words": _numbered("print multiple any error "), "nested": _nested},
    ),
    **{
        f"data set: {schema}": Meeting(
            text="the columns of a data set",
            places=(
                *(f"trainer_adapter.data.schemas.rows:{name}" for name in ("_WRAPPER", "verifiable", "nemotron")),
                *(f"trainer_adapter.data.schemas.rows:{name}" for name in ("eurus", "rstar", "_name_function")),
                *(f"trainer_adapter.data.schemas.contests:{name}" for name in ("_file_name", "sandbox_fusion")),
                *(f"trainer_adapter.data.hazards:{name}" for name in ("_INTERACTIVE", "_FILES")),
                *(f"problems.text.freedom:{name}" for name in ("SEVERAL", "ORDER")),
                *(f"trainer_adapter.data.hazards:{name}" for name in ("_STANDARD", "_ASKS_FUNCTION", "_INPUT_PART")),
                *(f"trainer_adapter.data.hazards:{name}" for name in ("_READS_INPUT", "_DEFINES", "_IMAGE", "_VALUE")),
                *(f"trainer_adapter.data.hazards:{name}" for name in ("_COUNTS", "_PARTS")),
                *(f"trainer_adapter.data.cut:{name}" for name in ("_MARK", "_WORD", "_MAP", "_OPEN")),
                *(f"trainer_adapter.data.item:{name}" for name in ("loads", "cases", "_is_text_of_list")),
                "trainer_adapter.data.schemas.schema:_refuse_other_starter",
            ),
            meet=partial(_row_of, schema),
            cases=_repeated("data set") | {"many samples": _numbered("```input{0}\n{0}\n```\n```output\n1\n```\n")},
            derived=schema == "verifiable",
        )
        for schema in _ROWS
    },
    "examples": Meeting(
        text="a prompt or an answer of a data set for SFT or DPO",
        places=("trainer_adapter.examples.duplicates:_WORD",),
        meet=_example,
        cases=_repeated("example") | {"different words": _numbered("{} ")},
    ),
    "front matter": Meeting(
        text="a statement in a file",
        places=tuple(f"trainer_adapter.data.luogu:{name}" for name in ("_TITLE", "_MATTER", "_SAID")),
        meet=_markdown,
        cases=_repeated("front matter"),
    ),
    "rows of a file": Meeting(
        text="a data set's file",
        places=("trainer_adapter.data.sources:_json", "trainer_adapter.data.sources:_lines"),
        meet=_files,
        raw=True,
        cases=_DEEP,
    ),
    "counted": Meeting(
        text="a large request of a client",
        places=("judge.server.requests:_STRINGS",),
        meet=count_values,
        raw=True,
        cases={"a string without an end": lambda size: (b'"' + b'\\"' * size)[:size], **_DEEP},
    ),
    "piston": Meeting(
        text="a request of a client of Piston",
        places=("judge.server.requests:json_value",),
        meet=asked_of_piston,
        raw=True,
        cases=_DEEP,
    ),
    "judge0": Meeting(
        text="the arguments that a client of Judge0 gives",
        places=("judge.server.compat.judge0.requests:_request",),
        meet=asked_of_judge0,
        cases={"quotes": lambda size: ("'a' \\ b " * size)[:size]},
    ),
    "tests column": Meeting(
        text="the tests column of a data set",
        places=tuple(f"trainer_adapter.data.tests_text:{name}" for name in ("unpack", "unzip_text", "_read_written")),
        meet=_packed,
        raw=True,
        cases={**_DEEP, "one test": _tests},
    ),
    "pickled tests": Meeting(
        text="tests that a data set packs as a pickle",
        places=("trainer_adapter.data.packed:_Reader.read",),
        meet=_pickled,
        raw=True,
        cases=_PICKLES,
    ),
    "checker of a data set": Meeting(
        text="a checker in a column, which may need testlib.h",
        places=("trainer_adapter.data.build:_TESTLIB",),
        meet=_TESTLIB.search,
    ),
    "nsjail": Meeting(
        text="what nsjail logs",
        places=("containers.nsjail:_COMPLAINT", "containers.nsjail:PARAMETERS"),
        meet=nsjail.find_complaint,
        cases=_repeated("nsjail"),
    ),
}
