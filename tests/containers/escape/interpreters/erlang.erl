-module(attack).
-export([main/0]).

%% No shell: the machine ends itself where it cannot start one, and loses what it had to say.
attempt(What, Call) ->
    case catch Call() of
        {ok, Got} -> io:format("ESCAPED ~s ~s~n", [What, Got]);
        _ -> io:format("HELD ~s~n", [What])
    end.

given(Given) ->
    case io:get_line("") of
        eof -> Given;
        Line -> [Key, Value] = string:split(string:chomp(Line), " "), given(Given#{Key => Value})
    end.

main() ->
    C = given(#{}),
    Of = fun(Key) -> maps:get(Key, C) end,
    Port = list_to_integer(Of("tcp")),
    attempt("file", fun() -> file:read_file(Of("file")) end),
    attempt("answer", fun() -> file:read_file(Of("answer")) end),
    attempt("environment", fun() -> [_ | _] = Found = os:getenv(Of("env")), {ok, Found} end),
    attempt("write", fun() -> ok = file:write_file(Of("world") ++ "/" ++ Of("mark"), "x"), {ok, "written"} end),
    attempt("connect", fun() -> {ok, _} = gen_tcp:connect({127, 0, 0, 1}, Port, []), {ok, "connected"} end),
    attempt("listen", fun() -> {ok, _} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]), {ok, "listening"} end),
    attempt("others", fun() -> file:read_file("/proc/" ++ Of("pid") ++ "/status") end).
