-module(limits).
-export([main/0]).
depth(0) -> 0;
depth(N) -> 1 + depth(N - 1).
main() ->
    {ok, [What, N]} = io:fread("", "~a ~d"),
    io:format("done ~p~n", [case What of
        memory -> length([binary:copy(<<I>>, 1048576) || I <- lists:seq(1, N)]);
        depth -> depth(N);
        _ -> error(fail)
    end]).
