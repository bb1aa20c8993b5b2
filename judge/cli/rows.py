"""The input of `judge batch`: one JSON object a line, `{id, problem, source | completion, language}`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationError,
    model_validator,
)

from judge.extraction import extract
from judge.languages import known as known_language
from judge.models import Submission
from problems.errors import nearest


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"character {error.start} is a lone surrogate, which is no text") from error
    return text


Text = Annotated[str, AfterValidator(_encodable)]
Name = Annotated[Text, StringConstraints(min_length=1)]


class Row(BaseModel):
    """Fields that are not ours are ignored, so that any rollout log is an input."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    problem: Name
    source: Text | None = None
    completion: Text | None = None
    language: Name | None = None
    id: Annotated[Name | None, BeforeValidator(lambda value: str(value) if type(value) is int else value)] = None

    @model_validator(mode="before")
    @classmethod
    def _no_typos(cls, data: object) -> object:
        if isinstance(data, dict):
            for name in data.keys() - cls.model_fields.keys():
                if close := nearest(str(name), cls.model_fields, cutoff=0.85):
                    raise ValueError(f"unknown field {name!r}; did you mean {close[0]!r}?")
        return data

    @model_validator(mode="after")
    def _one_program(self) -> Row:
        if (self.source is None) == (self.completion is None):
            raise ValueError("give either source or completion")
        return self

    def submission(self, default_language: str) -> Submission:
        """The program to judge. Language: the row's, else what the completion's fence names, else the default."""
        source, language = self.source or "", self.language
        if self.completion is not None:
            found = extract(self.completion)
            named = None if found.tag is None else known_language(found.tag)
            source, language = found.code, language or (None if named is None else named.name)
        return Submission(
            source=source.encode(), problem=self.problem, language=language or default_language, id=self.id
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the input: a submission, or why there is none."""

    line: int
    id: str | None
    submission: Submission | None = None
    error: str | None = None


def read(lines: Iterable[bytes], default_language: str) -> Iterator[Item]:
    """Blank lines are skipped. An id may stand only once: results are found again by it."""
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        item = _parse(number, line, default_language)
        if item.id is not None and (first := first_lines.setdefault(item.id, number)) != number:
            item = Item(line=number, id=None, error=f"id {item.id!r} stands on line {first} too; make ids unique")
        yield item


def _parse(number: int, line: bytes, default_language: str) -> Item:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Item(line=number, id=None, error=f"no JSON: {error}")
    if not isinstance(data, dict):
        return Item(line=number, id=None, error=f"a JSON object is needed, not {type(data).__name__}")
    try:
        row = Row.model_validate(data)
    except ValidationError as error:
        return Item(line=number, id=_id(data), error=_words(error))
    return Item(line=number, id=row.id, submission=row.submission(default_language))


def _id(data: dict[str, Any]) -> str | None:
    value = data.get("id")
    return str(value) if type(value) in (str, int) and value != "" else None


def _words(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" if detail["loc"] else detail["msg"]
        for detail in error.errors(include_url=False, include_input=False)
    ).replace("Value error, ", "")
