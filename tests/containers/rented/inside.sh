#!/bin/sh
# Runs inside the container; see run.sh. TIER is what must be had there.
set -eu
mkdir -p "${HOME:-/root}" /tmp/work && cd /tmp/work
if [ ! -x /tmp/venv/bin/judge ]; then # in the short form the first container's
  python3 -m venv /tmp/venv
  /tmp/venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /wheels 'judge-rl[test]'
fi
PATH=/tmp/venv/bin:$PATH

judge doctor
if [ -n "${VERDICTS:-}" ]; then
  # shellcheck disable=SC2086  # several names
  exec python3 /tests/benchmarks/stability.py --slots 4 --count "$VERDICTS" ${NAMES:-}
fi
judge run /tests/std.cpp --problem P1001 --require "${TIER%-vetted}"

# Two at once: neither disturbs the other.
judge batch /tests/rows.jsonl -o one.jsonl -j 2 2>one.log &
judge batch /tests/rows.jsonl -o two.jsonl -j 2 2>two.log || { cat two.log; exit 1; }
wait $! || { cat one.log; exit 1; }
python3 - <<'PY'
import json
from pathlib import Path

wanted = {"accepted": "AC", "wrong_answer": "WA", "time_limit_exceeded": "TLE", "memory_limit_exceeded": "MLE",
          "run_time_error": "RE", "compile_error": "CE", "output_limit_exceeded": "OLE", "presentation_error": "PE"}
rows = sum(1 for _ in open("/tests/rows.jsonl"))
for name in ("one.jsonl", "two.jsonl"):
    got = [json.loads(line) for line in open(name)]
    assert len({row["id"] for row in got}) == len(got) == rows, (name, len(got), rows)
    wrong = [(row["id"], row["verdict"]) for row in got if row["verdict"] != wanted[Path(row["id"]).parent.name]]
    assert not wrong, (name, wrong)
print(f"two batches of {rows} at once: all verdicts as labelled")
PY

# What is tried outside a container, too, is left to that: the suites without Landlock, the attacks as root.
suites="tests/containers/conformance tests/containers/escape"
if [ -n "$SHORT" ]; then
  judge selftest
  case $TIER in
    *-vetted) exit 0 ;;
    restricted-root) suites=tests/containers/conformance ;;
  esac
fi

cp -r /tests/tests /tests/pyproject.toml .
export JUDGE_REQUIRE="$TIER" JUDGE_VARIANTS="$TIER" PYTHONDONTWRITEBYTECODE=1 JUDGE_HOSTILE_RUNS="${SHORT:+60}"
[ -n "$JUDGE_HOSTILE_RUNS" ] || export JUDGE_HOSTILE_RUNS=400
pytest="python3 -m pytest -q -p no:cacheprovider -o judge_problems=false -o filterwarnings="
# Without the controls: the container's own filter refuses some of them.
$pytest -n 3 ${JUDGE_PYTEST:-} $suites --ignore tests/containers/escape/test_controls.py
[ -n "$SHORT" ] || judge problems verify --all
