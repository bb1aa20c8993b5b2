"""A batch, one row in ten of which is as bad as a row can be, beside the same batch without these.

    python benchmarks/hostile_batch.py [-n ROWS] [-j SLOTS] [--json FILE]

Honest rows are labelled submissions of the library, made distinct by a comment. The others sleep (when they run, and in
a compile step), leave children that nobody waits for, hold memory together or shared, write files without a name, mark
their input, fork and print without end. Each honest row must have the same verdict, score and tests in both batches.
The time is that of the whole command. Each row stops at its first failure, as rewards do: else a program that sleeps
has its wall limit in each test, and the share of such tests decides.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from resume import results, rows

#: One row in so many is hostile.
_SHARE = 10
_PROBLEM = "P1001"
#: By what they try: (language, source).
HOSTILE = {
    "sleeps": ("bash", "sleep 1000\n"),
    "sleeps while it is compiled": ("perl", "BEGIN { sleep 1000 }\n"),
    "sleeps in Python": ("python3", "import time\ntime.sleep(1000)\n"),
    "has children that nobody waits for": (
        "bash",
        "exec perl -e '$SIG{CHLD}=\"IGNORE\"; for (1..4) { if (!fork) { 1 while 1 } } sleep 1000'\n",
    ),
    "holds memory together": (
        "bash",
        "for i in 1 2 3 4 5 6 7 8; do python3 -c 'x = bytearray(100 << 20); import time; time.sleep(9)' & done; wait\n",
    ),
    "holds shared memory": (
        "python3",
        "import mmap\nx = []\nwhile 1:\n    x.append(mmap.mmap(-1, 1 << 24))\n    x[-1][:] = bytes(1 << 24)\n",
    ),
    "writes files without a name": (
        "python3",
        "import os\n"
        "while 1:\n    fd = os.open('x', os.O_CREAT | os.O_WRONLY)\n"
        "    os.unlink('x')\n    os.write(fd, bytes(1 << 20))\n",
    ),
    "marks its input": ("bash", "chmod 000 /dev/stdin; touch -d @1 /dev/stdin; flock 0; echo 3\n"),
    "forks without end": ("bash", "f() { f | f & }; f; sleep 1000\n"),
    "prints without end": ("python3", "while 1: print('x' * 65536)\n"),
}
_COMMENT = "#"


def hostile(count: int) -> list[dict[str, str]]:
    """Each is another one: none is known already."""
    chosen = itertools.islice(itertools.cycle(HOSTILE.values()), count)
    return [
        {
            "id": f"hostile {number}",
            "problem": _PROBLEM,
            "language": language,
            "source": f"{source}{_COMMENT} {number}\n",
        }
        for number, (language, source) in enumerate(chosen)
    ]


def judged(batch: list[dict[str, str]], slots: int, directory: Path) -> tuple[float, dict[str, tuple[object, ...]]]:
    """How long `judge batch` takes with an empty cache, and what it says of each row."""
    directory.mkdir()
    given, out = directory / "rows.jsonl", directory / "results.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in batch))
    command = (sys.executable, "-m", "judge", "batch", str(given), "-o", str(out), "-j", str(slots), "--first-failure")
    began = time.monotonic()
    environment = {**os.environ, "JUDGE_CACHE_DIR": str(directory / "cache")}
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=environment)
    return time.monotonic() - began, results(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--rows", type=int, default=400)
    parser.add_argument("-j", "--slots", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    bad = hostile(arguments.rows // _SHARE)
    honest = list(rows(arguments.rows - len(bad)))
    mixed = [*honest]
    for number, row in enumerate(bad):
        mixed.insert(number * _SHARE, row)
    with tempfile.TemporaryDirectory() as name:
        alone_s, alone = judged(honest, arguments.slots, Path(name, "honest"))
        mixed_s, beside = judged(mixed, arguments.slots, Path(name, "mixed"))
    differ = [id_ for id_, result in alone.items() if beside[id_] != result]
    verdicts = Counter(str(beside[row["id"]][0]) for row in bad)
    said = {
        "rows": arguments.rows,
        "hostile": len(bad),
        "differ": len(differ),
        "alone_s": round(alone_s, 1),
        "mixed_s": round(mixed_s, 1),
        "ratio": round(mixed_s / alone_s, 2),
        "hostile_verdicts": dict(verdicts),
    }
    print("\n".join(f"{key}: {value}" for key, value in said.items()))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(said))
    if differ:
        raise SystemExit(f"rows that differ: {differ[:20]}")


if __name__ == "__main__":
    main()
