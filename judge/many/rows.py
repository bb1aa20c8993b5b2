"""Reads the input of `judge batch`: one JSON object a line, `{id, problem, source | completion, files, language}`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
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

from judge.common.config import CHOSEN_LANGUAGES
from judge.common.errors import LanguageError
from judge.common.models import Judgement, Submission
from judge.common.whole import encode_text, whole
from judge.judging.uncompiled import make_compile_error
from judge.languages import get as get_language
from judge.languages.extraction import Reason, extract, is_completion
from problems.errors import nearest


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"character {error.start} is a lone surrogate, which is no text") from error
    return text


Text = Annotated[str, AfterValidator(whole)]
Name = Annotated[str, AfterValidator(_encodable), StringConstraints(min_length=1)]


#: What other judges and trainers call our fields.
_ELSEWHERE = {
    **dict.fromkeys(("lang", "language_id", "lang_id"), "language"),
    **dict.fromkeys(("code", "source_code", "program", "solution"), "source"),
    **dict.fromkeys(("response", "generation", "messages"), "completion"),
    **dict.fromkeys(("problem_id", "task", "task_id"), "problem"),
}


#: Fields that would decide a verdict, and are the problem's to say.
_OF_THE_PROBLEM = re.compile(
    r"(?:checker|special_?judge|spj|interactor|validator|comparison|(?:time|memory)_?limit)s?"
    r"(?:_?(?:n?s|ms|sec|seconds|bytes|[km]i?b|code|source|program|type))?",
    re.IGNORECASE,
)


class InputRow(BaseModel):
    """Fields that are not ours are ignored, so that any rollout log is an input."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    problem: Name
    source: Text | None = None
    #: Text, or messages of which the last one of the assistant answers.
    completion: Any = None
    #: Of the completion, text or messages: its end may begin the answer, with thinking or with a fence.
    prompt: Any = None
    #: What the chat template wrote behind a prompt of messages.
    template_end: str = ""
    #: The other files of the program, by their names; it begins with `source`.
    files: dict[Name, Text] | None = None
    language: Name | None = None
    id: Annotated[Name | None, BeforeValidator(lambda value: str(value) if type(value) is int else value)] = None

    @model_validator(mode="before")
    @classmethod
    def _no_typos(cls, data: object) -> object:
        if isinstance(data, dict):
            if decides := [name for name in data if data[name] is not None and _OF_THE_PROBLEM.fullmatch(str(name))]:
                raise ValueError(f"field {decides[0]!r} is not read, for the problem says it: take it out of the row")
            for name in data.keys() - cls.model_fields.keys():
                close = nearest(str(name), cls.model_fields, cutoff=0.85)
                ours = close[0] if close else _ELSEWHERE.get(name)
                one_of = {"source", "completion"} if ours in {"source", "completion"} else {ours}
                if ours is not None and (close or data.keys().isdisjoint(one_of)):
                    raise ValueError(f"unknown field {name!r}; did you mean {ours!r}?")
        return data

    @model_validator(mode="after")
    def _one_program(self) -> InputRow:
        if (self.source is None) == (self.completion is None):
            raise ValueError("give either source or completion")
        if self.files and self.completion is not None:
            raise ValueError("files go with source, not with a completion")
        if self.completion is not None:
            for name, value in (("completion", self.completion), ("prompt", self.prompt)):
                if not is_completion(value):
                    raise ValueError(f"{name} is of type {type(value).__name__}: give text, or messages")
        return self

    def item(self, line: int, default_language: str, may_choose: Collection[str] = CHOSEN_LANGUAGES) -> InputLine:
        """Language: the row's, else that of `may_choose` which the completion's fence names, else the default."""
        source, language, default = self.source or "", self.language or default_language, None
        if self.completion is not None:
            try:
                found = extract(
                    self.completion,
                    self.language,
                    prompt=self.prompt,
                    template_end=self.template_end,
                    may_choose=may_choose,
                )
            except LanguageError as error:
                return InputLine(line=line, id=self.id, error=str(error))
            default = language if found.chosen else None
            language = found.language or get_language(language).name
            if found.reason is not None:
                none = make_compile_error(self.problem, language, _shorten_reason(found.reason))
                return InputLine(line=line, id=self.id, judgement=none)
            source = found.code or ""
        files = tuple((name, content.encode()) for name, content in sorted((self.files or {}).items()))
        submission = Submission(
            source=encode_text(source),
            problem=self.problem,
            language=language,
            id=self.id,
            files=files,
            default_language=default,
        )
        return InputLine(line=line, id=self.id, submission=submission)


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLine:
    """One line of the input: a submission, the judgement of a completion without a program, or an error."""

    line: int
    id: str | None
    submission: Submission | None = None
    judgement: Judgement | None = None
    error: str | None = None


#: What a compiler would say.
_REASONS = {
    Reason.NO_FENCE: "it has no fenced block (give a bare program as `source`)",
    Reason.UNCLOSED: "it ended before its program did",
    Reason.WRONG_LANGUAGE: "none of its fenced blocks is of this language",
    Reason.NOT_TO_CHOOSE: "a completion may not choose its block's language: name it in the row, or allow it by the "
    "setting languages",
    Reason.EMPTY: "its fenced block is empty",
}


def _shorten_reason(reason: Reason) -> str:
    return f"{reason}: the completion holds no program: {_REASONS[reason]}"


def read(
    lines: Iterable[bytes], default_language: str, may_choose: Collection[str] = CHOSEN_LANGUAGES
) -> Iterator[InputLine]:
    """Blank lines are skipped. No two rows may have the same id: results are found again by it."""
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        item = _parse(number, line, default_language, may_choose)
        if item.id is not None and (first := first_lines.setdefault(item.id, number)) != number:
            item = InputLine(line=number, id=None, error=f"id {item.id!r} is on line {first} already; make ids unique")
        yield item


def _parse(
    number: int, line: bytes, default_language: str, may_choose: Collection[str] = CHOSEN_LANGUAGES
) -> InputLine:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return InputLine(line=number, id=None, error=f"no JSON: {error}")
    if not isinstance(data, dict):
        return InputLine(line=number, id=None, error=f"a JSON object is needed, not {type(data).__name__}")
    try:
        row = InputRow.model_validate(data)
    except ValidationError as error:
        return InputLine(line=number, id=_id(data), error=_words(error))
    except RecursionError:
        return InputLine(line=number, id=_id(data), error="is nested too deep")
    return row.item(number, default_language, may_choose)


def _id(data: dict[str, Any]) -> str | None:
    value = data.get("id")
    return str(value) if type(value) in (str, int) and value != "" else None


def _words(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" if detail["loc"] else detail["msg"]
        for detail in error.errors(include_url=False, include_input=False)
    ).replace("Value error, ", "")
