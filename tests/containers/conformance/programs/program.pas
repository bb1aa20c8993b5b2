{ What the tests ask of every language: MODE N, and for `sort` N numbers. }
program Asked;

{$mode objfpc}

uses
  cthreads, Classes, SysUtils;

type
  TNumbers = array of int64;

  TAdder = class(TThread)
    Mine: int64;
    procedure Execute; override;
  end;

var
  Sum: int64 = 0;

procedure TAdder.Execute;
begin
  InterlockedExchangeAdd64(Sum, Mine);
end;

function Deep(n: int64): int64;
begin
  if n = 0 then
    exit(0);
  Deep := 1 + Deep(n - 1);
end;

procedure Sort(var a: TNumbers; l, r: longint);
var
  i, j: longint;
  pivot, swap: int64;
begin
  i := l;
  j := r;
  pivot := a[(l + r) div 2];
  repeat
    while a[i] < pivot do inc(i);
    while pivot < a[j] do dec(j);
    if i <= j then
    begin
      swap := a[i];
      a[i] := a[j];
      a[j] := swap;
      inc(i);
      dec(j);
    end;
  until i > j;
  if l < j then Sort(a, l, j);
  if i < r then Sort(a, i, r);
end;

procedure Hoard;
var
  p: PByte;
begin
  while true do
  begin
    GetMem(p, 1 shl 18);
    FillChar(p^, 1 shl 18, 1);
  end;
end;

procedure Refused(n: int64);
var
  p: pointer;
begin
  GetMem(p, n shl 40);
  writeln(p <> nil);
end;

procedure Threads(n: longint);
var
  all: array of TAdder;
  i: longint;
begin
  SetLength(all, n);
  for i := 0 to n - 1 do
  begin
    all[i] := TAdder.Create(true);
    all[i].Mine := i + 1;
  end;
  for i := 0 to n - 1 do
    all[i].Start;
  for i := 0 to n - 1 do
  begin
    all[i].WaitFor;
    all[i].Free;
  end;
  writeln(Sum);
end;

procedure Large(n: longint);
var
  numbers: array of longint;
  i: longint;
begin
  SetLength(numbers, n div 4);
  for i := 0 to High(numbers) do
    numbers[i] := 1;
  writeln(numbers[n div 8]);
end;

var
  Mode: string;
  n, i, spin: int64;
  numbers: TNumbers;
  name: text;
  line: string;

begin
  Mode := '';
  readln(line);
  Mode := copy(line, 1, pos(' ', line) - 1);
  n := StrToInt64(Trim(copy(line, pos(' ', line) + 1, 255)));
  case Mode of
    'sort':
      begin
        SetLength(numbers, n);
        for i := 0 to n - 1 do
          read(numbers[i]);
        Sort(numbers, 0, n - 1);
        for i := 0 to n - 1 do
          writeln(numbers[i]);
      end;
    'deep': writeln(Deep(n));
    'large': Large(n);
    'garbage':
      begin
        for i := 1 to n do
        begin
          SetLength(numbers, 0);
          SetLength(numbers, 512);
          inc(Sum, 2 * Length(numbers));
        end;
        writeln(Sum);
      end;
    'hoard': Hoard;
    'refused': Refused(n);
    'threads': Threads(n);
    'file':
      begin
        Assign(name, 'file');
        Rewrite(name);
        writeln(name, n);
        Close(name);
        Reset(name);
        readln(name, line);
        writeln(line);
      end;
    'spin':
      begin
        spin := 1;
        while spin <> 0 do
          spin := (spin + 1) mod 1000003 or 1;
      end;
    'throw': raise Exception.Create('thrown');
    'exit': halt(n);
  end;
end.
