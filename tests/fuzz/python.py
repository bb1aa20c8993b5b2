"""Fuzzes what the judge takes apart in Python (`parsers.py`).

    python -m tests.fuzz.python [--count N] [--minutes M] [--engine plain|atheris] [--json FILE] [PARSER …]

`plain` mutates the seeds and the kept corpus by chance and needs nothing. `atheris` (pip install atheris) follows the
branches of the parsers; with --grow what it found is put into the corpus, as small as it can be made. --count is for
each parser; counts are added to those in FILE. An input that breaks a promise, or that takes more than a second of
processor time, is written to DIRECTORY and named; exit code 1.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz.parsers import LARGEST, PARSERS, Parser, clean_up
from tests.robustness.tally import Tally

CORPUS = Path(__file__).with_name("corpus-python")
_SHOW_S = 10.0
#: Of one parser, when it grows.
_CORPUS_FILES, _CORPUS_FILE_BYTES = 40, 1024


class Finding(Exception):
    """An input that breaks a promise."""

    def __init__(self, parser: Parser, data: bytes, why: str) -> None:
        super().__init__(f"{parser.name}: {why}")
        self.data = data


def seeds(parser: Parser) -> list[bytes]:
    kept = sorted((CORPUS / parser.name).glob("*"))
    return [*parser.seeds(), *(path.read_bytes() for path in kept)]


def execute(parser: Parser, data: bytes) -> None:
    """
    Raises:
        Finding: it breaks a promise.
    """
    began = time.thread_time()
    try:
        parser.call(data)
    except Exception:
        raise Finding(parser, data, traceback.format_exc()) from None
    if (took := time.thread_time() - began) > parser.slow_s:
        raise Finding(parser, data, f"it took {took:.1f} s of processor time")


def mutants(parser: Parser, chance: random.Random) -> Iterator[bytes]:
    """Endlessly: a seed, changed a few times."""
    pool = [data[:LARGEST] for data in seeds(parser)]
    numbers = (b"0", b"-1", b"4294967296", b"9223372036854775808", b"0.5")
    while True:
        data = bytearray(chance.choice(pool))
        for _ in range(1 << chance.randrange(4)):
            at = chance.randrange(len(data) + 1)
            length = min(len(data) - at, 1 << chance.randrange(8))
            match chance.randrange(8):
                case 0 if data:
                    data[min(at, len(data) - 1)] = chance.randrange(256)
                case 1:
                    del data[at : at + length]
                case 2:
                    data[at:at] = data[at : at + length] * (1 << chance.randrange(6))
                case 3 | 4 if parser.words:
                    data[at:at] = chance.choice(parser.words)
                case 5:
                    other = chance.choice(pool)
                    begin = chance.randrange(len(other) + 1)
                    data[at:at] = other[begin : begin + length]
                case 6:
                    data[at : at + length] = chance.choice(numbers)
                case _:
                    data[at:at] = chance.randbytes(length)
        yield bytes(data[:LARGEST])


def plain(parser: Parser, count: int, seconds: float, seed: int) -> int:
    """How many inputs were tried.

    Raises:
        Finding: the first that breaks a promise.
    """
    began = shown = time.monotonic()
    done = 0
    for data in seeds(parser):
        execute(parser, data)
    for done, data in enumerate(mutants(parser, random.Random(seed)), 1):
        execute(parser, data)
        if done >= count:
            break
        if done % 64 == 0:
            now = time.monotonic()
            if now - began > seconds:
                break
            if now - shown > _SHOW_S:
                shown = now
                print(f"{parser.name}: {done} inputs, {done / (now - began):.0f}/s", file=sys.stderr, flush=True)
    return done


def guided(parser: Parser, count: int, seconds: float, keep: Path, *, grow: bool) -> int:
    """The same with Atheris, in a process of its own, which libFuzzer ends."""
    with tempfile.TemporaryDirectory() as directory:
        found, begin, words = (Path(directory, name) for name in ("found", "begin", "words"))
        for place in (found, begin):
            place.mkdir()
        for number, data in enumerate(seeds(parser)):
            (begin / str(number)).write_bytes(data)
        listed = ("".join(f"\\x{byte:02x}" for byte in word) for word in parser.words)
        words.write_text("".join(f'"{word}"\n' for word in listed))
        common = (sys.executable, "-m", "tests.fuzz.python", "--inside", parser.name)
        limits = (f"-max_len={LARGEST}", "-timeout=60", "-rss_limit_mb=4096", f"-artifact_prefix={keep}/{parser.name}-")
        runs = (f"-runs={count}", *([f"-max_total_time={int(seconds)}"] if seconds < 1e9 else []), f"-dict={words}")
        done = subprocess.run(
            (*common, *limits, *runs, "-print_final_stats=1", str(found), str(begin)),
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            raise Finding(parser, b"", done.stderr[-6000:])
        if grow:
            _grow(parser, common, limits, Path(directory, "smaller"), (found, begin))
    match = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    return int(match[1]) if match else 0


def _grow(parser: Parser, common: Sequence[str], limits: Sequence[str], smaller: Path, places: Sequence[Path]) -> None:
    """Keep the small ones of what reaches every branch that was reached."""
    smaller.mkdir()
    subprocess.run(
        (*common, *limits, "-merge=1", str(smaller), *map(str, places)), stderr=subprocess.DEVNULL, check=True
    )
    own = set(parser.seeds())
    files = sorted((path for path in smaller.iterdir()), key=lambda path: path.stat().st_size)
    target = CORPUS / parser.name
    target.mkdir(parents=True, exist_ok=True)
    for path in files[:_CORPUS_FILES]:
        content = path.read_bytes()
        if content not in own and len(content) <= _CORPUS_FILE_BYTES:
            (target / path.name[:16]).write_bytes(content)


def inside(name: str, arguments: Sequence[str]) -> None:
    """The process that libFuzzer drives; it does not return."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    parser = next(parser for parser in PARSERS if parser.name == name)
    for module in list(sys.modules.values()):
        if (getattr(module, "__name__", "") + ".").startswith(tuple(f"{prefix}." for prefix in parser.modules)):
            for value in list(vars(module).values()):
                _instrument(atheris, module, value)
    atheris.Setup([name, *arguments], lambda data: execute(parser, data))
    atheris.Fuzz()


