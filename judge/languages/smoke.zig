const std = @import("std");
extern "c" fn scanf(format: [*:0]const u8, ...) c_int;

// Written for every version: of those that there are, each has its own way to read and to print.
pub fn main() !void {
    var numbers: [2]c_longlong = undefined;
    if (scanf("%lld %lld", &numbers[0], &numbers[1]) != 2) return error.NoNumbers;
    var sum: i64 = 0;
    for (numbers) |number| sum = try std.math.add(i64, sum, number);
    var space: [32]u8 = undefined;
    const text = try std.fmt.bufPrint(&space, "{d}\n", .{sum});
    if (std.c.write(1, text.ptr, text.len) != text.len) return error.NotWritten;
}
