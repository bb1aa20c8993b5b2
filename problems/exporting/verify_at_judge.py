"""The verifier of an exported Harbor task: asks a judge over HTTP what the agent's program is worth.

It writes no reward where there is no verdict: Harbor then counts the trial as an error, not as a 0.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

LANGUAGES = {".c": "c17", ".cpp": "cpp20", ".go": "go", ".java": "java", ".py": "python3", ".rs": "rust"}
#: More than any judge takes.
MOST_BYTES = 64 << 20
TOO_LARGE = 413
TRIES = 3
PAUSE_S = 5.0


def main(problem: str, answer: Path, logs: Path) -> int:
    # The agent made what lies there. A link could name a file of the verifier.
    programs = [path for path in answer.glob("solution.*") if path.suffix in LANGUAGES]
    if answer.is_symlink() or len(programs) != 1 or programs[0].is_symlink() or not programs[0].is_file():
        print(f"{len(programs)} programs in {answer}: the task asks for one, which is a file")
        return pay(logs, 0)
    if programs[0].stat().st_size > MOST_BYTES:
        print(f"the program has more than {MOST_BYTES} bytes")
        return pay(logs, 0)
    source = programs[0].read_bytes().decode("utf-8", "replace")
    for number in range(TRIES):
        try:
            judgement = judge({"problem": problem, "language": LANGUAGES[programs[0].suffix], "source": source})
            if judgement["verdict"] != "IE":
                print(judgement["verdict"])
                return pay(logs, int(judgement["accepted"]))
            print("the judge failed", file=sys.stderr)
        except urllib.error.HTTPError as error:
            if error.code == TOO_LARGE:
                print("the program is larger than the judge takes")
                return pay(logs, 0)
            print(f"no judgement: {error!r}", file=sys.stderr)
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"no judgement: {error!r}", file=sys.stderr)
        if number + 1 < TRIES:
            time.sleep(PAUSE_S)
    return 1


def pay(logs: Path, reward: int) -> int:
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "reward.txt").write_text(f"{reward}\n")
    return 0


def judge(asked: dict[str, str]) -> dict[str, Any]:
    found = ask("/v1/judgements?wait=60", json.dumps(asked).encode())
    while found["state"] != "done":
        found = ask(f"/v1/judgements/{found['id']}?wait=60")
    return dict(found["judgement"])


def ask(path: str, body: bytes | None = None) -> dict[str, Any]:
    request = urllib.request.Request(os.environ["JUDGE_URL"].rstrip("/") + path, body)  # noqa: S310 - the user names it
    request.add_header("Content-Type", "application/json")
    if key := os.environ.get("JUDGE_KEY"):
        request.add_header("Authorization", f"Bearer {key}")
    with urllib.request.urlopen(request, timeout=90) as answer:  # noqa: S310
        return dict(json.load(answer))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path("/app/answer"), Path("/logs/verifier")))
