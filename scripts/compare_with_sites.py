"""Runs random outputs, and random words of checkers, through the code of the sites and through ours, and lists what
differs. Give it checkouts of the sites' repositories; nothing of theirs is kept.

    python scripts/compare_with_sites.py --count 10000 --hydro DIR --cms DIR --dmoj DIR --uoj-checkers DIR
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import random
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from pathlib import Path

from judge.checkers import words
from judge.checkers.compare import compare
from problems.importing import uoj
from problems.model import Comparison, Mode

_PIECES = (
    b"1",
    b"2",
    b"10",
    b"-3",
    b"0.5",
    b"1.0000001",
    b"a",
    b"A",
    b"yes",
    b"NO",
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\r",
    b"\x0b",
    b" \n",
    b"\n ",
)
#: Wraps Hydro's parser, whose types node does not read.
_NODE = """
const numbers = { STATUS_ACCEPTED: 1, STATUS_WRONG_ANSWER: 2 };
const STATUS = new Proxy({}, { get: (_, name) => numbers[name] || 9 });
%s
const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const score = ([said, full]) => { try { return parse(said, full, 'full').score } catch (e) { return null } };
console.log(JSON.stringify(rows.map(score)));
"""

Accepts = Callable[[bytes, bytes], bool]


def random_texts(count: int, seed: int) -> Iterable[tuple[bytes, bytes]]:
    """Answers, and outputs that are like them."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(count):
        answer = [chance.choice(_PIECES) for _ in range(chance.randint(0, 8))]
        output = list(answer)
        for _ in range(chance.randint(0, 2)):
            place = chance.randint(0, len(output))
            output[place : place + chance.randint(0, 1)] = [chance.choice(_PIECES)] * chance.randint(0, 1)
        yield b"".join(output), b"".join(answer)


def report(name: str, count: int, differences: list[str]) -> None:
    print(f"{name}: {count} tried, {len(differences)} differ")
    for line in differences[:8]:
        print(f"    {line}")


def compare_outputs(name: str, ours: Comparison, theirs: Accepts, count: int) -> None:
    found = []
    for output, answer in random_texts(count, 1):
        own, other = compare(output, answer, ours).score == 1, theirs(output, answer)
        if own is not other:
            found.append(f"output {output!r} answer {answer!r}: ours {own}, theirs {other}")
    report(name, count, found)


def hydro_words(directory: Path, count: int) -> None:
    text = (directory / "packages/hydrojudge/src/testlib.ts").read_text()
    text = re.sub(r"^import .*$", "", text, flags=re.MULTILINE).replace("export function", "function")
    text = re.sub(r"\((\w+): string, (\w+): number, (\w+): DetailType\)", r"(\1, \2, \3)", text)
    script = _NODE % text.replace("(msg: string)", "(msg)")
    chance = random.Random(2)  # noqa: S311 - no secret
    numbers = ("0", "1", "0.5", "50", "100", "29", "0.29", "-5", "7", "1e-2", "250", "x", "", "0.333333")
    heads = ("ok ", "ok", "wrong answer ", "wrong output format ", "partially correct (%s) ", "points %s ", "FAIL ", "")
    tails = ("", "right\n", "score(30) x\n", " score(5)", "status(1) y", "two\nlines score(3)\n")
    rows: list[tuple[str, int]] = []
    for _ in range(count):
        head = chance.choice(heads)
        said = (head % chance.choice(numbers) if "%" in head else head) + chance.choice(tails)
        rows.append((said, chance.choice((100, 30, 7, 1))))
    done = subprocess.run(("node", "-e", script), input=json.dumps(rows), capture_output=True, text=True, check=True)
    found = []
    for (said, full), theirs in zip(rows, json.loads(done.stdout), strict=True):
        own = words.hydro_share(said, full)
        if theirs is None or own is None or abs(min(1.0, max(0.0, theirs / full)) - own) > 1e-9:
            found.append(f"{said!r} of {full}: ours {own}, theirs {theirs}")
    report("Hydro's words", count, found)


