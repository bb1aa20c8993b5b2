import std/[algorithm, sequtils, strutils, tables]

let numbers = stdin.readLine.splitWhitespace.map(parseInt).sorted
doAssert numbers.toCountTable.len == 2
echo numbers.foldl(a + b)
