#!/usr/bin/env bash
# Tests the docker backend with a Docker daemon of its own, which knows gVisor (runsc) where it can be found.
#
#   tests/containers/docker/run.sh                 images; conformance, attacks and bundled problems on docker and docker:runsc
#   tests/containers/docker/run.sh --short         what CI runs: limits and life of a run, some attacks, one problem
#   tests/containers/docker/run.sh COMMAND ...     another command with that daemon
#
# Root on Debian or Ubuntu: the daemon (docker.io) is installed if it is missing. runsc must be of 2023 or later: the one
# on PATH, or a newer one of Debian's, which is only unpacked, not installed. Without one, gVisor is left out, and its
# tests fail where JUDGE_REQUIRE names docker-runsc. The daemon has no network and ends with the command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

[ "$(id -u)" = 0 ] || { echo "run.sh: run this as root" >&2; exit 2; }
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

new_enough() { [ "$("$1" --version 2>/dev/null | grep -oE '20[0-9]{6}' | head -n 1)" -ge 20230101 ] 2>/dev/null; }

# Debian's newer suites, through the mirror that apt uses, with lists of their own.
fetch_runsc() {
  local mirror suite options
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 | tr -d ' ')
  mkdir -p "$scratch/apt/lists/partial"
  for suite in trixie sid; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:?no Debian mirror in the apt sources} $suite main" >"$scratch/apt/sources"
    options=(-o "Dir::Etc::SourceList=$scratch/apt/sources" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$scratch/apt/lists"
      -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update -qq && (cd "$scratch/apt" && apt-get "${options[@]}" download -qq runsc) || continue
    dpkg-deb -x "$scratch"/apt/runsc_*.deb "$scratch/runsc" && new_enough "$scratch/runsc/usr/bin/runsc" && return
  done
  return 1
}

runtimes='{}'
runsc=$(command -v runsc || true)
if ! { [ -n "$runsc" ] && new_enough "$runsc"; }; then
  runsc=$scratch/runsc/usr/bin/runsc
  fetch_runsc >"$scratch/apt.log" 2>&1 || { echo "run.sh: no runsc of 2023 or later: gVisor is left out" >&2; runsc=''; }
fi
[ -z "$runsc" ] || runtimes="{\"runsc\": {\"path\": \"$runsc\", \"runtimeArgs\": [\"--host-uds=open\", \"--network=none\"]}}"
echo "{\"runtimes\": $runtimes}" >"$scratch/daemon.json"

command -v dockerd >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends docker.io >/dev/null; }
export DOCKER_HOST=unix://$scratch/docker.sock
dockerd --config-file "$scratch/daemon.json" --data-root "$scratch/data" --exec-root "$scratch/exec" \
  --pidfile "$scratch/pid" -H "$DOCKER_HOST" --iptables=false --bridge=none >"$scratch/dockerd.log" 2>&1 &
daemon=$!
for _ in $(seq 100); do
  docker info >/dev/null 2>&1 && break
  sleep 0.3
done
docker info >/dev/null 2>&1 || { tail -n 5 "$scratch/dockerd.log" >&2; exit 2; }

say() { printf '\n--- %s (%s s)\n' "$1" "$SECONDS"; }
both="docker${runsc:+ docker-runsc}"
[[ ,${JUDGE_REQUIRE:-}, != *,docker-runsc,* ]] || both="docker docker-runsc"
require() { printf '%s' "${1// /,}"; }
suite() { # VARIANTS, then arguments of pytest
  JUDGE_VARIANTS=$1 JUDGE_REQUIRE=${JUDGE_REQUIRE-$(require "$1")} \
    .venv/bin/python -m pytest -q -m "" -n 2 -p no:cacheprovider ${JUDGE_PYTEST:-} -o judge_problems=false "${@:2}"
}

library() { # VARIANT DIRECTORY
  .venv/bin/python -m pytest -q -n 2 -p no:cacheprovider --reruns 1 ${JUDGE_PYTEST:-} --judge-problems --judge-backend "${1/-/:}" "$2"
}

case ${1:-} in
  --short)
    export JUDGE_HOSTILE_RUNS=${JUDGE_HOSTILE_RUNS:-20}
    say "limits and life of a run: $both"
    suite "$both" tests/containers/conformance/test_limits.py tests/containers/conformance/test_streams.py
    for variant in $both; do
      say "attacks and honest programs: $variant"
      .venv/bin/judge selftest --backend "${variant/-/:}"
      library "$variant" problems/library/P1001
    done
    ;;
  '')
    say "images"
    tests/containers/docker/images.sh
    export JUDGE_HOSTILE_RUNS=${JUDGE_HOSTILE_RUNS:-60}
    say "conformance: $both docker-userns"
    suite "$both docker-userns" tests/containers/conformance
    say "attacks: $both"
    suite "$both" tests/containers/escape --ignore tests/containers/escape/test_controls.py
    for variant in $both; do
      say "bundled problems: $variant"
      library "$variant" problems/library
    done
    ;;
  *) "$@" ;;
esac
