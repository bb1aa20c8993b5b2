#!/usr/bin/env bash
# Sets up what the tests need and runs them all in parallel; arguments are passed on to pytest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh" test
cd "$root"
exec "$root/.venv/bin/python" -m pytest -n auto "$@"
