"""Reads submissions/submissions.yaml: the verdicts that submissions may get, by glob patterns."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, RootModel, model_validator

from problems.files.tree import Tree
from problems.files.yamlfile import Strict, read_yaml
from problems.model import Requirement
from problems.reading.metadata import Points

#: The specification's verdicts in our codes; our own codes are understood, too.
CODES = {
    "AC": frozenset({"AC"}),
    "WA": frozenset({"WA", "PE", "PC"}),
    "TLE": frozenset({"TLE"}),
    "RTE": frozenset({"RE", "MLE", "OLE"}),
    **{code: frozenset({code}) for code in ("RE", "MLE", "OLE", "PE", "PC", "CE")},
}


_BRACE = re.compile(r"\{([^{}]*)\}")
#: The most pairs of braces in one pattern, and the most names that it may stand for.
_MOST_BRACES, _MOST_NAMES = 4, 100


def _make_list(value: object) -> object:
    return (value,) if isinstance(value, (str, int, float)) else value


def _codes(value: object) -> object:
    for code in value if isinstance(value, (list, tuple)) else ():
        if not isinstance(code, str) or code not in CODES:
            raise ValueError(f"unknown verdict {code!r}: use AC, WA, TLE, RTE")
    return value


Codes = Annotated[tuple[str, ...], BeforeValidator(_codes), BeforeValidator(_make_list)]


class TestsYaml(Strict):
    """What is asked of some of the tests, or of all."""

    permitted: Codes | None = None
    required: Codes | None = None
    score: Annotated[tuple[Points] | tuple[Points, Points] | None, BeforeValidator(_make_list)] = None
    message: str = ""
    use_for_time_limit: bool | Literal["lower", "upper"] | None = None

    def requirement(self, tests: str) -> Requirement | None:
        """None: nothing is asked."""
        points = None if self.score is None else (self.score[0], self.score[-1])
        made = Requirement(
            tests=tests, permitted=self.permitted, required=self.required, points=points, message=self.message,
            use_for_time_limit=self.use_for_time_limit,
        )  # fmt: skip
        return None if made == Requirement(tests=tests) else made


class RuleYaml(TestsYaml):
    """Metadata for the submissions that one pattern matches."""

    language: str | None = None
    entrypoint: str | None = None
    authors: Any = None
    model_solution: bool = False
    #: By a pattern of paths of groups and tests below data/.
    of_tests: Annotated[dict[str, TestsYaml], Field(default_factory=dict)]

    @model_validator(mode="before")
    @classmethod
    def _set_apart(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "of_tests" in value:
            raise ValueError("unknown key of_tests")
        of_tests = {key: rule for key, rule in value.items() if str(key).startswith(("sample", "secret"))}
        return {key: rule for key, rule in value.items() if key not in of_tests} | {"of_tests": of_tests}

    def requirements(self) -> Iterator[Requirement]:
        """What the label does not say: `stated_verdicts`, and a score that is one number, are said by that."""
        points = self.score if self.score is not None and len(set(self.score)) > 1 else None
        beyond = TestsYaml(score=points, message=self.message)
        for tests, rule in (("", beyond), *self.of_tests.items()):
            if (one := rule.requirement(tests)) is not None:
                yield one


class SubmissionsYaml(RootModel[dict[str, RuleYaml]]):
    pass


#: Limits of one pattern: names in a package are shorter, and nobody needs so many alternatives.
_LONGEST_PATTERN, _MOST_ALTERNATIVES = 1000, 4096


def read_rules(tree: Tree, path: Path) -> Mapping[str, RuleYaml]:
    rules = read_yaml(tree, path, SubmissionsYaml).root
    for pattern in rules:
        if len(pattern) > _LONGEST_PATTERN:
            what = f"pattern {pattern[:40]!r}… is longer than {_LONGEST_PATTERN} characters"
            raise tree.error(path, what, "write several")
    if sum(pattern.count(",") + 1 for pattern in rules) > _MOST_ALTERNATIVES:
        what = f"its patterns have more than {_MOST_ALTERNATIVES} alternatives"
        raise tree.error(path, what, "use * instead of naming each submission")
    return rules


def stated_verdicts(rule: RuleYaml) -> frozenset[str] | None:
    """Verdicts of the whole submission under a rule about its cases."""
    if rule.permitted is None and rule.required is None:
        return None
    every = ("AC", "WA", "TLE", "RTE")
    permitted = frozenset[str]().union(*(CODES[code] for code in rule.permitted or every))
    required = frozenset[str]().union(*(CODES[code] for code in rule.required or every))
    return permitted - {"AC"} | (permitted & required & {"AC"})


def matches(pattern: str, name: str) -> bool:
    """A pattern covers what it matches and everything below; `*` does not cross a `/`; {a,b} are alternatives."""
    parts = name.split("/")
    return any(
        len(want) <= len(parts) and all(one.match(part) for one, part in zip(want, parts, strict=False))
        for want in _alternatives(pattern)
    )


@lru_cache(_MOST_ALTERNATIVES)
def _alternatives(pattern: str) -> list[list[re.Pattern[str]]]:
    """The alternatives of a pattern, each as one regular expression for each part of the path."""
    options = (option.strip("/").replace("[", "[[]").split("/") for option in _braces(pattern))
    return [[re.compile(fnmatch.translate(part)) for part in option] for option in options]


def _braces(pattern: str) -> list[str]:
    if pattern.count("{") > _MOST_BRACES:
        return [pattern]
    done, waiting = [], [pattern]
    while waiting:
        one = waiting.pop()
        if (match := _BRACE.search(one)) is None:
            done.append(one)
        else:
            options = [option.strip() for option in match[1].split(",")]  # BAPCtools reads `{ a, b }` so, too
            waiting += [one[: match.start()] + option + one[match.end() :] for option in options]
        if len(done) + len(waiting) > _MOST_NAMES:  # a bomb, not a pattern
            return [pattern]
    return done
