# ARCHIVE JAVA ARGUMENT...: the classes that this command loads, as the virtual machine keeps them in memory (class-data
# sharing), in a file of that name. Before Java 13 there is no such archive: a file that is none is passed over.
set -eu
mkdir library
archive=library/$1
java=$2
shift 2
"$java" -XX:+IgnoreUnrecognizedVMOptions -XX:ArchiveClassesAtExit="$archive" "$@" </dev/null >&2 || true
[ -s "$archive" ] || echo none >"$archive"
tar -cf library.tar -C library .
