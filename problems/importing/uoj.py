"""UOJ: problem.conf beside the test files; a line is a key and its value.

problem.conf    use_builtin_judger on, use_builtin_checker NAME, n_tests, n_ex_tests, n_sample_tests, input_pre/suf,
                output_pre/suf, time_limit (s), memory_limit and output_limit (MiB), point_score_I, n_subtasks,
                subtask_end_K, subtask_score_K, subtask_dependence_K; submit_answer on: files called like the answers
                are handed in, and there are no extra tests; with_implementer on: submissions are compiled with
                require/implementer.cpp
chk.cpp         the checker, where none is built in; val.cpp the validator, std.cpp a solution. A version of C++ may
                stand before the suffix: chk17.cpp
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from problems.files.languages import by_suffix
from problems.importing import testlib
from problems.importing.draft import Draft, of_source
from problems.importing.source import HEADERS, Source
from problems.importing.understood import may_decide
from problems.model import (
    MIB,
    SECOND_NS,
    Aggregation,
    Checker,
    Comparison,
    Convention,
    Grader,
    Group,
    Limits,
    Mode,
    Problem,
    Program,
    ScoringScript,
    TestCase,
)

_CONF = "problem.conf"
_MOST_TESTS = 10_000
_FORMATTED = "tests are as the site's formatter leaves them, without spaces and CR at ends of lines: here with some"
_EXPECTED = frozenset({"AC"})
#: Those of testlib, and `bcmp`.
_COMPARISONS = {
    **{name: rule for name, rule in testlib.COMPARISONS.items() if name != "nyesno"},
    "bcmp": Comparison(mode=Mode.EXACT),
}
#: The points of the whole: 100 for who passes all tests, whatever these are worth.
_END = "@final_status = AC; @final_time = 0; @final_memory = 0;\n"
_WHOLE = "@total_score = {points};\nif @total_score == {most}; then\n    @total_score = 100;\nfi\n"
_EXTRA = "if @total_score == 100 and @status{extra} == UNAC; then\n    @total_score = 97;\nfi\n"
#: Of a packed subtask: a part of a test's points is nothing.
_PACKED = "if @status{number} != AC; then\n    @total_score = 0;\nfi\n"
#: Of C++; the last is that of a source that states none.
_VERSIONS = ("20", "17", "14", "11", "")
#: Limits that are ours here: of time by the clock, of the stack, and all of these programs.
_OURS = ("real_time_limit", "stack_limit")
_OTHERS = ("checker_", "validator_", "standard_", "interactor_", "gen_")
#: Kinds of problems that are not imported.
_KINDS = ("interaction_mode",)
#: Is compiled along with submissions, by language.
_IMPLEMENTERS = ("implementer.cpp", "implementer.c")
#: What the judging of a program does not depend on.
_ASIDE = (
    "check_existence_only_in_sample_test",
    "use_builtin_judger",
    "use_builtin_checker",
    "n_tests",
    "n_ex_tests",
    "n_sample_tests",
    "n_subtasks",
)


@dataclass(slots=True, kw_only=True)
class _Conf:
    """The keys of a file; those that were asked for are known."""

    draft: Draft
    values: dict[str, tuple[str, int]]
    known: set[str]

    def text(self, key: str, usual: str) -> str:
        self.known.add(key)
        return self.values.get(key, (usual, 0))[0]

    def number(self, key: str, usual: float, most: float = 1e9) -> float:
        text = self.text(key, str(usual))
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= most:
            line = self.values[key][1]
            raise self.draft.error(f"{key} {text[:40]!r} is no number from 0 to {most:g}", "correct it", line=line)
        return value

    def count(self, key: str, usual: int) -> int:
        return int(self.number(key, usual, _MOST_TESTS))

    def lose_the_rest(self) -> None:
        for key, (_, line) in self.values.items():
            limit = key.rstrip("0123456789").removesuffix("_")
            if limit.endswith(_OURS) or (limit.startswith(_OTHERS) and limit.endswith("_limit")):
                self.draft.source.note(
                    self.draft.path, f"{key[:60]} is not imported: the judge's own limit holds", line
                )
            elif key not in self.known:
                self.draft.source.lose_key(self.draft.path, key, sorted(self.known), line)


def _find_head(source: Source) -> Path | None:
    root = source.tree.root
    return next((path for place in (root, root / "data", root / "1") if (path := place / _CONF).is_file()), None)


def _read(draft: Draft) -> Problem:
    source = draft.source
    conf = _conf(draft)
    _refuse(conf)
    limits = _limits(conf)
    draft.directory = draft.path.parent
    tests, groups = _tests(conf, limits)
    if outputs := conf.text("submit_answer", "off") == "on":
        limits, tests = Limits(), _handed_in(conf, tests)
        _pass_over_extra(conf)
    else:
        _add_samples(conf)
    checker = _checker(conf, (*draft.samples, *tests))
    if isinstance(checker, Program) and conf.count("n_subtasks", 0):
        alone = len(tests)
        tests, groups = _with_parts(conf, tests, groups)
        if outputs and len(tests) > alone:
            what = "subtasks of type min depend on others, and outputs are handed in: this is not imported"
            raise draft.error(what, "write it by hand")
    tests, groups = _with_extra(conf, tests, groups, outputs=outputs)
    draft.tests += tests
    draft.groups += groups
    grader = _implementer(conf) if conf.text("with_implementer", "off") == "on" else None
    if (statement := source.file("statement.md")) is not None:
        draft.add_statement("zh", statement)
    for path in draft.list_files():
        if path.name.startswith("std") and by_suffix(path.suffix) and not may_decide(path.stem[3:], ()):
            draft.add_solution(path, language=_standard(path))
    validator = _own(conf, "val")
    problem = replace(
        draft.build("zh"),
        directory=source.tree.root,
        limits=limits,
        checker=checker,
        kind="submit-answer" if outputs else "batch",
        grader=grader,
        input_validators=() if validator is None else (_program(source, validator, Convention.TESTLIB),),
    )
    conf.known |= set(_ASIDE)
    conf.lose_the_rest()
    return problem


def _limits(conf: _Conf) -> Limits:
    return Limits(
        cpu_ns=round(conf.number("time_limit", 1, 600) * SECOND_NS) or 1,
        memory_bytes=round(conf.number("memory_limit", 256, 1 << 20)) * MIB or MIB,
        output_bytes=round(conf.number("output_limit", 64, 1 << 20)) * MIB or MIB,
    )


def _refuse(conf: _Conf) -> None:
    """Raise ProblemError on what would be judged otherwise here."""
    for kind in _KINDS:
        if conf.text(kind, "off") == "on":
            raise conf.draft.error(f"{kind}: this kind of problem is not imported", "write it by hand")
    if conf.text("token", ""):
        what = "token: outputs that begin with a secret word are not imported"
        raise conf.draft.error(what, "take it out of the implementer, and remove it", line=conf.values["token"][1])
    if conf.text("score_type", "int") != "int":
        what = "score_type: points that are no whole numbers are not imported"
        raise conf.draft.error(what, "write score_type int", line=conf.values["score_type"][1])
    if conf.text("use_builtin_judger", "off") != "on":
        raise conf.draft.error("it brings its own judger, which is not imported", "write it by hand")


def _conf(draft: Draft) -> _Conf:
    values: dict[str, tuple[str, int]] = {}
    for line, text in enumerate(draft.source.text(draft.path).splitlines(), 1):
        key, *rest = text.split(None, 1)[:2] or [""]
        if not key or key.startswith("#"):
            continue
        value = rest[0] if rest else ""
        if key in values:
            raise draft.error(f"key {key[:60]!r} is there twice", "remove one", line=line)
        values[key] = (value.strip(), line)
    return _Conf(draft=draft, values=values, known=set())


def _pair(conf: _Conf, before: str, number: int) -> tuple[Path, Path]:
    names = [
        f"{before}{conf.text(f'{kind}_pre', kind)}{number}.{conf.text(f'{kind}_suf', 'txt')}"
        for kind in ("input", "output")
    ]
    input_, answer = (_lay_out(conf.draft.source, conf.draft.find(name)) for name in names)
    return input_, answer


def _lay_out(source: Source, file: Path) -> Path:
    """The file as the site's formatter (`run/formatter.cpp`) leaves it, which lays out all tests for the judger:
    without spaces and CR at ends of lines, and with a newline at the end."""
    content = file.read_bytes()
    made = b"\n".join(line.rstrip(b" \r") for line in content.split(b"\n"))
    if made != content and not any(_FORMATTED in loss.message for loss in source.losses):  # one line for all
        source.assume(file, _FORMATTED)
    if not content.endswith(b"\n"):
        made += b"\n"
    if made == content:
        return file
    source.seen.add(file)
    return source.make(f"formatted/{file.relative_to(source.tree.root).as_posix()}", made)


def _tests(conf: _Conf, usual: Limits) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    count, subtasks = conf.count("n_tests", 10), conf.count("n_subtasks", 0)
    if not count:
        raise conf.draft.error("n_tests is 0", "name the tests")
    groups: list[Group] = []
    cases: list[TestCase] = []
    first = 1
    for task in range(1, subtasks + 1) if subtasks else (0,):
        group = f"secret/{task:03}" if task else "secret"
        last = conf.count(f"subtask_end_{task}", count if task == subtasks else 0) if task else count
        if not first <= last <= count:
            what = f"subtask_end_{task} is {last}, not between {first} and {count}"
            raise conf.draft.error(what, "correct it")
        listed = [_case(conf, number, count, group, usual, scored=not task) for number in range(first, last + 1)]
        made = _group(conf, task, group, subtasks)
        listed = [replace(case, full_score=(made.points if task else case.weight) or 1.0) for case in listed]
        cases += listed
        groups.append(made if task else replace(made, points=sum(case.weight for case in listed)))
        first = last + 1
    if first <= count:
        raise conf.draft.error(f"test {first} is in no subtask", "correct subtask_end")
    return tuple(cases), tuple(groups)


def _with_parts(
    conf: _Conf, tests: tuple[TestCase, ...], groups: tuple[Group, ...]
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    """The same, where a checker gives a part of the points: none in a packed subtask, and a subtask of type min has no
    greater part than those on which it depends, of which it holds the tests, too."""
    by_name = {group.name: group for group in groups}
    within = {group.name: [case for case in tests if case.group == group.name] for group in groups}
    made: list[Group] = []
    found: list[TestCase] = []
    for task, group in enumerate(groups, 1):
        own = list(within[group.name])
        if conf.text(f"subtask_type_{task}", "packed") == "packed":
            numbers = {case.name: number for number, case in enumerate(own, 1)}
            text = f"@total_score = {group.points:.0f};\n" + "".join(
                _PACKED.format(number=number) for number in numbers.values()
            )
            script = ScoringScript(text=text + _END, numbers=MappingProxyType(numbers))
            made.append(replace(group, script=script))
            found += own
            continue
        needed, open_ = dict[str, None](), list(group.requires)
        while open_:
            name = open_.pop(0)
            if name not in needed:
                needed[name] = None
                open_ += by_name[name].requires
        also = [case for name in needed for case in within[name]]
        own += [
            replace(
                case,
                name=f"{group.name}/of-{case.name.removeprefix('secret/').replace('/', '-')}",
                group=group.name,
                full_score=group.points or 1.0,
            )
            for case in also
        ]
        made.append(replace(group, requires=()))
        found += own
    return tuple(found), tuple(made)


def _case(conf: _Conf, number: int, count: int, group: str, usual: Limits, *, scored: bool) -> TestCase:
    input_, answer = _pair(conf, "", number)
    limits = replace(
        usual,
        cpu_ns=round(conf.number(f"time_limit_{number}", usual.cpu_ns / SECOND_NS, 600) * SECOND_NS) or 1,
        memory_bytes=round(conf.number(f"memory_limit_{number}", usual.memory_bytes / MIB, 1 << 20)) * MIB or MIB,
    )
    return TestCase(
        name=f"{group}/{number:0{len(str(count))}}",
        group=group,
        input=input_,
        answer=answer,
        weight=_points(conf, f"point_score_{number}", 100 // count) if scored else 1.0,
        limits=None if limits == usual else limits,
    )


def _points(conf: _Conf, key: str, usual: int) -> float:
    """Points are whole numbers there."""
    return float(int(conf.number(key, usual)))


def _group(conf: _Conf, task: int, group: str, subtasks: int) -> Group:
    if not task:
        return Group(name=group)
    kind = conf.text(f"subtask_type_{task}", "packed")
    if kind not in ("packed", "min"):
        raise conf.draft.error(f"subtask_type_{task} {kind[:40]!r} is unknown", "packed or min are not")
    conf.text(f"subtask_used_time_type_{task}", "sum")
    text = conf.text(f"subtask_dependence_{task}", "")
    names = [text] if text not in ("", "none", "many") else []
    while text == "many" and (name := conf.text(f"subtask_dependence_{task}_{len(names) + 1}", "")):
        names.append(name)
    for name in names:
        if not (name.isascii() and name.isdecimal() and 0 < int(name[:9]) <= subtasks):
            raise conf.draft.error(f"subtask {task} needs {name[:40]!r}, which is none", "correct it")
    if kind == "min":  # a packed one leaves its points as they are
        names = [name for name in names if conf.text(f"subtask_type_{int(name)}", "packed") == "min"]
    points = _points(conf, f"subtask_score_{task}", 100 // subtasks)
    return Group(
        name=group,
        points=100.0 if subtasks == 1 and kind == "packed" else points,
        aggregation=Aggregation.MIN,
        requires=tuple(f"secret/{int(name):03}" for name in names),
    )


def _handed_in(conf: _Conf, tests: tuple[TestCase, ...]) -> tuple[TestCase, ...]:
    """The tests under the names of the files that are handed in for them."""
    for number in range(1, len(tests) + 1):
        if conf.count(f"output_file_id_{number}", number) != number:
            what = f"output_file_id_{number}: one file that is handed in for several tests is not imported"
            raise conf.draft.error(what, "write it by hand", line=conf.values[f"output_file_id_{number}"][1])
    names = (case.answer.name for case in tests if case.answer is not None)
    return tuple(replace(case, limits=None) for case in conf.draft.hand_in(tests, names))


def _pass_over_extra(conf: _Conf) -> None:
    """Extra tests are for programs: none is run where outputs are handed in."""
    for number in range(1, conf.count("n_ex_tests", 0) + 1):
        for path in _pair(conf, "ex_", number):
            conf.draft.source.note(path, "is not imported: outputs meet no extra tests")


def _with_extra(
    conf: _Conf, tests: tuple[TestCase, ...], groups: tuple[Group, ...], *, outputs: bool
) -> tuple[tuple[TestCase, ...], tuple[Group, ...]]:
    """The points of the whole, with the extra tests that are no samples. They give no points: a program that passes all
    others, and fails one of them, loses 3. Where outputs are handed in there are none."""
    shown, count = conf.count("n_sample_tests", 0), 0 if outputs else conf.count("n_ex_tests", 0)
    most = sum(int(group.points) for group in groups)
    if count <= shown and most == 100:
        return tests, groups
    if groups[0].name == "secret":  # the group above all is called so
        groups = (replace(groups[0], name="secret/001"),)
        tests = tuple(replace(case, name=case.name.replace("/", "/001/"), group="secret/001") for case in tests)
    extra = f"secret/{len(groups) + 1:03}"
    for number in range(shown + 1, count + 1):
        input_, answer = _pair(conf, "ex_", number)
        name = f"{extra}/extra-{number:0{len(str(count))}}"
        tests += (TestCase(name=name, group=extra, input=input_, answer=answer),)
    numbers = {group.name: number for number, group in enumerate(groups, 1)}
    text = _WHOLE.format(points=" + ".join(f"@score{number}" for number in numbers.values()), most=most)
    inner = tuple(replace(group, within="secret") for group in groups)
    if count > shown:
        numbers[extra] = len(groups) + 1
        text += _EXTRA.format(extra=numbers[extra])
        inner = (*inner, Group(name=extra, points=0.0, aggregation=Aggregation.MIN, within="secret"))
    script = ScoringScript(text=text + _END, numbers=MappingProxyType(numbers))
    return tests, (Group(name="secret", points=100.0, script=script), *inner)


def _add_samples(conf: _Conf) -> None:
    """The first extra tests. Here they take no points."""
    shown, extra = conf.count("n_sample_tests", 0), conf.count("n_ex_tests", 0)
    if shown > extra:
        what = (
            f"n_sample_tests {shown} is more than n_ex_tests {extra}, and samples are extra tests: the site refuses it"
        )
        line = conf.values["n_sample_tests"][1]
        conf.draft.source.lose(conf.draft.path, what, "correct one of them", line)
    for number in range(1, min(shown, extra) + 1):
        conf.draft.add_test(*_pair(conf, "ex_", number), str(number), "sample")


def _implementer(conf: _Conf) -> Grader:
    files = conf.draft.list_files("require")
    wanted = [path for path in files if path.name in _IMPLEMENTERS]
    headers = (path for path in files if path.suffix in HEADERS)
    made = conf.draft.source.grader([*wanted, *headers], None) if wanted else None
    if made is None:
        what = "with_implementer: there is no require/implementer.cpp or implementer.c"
        raise conf.draft.error(what, "add it", line=conf.values["with_implementer"][1])
    return made


def _checker(conf: _Conf, tests: Iterable[TestCase]) -> Checker:
    name, source = conf.text("use_builtin_checker", ""), conf.draft.source
    if name in _COMPARISONS:
        testlib.check_answers(source, name, tests)
        return _COMPARISONS[name]
    if name:
        what = f"use_builtin_checker {name[:40]!r} is not imported"
        raise conf.draft.error(what, f"take one of {', '.join(_COMPARISONS)}, or write chk.cpp")
    return _program(source, _own(conf, "chk") or conf.draft.find("chk.cpp"))


def _own(conf: _Conf, name: str) -> Path | None:
    """The program of this name, which the site looks for in this order."""
    draft = conf.draft
    found = [path for version in _VERSIONS if (path := draft.directory / f"{name}{version}.cpp").is_file()]
    for other in found[1:]:
        draft.source.note(other, f"is not imported: {found[0].name} stands for it")
    return draft.source.inside(found[0]) if found else None


def _program(source: Source, path: Path, convention: Convention = Convention.UOJ) -> Program:
    return replace(source.checker(path, convention), language=_standard(path))


def _standard(path: Path) -> str | None:
    """The language that the name of a C++ source states: `std20.cpp`. Of `std.cpp` the sites' versions differ."""
    version = next((version for version in _VERSIONS if path.name.endswith(f"{version}.cpp")), "")
    return f"cpp{version}" if version else None


FORMAT = of_source(name="uoj", holds="UOJ's problem.conf", find_head=_find_head, read=_read, head=_CONF)
