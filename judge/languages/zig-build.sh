# COMPILER LIB SOURCE [LIBRARY]: native code for any machine, with the C library. Messages name the files as they are
# found, so they are copied; and so is what Zig keeps, to which it writes.
set -eu
cp ../in/*.zig .
[ $# -lt 4 ] || tar -xf "$4/kept.tar"
exec "$1" build-exe -O ReleaseFast -fstrip -mcpu=baseline -lc --zig-lib-dir "$2" --cache-dir made --global-cache-dir kept \
  --name solution "${3##*/}"
