# COMPILER SOURCE: a program begins at `main`, with the C library, or at `_start`, without its start.
set -eu
"$1" -f elf64 -d ONLINE_JUDGE -I ../in -o solution.o "$2"
if nm solution.o | grep -q ' T _start$'; then start=-nostartfiles; else start=; fi
exec /usr/bin/gcc -no-pie -z noexecstack $start -o solution solution.o -lm
