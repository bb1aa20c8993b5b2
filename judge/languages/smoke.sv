module tb;
  integer a, b, found;
  initial begin
    found = $fscanf('h8000_0000, "%d %d", a, b);
    $display("%0d", a + b);
    $finish;
  end
endmodule
