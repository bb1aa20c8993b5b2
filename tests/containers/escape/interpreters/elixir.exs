# No shell: the machine ends itself where it cannot start one, and loses what it had to say.
c = IO.stream(:stdio, :line) |> Map.new(fn line -> line |> String.trim_trailing("\n") |> String.split(" ", parts: 2) |> List.to_tuple() end)

attempt = fn what, call ->
  got = try do call.() rescue _ -> nil catch _, _ -> nil end
  IO.puts(if got in [nil, false, ""], do: "HELD #{what}", else: "ESCAPED #{what} #{got}")
end

port = String.to_integer(c["tcp"])
attempt.("file", fn -> File.read!(c["file"]) end)
attempt.("answer", fn -> File.read!(c["answer"]) end)
attempt.("environment", fn -> System.get_env(c["env"]) end)
attempt.("write", fn -> File.write!("#{c["world"]}/#{c["mark"]}", "x") end)
attempt.("connect", fn -> {:ok, _} = :gen_tcp.connect({127, 0, 0, 1}, port, []); true end)
attempt.("listen", fn -> {:ok, _} = :gen_tcp.listen(0, ip: {127, 0, 0, 1}); true end)
attempt.("others", fn -> File.read!("/proc/#{c["pid"]}/status") end)
