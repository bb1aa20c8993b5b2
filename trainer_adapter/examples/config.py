"""The configuration of examples: the `data` section of a recipe for SFT or DPO."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(gt=0)]


class ExamplesConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    #: A file, a directory, or OWNER/NAME on the hub: see `trainer_adapter.data.sources`.
    source: str
    subset: str | None = None
    split: str = "train"
    #: At most so many rows are read.
    most_rows: Count | None = None
    #: Put before every prompt that has no system message of its own; "": none.
    system_prompt: str = ""
    #: An example is left out where an earlier one is as similar as this: the Jaccard similarity of their runs of five
    #: words, of prompt and answers each. None: only equal ones are.
    near_duplicates: Annotated[float | None, Field(ge=0.7, le=1)] = 0.9
    #: Share of the prompts that is held out, one at least if there are several. The words of the prompt alone decide,
    #: so that equal prompts stay together and are the same in every run.
    held_out: Annotated[float, Field(ge=0, lt=1)] = 0.0