def _instrument(atheris: object, module: object, value: object) -> None:
    """Functions and methods that the module defines, in place."""
    name = getattr(module, "__name__", "")
    if isinstance(value, type) and value.__module__ == name:
        for member in list(vars(value).values()):
            _instrument(atheris, module, getattr(member, "__func__", member))
    elif getattr(value, "__code__", None) is not None and getattr(value, "__module__", None) == name:
        atheris.instrument_func(value)  # type: ignore[attr-defined]


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
    names = [parser.name for parser in PARSERS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="inputs for each parser")
    parser.add_argument("--minutes", type=float, default=1e9, help="for each parser, at most")
    parser.add_argument("--seed", type=int, default=time.time_ns())
    parser.add_argument("--engine", choices=("plain", "atheris"), default="plain")
    parser.add_argument("--grow", action="store_true", help="put what atheris finds into the corpus")
    parser.add_argument("--keep", type=Path, default=Path.cwd(), help="where an input that breaks a promise is put")
    parser.add_argument("--json", type=Path)
    parser.add_argument("parsers", nargs="*", choices=[*names, []], default=[])
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tally = Tally(arguments.json)
    failed = False
    try:
        for one in PARSERS:
            if arguments.parsers and one.name not in arguments.parsers:
                continue
            began, seconds, findings = time.monotonic(), 60 * arguments.minutes, 0
            try:
                if arguments.engine == "plain":
                    done = plain(one, arguments.count, seconds, arguments.seed)
                else:
                    done = guided(one, arguments.count, seconds, arguments.keep, grow=arguments.grow)
            except Finding as finding:
                kept = arguments.keep / f"{one.name}-{time.time_ns()}"
                kept.write_bytes(finding.data)
                print(f"{finding}\nkept: {kept}", flush=True)
                done, findings, failed = 0, 1, True
            rate = done / (time.monotonic() - began)
            print(f"{one.name}: {done} inputs, {rate:.0f}/s", file=sys.stderr, flush=True)
            tally.add(one.name, {"inputs": done, "findings": findings})
    finally:
        clean_up()
    print(tally.table())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
