//! What the tests ask of most languages: MODE N, and for `sort` N numbers.
const std = @import("std");
extern "c" fn scanf(format: [*:0]const u8, ...) c_int;
extern "c" fn printf(format: [*:0]const u8, ...) c_int;

fn deep(n: c_longlong) c_longlong {
    var left = n;
    const seen: *volatile c_longlong = &left;
    if (seen.* == 0) return 0;
    seen.* = deep(seen.* - 1);
    return seen.* + 1;
}

pub fn main() !void {
    var mode: [16]u8 = undefined;
    var n: c_longlong = 0;
    if (scanf("%15s %lld", &mode, &n) != 2) return error.NoInput;
    const asked = std.mem.sliceTo(&mode, 0);
    const allocator = std.heap.c_allocator;
    if (std.mem.eql(u8, asked, "sort")) {
        const numbers = try allocator.alloc(c_longlong, @intCast(n));
        for (numbers) |*number| _ = scanf("%lld", number);
        std.mem.sort(c_longlong, numbers, {}, std.sort.asc(c_longlong));
        for (numbers) |number| _ = printf("%lld\n", number);
    } else if (std.mem.eql(u8, asked, "deep")) {
        _ = printf("%lld\n", deep(n));
    } else if (std.mem.eql(u8, asked, "hoard")) {
        while (true) @memset(try allocator.alloc(u8, 1 << 20), 1);
    } else if (std.mem.eql(u8, asked, "spin")) {
        const turns: *volatile c_longlong = &n;
        turns.* = 1;
        while (turns.* != 0) turns.* = 1;
    } else if (std.mem.eql(u8, asked, "throw")) {
        return error.thrown;
    } else if (std.mem.eql(u8, asked, "exit")) {
        std.c.exit(@intCast(n));
    }
}
