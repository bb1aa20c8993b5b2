// Shows: Pascal: 64-bit integers, dynamic arrays, a recursion
program sum;

var
  a, b: int64;
  numbers: array of longint;

function down(value: int64; depth: longint): int64;
begin
  if depth = 0 then
    down := value
  else
    down := down(value, depth - 1);
end;

begin
  readln(a, b);
  setlength(numbers, 1000000);
  numbers[999999] := 0;
  writeln(down(a + b, 100000) + numbers[999999]);
end.
