import std.array, std.conv, std.stdio, std.string;
long depth(long n) { return n ? 1 + depth(n - 1) : 0; }
void main() {
    auto words = readln().split;
    long n = words[1].to!long;
    switch (words[0]) {
        case "memory":
            ubyte[][] parts;
            foreach (i; 0 .. n) { auto part = new ubyte[1 << 20]; part[] = 1; parts ~= part; }
            n = parts.length;
            break;
        case "depth": n = depth(n); break;
        default: throw new Exception("fail");
    }
    writeln("done ", n);
}
