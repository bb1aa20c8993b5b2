import std/[strutils]
proc depth(n: int): int =
  if n == 0: 0 else: 1 + depth(n - 1)
let words = stdin.readLine.splitWhitespace
var n = words[1].parseInt
case words[0]
of "memory":
  var parts: seq[string]
  for i in 0 ..< n: parts.add(repeat('x', 1 shl 20))
  n = parts.len
of "depth": n = depth(n)
else: raise newException(ValueError, "fail")
echo "done ", n
