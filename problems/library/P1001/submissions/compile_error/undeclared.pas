begin
  read(a, b);
  writeln(a + b);
end.