def hydro_outputs(directory: Path, count: int) -> None:
    source = (directory / "packages/hydrojudge/src/checkers.ts").read_text()
    script = source.split("const compareSh = `", 1)[1].split("`;", 1)[0]
    script = script.replace("${' '.repeat(64)}", " " * 64).replace("\\\\", "\\")
    for option, mode in (("BZ", Mode.LINES), ("", Mode.EXACT_LINES)):
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch)
            (place / "compare.sh").write_text(script)

            def theirs(output: bytes, answer: bytes, place: Path = place, option: str = option) -> bool:
                (place / "usrout").write_bytes(output)
                (place / "answer").write_bytes(answer)
                done = subprocess.run(("bash", "compare.sh", option), cwd=place, capture_output=True, check=False)
                return not done.stdout and done.returncode == 0

            compare_outputs(f"Hydro's {'default' if option else 'strict'}", Comparison(mode=mode), theirs, count)


def cms_outputs(directory: Path, count: int) -> None:
    text = (directory / "cms/grading/steps/whitediff.py").read_text()
    start = text.index("_WHITES")
    module: dict[str, object] = {"logger": None, "typing": __import__("typing"), "BinaryIO": object}
    exec("from __future__ import annotations\n" + text[start:], module)  # noqa: S102 - it is what we compare with

    def theirs(output: bytes, answer: bytes) -> bool:
        return bool(module["_white_diff"](BytesIO(output), BytesIO(answer))[0])  # type: ignore[operator]

    compare_outputs("CMS's white diff", Comparison(mode=Mode.TOKENS_BY_EVERY_LINE), theirs, count)


def qduoj_outputs(count: int) -> None:
    """As JudgeServer/server/judge_client.py does."""

    def theirs(output: bytes, answer: bytes) -> bool:
        return hashlib.sha256(output.rstrip()).digest() == hashlib.sha256(answer.rstrip()).digest()

    compare_outputs("QDUOJ's", Comparison(mode=Mode.EXACT_TRIMMED), theirs, count)


def dmoj_outputs(directory: Path, count: int) -> None:
    fakes: dict[str, dict[str, object]] = {
        **{"dmoj": {}, "dmoj.error": {"InternalError": ValueError}},
        **{"dmoj.utils": {}, "dmoj.utils.unicode": {"utf8bytes": bytes}},
    }
    for name, members in fakes.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(members)
    for name, mode in (("rstripped", Mode.LINES), ("sorted", Mode.SORTED_LINES)):
        spec = importlib.util.spec_from_file_location(name, directory / f"dmoj/checkers/{name}.py")
        if spec is None or spec.loader is None:
            raise FileNotFoundError(f"{directory}: has no dmoj/checkers/{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        compare_outputs(f"DMOJ's {name}", Comparison(mode=mode), partial(_accepts, module), count)


def _accepts(module: types.ModuleType, output: bytes, answer: bytes) -> bool:
    return bool(module.check(output, answer))


def uoj_outputs(directory: Path, count: int) -> None:
    """`directory`: its built-in checkers, compiled to chk_NAME."""
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch) / name for name in ("in", "out", "ans")]
        files[0].write_bytes(b"")
        for checker in sorted(directory.glob("chk_*")):
            name = checker.name.removeprefix("chk_")

            def theirs(output: bytes, answer: bytes, checker: Path = checker) -> bool:
                files[1].write_bytes(output)
                files[2].write_bytes(answer)
                return subprocess.run((checker, *files), capture_output=True, check=False).stderr.startswith(b"ok")

            compare_outputs(f"UOJ's {name}", uoj._COMPARISONS[name], theirs, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    for name in ("hydro", "cms", "dmoj", "uoj-checkers"):
        parser.add_argument(f"--{name}", type=Path)
    asked = parser.parse_args()
    qduoj_outputs(asked.count)
    if asked.hydro:
        hydro_words(asked.hydro, asked.count)
    if asked.cms:
        cms_outputs(asked.cms, asked.count)
    if asked.dmoj:
        dmoj_outputs(asked.dmoj, asked.count)
    if asked.uoj_checkers:
        uoj_outputs(asked.uoj_checkers, asked.count)
    if asked.hydro:
        hydro_outputs(asked.hydro, asked.count)


if __name__ == "__main__":
    main()
