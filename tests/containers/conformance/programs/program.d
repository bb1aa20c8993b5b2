// What the tests ask of most languages: MODE N, and for `sort` N numbers.
import core.stdc.stdlib, std.algorithm, std.array, std.conv, std.stdio, std.string;

long deep(long n) {
    return n == 0 ? 0 : 1 + deep(n - 1);
}

void main() {
    auto words = readln().strip.split;
    long n = words[1].to!long;
    switch (words[0]) {
    case "sort":
        auto numbers = readln().strip.split.map!(to!long).array;
        sort(numbers);
        foreach (number; numbers)
            writeln(number);
        break;
    case "deep":
        writeln(deep(n));
        break;
    case "hoard":
        ubyte[][] all;
        for (;;) {
            auto some = new ubyte[1_000_000];
            some[] = 1;
            all ~= some;
        }
    case "spin":
        for (;;) {
        }
    case "throw":
        throw new Exception("thrown");
    case "exit":
        exit(cast(int) n);
    default:
    }
}
