#!/usr/bin/env bash
# Builds the images of containers/images/ without network, from a bare Debian, and judges in the result.
#
#   tests/containers/docker/run.sh tests/containers/docker/images.sh [--short | --server] [PACKAGE ...]
#
#   --short    the compilers of C and C++ only, and Python
#   --server   likewise, and the image of `judge serve`: its size, and a submission over HTTP
#
# Uses the daemon of DOCKER_HOST, and in it the image judge-bare if it is there. Needs root, debootstrap, apt sources of Debian bookworm, .venv (scripts/setup.sh test).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
python=$PWD/.venv/bin/python

packages=''
server=''
case ${1:-} in
  --short) packages="gcc g++ libc6-dev mold python3 python3-venv"; shift ;;
  --server) packages="g++ libc6-dev mold python3 python3-venv"; server=yes; shift ;;
esac
[ $# -eq 0 ] || packages=$*
[ -n "$packages" ] || packages=$(sed -n 's/^ARG PACKAGES="\(.*\)"$/\1/p' containers/images/toolchains.Dockerfile)

scratch=$(mktemp -d) && chmod 755 "$scratch"
trap 'rm -rf --one-file-system "$scratch"' EXIT
say() { printf '\n--- %s (%s s)\n' "$1" "$SECONDS"; }
quietly() { "$@" >"$scratch/log" 2>&1 || { tail -n 15 "$scratch/log" >&2; exit 1; }; }

say "a bare Debian, without what the slim image leaves out, too"
if ! docker image inspect judge-bare >/dev/null 2>&1; then
  command -v debootstrap >/dev/null || quietly apt-get install -y -qq --no-install-recommends debootstrap
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 | tr -d ' ' || true)
  quietly debootstrap --variant=minbase bookworm "$scratch/root" "${mirror:-https://deb.debian.org/debian}"
  chmod 755 "$scratch/root"
  tar -C "$scratch/root" --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* --exclude=./var/cache/apt/archives/* --exclude=./usr/share/{doc,man,locale}/* -cf - . | docker import - judge-bare >/dev/null
  rm -rf --one-file-system "$scratch/root"
fi

say "packages: $packages"
mkdir -p "$scratch/context/packages/partial" "$scratch/context/containers"
cp -r containers/images "$scratch/context/containers"
docker run --rm --network none judge-bare cat /var/lib/dpkg/status >"$scratch/status"
# What this machine's apt would add to that system; word splitting is meant.
quietly apt-get -o Dir::State::status="$scratch/status" -o Dir::Cache::archives="$scratch/context/packages" \
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
  install -y --no-install-recommends --download-only $packages
rm -rf "$scratch/context/packages"/{partial,lock}

say "wheels"
quietly "$python" -m build --wheel --outdir "$scratch/context/wheels" .
quietly "$python" -m pip download --quiet --disable-pip-version-check --dest "$scratch/context/wheels" "$(echo "$scratch"/context/wheels/judge_rl-*.whl)${server:+[serve,postgres,traces]}"
cp problems/library/P1001/submissions/accepted/std.cpp "$scratch"

build() { # IMAGE DOCKERFILE OPTIONS
  say "$1"
  DOCKER_BUILDKIT=0 quietly docker build --network none --rm -t "$1" -f "$scratch/context/containers/images/$2" "${@:3}" "$scratch/context"
}
build judge-toolchains toolchains.Dockerfile --build-arg BASE=judge-bare
if [ -n "$server" ]; then
  build judge-server server.Dockerfile --build-arg BASE=judge-toolchains --build-arg PIP_OPTIONS=--no-index
  tests/containers/docker/server.sh
  exit
fi
build judge judge.Dockerfile --build-arg BASE=judge-toolchains --build-arg PIP_OPTIONS=--no-index

say "judging in it"
inside() { docker run --rm --network none --pids-limit 2000 -v "$scratch/std.cpp:/work/std.cpp:ro" "$@"; }
inside judge doctor --smoke --require restricted-root
inside judge run std.cpp --problem P1001 --require restricted-root
inside --user 1000:1000 -e JUDGE_CACHE_DIR=/tmp/cache judge run std.cpp --problem P1001 --require restricted-user
say "the images hold"
