#!/usr/bin/env bash
# Starts the image judge-server with the default profile, as the user that it names, and judges over HTTP. Called by images.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

bytes=$(docker image inspect -f '{{.Size}}' judge-server)
echo "judge-server has $((bytes / 1000000)) MB"
[ "$bytes" -lt 700000000 ] || { echo "server.sh: the image is to be under 700 MB" >&2; exit 1; }

# The daemon of run.sh has no bridge: the host's network instead. Everything else is the default, but for less.
port=18089
container=$(docker run --detach --network host --read-only --tmpfs /tmp:mode=1777,exec --cap-drop ALL \
  --security-opt no-new-privileges --pids-limit 4096 -e JUDGE_SERVE_OPEN=true -e JUDGE_SERVE_PORT=$port judge-server)
trap 'docker logs "$container" >&2; docker rm -f "$container" >/dev/null' EXIT
for _ in $(seq 200); do curl -sf "localhost:$port/readyz" >/dev/null && break; sleep 0.3; done
curl -sf "localhost:$port/readyz"; echo
curl -sf "localhost:$port/readyz" | grep -q restricted-user

judge() { # LANGUAGE SOURCE
  python3 -c 'import json, sys; print(json.dumps({"language": sys.argv[1], "source": sys.argv[2], "problem": "P1001"}))' "$@" |
    curl -sf "localhost:$port/v1/judgements?wait=60" -H 'content-type: application/json' --data-binary @- |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["judgement"]["verdict"])'
}
[ "$(judge cpp17 "$(cat problems/library/P1001/submissions/accepted/std.cpp)")" = AC ]
[ "$(judge python3 'print(sum(map(int, input().split())))')" = AC ]
[ "$(judge python3 'print(0)')" = WA ]
[ "$(judge cpp17 'int main() {')" = CE ]
[ "$(docker exec "$container" id -u)" = 10001 ]

docker stop --time 40 "$container" >/dev/null
[ "$(docker inspect -f '{{.State.ExitCode}}' "$container")" = 0 ]
trap - EXIT
docker rm "$container" >/dev/null
echo "the server's image holds"
