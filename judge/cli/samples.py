"""Samples of a problem, as `judge problems show` shows them."""

from __future__ import annotations

from collections.abc import Iterator

from judge.common.text import harmless
from problems import Problem
from problems.reading.samples import Sample, head, read, samples
from problems.text.statement import squeeze

_MOST_BYTES = 4096
_LEGEND = {"interaction": 'the conversation; "<" begins what the program reads, ">" what it writes'}


def describe_samples(problem: Problem) -> list[dict[str, str]]:
    """Whole, for JSON."""
    return [{"name": sample.name, **sample.texts()} for sample in samples(problem)]


def facts(one: Problem) -> Iterator[str]:
    """Lines below the other facts."""
    for sample in samples(one):
        yield f"{harmless(sample.name)}:"
        for what, text in _texts(sample):
            yield f"  {_LEGEND.get(what, what)}:"
            yield from (f"    {line}" for line in text.splitlines())


def below(one: Problem, statement: str, suffix: str) -> str:
    """What the format wants below a statement, in its language; nothing where the statement holds all inputs already,
    as those of other formats do."""
    found = samples(one)
    whole = squeeze(statement)
    if all(sample.interaction is None and squeeze(_input(sample)) in whole for sample in found):
        return ""
    title, subtitle = ("## ", "### ") if suffix == ".md" else ("", "")
    around = "```\n" if suffix == ".md" else ""
    blocks = [f"{title}Samples\n"]
    for sample in found:
        for what, text in _texts(sample):
            blocks.append(f"{subtitle}{sample.name}: {_LEGEND.get(what, what)}\n\n{around}{text}{around}")
    return "\n" + "\n".join(blocks)


def _texts(sample: Sample) -> Iterator[tuple[str, str]]:
    """The beginning of each part, ended by a newline."""
    for what, path in sample.parts:
        text, more = head(path, _MOST_BYTES)
        if more:
            text = f"{text.rstrip()}\n… (see {path})"
        yield what, harmless(text.rstrip("\n") + "\n")


def _input(sample: Sample) -> str:
    return "" if sample.input is None else read(sample.input)
