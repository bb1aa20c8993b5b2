"""The package format of Kattis and DOMjudge, version `legacy`.

problem.yaml, .timelimit                the time limit stands beside: the format has none
problem_statement/problem.TAG.tex       Markdown becomes TeX
data/**/testdata.yaml                   flags of validators, and the scores of groups
output_validators/NAME/                 the checker or the interactor; a comparison without flags of its own, too
submissions/                            what no directory of the format says, is said as DOMjudge reads it
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from problems.exporting.carried import carry
from problems.exporting.programs import comparing, of_convention
from problems.exporting.target import Format, Target, plain_cases
from problems.exporting.tex import escape, tex
from problems.files.languages import by_suffix
from problems.files.tree import TIME_LIMIT, Tree
from problems.model import (
    MIB,
    SECOND_NS,
    STATED_LIMITS,
    Aggregation,
    Comparison,
    Convention,
    Group,
    InputValidatorArgs,
    LabelledSubmission,
    Limits,
    Program,
    TestCase,
)
from problems.reading.comparison import to_arguments
from problems.reading.samples import INTERACTION, beside, conversations
from problems.reading.time_rule import LEGACY_RULE, read_time_rule
from problems.writing import dump
from problems.writing.write import directory_of

_KIB = 1024
_PICTURES = (".png", ".jpg", ".jpeg", ".pdf")
#: The directories that every tool of the format knows.
_STANDARD = ("accepted", "partially_accepted", "wrong_answer", "time_limit_exceeded", "run_time_error")
_RESULTS = {
    **{"AC": "CORRECT", "WA": "WRONG-ANSWER", "PE": "WRONG-ANSWER", "PC": "WRONG-ANSWER", "TLE": "TIMELIMIT"},
    **{"RE": "RUN-ERROR", "MLE": "MEMORY-LIMIT", "OLE": "OUTPUT-LIMIT", "CE": "COMPILER-ERROR"},
}


def _write(target: Target) -> None:
    problem = target.problem
    if problem.kind == "submit-answer":
        raise target.refusal("problems whose submissions are outputs", "export it to icpc")
    if problem.manager is not None:
        raise target.refusal("problems whose submissions run in several processes", "export it to icpc")
    if problem.function is not None:
        raise target.refusal("functions that a judge calls", "export it to icpc")
    if problem.interactor is not None and problem.checker != Comparison():
        raise target.refusal("an interactor with a checker", "export it to icpc")
    if problem.file_io is not None:
        target.lose("input and output files", "let programs use standard input and output")
    if problem.languages:
        target.lose("a choice of languages", "choose them on the site")
    if problem.grader is not None and problem.grader.submission_name:
        target.lose("the name of the submission beside a grader", "call it as the grader expects")
    _Kattis(target).write()


class _Kattis:
    def __init__(self, target: Target) -> None:
        self.target = target
        self.problem = target.problem
        self.at = f"{target.problem.name}/" if target.packed else ""
        self.scoring = dump.scores(target.problem)
        #: testdata.yaml by directory below data/.
        self.settings: dict[str, dict[str, Any]] = defaultdict(dict)

    def write(self) -> None:
        validation = self._validators()
        self._metadata(validation)
        self._statements()
        plain_cases(self.target)
        self._cases()
        if self.scoring:
            self._groups()
        for directory, data in self.settings.items():
            self.target.put_yaml(f"{self.at}data/{directory}{'/' if directory else ''}testdata.yaml", data)
        self._include()
        carry(self.target, self.at, ("attachments",), hint_suffix=".hint")
        for submission in self.problem.submissions:
            self._submission(submission)
        if self.problem.input_trials or self.problem.output_trials:
            self.target.note("not in it: data that tests the validators, for which the format has no place")

    def _time_rule(self) -> dict[str, float]:
        """How the time limit follows from the accepted submissions, where this format's own factors are others."""
        rule, usual = read_time_rule(Tree(self.problem.directory, self.problem.name)), LEGACY_RULE
        if rule.resolution_ns != usual.resolution_ns:
            self.target.note("not in it: time_resolution; the time limit is rounded to whole seconds there")
        stated = {
            "time_multiplier": rule.ac_to_time_limit,
            "time_safety_margin": rule.time_limit_to_tle,
        }
        given = (usual.ac_to_time_limit, usual.time_limit_to_tle)
        return {key: value for (key, value), other in zip(stated.items(), given, strict=True) if value != other}

    def _metadata(self, validation: str) -> None:
        problem, target = self.problem, self.target
        limits = problem.limits
        stated: dict[str, Any] = {
            "memory": target.whole(limits.memory_bytes, MIB, "the memory limit"),
            "output": target.whole(limits.output_bytes, MIB, "the output limit"),
            "code": target.whole(limits.code_bytes, _KIB, "the limit of the source"),
        }
        for name, key in zip(STATED_LIMITS[1:], tuple(stated), strict=True):
            if name in problem.unstated:  # the format's rule holds there, too
                del stated[key]
        if "cpu_ns" in problem.unstated:
            stated |= self._time_rule()
        program = problem.interactor or (problem.checker if isinstance(problem.checker, Program) else None)
        if program is not None:
            stated["validation_time"] = target.whole(program.limits.cpu_ns, SECOND_NS, "the validator's time limit")
            stated["validation_memory"] = target.whole(program.limits.memory_bytes, MIB, "the validator's memory limit")
            stated["validation_output"] = target.whole(program.limits.output_bytes, MIB, "the validator's output limit")
        if problem.passes > 1:
            stated["validation_passes"] = problem.passes
        data: dict[str, Any] = {
            "problem_format_version": "legacy",
            "name": problem.title.get("en") or next(iter(problem.title.values()), problem.name),
            "type": "scoring" if self.scoring else "pass-fail",
            "validation": validation,
            "limits": stated,
        }
        if isinstance(problem.checker, Comparison) and validation == "default":
            if flags := to_arguments(problem.checker):
                data["validator_flags"] = " ".join(flags)
        elif program is not None and program.arguments:
            data["validator_flags"] = " ".join(self._plain(program.arguments, "of the validator"))
        named = {"author": ", ".join(problem.authors), "license": problem.license, "uuid": problem.uuid}
        words = [keyword.replace(" ", "-") for keyword in problem.keywords]
        named |= {"source": problem.source, "keywords": " ".join(words)}
        target.put_yaml(f"{self.at}problem.yaml", data | {key: value for key, value in named.items() if value})
        if problem.stated_cpu_ns is not None:
            seconds = limits.cpu_ns / SECOND_NS
            target.put(f"{self.at}{TIME_LIMIT}", f"{seconds:.9f}".rstrip("0").rstrip(".") + "\n")
        if limits.wall_ns != Limits().wall_ns:
            target.note("not in it: limits.wall_ns, for which the format has no place")

    def _plain(self, arguments: Iterable[str], whose: str) -> list[str]:
        found = list(arguments)
        for argument in found:
            if argument.split() != [argument]:
                self.target.lose(f"the argument {argument!r} {whose}: it splits them at blanks", "write it without")
        return found

    def _statements(self) -> None:
        target = self.target
        for tag, path in self.problem.statements.items():
            name = f"{self.at}problem_statement/problem.{tag}"
            if path.suffix == ".md":
                title = self.problem.title.get(tag, self.problem.name)
                body = tex(target.text(path).decode("utf-8", "replace"))
                target.put(f"{name}.tex", f"\\problemname{{{escape(title)}}}\n\n{body}")
            else:
                target.put(f"{name}{path.suffix}", target.text(path) if path.suffix == ".tex" else path)
            for picture in Tree.around(self.problem.directory, path).beside(path):
                place = f"{self.at}problem_statement/{picture.name}"
                if (
                    picture.suffix in _PICTURES
                    and not picture.name.startswith("problem.")
                    and place not in target.files
                ):
                    target.put(place, picture)

    def _validators(self) -> str:
        """Puts the validators. Returns what `validation` of problem.yaml says."""
        problem, target = self.problem, self.target
        for number, program in enumerate(problem.input_validators, 1):
            self._program(program, "validator", f"input_validators/{program.sources[0].stem}{number}")
        words = ["custom"]
        validator = problem.interactor or problem.checker
        if isinstance(validator, Comparison):
            if dump.sayable(validator):
                return "default"
            target.put(f"{self.at}output_validators/compare/compare.cpp", comparing(target, validator, Convention.ICPC))
            return "custom"
        self._program(validator, "interactor" if problem.interactor else "checker", "output_validators/validate")
        texts = [target.text(path) for path in validator.sources]
        if self.scoring and any(b"score_multiplier.txt" in text for text in texts):
            target.lose("shares of the score (score_multiplier.txt)", "let the validator write points to score.txt")
        if self.scoring and any(b"score.txt" in text or b"score_multiplier.txt" in text for text in texts):
            words.append("score")
        if problem.interactor is not None:
            words.append("interactive")
        if problem.passes > 1:
            words.append("multi-pass")
            target.note(
                "validation: custom multi-pass and validation_passes are not in the format's text: DOMjudge reads "
                "them, problemtools refuses them"
            )
        return " ".join(words)

    def _program(self, program: Program, kind: Any, place: str) -> None:
        for name, text in of_convention(self.target, program, Convention.ICPC, kind).items():
            self.target.put(f"{self.at}{place}/{name}", text)

    def _cases(self) -> None:
        stated: dict[str, set[InputValidatorArgs]] = defaultdict(set)
        for case in self.problem.cases:
            base = f"{self.at}data/{case.name}"
            self.target.put(f"{base}.in", case.input)
            self.target.put(f"{base}.ans", case.answer if case.answer is not None else b"")
            if case.description:
                self.target.put(f"{base}.desc", case.description)
            stated[case.name.rpartition("/")[0]].add(case.input_validator_args)
        if any(set(beside(self.problem, case)) - {INTERACTION} for case in self.problem.cases):
            self.target.note("what statements show instead of samples (NAME.in.statement, NAME.out) is left out")
        for path in conversations(self.problem):
            self.target.put(f"{self.at}data/sample/{path.name}", path)
        for directory, found in stated.items():
            if len(found) > 1:
                self.target.lose(
                    f"arguments of input validators by test (data/{directory})", "use a directory for each"
                )
            elif arguments := dict(next(iter(found))):
                if arguments.keys() != {""}:
                    self.target.lose(f"arguments of single input validators (data/{directory})", "give all the same")
                words = self._plain(arguments.get("", ()), "of an input validator")
                self.settings[directory]["input_validator_flags"] = " ".join(words)

    def _groups(self) -> None:
        """A directory for each group, and the points of what lies in it."""
        problem = self.problem
        if problem.static_cases:
            raise self.target.refusal("tests that look at the source of a submission", "export it to icpc")
        groups = [group for group in problem.groups if group.name != "sample"]
        names = {group.name for group in groups}
        if "secret" not in names:
            groups.insert(0, Group(name="secret", points=problem.points))
        self._settings("", "ignore_sample", problem.points, stops=False)
        for group in groups:
            if not group.counted:
                self.target.lose(f"a group that does not count ({group.name})", "remove it")
            if group.requires:
                self.target.lose(f"groups that need others ({group.name})", "merge them")
            if group.grader is not None:
                raise self.target.refusal("programs that compute the points of groups", "keep the legacy package")
            if group.script is not None:
                raise self.target.refusal("scripts that compute the points of groups", "export it to icpc or luogu")
            if group.aggregation is Aggregation.PRODUCT:
                self.target.lose(f"the aggregation product ({group.name})", "take sum, min or max")
            cases = [case for case in problem.cases if case.group == group.name]
            self._group(group, cases, any(other.within == group.name for other in groups))

    def _group(self, group: Group, cases: list[TestCase], holds_groups: bool) -> None:
        added = group.aggregation in (Aggregation.SUM, Aggregation.PRODUCT)
        mode = "sum" if added else str(group.aggregation)
        partial = (added and not group.void_if_refused) or group.aggregation is Aggregation.MAX
        flags = f"{mode} accept_if_any_accepted" if partial else mode
        self._settings(group.name, flags, group.points, stops=not partial)
        if not cases or holds_groups:
            return
        if added and len({case.weight for case in cases}) > 1:
            self.target.lose(f"weights of single tests ({group.name})", "put each into a directory of its own")
        each = group.points / len(cases) if added else group.points
        self.settings[group.name]["accept_score"] = each

    def _settings(self, directory: str, flags: str, points: float, *, stops: bool) -> None:
        least = min(group.least for group in self.problem.groups)
        self.settings[directory] |= {
            "on_reject": "break" if stops else "continue",
            "grading": "default",
            "grader_flags": flags,
            "range": f"{least:g} {math.ceil(points * 1e6) / 1e6:g}",
        }

    def _include(self) -> None:
        grader = self.problem.grader
        for language, files in (*grader.files.items(), ("default", grader.default)) if grader else ():
            for file in files:
                name = "python3" if language == "python" else language
                self.target.put(f"{self.at}include/{name}/{file.name}", self.target.text(file))

    def _submission(self, one: LabelledSubmission) -> None:
        target = self.target
        directory = directory_of(one)
        label = f"{directory}/{one.path.name}"
        if directory == "partially_correct" or (directory == "rejected" and self.scoring):
            directory = "partially_accepted"
        if directory == "presentation_error":
            directory = "wrong_answer"
        if one.score is not None:
            target.note(f"not in it: the score that the submission {label} should get")
        text = target.text(one.path)
        if directory not in _STANDARD:
            language = by_suffix(one.path.suffix)
            if language is None or not language.text.comment:
                target.note(f"not in it: the submission {label}: its comments are unknown, so it cannot be labelled")
                return
            results = sorted({_RESULTS[code] for code in one.expected})
            text = text.rstrip(b"\n") + f"\n{language.text.comment} @EXPECTED_RESULTS@: {', '.join(results)}\n".encode()
            target.note(
                f"submissions/{directory} is for DOMjudge: the format has no directory for {', '.join(results)}"
            )
        place, name = f"{self.at}submissions/{directory}/", one.path.name
        if one.files or place + name in target.files:
            place += f"{one.path.parent.name}/"
        elif (
            self.problem.grader is not None and one.path.suffix == ".py"
        ):  # a grader imports it by the name it has here
            place, name = f"{place}{one.path.stem}/", "solution.py"
        target.put(f"{place}{name}", text)
        for file in one.files:
            target.put(f"{place}{one.inside(file)}", target.text(file))


FORMAT = Format(name="kattis", title="the legacy format of Kattis", write=_write)
