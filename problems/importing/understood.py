"""Decides what becomes of that which no reader understands: a key, or a file.

    loss      judging may depend on it: an error, or with --lenient a line of the report and exit code 1
    never     a checker, an interactor, a grader, a validator of outputs: an error under every option, for without it
              wrong programs would be right
    note      judging does not depend on it: a line of the report

A key is judged by its own words, and by those of the known key that it is most like: `cheker` is never lost. A file is
judged by its name, by the directories in which it lies, and by its first bytes: programs need no suffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from problems.errors import nearest
from problems.files.languages import by_suffix

#: Words of keys, and of names of files, by which something decides verdicts.
_DECIDES = re.compile(
    r"che?c?k|spj|tpj|special|interact|manager|grader|judge|valid|compar|implement|scorer|verif|stub|library|signature",
    re.IGNORECASE,
)
#: The whole name of what decides verdicts, without suffixes: of a directory, or where a suffix says something else.
_DECIDER = re.compile(
    r"(?:[A-Za-z0-9]{1,40}[_-])?(?:che?c?k(?:ers?)?|cmp|spj|tpj|special[_-]?judge|interactors?|managers?|graders?|judges?"
    r"|validat(?:e|ors?)|compar(?:e|ers?|ators?)|scorers?|verif(?:y|iers?)|evaluat(?:e|ors?))[0-9]{0,9}",
    re.IGNORECASE,
)
#: The least likeness by which an unknown key is taken for a known one with a slip.
_LIKE = 0.7
#: Suffixes of what can be compiled or run, beside those of our languages.
_OTHER_SOURCES = frozenset((".h", ".hh", ".hpp", ".hxx", ".dpr", ".swift"))
_COMPILED = frozenset((".e", ".bat", ".exe", ".bin", ".so", ".o", ".class", ".jar"))
_SETTINGS = frozenset(
    (".yaml", ".yml", ".json", ".toml", ".ini", ".conf", ".cfg", ".cdf", ".properties", ".config", ".xml")
)
_INPUTS = frozenset((".in", ".inp"))
_TESTS = _INPUTS | {".out", ".ans", ".a", ".ou"}
#: Suffixes of what is read by people, or was laid aside.
_PAPERS = frozenset(
    """
    .md .markdown .rst .tex .sty .cls .pdf .ps .html .htm .css .doc .docx .odt .png .jpg .jpeg .svg .gif .bmp .log .csv
    .bak .old .orig .template
    """.split()  # noqa: SIM905 - thirty strings take a screen
)
#: Files that lie beside programs and are none.
_BESIDE = re.compile(r"(?:readme|licen[cs]e|copying|authors|makefile|gnumakefile|cmakelists)\b.*", re.IGNORECASE)
#: With which programs begin that the system starts itself: scripts, ELF, Windows, macOS.
_STARTS = (b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
#: We look at the first `START_BYTES` bytes of a file.
START_BYTES = 4
#: Names and directories of programs that judging does not need: solutions, generators, what makes statements.
_ASIDE = re.compile(
    r"(?:std|stds|sol|sols|solution|solutions|soluzione|soluzioni|solve|solver|solutia|main|model|jury|ref|reference|brute|"
    r"bruteforce|baoli|force|naive|bf|bad|wrong|slow|fast|correct|right|accepted|ac|wa|tle|mle|rte|submission|submissions|"
    r"gen|gens|generator|generators|generatore|generate|maker|make|mk|mkdata|makedata|makefile|data|rand|random|duipai|"
    r"doall|wipe|setup|conftest|plot|plots|draw|statement|statements|doc|docs|testo|tex|scripts?|tools?|attachments?|"
    r"download|editorial|editorials|tutorial|tutorials|additional_file|input_validators?|testlib|jngen|att)\d*",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[\W_]+")


class Weight(StrEnum):
    """What a line of the report says of judging."""

    #: The package judges without something that the source has, or says.
    LOSS = "loss"
    #: Judging does not depend on it.
    NOTE = "note"
    #: The source leaves it open, and we take what is usual.
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What a package does not hold though its source does; or what it holds though its source does not say so."""

    file: str
    message: str
    weight: Weight


class Part(StrEnum):
    """What a file that nobody read may be."""

    #: It may decide verdicts.
    DECIDING = "a program"
    SETTINGS = "settings"
    TEST = "test data"
    OTHER = "other"


def may_decide(key: str, known: Iterable[str]) -> bool:
    """Whether an unknown key may say how outputs are judged."""
    return any(_DECIDES.search(word) for word in (key, *nearest(key, known, cutoff=_LIKE)))


def part_of(path: PurePath, start: bytes = b"") -> Part:
    """What a file may be, by its path below the source and its first bytes."""
    suffix = path.suffix.lower()
    if is_source(path) or suffix in _COMPILED or (suffix not in _TESTS and start.startswith(_STARTS)):
        return Part.OTHER if _is_aside(path) else Part.DECIDING
    if _is_called_decider(path):
        return Part.OTHER if _checks_inputs(path) else Part.DECIDING
    if suffix in _SETTINGS or path.name == "testplan":
        return Part.SETTINGS
    return Part.TEST if suffix in _TESTS else Part.OTHER


def is_source(path: PurePath) -> bool:
    """Whether the suffix is one of a program's source."""
    suffix = path.suffix.lower()
    return suffix in _OTHER_SOURCES or by_suffix(suffix) is not None


def _is_called_decider(path: PurePath) -> bool:
    """Whether a file with no program's suffix has the name, or lies in the directory, of what decides verdicts."""
    suffix, name = path.suffix.lower(), path.name.partition(".")[0]
    if suffix in _PAPERS or suffix in _INPUTS or _BESIDE.fullmatch(path.name):
        return False
    if _DECIDER.fullmatch(name):
        return True
    if suffix in _TESTS or suffix == ".txt":
        return False
    within = any(_DECIDER.fullmatch(part) for part in path.parts[:-1])
    return within or _DECIDES.search(path.stem) is not None


def _checks_inputs(path: PurePath) -> bool:
    return any(part.lower() in ("input_validators", "input_validator") for part in path.parts[:-1])


def _is_aside(path: PurePath) -> bool:
    """Whether a program only solves, or makes something. What its own name says goes before its directories."""
    if _DECIDES.search(path.stem) and path.stem.lower() != "testlib":
        return _checks_inputs(path)
    parts = (path.stem, *(part for part in path.parts[:-1] if part != "data"))  # tests lie there, and their checker
    return any(_ASIDE.fullmatch(word) for part in parts for word in (part, *_WORDS.split(part)) if word)
