# LIBRARY SOURCE...: what `go build` does with files of one package, without its own start and its cache.
set -eu
library=$1
shift
tools=$(cat "$library/tools")
sed "s|\(.*\)=\(.*\)|packagefile \1=$library/\2|" "$library/packages" >importcfg
"$tools/compile" -p main -complete -pack -c 2 -trimpath "$(cd ../in && pwd)" -importcfg importcfg -o main.a "$@" >&2
"$tools/link" -importcfg importcfg -s -w -o solution main.a >&2
