#!/usr/bin/env bash
# Sets up what the tests need and runs them all in parallel; arguments are passed on to pytest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh" test
cd "$root"
# No exec: as pid 1 of a container this shell reaps the orphans that the tests make, which pytest would leave as zombies.
# One worker more than cores: tests wait for servers, time limits and processes, too. Each takes 20 s of CPU time and 1 GB
# before its first test.
"$root/.venv/bin/python" -m pytest -n $(($(nproc) + 1)) --dist worksteal "$@"
