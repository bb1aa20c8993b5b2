"""The tests of a Polygon package that test its validators and its checker.

<validator>...<testset>     files/tests/validator-tests/01: an input that is valid, or invalid
<checker>...<testset>       files/tests/checker-tests/01 with .o, an output, and .a, the answer
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from problems.importing.polygon_tests import name_by_pattern, there, with_lf
from problems.importing.source import Source
from problems.model import Checker, InputTrial, OutputTrial

_ACCEPTED = {"ok": True, "wrong-answer": False, "presentation-error": False}


def input_trials(source: Source, path: Path, root: Element, name: str) -> Iterator[InputTrial]:
    """Inputs that must be refused. Those that are valid would be tests of the problem in our packages."""
    count = 0
    for testset in root.findall("assets/validators/validator/testset"):
        for number, test in enumerate(testset.findall("tests/test"), 1):
            if test.get("verdict") != "invalid":
                continue
            place = name_by_pattern(source, path, testset, "input", number)
            file = there(source, path, place)
            if file is None:
                source.note(path, f"{place}, a test of a validator, is not in the package")
                continue
            count += 1
            content = with_lf(source, file)
            made = file.read_bytes() if content is None else content
            yield InputTrial(input=source.make(f"{name}/invalid/{count:02}.in", made))


def output_trials(source: Source, path: Path, root: Element, checker: Checker, name: str) -> Iterator[OutputTrial]:
    """Outputs that the checker must accept, or must refuse."""

    def read_with_lf(file: Path) -> Path:
        lines = with_lf(source, file)
        place = f"{name}/lf/{file.relative_to(source.tree.root).as_posix()}"
        return file if lines is None else source.make(place, lines)

    testset = root.find("assets/checker/testset")
    if testset is None:
        return
    for number, test in enumerate(testset.findall("tests/test"), 1):
        places = [name_by_pattern(source, path, testset, kind, number) for kind in ("input", "answer", "output")]
        input_, answer, output = (there(source, path, place) for place in places)
        accepted = _ACCEPTED.get(test.get("verdict", ""))
        if input_ is None or answer is None or output is None or accepted is None:
            why = "is not in the package" if accepted is not None else f"has the verdict {test.get('verdict')!r}"
            source.note(path, f"{places[0]}, a test of the checker, {why}: not imported")
            continue
        source.seen.update((input_, answer, output))
        yield OutputTrial(
            input=read_with_lf(input_),
            answer=read_with_lf(answer),
            output=read_with_lf(output),
            accepted=accepted,
            checker=checker,
        )
