# GO PACKAGE...: the packages of its standard library, and others that Debian installs, compiled (since Go 1.20 they come as sources only), and
#   packages    name=FILE of each, for compile and link
#   tools       the directory of compile and link
set -eu
export GOCACHE="$PWD/cache" GOPATH=/usr/share/gocode GOENV=off GOFLAGS= GOPROXY=off GOTOOLCHAIN=local GO111MODULE=off \
  CGO_ENABLED=0 GOMAXPROCS=2
mkdir library
go=$1
shift
"$go" env GOTOOLDIR >library/tools
"$go" list -export -deps -f '{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}' std "$@" >list
# No pipes: where forks are counted, the end of one process may interrupt the making of the next.
number=0
while read -r package archive; do
  number=$((number + 1))
  file=$number.a
  cp "$archive" "library/$file"
  echo "$package=$file" >>library/packages
done <list
tar -cf library.tar -C library .
