"""The configuration of the data: the `data` section of a recipe, and the options of `judge-train data inspect`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from judge.common.models import Cjk
from trainer_adapter.data.hazards import ABOUT, Does, Hazard

#: {language} and {fence} become the title and the tag of the language that is asked for.
SYSTEM_PROMPT = (
    "You are an expert competitive programmer. Solve the problem with one complete {language} program that reads "
    "standard input and writes standard output. Explain briefly, then give the whole program in a single "
    "```{fence} code block."
)
#: For rows that call a function: such a program reads and writes nothing.
FUNCTION_PROMPT = (
    "You are an expert competitive programmer. Solve the problem in {language}. Explain briefly, then give the whole "
    "program in a single ```{fence} code block."
)
#: For rows with an answer instead of tests: the format that `trainer_adapter.rewards.gsm8k` reads.
ANSWER_PROMPT = """Solve the problem. Think first, then give the answer as one number, in this format:
<reasoning>
...
</reasoning>
<answer>\\boxed{...}</answer>"""

#: What rows hold, and what TRL hands to reward functions.
OUR_COLUMNS = ("prompt", "problem_id", "tests", "difficulty", "answer", "prompts", "completions", "completion_ids")

Count = Annotated[int, Field(gt=0)]


class References(StrEnum):
    """What is done with the reference programs that rows bring."""

    IGNORE = "ignore"
    #: Run them, and name the problems whose tests refuse them.
    NAME = "name"
    #: Run them, and drop these problems.
    DROP = "drop"


class DataConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    #: "library", a file, a directory, or OWNER/NAME on the hub.
    source: str = "library"
    #: A name in `trainer_adapter.data.schemas`; None: found by the columns.
    schema_name: Annotated[str | None, Field(alias="schema")] = None
    subset: str | None = None
    split: str = "train"
    #: Only these problems: ids of the data set, or names of the library; empty: all.
    only: tuple[str, ...] = ()
    #: Columns of the source that the rows keep, for reward functions of one's own.
    keep: tuple[str, ...] = ()
    #: At most so many rows are read.
    most_rows: Count | None = None

    #: The language that the prompt asks for. Programs are in it if neither row nor fence names another.
    language: str = "cpp17"
    #: None: `SYSTEM_PROMPT`, or `ANSWER_PROMPT` for rows with an answer, `FUNCTION_PROMPT` for those that call a
    #: function; "": no system prompt.
    system_prompt: str | None = None
    #: Which statement of a library's problem to use: the first of these languages that it has.
    statement_languages: tuple[str, ...] = ("zh", "en")

    #: What to do with tests that hold Chinese prose: drop them, keep and count them, or keep them.
    cjk: Cjk = Cjk.DROP
    #: Keep problems without a checker whose statement accepts several answers: their tests refuse right programs.
    several_answers: bool = False
    #: What to do with problems that have a hazard: `keep` or `drop`, by its name (`trainer_adapter.data.hazards`).
    hazards: Mapping[Hazard, Does] = Field(default_factory=dict)
    #: Whether to run the rows' reference programs on the tests.
    references: References = References.IGNORE
    #: Of the first problems; None: of all.
    most_references: Count | None = None
    #: testlib.h, for checkers of rows that need it.
    testlib: Path | None = None
    #: How far numbers of an output may be from the answer's, absolutely or relatively, where answers are decimal and
    #: there is no checker; None: they are compared as text.
    tolerance: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None
    #: Keep only the longest tests of a problem: small ones seldom tell slow programs from fast ones. None: all.
    most_tests: Count | None = None
    #: Limit of input and answer of one test together.
    most_test_bytes: Count = 16 * 1024 * 1024
    #: Longer prompts are dropped (TRL cuts nothing); None: no limit.
    most_prompt_tokens: Count | None = None
    #: Share of the problems that is held out, one at least if there are several. Their statements alone decide, so they
    #: are the same in every run.
    held_out: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @field_validator("keep")
    @classmethod
    def _are_not_ours(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if taken := sorted({*OUR_COLUMNS}.intersection(names)):
            raise ValueError(f"{', '.join(taken)}: rows have such a column already; name it otherwise in the source")
        return names

    #: Write each problem as a package here, and refer to it in the rows; None: rows carry their tests.
    store: Path | None = None

    def does(self, hazard: Hazard) -> Does:
        """What to do with a problem that has this hazard."""
        several = (Hazard.SEVERAL_ANSWERS, Hazard.ANY_ORDER, Hazard.UNORDERED_RESULT)
        refused = (Hazard.REFUSED_REFERENCE, Hazard.SLOW_REFERENCE, Hazard.NOT_JUDGED)
        usual = ABOUT[hazard].usual
        if hazard in several and self.several_answers:
            usual = Does.KEEP
        if hazard in refused and self.references is References.DROP:
            usual = Does.DROP
        return self.hazards.get(hazard, usual)
