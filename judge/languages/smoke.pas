program smoke;

{$mode objfpc}

uses
  SysUtils, Classes;

var
  a, b: int64;
  sums: TStringList;

begin
  read(a, b);
  sums := TStringList.Create;
  try
    sums.Add(IntToStr(a + b));
    writeln(sums[0]);
  finally
    sums.Free;
  end;
end.
