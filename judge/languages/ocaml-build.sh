# COMPILER SOURCE: native code, with the two libraries that come with the compiler and that programs use.
set -eu
cp "$2" solution.ml
exec "$1" -w -a -inline 100 unix.cmxa str.cmxa -o solution solution.ml
