"""Writes the page of an evaluation: pass@k with intervals, by difficulty and tag, the verdicts, two runs compared, and
examples of each verdict. Models wrote what the examples show: every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from judge.common.text import harmless
from trainer_adapter.health.page import Bar, bars, document, table
from trainer_adapter.rollouts.evaluation import Comparison, Evaluation, Rate
from trainer_adapter.rollouts.row import Rollout

#: Examples of one verdict, and the most characters that are shown of a text.
_EXAMPLES = 2
_CHARACTERS = 6_000
_NOT_JUDGED = "not judged"


@dataclass(slots=True)
class Examples:
    """Rollouts to be shown: the first of each verdict, of different problems."""

    found: dict[str, list[Rollout]] = field(default_factory=dict)

    def watch(self, rollouts: Iterable[Rollout]) -> Iterator[Rollout]:
        """Hands all of them on."""
        for rollout in rollouts:
            verdict = str(rollout.verdict) if rollout.judged else _NOT_JUDGED
            kept = self.found.setdefault(verdict, [])
            if len(kept) < _EXAMPLES and _tell_apart(rollout) not in map(_tell_apart, kept):
                kept.append(rollout)
            yield rollout

    def render(self, title: str = "Examples", *, hidden: bool = False) -> str:
        """A part of a page. With `hidden` it shows hidden tests, too."""
        parts = [f"<h2>{escape(title)}</h2>"]
        for verdict, rollouts in sorted(self.found.items()):
            parts.append(f"<h3>{escape(verdict)}</h3>")
            parts += [_example(rollout, hidden=hidden) for rollout in rollouts]
        return "".join(parts) if len(parts) > 1 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    title: str
    found: Evaluation
    ks: tuple[int, ...]
    examples: Examples
    #: Name of the other run, what it gave, and the comparison on the problems that both have.
    other: tuple[str, Evaluation, Comparison] | None = None
    #: Show tests that are hidden, too.
    hidden: bool = False

    def render(self) -> str:
        return document(
            self.title,
            self._counts(),
            self._show_comparison(),
            bars("Problems solved, with intervals of 95 %", self._runs, [self._rate(f"pass@{k}", k) for k in self.ks]),
            self._groups("difficulty"),
            self._groups("tag"),
            bars("Verdicts, as shares of what was judged", self._runs, list(self._verdicts())),
            self.examples.render(hidden=self.hidden),
        )

    @property
    def _runs(self) -> list[str]:
        return ["this run", *([self.other[0]] if self.other else ())]

    @property
    def _evaluations(self) -> list[Evaluation]:
        return [self.found, *([self.other[1]] if self.other else ())]

    def _counts(self) -> str:
        found = self.found
        return (
            f"<p>{len(found.problems)} problems, {found.rollouts} rollouts, {found.truncated} truncated, "
            f"{found.not_judged} not judged.</p>"
        )

    def _show_comparison(self) -> str:
        if self.other is None:
            return ""
        name, _, compared = self.other
        gain = compared.difference
        kind = "well" if gain.low >= 0 else "found"
        return (
            f'<p class="{kind}">pass@{self.ks[0]} against {escape(name)}: <b>{gain.mean:+.1%}</b> ({gain.low:+.1%} to '
            f"{gain.high:+.1%}) on {gain.problems} problems, {compared.better} better, {compared.worse} worse, "
            f"p = {compared.p_value:.3g}; {compared.left_out} problems left out.</p>"
        )

    def _rate(self, name: str, k: int, group: str | None = None) -> Bar:
        rates = [
            each.rate(k, None if group is None else each.groups().get(group, ())) for each in self._evaluations
        ]  # fmt: skip
        return Bar(name=name, values=tuple(map(_mean, rates)), intervals=tuple(map(_interval, rates)))

    def _groups(self, kind: str) -> str:
        start, k = f"{kind} ", self.ks[0]
        groups = {name: among for name, among in self.found.groups().items() if name.startswith(start)}
        if not groups:
            return ""
        names = {name: harmless(name.removeprefix(start)) for name in groups}
        chart = [self._rate(names[name], k, name) for name in groups]
        rows = [
            [names[name], str(len(among)), *(str(self.found.rate(k, among) or "") for k in self.ks)]
            for name, among in groups.items()
        ]
        drawn = bars(f"pass@{k} by {kind}", self._runs, chart)
        return drawn + table([kind, "problems", *(f"pass@{k}" for k in self.ks)], rows)

    def _verdicts(self) -> Iterator[Bar]:
        names = dict.fromkeys(name for each in self._evaluations for name, _ in each.verdicts.most_common())
        for name in names:
            counts = tuple(each.verdicts[name] / max(1, each.verdicts.total()) for each in self._evaluations)
            yield Bar(name=name, values=counts, intervals=(None,) * len(counts))


def _tell_apart(rollout: Rollout) -> tuple[str, str]:
    """Older completions of a training do not name their problem."""
    return rollout.problem, "" if rollout.problem else str(rollout.prompt)


def _example(rollout: Rollout, *, hidden: bool) -> str:
    said = "".join(f"<p>{escape(line)}</p>" for line in _show_words(rollout, hidden=hidden))
    name = escape(harmless(rollout.id or rollout.problem or "without a name"))
    return f"<details><summary>{name}</summary>{said}<pre>{escape(_cut(rollout.completion))}</pre></details>"


def _show_words(rollout: Rollout, *, hidden: bool) -> Iterator[str]:
    """What the judge said of it, as far as it may be shown."""
    if rollout.error is not None and (hidden or rollout.judgement is None):
        yield _cut(rollout.error)
    judgement = rollout.judgement or {}
    compiled = judgement.get("compile")
    if rollout.verdict == "CE" and isinstance(compiled, Mapping):
        yield _cut(str(compiled.get("output") or ""))
    test = _failing(judgement.get("tests"), hidden=hidden)
    if test is not None:
        yield f"test {test.get('name')}: {test.get('verdict')} {_cut(str(test.get('detail') or ''))}"
        yield f"it printed: {_cut(str(test.get('stdout') or 'nothing'))}"


def _failing(tests: object, *, hidden: bool) -> Mapping[str, Any] | None:
    """The first test that failed of those that may be shown: samples stand in the statement."""
    for test in tests if isinstance(tests, Sequence) else ():
        shown = isinstance(test, Mapping) and (hidden or test.get("group") == "sample")
        if shown and test.get("verdict") not in ("AC", "SK", None):
            found: Mapping[str, Any] = test
            return found
    return None


def _cut(text: str) -> str:
    return harmless(text if len(text) <= _CHARACTERS else text[:_CHARACTERS] + " …")


def _mean(rate: Rate | None) -> float:
    return 0.0 if rate is None else rate.mean


def _interval(rate: Rate | None) -> tuple[float, float] | None:
    return None if rate is None else (rate.low, rate.high)
