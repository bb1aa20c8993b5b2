"""The exception tree of the judge.

    JudgeError                  one line: what, which object, what to do about it
    ├── SourceError             no program text: too large, unreadable (becomes CE)
    ├── LanguageError           unknown language, or its toolchain is not installed
    │   └── LanguageRefused     the problem takes no programs in it
    ├── CheckerError            a custom checker cannot be built, or fails on right outputs (becomes IE)
    ├── ConfigError             a setting is wrong
    │   └── OverBudget          what one submission or program needs is more than the memory budget
    └── Cancelled               the Judge was closed before this submission was judged
`problems.errors.ProblemError` and `containers.errors.ContainerError` are separate trees.
"""

from __future__ import annotations


class JudgeError(Exception):
    """Base of every error that `judge` raises."""


class SourceError(JudgeError):
    """The source is no program text: the judgement is CE."""


class LanguageError(JudgeError):
    """An unknown language, or one that this machine cannot compile or run."""


class LanguageRefused(LanguageError):
    """A language that the problem takes no programs in."""


class CheckerError(JudgeError):
    """A custom checker cannot be built, or fails on right outputs: the judgement is IE."""


class ConfigError(JudgeError):
    """A setting is wrong."""


class OverBudget(ConfigError):
    """A run of one submission or program may need more memory than the budget leaves; others may fit."""


class Cancelled(JudgeError):
    """The Judge was closed before this submission was judged."""

    def __init__(self) -> None:
        super().__init__("the judge was closed before this submission was judged")
