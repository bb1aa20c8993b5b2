defmodule Limits do
  def depth(0), do: 0
  def depth(n), do: 1 + depth(n - 1)
end
[what, text] = IO.read(:stdio, :line) |> String.split()
n = String.to_integer(text)
done = case what do
  "memory" -> length(for i <- 1..n, do: :binary.copy(<<rem(i, 256)>>, 1048576))
  "depth" -> Limits.depth(n)
  _ -> raise "fail"
end
IO.puts("done #{done}")
