# LIBRARY SOURCE...: what `go test` does with files of one package, whose functions TestX it runs.
set -eu
library=$1
shift
tools=$(cat "$library/tools")
sed "s|\(.*\)=\(.*\)|packagefile \1=$library/\2|" "$library/packages" >importcfg
"$tools/compile" -p tested -complete -pack -c 2 -trimpath "$(cd ../in && pwd)" -importcfg importcfg -o tested.a "$@" >&2
echo "packagefile tested=$PWD/tested.a" >>importcfg
{
  cat <<'END'
package main

import (
	"fmt"
	"os"
	"testing"
	"testing/internal/testdeps"
	tested "tested"
)

func main() {
	code := testing.MainStart(testdeps.TestDeps{}, tests, nil, nil, nil).Run()
	if code == 0 {
		fmt.Println("ok")
	}
	os.Exit(code)
}

var tests = []testing.InternalTest{
END
  sed -n 's/^[[:space:]]*func \(Test\([^a-z(][^ (]*\)\?\)([^ ]* \*testing\.T).*/{"\1", tested.\1},/p' "$@"
  echo '}'
} >main.go
"$tools/compile" -p main -complete -pack -c 2 -importcfg importcfg -o main.a main.go >&2
"$tools/link" -importcfg importcfg -s -w -o solution main.a >&2
