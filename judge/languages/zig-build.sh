# COMPILER LIB SOURCE [LIBRARY]: native code for any machine, with the C library. Zig writes to what it keeps: so that is copied.
set -eu
[ $# -lt 4 ] || tar -xf "$4/kept.tar"
exec "$1" build-exe -O ReleaseFast -fstrip -mcpu=baseline -lc --zig-lib-dir "$2" --cache-dir made --global-cache-dir kept \
  --name solution "$3"
