var
  a: array[1..100000] of longint;
  n, i, j, t: longint;
begin
  read(n);
  for i := 1 to n do read(a[i]);
  for i := 1 to n do
    for j := 2 to n do
      if a[j - 1] > a[j] then
      begin
        t := a[j];
        a[j] := a[j - 1];
        a[j - 1] := t;
      end;
  for i := 1 to n do write(a[i], ' ');
  writeln;
end.
