"""Reads, checks and writes problem packages, and holds the bundled library of problems.

    problem = problems.load("P1001")            a name of the library
    problem = problems.load("my/package")       a directory
    problem = problems.load("package.zip")      a zip file
    problems.names()                            every name that `load` knows

A name is looked for in `search`, then in the directories of JUDGE_PROBLEMS (separated as in PATH), then in the library.
"""

from __future__ import annotations

from problems.errors import ProblemError, UnknownProblem
from problems.lookup import library_directory, load, names
from problems.model import (
    Aggregation,
    Checker,
    Comparison,
    Convention,
    FileIO,
    Function,
    GeneratedCase,
    Grader,
    Group,
    LabelledSubmission,
    Limits,
    Mode,
    Problem,
    Program,
    TestCase,
)

__all__ = [
    "Aggregation",
    "Checker",
    "Comparison",
    "Convention",
    "FileIO",
    "Function",
    "GeneratedCase",
    "Grader",
    "Group",
    "LabelledSubmission",
    "Limits",
    "Mode",
    "Problem",
    "ProblemError",
    "Program",
    "TestCase",
    "UnknownProblem",
    "library_directory",
    "load",
    "names",
]
