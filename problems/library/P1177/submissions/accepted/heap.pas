{ Heap sort. }
var
  a: array[1..100000] of longint;
  n, i, x: longint;

procedure sift(root, last: longint);
var
  child: longint;
begin
  x := a[root];
  while 2 * root <= last do
  begin
    child := 2 * root;
    if (child < last) and (a[child + 1] > a[child]) then inc(child);
    if a[child] <= x then break;
    a[root] := a[child];
    root := child;
  end;
  a[root] := x;
end;

begin
  read(n);
  for i := 1 to n do read(a[i]);
  for i := n div 2 downto 1 do sift(i, n);
  for i := n downto 2 do
  begin
    x := a[1];
    a[1] := a[i];
    a[i] := x;
    sift(1, i - 1);
  end;
  for i := 1 to n do write(a[i], ' ');
  writeln;
end.
