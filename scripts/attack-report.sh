#!/usr/bin/env bash
# The attack suite on every tier and backend that this machine grants, as root and as an ordinary user, with its controls
# and the honest programs: docs/attack-report.md. As root, an hour on two cores. JUDGE_VARIANTS names less; with an
# argument the report is written there. Ends with an error where a test failed: the report says which.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
report=$(realpath "${1:-$root/docs/attack-report.md}")
[ "$(id -u)" = 0 ] || { echo "attack-report.sh: run it as root: it runs the tests as an ordinary user, too" >&2; exit 2; }
"$root/scripts/setup.sh" test
cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
status=0

export JUDGE_ATTACK_RECORD=$scratch/root.jsonl
.venv/bin/python -m pytest -q -n 2 tests/containers/escape || status=$?
# The controls of cheats, which are left to the long tests.
.venv/bin/python -m pytest -q -n 2 -m long tests/containers/escape/test_judged.py || status=$?

# With the system's Python: the environment of root may be closed to that user.
(
  umask 022
  user=$scratch/user
  mkdir "$user"
  git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cT - | tar -x -C "$user"
  cp -r containers/launcher/bin "$user/containers/launcher"
  .venv/bin/python scripts/copy_test_packages.py "$user/packages"
  chown -R 1234:1234 "$user"
  cd "$user"
  export HOME=$user PYTHONPATH=$user:$user/packages JUDGE_ATTACK_RECORD=$user/user.jsonl
  JUDGE_VARIANTS=${JUDGE_VARIANTS:-userns restricted-user restricted-user-vetted} \
    setpriv --reuid 1234 --regid 1234 --clear-groups \
    /usr/bin/python3 -m pytest -q -n 2 -p no:cacheprovider tests/containers/escape
) || status=$?

.venv/bin/python scripts/attack_report.py -o "$report" "$scratch/root.jsonl" "$scratch/user/user.jsonl"
exit "$status"
