var
  parent: array[1..200000] of longint;
  n, m, i, kind, x, y: longint;
  buffer: array[0..65535] of byte;

function find(x: longint): longint;
begin
  while parent[x] <> x do
  begin
    parent[x] := parent[parent[x]];
    x := parent[x];
  end;
  find := x;
end;

begin
  SetTextBuf(input, buffer);
  read(n, m);
  for i := 1 to n do parent[i] := i;
  for i := 1 to m do
  begin
    read(kind, x, y);
    x := find(x);
    y := find(y);
    if kind = 1 then
      parent[x] := y
    else if x = y then
      writeln('Y')
    else
      writeln('N');
  end;
end.
