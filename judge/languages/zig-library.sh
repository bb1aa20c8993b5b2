# COMPILER LIB SOURCE: what Zig keeps of a program, without the program.
set -eu
sh ../in/zig-build.sh "$@"
rm -rf kept/tmp
tar -cf kept.tar kept
tar -cf library.tar kept.tar
