#!/usr/bin/env bash
# Makes a checkout ready: system packages, the virtual environment .venv, the project in it, the launcher compiled.
#
#   scripts/setup.sh run     what judging needs
#   scripts/setup.sh test    that, and what the tests and linters need
#
# As root on Debian or Ubuntu it installs what is missing; otherwise it says what to install and exits 2. A stamp in
# .venv remembers for which files it was made, so that a second call costs milliseconds. PYTHON=/path picks the Python.
set -euo pipefail

case ${1:-} in
  run | test) level=$1 ;;
  *) echo "usage: setup.sh run|test" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
venv=$root/.venv

packages=(python3 python3-venv gcc g++ libc6-dev mold)
# Toolchains that the tests use where they are: commands, and the packages that bring them.
declare -A toolchains=()
extra=
if [ "$level" = test ]; then
  toolchains=(
    [pypy3]=pypy3 [javac]=default-jdk-headless [rustc]=rustc [go]=golang-go [node]=nodejs [fpc]="fp-compiler fp-units-fcl"
    [ruby]=ruby [php]=php-cli [lua5.4]=lua5.4 [luajit]=luajit [gawk]=gawk [sqlite3]=sqlite3 [nasm]=nasm [gfortran]=gfortran
    [pg_lsclusters]=postgresql
  )
  packages+=(python3-numpy)
  extra='[dev]'
fi

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 2; }

# What the environment was made from. The root is part of it: a moved environment does not work.
key() {
  { echo "${PYTHON:-} $root"
    cat pyproject.toml scripts/*.py scripts/setup.sh
    find containers/launcher/src containers/launcher/gvisor containers/launcher/relay -name "*.[ch]" | LC_ALL=C sort | xargs -r cat
  } | sha256sum
}

fresh() { # LEVEL KEY: the environment was made for it, and its Python, launcher and compiler are still there
  [ "$(cat "$venv/.made-for-$1" 2>/dev/null)" = "$2" ] && [ -x "$venv/bin/python" ] && [ -x "$venv/bin/judge" ] \
    && [ -x containers/launcher/bin/judge-launcher ] && [ -x containers/launcher/bin/judge-launcher-gvisor ] \
    && [ -x containers/launcher/bin/judge-relay ] && command -v g++ >/dev/null
}

usable_python() { "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local name
  for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    if command -v "$name" >/dev/null && usable_python "$name"; then command -v "$name"; return; fi
  done
  return 1
}

# The packages of which something is missing here, one a line; tools count, not dpkg's records: they may have come
# another way.
missing() {
  find_python >/dev/null || printf '%s\n' python3 python3-venv
  local tool
  for tool in gcc g++ mold; do command -v "$tool" >/dev/null || echo "$tool"; done
  for tool in "${!toolchains[@]}"; do # where the sandbox looks: not in a home
    PATH=/usr/local/bin:/usr/bin:/bin command -v "$tool" >/dev/null || printf '%s\n' ${toolchains[$tool]} # one word each
  done
  if [[ " ${packages[*]} " == *" python3-numpy "* ]] && ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo python3-numpy
  fi
  if command -v gcc >/dev/null && ! echo '#include <stdlib.h>' | gcc -fsyntax-only -x c - 2>/dev/null; then echo libc6-dev; fi
}

install_packages() {
  local wanted=("$@")
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing ${wanted[*]}"
    export DEBIAN_FRONTEND=noninteractive
    local apt=(apt-get install -y -qq --no-install-recommends)
    # The package lists may be absent or old: refreshed only if the first try fails.
    "${apt[@]}" "${wanted[@]}" >/dev/null 2>&1 || { apt-get update -qq && "${apt[@]}" "${wanted[@]}" >/dev/null; } \
      || fail "apt-get could not install: ${wanted[*]}"
  fi
}

prepare_system() {
  local wanted
  mapfile -t wanted < <(missing)
  if [ ${#wanted[@]} -gt 0 ]; then
    # gcc without the C library's headers compiles nothing; apt brings them only as a recommendation.
    install_packages "${wanted[@]}" libc6-dev
    mapfile -t wanted < <(missing)
  fi
  local needed=() name
  for name in "${wanted[@]}"; do
    case " mold python3-numpy ${toolchains[*]} " in
      *" $name "*) say "without $name (optional): to have it, as root: apt-get install $name" ;;
      *) needed+=("$name") ;;
    esac
  done
  [ ${#needed[@]} -gt 0 ] || return 0
  if [[ " ${needed[*]} " == *" python3 "* ]] && command -v python3 >/dev/null; then
    say "this needs Python 3.11 or later with venv, and python3 is $(python3 -V 2>&1); on Ubuntu 22.04:" \
      "apt-get install python3.11 python3.11-venv; elsewhere point PYTHON at a newer one"
  fi
  fail "not installed: ${needed[*]}. As root: apt-get update && apt-get install -y ${packages[*]} - then run this again"
}

prepare_venv() {
  local python
  python=$(find_python)
  [ -x "$venv/bin/python" ] && usable_python "$venv/bin/python" || "$python" -m venv --clear "$venv"
  say "installing the project and what it needs into .venv"
  local pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  # uv takes a fraction of pip's time for the many packages of the tests. torch comes by pip: where pip is told of a build
  # for the CPU, uv would fetch gigabytes for a GPU. Where uv cannot reach what pip can, pip does it all.
  if [ "$level" = test ] && "${pip[@]}" uv "$(sed -n 's/^ *"\(torch==[^"]*\)".*/\1/p' pyproject.toml)" \
    && "$venv/bin/python" -m uv pip install --quiet --python "$venv/bin/python" --editable "$root$extra"; then
    return
  fi
  "${pip[@]}" --editable "$root$extra" || fail "pip failed (its message is above)"
}

now=$(key)
if ! fresh "$level" "$now"; then
  prepare_system
  prepare_venv
  echo "$now" >"$venv/.made-for-run"
  [ "$level" = run ] || echo "$now" >"$venv/.made-for-$level"
fi
