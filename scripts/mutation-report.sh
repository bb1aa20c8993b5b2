#!/usr/bin/env bash
# Takes one wall of the sandbox out after the other and says which test notices: docs/mutation-report.md. As root, half an
# hour on two cores. With arguments (--only TEXT ...) only those mutations, and the report is left alone.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh" test
cd "$root"
if [ $# -eq 0 ]; then set -- -o docs/mutation-report.md; fi
exec "$root/.venv/bin/python" scripts/mutation_report.py "$@"
