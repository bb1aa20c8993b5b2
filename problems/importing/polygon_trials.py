"""The tests of a Polygon package that test its validators and its checker.

<validator>...<testset>     files/tests/validator-tests/01: an input that is valid, or invalid
<checker>...<testset>       files/tests/checker-tests/01 with .o, an output, and .a, the answer
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from problems.importing.draft import Draft
from problems.importing.polygon_tests import name_by_pattern, there, with_lf
from problems.model import Checker, InputTrial, OutputTrial

_ACCEPTED = {"ok": True, "wrong-answer": False, "presentation-error": False}


def input_trials(draft: Draft, root: Element) -> Iterator[InputTrial]:
    """Inputs that must be refused. Those that are valid would be tests of the problem in our packages."""
    count = 0
    for testset in root.findall("assets/validators/validator/testset"):
        for number, test in enumerate(testset.findall("tests/test"), 1):
            if test.get("verdict") != "invalid":
                continue
            place = name_by_pattern(draft, testset, "input", number)
            file = there(draft, place)
            if file is None:
                draft.note(f"{place}, a test of a validator, is not in the package")
                continue
            count += 1
            content = with_lf(draft.source, file)
            made = file.read_bytes() if content is None else content
            yield InputTrial(input=draft.make(f"invalid/{count:02}.in", made))


def output_trials(draft: Draft, root: Element, checker: Checker) -> Iterator[OutputTrial]:
    """Outputs that the checker must accept, or must refuse."""

    def read_with_lf(file: Path) -> Path:
        lines = with_lf(draft.source, file)
        place = f"lf/{file.relative_to(draft.directory).as_posix()}"
        return file if lines is None else draft.make(place, lines)

    testset = root.find("assets/checker/testset")
    if testset is None:
        return
    for number, test in enumerate(testset.findall("tests/test"), 1):
        places = [name_by_pattern(draft, testset, kind, number) for kind in ("input", "answer", "output")]
        input_, answer, output = (there(draft, place) for place in places)
        accepted = _ACCEPTED.get(test.get("verdict", ""))
        if input_ is None or answer is None or output is None or accepted is None:
            why = "is not in the package" if accepted is not None else f"has the verdict {test.get('verdict')!r}"
            draft.note(f"{places[0]}, a test of the checker, {why}: not imported")
            continue
        draft.source.seen.update((input_, answer, output))
        yield OutputTrial(
            input=read_with_lf(input_),
            answer=read_with_lf(answer),
            output=read_with_lf(output),
            accepted=accepted,
            checker=checker,
        )
