#!/usr/bin/env bash
# What must hold in a rented container: an image with g++ and Python, `docker run` with the default profile and no
# privileges, as root and as an ordinary user. There: pip install of the wheel, judge run, judge batch (two at once), the
# conformance suite and the attack suite on the restricted tiers, the bundled problems.
#
#   tests/containers/rented/run.sh [--short] [--as root|user] [--image NAME | --root DIRECTORY]
#   tests/containers/rented/run.sh --make-root DIRECTORY
#   tests/containers/rented/run.sh --verdicts N [--problems "NAME …"] [--image NAME | --root DIRECTORY]
#
#   --short       leaves out the bundled problems, the long tests, and what is tried outside a container, too (as root the
#                 attacks; without Landlock the suites), and installs the wheel once, as root; what CI runs
#   --as          as root alone, or as an ordinary user alone, and not without Landlock
#   --image NAME  an image with python3 (3.11 or later, with venv) and g++; without it one is made from Debian by
#                 debootstrap, and kept in the daemon as judge-rented
#   --verdicts N  instead of all that: the labelled submissions of the bundled problems (or of those that are named),
#                 as root, until N verdicts were given; none and no score may differ (benchmarks/stability.py)
#   --root        what that image holds, made before by --make-root, which does nothing else
#
# Uses the daemon that docker reaches; as root it starts one of its own if there is none, and ends it. Needs .venv
# (scripts/setup.sh test). Containers have no network and at most 2000 processes: an outer wall around hostile programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
python=$PWD/.venv/bin/python

short='' only='' image='' made='' make='' verdicts='' names=''
while [ $# -gt 0 ]; do
  case $1 in
    --short) short=1 ;;
    --as) only=${2:?--as needs root or user}; shift ;;
    --image) image=${2:?--image needs a name}; shift ;;
    --root) made=${2:?--root needs a directory}; shift ;;
    --verdicts) verdicts=${2:?--verdicts needs a number}; shift ;;
    --problems) names=${2:?--problems needs names}; shift ;;
    --make-root) make=${2:?--make-root needs a directory}; shift ;;
    -h | --help) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "run.sh: unknown argument $1; see --help" >&2; exit 2 ;;
  esac
  shift
done

scratch=$(mktemp -d) && chmod 755 "$scratch"
daemon=''
finish() {
  if [ -n "$daemon" ]; then
    kill "$daemon" 2>/dev/null && wait "$daemon" || true
    grep -F " $scratch/" /proc/self/mounts | cut -d ' ' -f 2 | sort -r | xargs -r -n 1 umount -l || true
  fi
  rm -rf --one-file-system "$scratch"
}
trap finish EXIT

say() { printf '\n--- %s (%s s)\n' "$1" "$SECONDS"; }

install_missing() { # COMMAND PACKAGE
  command -v "$1" >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2" >/dev/null; }
}

start_daemon() {
  [ "$(id -u)" = 0 ] || { echo "run.sh: no docker daemon answers; start one, or run this as root" >&2; exit 2; }
  install_missing dockerd docker.io
  export DOCKER_HOST=unix://$scratch/docker.sock
  dockerd --data-root "$scratch/data" --exec-root "$scratch/exec" --pidfile "$scratch/pid" -H "$DOCKER_HOST" \
    --iptables=false --bridge=none >"$scratch/dockerd.log" 2>&1 &
  daemon=$!
  for _ in $(seq 100); do
    docker info >/dev/null 2>&1 && return
    sleep 0.3
  done
  tail -n 5 "$scratch/dockerd.log" >&2
  exit 2
}

make_root() { # DIRECTORY
  install_missing debootstrap debootstrap
  local mirror
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 | tr -d ' ' || true)
  debootstrap --variant=minbase --include=python3,python3-venv,g++,gcc,libc6-dev,mold,perl,procps bookworm "$1" "${mirror:-https://deb.debian.org/debian}" \
    >"$scratch/debootstrap.log" 2>&1 || { tail -n 5 "$scratch/debootstrap.log" >&2; exit 2; }
  chmod 755 "$1"
}

