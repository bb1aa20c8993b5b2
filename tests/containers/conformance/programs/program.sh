# What the tests ask of most languages: MODE N, and for `sort` N numbers.
read -r mode n
case $mode in
  sort) tr ' ' '\n' | sort -n ;;
  hoard) all=xxxxxxxx; while :; do all=$all$all; done ;;
  spin) while :; do :; done ;;
  throw) echo thrown >&2; exit 1 ;;
  exit) exit "$n" ;;
esac
