program limits;
{$mode objfpc}
uses SysUtils;
var
  line, what: string;
  n, i: longint;
  parts: array of array of byte;
function depth(n: longint): longint;
begin
  if n = 0 then depth := 0 else depth := 1 + depth(n - 1);
end;
begin
  readln(line);
  i := pos(' ', line);
  what := copy(line, 1, i - 1);
  n := StrToInt(copy(line, i + 1, 20));
  if what = 'memory' then begin
    setlength(parts, n);
    for i := 0 to n - 1 do begin
      setlength(parts[i], 1 shl 20);
      fillchar(parts[i][0], 1 shl 20, 1);
    end;
  end else if what = 'depth' then n := depth(n)
  else raise Exception.Create(what);
  writeln('done ', n);
end.
