#!/usr/bin/env bash
# Sets everything up and judges a bundled submission on P1001; arguments are passed on to `judge run`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh" run
exec "$root/.venv/bin/judge" run "$root/problems/library/P1001/submissions/accepted/std.cpp" --problem P1001 "$@"
