# What the tests ask of most languages: MODE N, and for `sort` N numbers.
defmodule Asked do
  def deep(0), do: 0
  def deep(n), do: 1 + deep(n - 1)

  def hoard(all), do: hoard([:binary.copy("x", 1_000_000) | all])

  def spin, do: spin()
end

[mode, word] = String.split(IO.read(:stdio, :line))
n = String.to_integer(word)

case mode do
  "sort" ->
    IO.read(:stdio, :line)
    |> String.split()
    |> Enum.map(&String.to_integer/1)
    |> Enum.sort()
    |> Enum.join("\n")
    |> IO.puts()

  "deep" -> IO.puts(Asked.deep(n))
  "hoard" -> Asked.hoard([])
  "spin" -> Asked.spin()
  "throw" -> raise "thrown"
  "exit" -> System.halt(n)
end
