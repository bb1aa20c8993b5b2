% What the tests ask of most languages: MODE N, and for `sort` N numbers.
-module(asked).
-export([main/0]).

main() ->
    [Mode, Word] = string:lexemes(io:get_line(""), " \n"),
    N = list_to_integer(Word),
    case Mode of
        "sort" ->
            Words = string:lexemes(io:get_line(""), " \n"),
            Sorted = lists:sort([list_to_integer(Each) || Each <- Words]),
            io:put_chars([[integer_to_list(Number), $\n] || Number <- Sorted]);
        "deep" -> io:format("~p~n", [deep(N)]);
        "hoard" -> hoard([]);
        "spin" -> spin();
        "throw" -> error(thrown);
        "exit" -> halt(N)
    end.

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

hoard(All) -> hoard([binary:copy(<<"x">>, 1000000) | All]).

spin() -> spin().
