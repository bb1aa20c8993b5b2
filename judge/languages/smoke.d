import std.algorithm, std.array, std.conv, std.stdio, std.string;

void main() {
    writeln(readln().strip.split.map!(to!long).sum);
}
