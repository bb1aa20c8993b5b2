[Source] = init:get_plain_arguments(),
case compile:file(Source, [binary, report, {d, 'ONLINE_JUDGE'}, {i, "../in"}]) of
    {ok, _, Made} -> ok = file:write_file("solution.beam", Made), halt(0);
    _ -> halt(1)
end.
