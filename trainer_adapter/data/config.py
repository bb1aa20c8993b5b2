"""What to train on: the `data` section of a recipe, and the options of `judge-train data inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from judge.common.models import Cjk

#: {language}, {fence}: of the program that is asked for.
SYSTEM_PROMPT = (
    "You are an expert competitive programmer. Solve the problem with one complete {language} program that reads "
    "standard input and writes standard output. Explain briefly, then give the whole program in a single "
    "```{fence} code block."
)
#: For rows with an answer instead of tests: the format that `trainer_adapter.rewards.gsm8k` reads.
ANSWER_PROMPT = """Solve the problem. Think first, then give the answer as one number, in this format:
<reasoning>
...
</reasoning>
<answer>\\boxed{...}</answer>"""

Count = Annotated[int, Field(gt=0)]


class DataConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    #: "library", a file, a directory, or OWNER/NAME on the hub.
    source: str = "library"
    #: As `trainer_adapter.data.schemas` calls it; None: by the columns.
    schema_name: Annotated[str | None, Field(alias="schema")] = None
    subset: str | None = None
    split: str = "train"
    #: Only these problems, and none but these; ids of the data set, or names of the library.
    only: tuple[str, ...] = ()
    #: At most so many rows are read.
    most_rows: Count | None = None

    #: The language that the prompt asks for, and of programs whose row and fence name none.
    language: str = "cpp17"
    #: None: `SYSTEM_PROMPT`, or `ANSWER_PROMPT`; "": none at all.
    system_prompt: str | None = None
    #: Statements of the library: the first of these tags that there is.
    statement_languages: tuple[str, ...] = ("zh", "en")

    #: Chinese prose among the tests: dropped, kept and counted, or kept.
    cjk: Cjk = Cjk.DROP
    #: Problems whose statement accepts several answers, without a checker: their tests refuse right programs.
    several_answers: bool = False
    #: The longest ones of a problem are kept, since small ones seldom tell slow programs from fast ones; None: all.
    most_tests: Count | None = None
    #: Input and answer of one test.
    most_test_bytes: Count = 16 * 1024 * 1024
    #: Longer prompts are dropped (TRL cuts nothing); None: all fit.
    most_prompt_tokens: Count | None = None
    #: Share of the problems that is held out, chosen by their statements alone: the same ones in every run.
    held_out: Annotated[float, Field(ge=0, lt=1)] = 0.0

    #: Write each problem as a package here, and refer to it; None: rows carry their tests.
    store: Path | None = None
