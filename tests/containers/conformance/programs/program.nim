# What the tests ask of most languages: MODE N, and for `sort` N numbers.
import std/[algorithm, sequtils, strutils]

proc deep(n: int): int =
  if n == 0: 0 else: 1 + deep(n - 1)

let words = stdin.readLine.splitWhitespace
let n = parseInt(words[1])
case words[0]
of "sort":
  echo stdin.readLine.splitWhitespace.map(parseInt).sorted.join("\n")
of "deep":
  echo deep(n)
of "hoard":
  var all: seq[seq[int]]
  while true: all.add(newSeqWith(100_000, all.len))
of "spin":
  var turns {.volatile.} = 1
  while turns != 0: turns += 1
of "throw":
  raise newException(ValueError, "thrown")
of "exit":
  quit(n)
else:
  discard