make_image() {
  if [ -z "$made" ]; then
    docker image inspect judge-rented >/dev/null 2>&1 && return
    made=$scratch/root
    make_root "$made"
  fi
  tar -C "$made" --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* -cf - . | docker import - judge-rented >/dev/null
  rm -rf "$scratch/root"
}

# The wheel with all that it needs, and the tests without the packages that they test.
make_material() {
  "$python" -m build --wheel --outdir "$scratch/wheels" . >"$scratch/build.log" 2>&1 || { cat "$scratch/build.log"; exit 1; }
  "$python" -m pip download --quiet --disable-pip-version-check --dest "$scratch/wheels" "$(echo "$scratch"/wheels/judge_rl-*.whl)[test]"
  mkdir "$scratch/tests" && cp -r tests benchmarks pyproject.toml "$scratch/tests"
  cp tests/containers/rented/inside.sh problems/library/P1001/submissions/accepted/std.cpp "$scratch/tests"
  "$python" - "$scratch/tests/rows.jsonl" <<'PY'
import json, sys
from pathlib import Path

problems = ("P1001", "P1046", "P3390")
with open(sys.argv[1], "w", encoding="utf-8") as rows:
    for problem in problems:
        for path in sorted(Path("problems/library", problem, "submissions").glob("*/*.cpp")):
            row = {"id": str(path), "problem": problem, "language": "cpp17", "source": path.read_text(encoding="utf-8")}
            print(json.dumps(row), file=rows)
PY
  chmod -R a+rX "$scratch/wheels" "$scratch/tests"
}

share=$short
[ -z "$only" ] || share='' # root makes it, for both

# As many processes as a hostile one may make before the outer wall, and a library directory that `pip install` of an
# ordinary user can write: HOME.
inside() { # NAME, then options of docker run
  say "$1"
  docker run --rm --network none --pids-limit 2000 -v "$scratch/wheels:/wheels:ro" -v "$scratch/tests:/tests:ro" \
    ${share:+-v "$scratch/venv:/tmp/venv"} -e SHORT="$short" -e JUDGE_PYTEST "${@:2}" "$image" sh /tests/inside.sh
}

[ -z "$make" ] || { make_root "$make"; exit; }
docker info >/dev/null 2>&1 || start_daemon
say "image"
[ -n "$image" ] || { make_image; image=judge-rented; }
say "wheel"
make_material

if [ -n "$verdicts" ]; then
  inside "$verdicts verdicts" -e TIER=restricted-root -e VERDICTS="$verdicts" -e NAMES="$names"
  exit
fi
[ "$only" = user ] || inside "root" -e TIER=restricted-root
[ "$only" = root ] || inside "an ordinary user" --user 1000:1000 -e HOME=/tmp/home -e TIER=restricted-user
[ -z "$only" ] || { say "all of it holds"; exit; }

# A container runtime that knows no Landlock refuses it, as Docker did before its version 23.
cat >"$scratch/no-landlock.json" <<'JSON'
{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
  {"names": ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "unshare", "mount", "setns",
             "bpf", "pivot_root"],
   "action": "SCMP_ACT_ERRNO", "errnoRet": 1},
  {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
  {"names": ["clone"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1,
   "args": [{"index": 0, "value": 268435456, "valueTwo": 268435456, "op": "SCMP_CMP_MASKED_EQ"}]}]}
JSON
[ -n "$short" ] || inside "root, without Landlock" -e TIER=restricted-root-vetted --security-opt "seccomp=$scratch/no-landlock.json"
inside "an ordinary user, without Landlock" --user 1000:1000 -e HOME=/tmp/home -e TIER=restricted-user-vetted \
  --security-opt "seccomp=$scratch/no-landlock.json"
say "all of it holds"
